"""YAML files into typed structs, and the files that ship by their names.

Every error is one line: ``file:LINE: path.to.key: what is wrong; what would be right``.
"""

import difflib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import GameDef

T = TypeVar("T")

SUFFIX = {"games": ".game"} | dict.fromkeys(("bots", "matches", "tournaments", "training", "spots"), ".yaml")
"""The kinds of files that ship, and how their names end."""

Keys = tuple[str | int, ...]
"""A place in a document: mapping keys and list indexes from the top."""


class ConfigError(ValueError):
    """A config that cannot be used. The message is one line: file, line, key, what is wrong and what would be right."""


@contextmanager
def mistakes() -> Iterator[None]:
    """For commands: input that is wrong, or does not fit into memory, becomes one line and exit status 2."""
    try:
        yield
    except ConfigError:
        raise
    except (ValueError, MemoryError) as error:
        raise ConfigError(str(error)) from error


def load_yaml(path: str | Path, struct_type: type[T]) -> T:
    """A YAML file decoded strictly into `struct_type` (a msgspec Struct). Raises `ConfigError`."""
    return Document.read(path).decode(struct_type)


@dataclass(frozen=True)
class Document:
    """A YAML file: its data (plain dicts, lists, strings, numbers) and where each value stands."""

    path: Path
    data: Any
    node: yaml.Node | None

    @staticmethod
    def read(path: str | Path) -> "Document":
        """Read with the safe loader. Raises `ConfigError` for a missing file, bad syntax or a key given twice."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8 text") from error
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}; {_beside(path)}") from error
        try:
            node = yaml.compose(text, Loader=yaml.SafeLoader)
            document = Document(path, yaml.safe_load(text), node)
        except yaml.YAMLError as error:
            raise ConfigError(_syntax_error(path, error)) from error
        for twice, keys in _repeated_keys(node, ()):
            where = ".".join(map(str, keys))
            raise ConfigError(f"{path}:{_line(twice)}: {where}: the key stands here a second time; keep one of them")
        return document

    def decode(self, struct_type: type[T], at: Keys = ()) -> T:
        """The value at `at` (missing: an empty mapping) as `struct_type`. Raises `ConfigError`."""
        value = self.data
        for key in at:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                value = {}
        if value is None:
            value = {}
        try:
            return msgspec.convert(value, struct_type, strict=True)
        except msgspec.ValidationError as error:
            raise self._explain(error, struct_type, at) from None

    def error(self, at: Keys, message: str) -> ConfigError:
        """An error about the value at `at`, or about the nearest thing around it that the file holds."""
        where = ".".join(str(key) for key in at).replace("..", ".")
        return ConfigError(f"{self.path}:{self.line(at)}: {where + ': ' if where else ''}{message}")

    def line(self, at: Keys) -> int:
        """The line of the key (or list item) at `at`, counted from 1."""
        node, line = self.node, 1
        for key in at:
            found = _child(node, key)
            if found is None:
                break
            key_node, node = found
            line = _line(key_node)
        return line

    def _explain(self, error: msgspec.ValidationError, struct_type: type, at: Keys) -> ConfigError:
        message, _, place = str(error).partition(" - at ")
        inner = _place_keys(place.strip("`"))
        keys = at + inner
        fields = _fields_at(struct_type, inner)
        if found := re.search(r"unknown field `(.*)`", message):
            unknown = found[1]
            close = difflib.get_close_matches(unknown, fields, 1)
            meant = f"did you mean '{close[0]}'? " if close else ""
            known = f"{meant}known keys: {', '.join(fields)}" if fields else "no keys are known here; remove it"
            return self.error((*keys, unknown), f"unknown key; {known}")
        if found := re.search(r"missing required field `(.*)`", message):
            return self.error((*keys, found[1]), f"missing; add '{found[1]}: ...' ({fields.get(found[1], 'required')})")
        value = self.data
        try:
            for key in keys:
                value = value[key]
        except (KeyError, IndexError, TypeError):
            return self.error(keys, message)
        if not message.startswith(("Expected", "Object", "Invalid", "Array", "Malformed")):
            return self.error(keys, message)  # a type's own rule, in its own words
        wanted = re.sub(r", got `.*`$", "", message).replace("`", "")
        wanted = wanted.replace("object", "a mapping").replace("array", "a list")
        wanted = wanted[:1].lower() + wanted[1:]
        if "regex" in wanted and (described := _description(struct_type, inner)):
            wanted = f"expected {described}"
        if "[...]" in place:
            return self.error(keys, f"a value in it does not fit; {wanted}")
        return self.error(keys, f"{_shown(value)} does not fit; {wanted}{_number_hint(value, wanted)}")


def find_config(kind: str, name_or_path: str | Path, relative_to: str | Path | None = None) -> Path:
    """Where a config lies. `kind` is games, bots, matches, tournaments, training or spots.

    A bare name (``call``) is one that ships; with a folder or the kind's suffix it is a path, read from the folder
    `relative_to` where one is given. Raises `ConfigError` naming what there is.
    """
    text, suffix = str(name_or_path), SUFFIX[kind]
    if "/" not in text and "\\" not in text and not text.endswith((suffix, ".yml")):
        path = shipped_folder(kind) / f"{text}{suffix}"
        if not path.is_file():
            names = shipped_names(kind)
            close = difflib.get_close_matches(text, names, 1)
            meant = f"did you mean '{close[0]}'? " if close else ""
            raise ConfigError(
                f"{text}: none of the {kind} that ship has this name; {meant}"
                f"they are {', '.join(names)}; a file of your own is named with its ending, as in {text}{suffix}"
            )
        return path
    path = Path(relative_to or ".") / Path(text).expanduser()
    if not path.is_file():
        raise ConfigError(
            f"{path}: no such file; {_beside(path)}; {kind} that ship have bare names: {', '.join(shipped_names(kind))}"
        )
    return path


def load_game(name_or_path: str | Path, relative_to: str | Path | None = None) -> GameDef:
    """A game definition that ships, by name, or a file. Raises `ConfigError`."""
    try:
        return GameDef.load(find_config("games", name_or_path, relative_to))
    except GameDefError as error:
        raise ConfigError(str(error)) from error


def shipped_folder(kind: str) -> Path:
    """The folder of the files of a kind that ship."""
    return Path(str(resources.files("limpet.configs"))) / kind


def shipped_names(kind: str) -> list[str]:
    """Names of the files of a kind that ship, sorted."""
    suffix = SUFFIX[kind]
    return sorted(p.name.removesuffix(suffix) for p in shipped_folder(kind).glob(f"*{suffix}"))


class _Dumper(yaml.SafeDumper):
    """Writes text of several lines, such as a game, as it stands in its file."""


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text_node)


def yaml_text(data: object) -> str:
    """Plain data as YAML, in the order given."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, allow_unicode=True, width=110)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _child(node: yaml.Node | None, key: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """The node that names a child (the key, or the item itself) and the child."""
    if isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            if key_node.value == str(key):
                return key_node, value_node
    elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key], node.value[key]
    return None


def _repeated_keys(node: yaml.Node | None, at: Keys) -> Iterator[tuple[yaml.Node, Keys]]:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key_node, value_node in node.value:
            if isinstance(key_node, yaml.ScalarNode):
                if key_node.value in seen and key_node.value != "<<":
                    yield key_node, (*at, key_node.value)
                seen.add(key_node.value)
                yield from _repeated_keys(value_node, (*at, key_node.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _repeated_keys(item, (*at, index))


def _place_keys(place: str) -> Keys:
    """The keys of msgspec's ``$.players[0].seed``. A dict's key is printed as ``[...]``: there the path ends."""
    keys: list[str | int] = []
    for name, index in re.findall(r"\.([^.\[\]]+)|\[([^\]]*)\]", place):
        if index == "...":
            break
        keys.append(int(index) if index else name)
    return tuple(keys)


def _fields_at(struct_type: type, keys: Keys) -> dict[str, str]:
    """Keys of the struct at a place inside `struct_type`, each with what it takes."""
    info = _struct_in(_type_at(struct_type, keys))
    if not isinstance(info, msgspec.inspect.StructType):
        return {}
    return {field.encode_name: type(field.type).__name__.removesuffix("Type").lower() for field in info.fields}


def _description(struct_type: type, keys: Keys) -> str:
    """What the ``description`` of a type's `msgspec.Meta` says, if there is one."""
    return str((getattr(_type_at(struct_type, keys), "extra_json_schema", None) or {}).get("description", ""))


def _type_at(struct_type: type, keys: Keys) -> Any:
    """msgspec's description of the type at a place inside `struct_type`; None where there is none."""
    info: Any = msgspec.inspect.type_info(struct_type)
    for key in keys:
        info = _struct_in(info)
        if isinstance(info, msgspec.inspect.StructType) and isinstance(key, str):
            info = next((field.type for field in info.fields if field.encode_name == key), None)
        else:
            info = getattr(info, "item_type", None) or getattr(info, "value_type", None)
    return info


def _struct_in(info: Any) -> Any:
    """The first struct or list of a union, or the type itself."""
    options: Sequence[Any] = info.types if isinstance(info, msgspec.inspect.UnionType) else (info,)
    wanted = (msgspec.inspect.StructType, msgspec.inspect.CollectionType, msgspec.inspect.DictType)
    return next((option for option in options if isinstance(option, wanted)), info)


def _shown(value: object) -> str:
    kinds = {dict: "a mapping", list: "a list", type(None): "nothing"}
    return kinds.get(type(value)) or repr(value)[:60]


def _number_hint(value: object, wanted: str) -> str:
    """YAML reads 1e3 as a string; say how to write it."""
    if not isinstance(value, str) or not re.search("float|int", wanted):
        return ""
    try:
        number = float(value)
    except ValueError:
        return ""
    return f"; write {yaml.safe_dump(number if 'float' in wanted else int(number)).split()[0]}"


def _syntax_error(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = f":{mark.line + 1}" if mark is not None else ""
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{path}{where}: not YAML: {problem}; check indentation, quotes and colons on this line and the one above"


def _beside(path: Path) -> str:
    """What a reader who mistyped a path wants to know."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} here"
    names = sorted(p.name for p in folder.iterdir() if p.suffix in set(SUFFIX.values()) | {".yml"})
    close = difflib.get_close_matches(path.name, names, 1)
    if close:
        return f"did you mean {folder / close[0]}?"
    return f"in {folder} there are {', '.join(names[:12]) or 'no configs'}"
