"""Players of `expert` as XML files: a folder with a file of parameters for each, and a list of names.

The folder is that of Moravčík's thesis (2011), section 19.2: ``Alice.xml`` has the parameters of the player Alice,
``Default.xml`` those of all players without a file, and ``names.txt`` the names to draw players from. The thesis's own keys are
lost. These are the keys of the YAML config, and every one must be present::

    <player>
      <memory>0.4</memory>
      ...
      <river>
        <bet>0.4</bet>
        ...
      </river>
    </player>
"""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import msgspec

from limpet.configs.fitting import Keys, Misfit, fit
from limpet.configs.loading import ConfigError
from limpet.strategies.expert.style import Style

ROOT = "player"
RESERVED = "Default"
"""Name of the file for players without one; no player may have it."""
NAMES = "names.txt"
PLAYER_NAME = re.compile(r"[^\s:|/\\.][^:|/\\]*")


def player_names(folder: Path) -> list[str]:
    """Return the names of a folder's ``names.txt``: one a line, blank lines and those that begin with # left out.

    Raises `ConfigError` with file and line.
    """
    path = folder / NAMES
    names = []
    for number, line in enumerate(_text(path).splitlines(), 1):
        name = line.strip()
        if name and not name.startswith("#"):
            names.append(_checked(name, f"{path}:{number}: "))
    if not names:
        raise ConfigError(f"{path}: no names; write one a line")
    return names


def player_file(folder: Path, name: str) -> Path:
    """Return the file of a player's parameters: its own, or that of `RESERVED`. Raises `ConfigError`."""
    own = folder / f"{_checked(name)}.xml"
    path = own if own.is_file() else folder / f"{RESERVED}.xml"
    if not path.is_file():
        raise ConfigError(f"{own}: no such file, and {path.name} is not there either; add one of them")
    return path


def read_style(path: Path) -> Style:
    """Read the parameters of an XML file. Raises `ConfigError` with the line of a missing or wrong key."""
    reader = _Reader(path)
    try:
        style = fit(reader.data, Style)
        _all_present(Style, reader.data, ())
        return style
    except Misfit as misfit:
        raise reader.error(misfit.keys, str(misfit)) from None


def style_xml(style: Style) -> str:
    """Return parameters as an XML file, which `read_style` reads again as the same."""
    root = ElementTree.Element(ROOT)
    _add(root, msgspec.to_builtins(style))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _add(parent: ElementTree.Element, values: dict[str, Any]) -> None:
    for key, value in values.items():
        child = ElementTree.SubElement(parent, key)
        if isinstance(value, dict):
            _add(child, value)
        else:
            child.text = repr(float(value))


def _checked(name: str, where: str = "") -> str:
    """Return a player's name. Raises `ConfigError` if it is reserved or cannot be a file's name."""
    if name.casefold() == RESERVED.casefold():
        raise ConfigError(f"{where}the name {name!r} is reserved for players without a file; take another")
    if not PLAYER_NAME.fullmatch(name):
        raise ConfigError(
            f"{where}{name!r} cannot be a file's name; write one without any of : | / \\ and no dot first"
        )
    return name


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8 text") from error
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; write the file or name another folder") from error


def _all_present(struct_type: type[msgspec.Struct], data: dict[str, Any], keys: Keys) -> None:
    """Raise `Misfit` for the first key that is missing: YAML configs have defaults, XML files have none."""
    for field in msgspec.structs.fields(struct_type):
        at = (*keys, field.encode_name)
        if field.encode_name not in data:
            raise Misfit(f"missing; every key must be there: add <{field.encode_name}>", at)
        inner = data[field.encode_name]
        if isinstance(inner, dict):
            _all_present(field.type, inner, at)


class _Reader:
    """The parameters of an XML file as plain data, and the line of each.

    A document type is refused, and with it every entity but XML's own five: nothing outside the file is read, and
    nothing in it can grow.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data: dict[str, Any] = {}
        self._lines: dict[Keys, int] = {(): 1}
        self._open: list[tuple[str, dict[str, Any]]] = []
        self._characters = ""
        parser = self._parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        try:
            parser.Parse(_text(path).encode(), True)
        except expat.ExpatError as error:
            fault = expat.errors.messages[error.code]
            raise ConfigError(f"{path}:{error.lineno}: not XML: {fault}; check the tags of this line") from None

    def error(self, keys: Keys, message: str) -> ConfigError:
        """Return an error about a key, with its line or that of the element where it is missing."""
        line = next(self._lines[keys[:length]] for length in range(len(keys), -1, -1) if keys[:length] in self._lines)
        where = ".".join(map(str, keys))
        return ConfigError(f"{self.path}:{line}: {where}{': ' if where else ''}{message}")

    def _doctype(self, *_: object) -> None:
        raise self._error_at_line("a document type is not read; remove <!DOCTYPE ...>")

    def _error_at_line(self, message: str) -> ConfigError:
        return ConfigError(f"{self.path}:{self._parser.CurrentLineNumber}: {message}")

    def _keys(self, name: str) -> Keys:
        """Return the keys that lead to an element within the open ones; the root has none."""
        return (*(outer for outer, _ in self._open[1:]), name) if self._open else ()

    def _text(self, characters: str) -> None:
        self._characters += characters

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._no_text()
        if not self._open and name != ROOT:
            raise self._error_at_line(f"the file begins with <{name}>; put all parameters into <{ROOT}>")
        if attributes:
            raise self._error_at_line(
                f"<{name}> has attributes; write parameters as elements, such as <memory>0.4</memory>"
            )
        keys = self._keys(name)
        if self._open and name in self._open[-1][1]:
            raise self._error_at_line(
                f"{'.'.join(map(str, keys))}: the key stands here a second time; keep one of them"
            )
        self._open.append((name, {}))
        self._lines[keys] = self._parser.CurrentLineNumber

    def _end(self, name: str) -> None:
        _, inner = self._open.pop()
        written = self._characters.strip()
        if inner or not self._open:
            self._no_text()
        self._characters = ""
        if not self._open:
            self.data = inner
            return
        try:
            self._open[-1][1][name] = inner or float(written)
        except ValueError:
            raise self.error(self._keys(name), f"{written!r} is not a number; write one such as 0.4") from None

    def _no_text(self) -> None:
        """Refuse text among elements."""
        if text := self._characters.strip():
            raise self._error_at_line(f"the text {text!r} is no parameter; remove it")
        self._characters = ""
