"""Read YAML files into typed structs, and find the files that ship by their names.

Every error is one line: ``file:LINE: path.to.key: what is wrong; what would be right``.
"""

import difflib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import dropwhile, takewhile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import yaml

from limpet.configs.fitting import Keys, Misfit, fit, meant
from limpet.protocol.draws import require_enough_cards
from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import GameDef

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import SafeLoader as _SafeLoader
else:  # in C: a twentieth of the time
    from yaml import CSafeLoader as _SafeLoader

T = TypeVar("T")

SUFFIX = dict.fromkeys(("bots", "matches", "tournaments", "sit_and_go", "training", "spots"), ".yaml")
SUFFIX["games"] = ".game"
"""Ending of the file names of each kind that ships. Where kinds share a name, the first kind has it."""


def _words(kind: str) -> str:
    """Return what people call a kind."""
    return "structures" if kind == "sit_and_go" else kind


class ConfigError(ValueError):
    """A config that cannot be used. The message is one line: file, line, key, what is wrong and what would be right."""


@contextmanager
def mistakes() -> Iterator[None]:
    """Raise `ConfigError`, of which commands make one line, for any `ValueError` or `MemoryError` in the block."""
    try:
        yield
    except ConfigError:
        raise
    except (ValueError, MemoryError) as error:
        raise ConfigError(str(error)) from error


def load_yaml(path: str | Path, struct_type: type[T]) -> T:
    """Decode a YAML file strictly into `struct_type` (a msgspec Struct). Raises `ConfigError`."""
    return Document.read(path).decode(struct_type)


def text_of(path: Path, remedy: str = "") -> str:
    """Return the text of a file. Raises `ConfigError`, with the remedy for one that cannot be read: files of similar names."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8 text") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; {remedy or _similar_files(path)}") from error


@dataclass(frozen=True)
class Document:
    """A YAML file, or a config given as data: plain dicts, lists, strings, numbers, and the line of each value of a file."""

    path: Path
    data: Any
    node: yaml.Node | None
    is_file: bool = True

    @staticmethod
    def read(path: str | Path) -> "Document":
        """Read a file with the safe loader. Raises `ConfigError` for a missing file, bad syntax or a key given twice."""
        return Document.parse(text_of(Path(path)), Path(path))

    @staticmethod
    def parse(text: str, path: Path) -> "Document":
        """Read a file's text, as `read` does; errors call it by its path."""
        try:
            node = _parsed(text)
            # Merged mappings (``<<``) are written into the nodes that data are made from: lines and keys come from others.
            made_from = deepcopy(node) if "<<" in text else node
            document = Document(path, _Loader("").construct_document(made_from) if node else None, node)
            repeated = next(_repeated_keys(node, (), set()), None)
        except yaml.YAMLError as error:
            raise ConfigError(_syntax_error(path, error)) from error
        except RecursionError:
            raise ConfigError(f"{path}: nested too deeply; is a bracket or brace repeated?") from None
        if repeated is not None:
            twice, keys = repeated
            where = ".".join(map(str, keys))
            raise ConfigError(f"{path}:{_line(twice)}: {where}: the key stands here a second time; keep one of them")
        return document

    @staticmethod
    def of(data: Mapping[str, Any], name: str) -> "Document":
        """Return the document of a config that is given as data; errors call it ``<name>``.

        Structs become mappings, numpy's numbers and arrays plain ones, paths text. Raises `ConfigError` for anything else.
        """
        document = Document(Path(f"<{name}>"), {}, None, is_file=False)
        for key, value in data.items():
            try:
                document.data[key] = msgspec.to_builtins(value, enc_hook=_plain)
            except (TypeError, NotImplementedError) as error:
                raise document.error((key,), f"{value!r} is no plain data ({error})") from error
        return document

    def decode(self, struct_type: type[T], at: Keys = ()) -> T:
        """Convert the value at `at` (an empty mapping if it is missing) to `struct_type`. Raises `ConfigError`."""
        value = self.data
        for key in at:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                value = {}
        if value is None:
            value = {}
        try:
            return fit(value, struct_type)
        except Misfit as misfit:
            raise self.error((*at, *misfit.keys), str(misfit)) from None

    def error(self, at: Keys, message: str) -> ConfigError:
        """Return an error about the value at `at`, with the line of the nearest value around it that the file holds."""
        where = ".".join(str(key) for key in at).replace("..", ".")
        line = f":{self.line(at)}" if self.is_file else ""
        return ConfigError(f"{self.path}{line}: {where + ': ' if where else ''}{message}")

    def line(self, at: Keys) -> int:
        """Return the line of the key (or list item) at `at`, counted from 1."""
        node, line = self.node, 1
        for key in at:
            child = _child(node, key)
            if child is None:
                break
            key_node, node = child
            line = _line(key_node)
        return line


def _plain(value: Any) -> Any:
    """Return a number or an array of numpy as plain numbers, and a path as text."""
    if isinstance(value, PurePath):
        return str(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise NotImplementedError(f"a {type(value).__name__}")


def located(document: Document | None, at: Keys, message: str) -> ConfigError:
    """Return `Document.error`, or an error of the message alone for a config that was not read from a file."""
    return ConfigError(message) if document is None else document.error(at, message)


def find_config(kind: str, name_or_path: str | Path, relative_to: str | Path | None = None) -> Path:
    """Return the path of a config. `kind` is one of `SUFFIX`, such as games or bots.

    A bare name (``call``) is one that ships. A text with a folder or the kind's suffix is a path, from the folder
    `relative_to` where one is given. Raises `ConfigError` naming the files that there are.
    """
    text, suffix = str(name_or_path), SUFFIX[kind]
    if "/" not in text and "\\" not in text and not text.endswith((suffix, ".yml")):
        path = shipped_folder(kind) / f"{text}{suffix}"
        if not path.is_file():
            _refuse_folder(Path(relative_to or ".") / text, kind)
            names = shipped_names(kind)
            near = meant(text, names)
            raise ConfigError(
                f"{text}: none of the {_words(kind)} that ship has this name; {near and near + ' '}"
                f"they are {', '.join(names)}; a file of your own is named with its ending, as in {text}{suffix}"
            )
        return path
    path = Path(relative_to or ".") / expanded(text)
    if not path.is_file():
        _refuse_folder(path, kind)
        if path.exists():
            raise ConfigError(f"{path}: this is no file; name a file of the {_words(kind)}")
        raise ConfigError(
            f"{path}: no such file; {_similar_files(path)}; "
            f"{_words(kind)} that ship have bare names: {', '.join(shipped_names(kind))}"
        )
    if kind == "bots" and os.access(path, os.X_OK) and path.suffix not in (suffix, ".yml"):
        raise ConfigError(f"{path}: this is a program and no config; write exec:{text} where a program may sit")
    return path


def find_any_config(config: str) -> Path:
    """Return the file of a path, or of a name among the configs and games that ship. Raises `ConfigError`."""
    if config.endswith(SUFFIX["games"]):
        return find_config("games", config)
    if "/" in config or "\\" in config or config.endswith((".yaml", ".yml")):
        return find_config("bots", config)
    for kind, suffix in SUFFIX.items():
        if (shipped_folder(kind) / f"{config}{suffix}").is_file():
            return find_config(kind, config)
    if Path(config).is_dir():
        return find_config("bots", f"./{config}")
    names = "; ".join(f"{kind} {', '.join(shipped_names(kind))}" for kind in SUFFIX if shipped_names(kind))
    raise ConfigError(f"{config}: no config that ships has this name; there are {names}; a file ends in .yaml or .game")


def _refuse_folder(path: Path, kind: str) -> None:
    """Raise `ConfigError` if the path is a folder."""
    if path.is_dir():
        names = sorted(p.name for p in path.glob(f"*{SUFFIX[kind]}"))
        hint = f"in it there are {', '.join(names[:12])}" if names else f"no file in it ends in {SUFFIX[kind]}"
        raise ConfigError(f"{path}: a folder, not one of the {_words(kind)}; name a file; {hint}")


def expanded(path: str) -> Path:
    """Replace ``~`` or ``~user`` by the user's folder. Raises `ConfigError` where there is none."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ConfigError(f"{path}: there is no such user; write the folder in full") from error


def load_game(name_or_path: str | Path, relative_to: str | Path | None = None) -> GameDef:
    """Load a game definition that ships, by name, or a file, to be played. Raises `ConfigError`."""
    path = find_config("games", name_or_path, relative_to)
    try:
        game = GameDef.load(path)
        require_enough_cards(game, str(path))
    except GameDefError as error:
        raise ConfigError(str(error)) from error
    return game


def shipped_folder(kind: str) -> Path:
    """Return the folder of the files of a kind that ship."""
    return Path(str(resources.files("limpet.configs"))) / kind


def shipped_names(kind: str) -> list[str]:
    """Return the names of the files of a kind that ship, sorted."""
    suffix = SUFFIX[kind]
    return sorted(p.name.removesuffix(suffix) for p in shipped_folder(kind).glob(f"*{suffix}"))


def shipped_sentences(kind: str) -> dict[str, str]:
    """Return the first sentence of each file of a kind that ships, by name."""
    return {name: first_sentence(shipped_folder(kind) / f"{name}{SUFFIX[kind]}") for name in shipped_names(kind)}


def first_sentence(path: Path) -> str:
    """Return the first sentence of a file's comment, or of its first paragraph below a heading; empty where there is none."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    if path.suffix == ".md":
        lines = list(takewhile(bool, dropwhile(lambda line: not line or line.startswith("#"), lines)))
    else:
        lines = [line.removeprefix("#").strip() for line in takewhile(lambda line: line.startswith("#"), lines)]
    sentence, stop, _ = " ".join(lines).partition(". ")
    return sentence + stop.strip()


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines, such as a game, as a block."""


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text_node)


def yaml_text(data: object) -> str:
    """Return plain data as YAML, in the order given."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, allow_unicode=True, width=110)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _child(node: yaml.Node | None, key: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """Return the key node (for a list: the item) and the node of the child under a key."""
    if isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            if key_node.value == str(key):
                return key_node, value_node
    elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key], node.value[key]
    return None


@lru_cache(maxsize=64)
def _parsed(text: str) -> yaml.Node | None:
    """Return the nodes of a document, which nobody changes. What ships is read again and again."""
    node: yaml.Node | None
    try:
        node = _Loader(text).get_single_node()
    except yaml.YAMLError:
        node = yaml.SafeLoader(text).get_single_node()  # which says better what is wrong
    return node


class _Loader(_SafeLoader):
    """The safe loader, which raises a YAML error for a scalar that does not fit its type, such as a date in month 13."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (yaml.YAMLError, RecursionError):
            raise
        except Exception as error:  # the readers of the kinds of scalars raise many types
            fault = f"{str(node.value)[:50]!r} is no {node.tag.rpartition(':')[2]}"
            raise yaml.constructor.ConstructorError(None, None, fault, node.start_mark) from error


def _repeated_keys(node: yaml.Node | None, at: Keys, visited: set[int]) -> Iterator[tuple[yaml.Node, Keys]]:
    if id(node) in visited:  # an alias, which may stand inside the node that it names
        return
    visited.add(id(node))
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key_node, value_node in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                if key_node.value in seen and key_node.value != "<<":
                    yield key_node, (*at, key_node.value)
                seen.add(key_node.value)
                yield from _repeated_keys(value_node, (*at, key_node.value), visited)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _repeated_keys(item, (*at, index), visited)


def _syntax_error(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = f":{mark.line + 1}" if mark is not None else ""
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{path}{where}: not YAML: {problem}; check indentation, quotes and colons on this line and the one above"


def _similar_files(path: Path) -> str:
    """Return the files that a user who mistyped a path may have meant."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} here"
    names = sorted(p.name for p in folder.iterdir() if p.suffix in set(SUFFIX.values()) | {".yml"})
    close = difflib.get_close_matches(path.name, names, 1)
    if close:
        return f"did you mean {folder / close[0]}?"
    return f"in {folder} there are {', '.join(names[:12]) or 'no configs'}"
