"""The player `expert`: its parameters, as YAML and XML, and which share of hands it raises and goes on with.

The model is a game on [0, 1]: hands are uniform in strength, and a player's range is a share of the best of them, called
its width. A bet narrows the bettor's width to the share that bets, a call narrows the caller's to the share that goes on.
Widths are found by playing the hand's betting again as if every player had the same style.
"""

import re
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

import msgspec
import yaml

from limpet.configs.fitting import Keys
from limpet.configs.loading import ConfigError, Document, text_of
from limpet.protocol.chip_sums import num_acting
from limpet.protocol.state import State

# --- The parameters of the player `expert`: each is a key of a YAML config and of an XML file alike.

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Exponent = Annotated[float, msgspec.Meta(ge=0, le=10)]
PotFraction = Annotated[float, msgspec.Meta(gt=0, le=100)]


class Preflop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Play before the flop. Shares are of all starting hands, the strongest first.

    Attributes:
        open: share that the first to enter raises where one player is left to act behind.
        fade: where k players are left behind, the share is `open` ÷ k ** `fade`.
        limper: the share is multiplied by this for each player who has only called.
        limp: share that calls where nobody has raised, below those that raise.
        bet: share that raises where checking is free, as the big blind after calls.
        raise: of the hands that go on against a raise, the share that raises again.
        bluff: bluffs among the raises against a raise: 1 has as many as make the price of a call fair, 0 has none.
        caution: exponent of the share that goes on against a bet: 1 keeps a bluff without profit, more folds more.
        size: size of the first raise, as a pot fraction.
        reraise: size of later raises, as a pot fraction.
    """

    open: Share = 0.85
    fade: Exponent = 0.85
    limper: Share = 0.75
    limp: Share = 0.1
    bet: Share = 0.3
    raise_: Share = msgspec.field(default=0.22, name="raise")
    bluff: Share = 0.3
    caution: Exponent = 0.5
    size: PotFraction = 0.75
    reraise: PotFraction = 1.0


class StreetStyle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Play on one street after the flop. Shares are of the hands that the player may hold, the strongest first.

    Attributes:
        bet: share that bets for value when the others have checked.
        lead: share that bets for value when others are still to act.
        bluff: bluffs among the bets: 1 has as many as make the price of a call fair, 0 has none.
        bluff_from: share of all hands, the weakest first, that is too weak for a bluff bet; 0 on the river.
        raise: of the hands that go on against a bet, the share that raises for value.
        bluff_raise: bluffs among the raises, as `bluff`. They are the best hands that would fold.
        caution: exponent of the share that goes on against a bet: 1 keeps a bluff without profit, more folds more.
        size: size of a bet, as a pot fraction.
        reraise: size of a raise, as a pot fraction.
    """

    bet: Share = 0.45
    lead: Share = 0.3
    bluff: Share = 0.6
    bluff_from: Share = 0.0
    raise_: Share = msgspec.field(default=0.2, name="raise")
    bluff_raise: Share = 0.2
    caution: Exponent = 0.55
    size: PotFraction = 0.7
    reraise: PotFraction = 0.9


class Style(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All parameters of a style of play.

    Attributes:
        memory: exponent of a player's range at a new card, whose share of the best hands is taken to that power: 0
            forgets earlier streets, 1 keeps the range as narrow as it was.
        respect: weight of the opponents' ranges against the player's own where the player faces a bet: 0 looks at its
            own range only, 1 at the tightest opponent's only.
        all_in: a raise of more than this share of the chips that can still be lost is made all-in.
        preflop, flop, turn, river: play on each street.
    """

    memory: Share = 0.4
    respect: Share = 0.35
    all_in: Share = 0.45
    preflop: Preflop = Preflop()
    flop: StreetStyle = StreetStyle(bet=0.5, lead=0.3, bluff_from=0.3, bluff=0.5)
    turn: StreetStyle = StreetStyle(bet=0.45, lead=0.3, bluff_from=0.2, bluff=0.5)
    river: StreetStyle = StreetStyle(bet=0.4, lead=0.3)

    def street(self, round_: int, rounds: int) -> StreetStyle:
        """Return the parameters of a betting round after the first of a game; the last one is played as the river."""
        return (self.flop, self.turn, self.river)[2 if round_ == rounds - 1 else min(round_ - 1, 1)]


# --- Players of `expert` as XML files: a folder with a file of parameters for each, and a list of names.

ROOT = "player"
RESERVED = "Default"
"""Name of the file for players without one; no player may have it."""
NAMES = "names.txt"
REMEDY = "write the file or name another folder"
PLAYER_NAME = re.compile(r"[^\s:|/\\.][^:|/\\]*")


def player_names(folder: Path) -> list[str]:
    """Return the names of a folder's ``names.txt``, one a line; # begins a comment. Raises `ConfigError`."""
    path = folder / NAMES
    lines = {number: line.strip() for number, line in enumerate(text_of(path, REMEDY).splitlines(), 1)}
    names = [_checked(name, f"{path}:{at}: ") for at, name in lines.items() if name and not name.startswith("#")]
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
    document = _xml_document(path)
    style = document.decode(Style)
    _require_all(Style, document.data, document, ())
    return style


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


def _require_all(struct_type: type[msgspec.Struct], data: dict[str, Any], document: Document, keys: Keys) -> None:
    """Raise `ConfigError` for the first key that is missing: YAML configs have defaults, XML files have none."""
    for field in msgspec.structs.fields(struct_type):
        at = (*keys, field.encode_name)
        if field.encode_name not in data:
            raise document.error(at, f"missing; every key must be there: add <{field.encode_name}>")
        inner = data[field.encode_name]
        if isinstance(inner, dict):
            _require_all(field.type, inner, document, at)


def _xml_document(path: Path) -> Document:
    """Return the parameters of an XML file as plain data, with the line of each.

    A document type is refused, and with it every entity but XML's own five: nothing outside the file is read, and
    nothing in it can grow.
    """
    parser = expat.ParserCreate()
    keys: list[str] = []
    text = ""
    opened: list[tuple[dict[str, Any], yaml.MappingNode]] = [({}, yaml.MappingNode("", []))]
    """Data and nodes around the root, then of each element that is open."""

    def fault(message: str) -> ConfigError:
        return ConfigError(f"{path}:{parser.CurrentLineNumber}: {message}")

    def doctype(*_: object) -> None:
        raise fault("a document type is not read; remove <!DOCTYPE ...>")

    def characters(more: str) -> None:
        nonlocal text
        text += more

    def no_text() -> None:
        nonlocal text
        if text.strip():
            raise fault(f"the text {text.strip()!r} is no parameter; remove it")
        text = ""

    def start(name: str, attributes: dict[str, str]) -> None:
        no_text()
        if not keys and name != ROOT:
            raise fault(f"the file begins with <{name}>; put all parameters into <{ROOT}>")
        if attributes:
            raise fault(f"<{name}> has attributes; write parameters as elements, such as <memory>0.4</memory>")
        keys.append(name)
        data, node = opened[-1]
        if name in data:
            raise fault(f"{'.'.join(keys[1:])}: the key stands here a second time; keep one of them")
        data[name], inner = {}, yaml.MappingNode("", [])
        mark = yaml.Mark("", 0, parser.CurrentLineNumber - 1, 0, None, 0)
        node.value.append((yaml.ScalarNode("", name, mark), inner))
        opened.append((data[name], inner))

    def end(name: str) -> None:
        nonlocal text
        if opened.pop()[0] or len(keys) == 1:
            no_text()
        else:
            try:
                opened[-1][0][name] = float(text)
            except ValueError:
                message = f"{text.strip()!r} is not a number; write one such as 0.4"
                raise Document(path, {}, opened[1][1]).error(tuple(keys[1:]), message) from None
            text = ""
        keys.pop()

    parser.StartDoctypeDeclHandler, parser.CharacterDataHandler = doctype, characters
    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        parser.Parse(text_of(path, REMEDY).encode(), True)
    except expat.ExpatError as error:
        what = expat.errors.messages[error.code]
        raise ConfigError(f"{path}:{error.lineno}: not XML: {what}; check the tags of this line") from None
    data, node = opened[0]
    return Document(path, data[ROOT], node.value[0][1])


NARROWEST = 0.01
"""Least width of a range: some bettors of any line hold less than their line says."""


class ExpertPlan(NamedTuple):
    """The play of one decision, as shares of all hands.

    Attributes:
        raises: share of the best hands that bet or raise for value.
        goes_on: share of the best hands that do not fold; 1 where checking is free.
        rivals: number of opponents whose hands must be beaten together.
        bluffs: number of bluffs for each value bet.
        bluff_from: share of the weakest hands that do not bluff; None where the best hands that would fold bluff.
        size: size of the bet or raise, as a pot fraction.
    """

    raises: float
    goes_on: float
    rivals: int
    bluffs: float
    bluff_from: float | None
    size: float

    @property
    def raises_from(self) -> float:
        """The percentile from which hands raise for value; to the power of n it is the chance to beat n hands."""
        return float((1 - min(self.raises, 1.0)) ** (1 / self.rivals))

    @property
    def goes_on_from(self) -> float:
        return min(float((1 - min(self.goes_on, 1.0)) ** (1 / self.rivals)), self.raises_from)

    @property
    def bluffing(self) -> tuple[float, float]:
        share = self.bluffs * (1 - self.raises_from)
        if self.bluff_from is None:
            return self.goes_on_from - share, self.goes_on_from
        return self.bluff_from, min(self.bluff_from + share, self.raises_from)


def widths(style: Style, state: State) -> list[float]:
    """Return each position's width before the decision of `state`: the share of all hands that it may hold."""
    shares = [1.0] * state.game.num_players
    for before, after in pairwise(state.path()):
        assert after.action is not None
        decision = plan(style, before, shares)
        share = 1.0
        if after.action.kind == "r":
            share = (1 - decision.raises_from) * (1 + decision.bluffs)
        elif after.action.kind == "c" and before.can_fold:
            share = 1 - decision.goes_on_from
        shares[before.actor] = max(min(share, shares[before.actor]), NARROWEST)
        if after.round > before.round:
            shares = [share**style.memory for share in shares]
    return shares


def plan(style: Style, state: State, shares: list[float] | None = None) -> ExpertPlan:
    """Return the play of the actor of a state that is not finished. `shares` are its `widths`."""
    shares = widths(style, state) if shares is None else shares
    street = style.street(state.round, state.game.num_rounds) if state.round else style.preflop
    if state.can_fold and (state.round or state.raises):
        return _facing(style, street, state, shares)
    acting = num_acting(state.game.stack, state.spent, state.folded)
    behind, width = acting - state.called - 1, shares[state.actor]  # as nobody has raised in this round
    if isinstance(street, StreetStyle):
        bets, bluffs = street.lead if behind > 0 else street.bet, street.bluff * _fair_bluffs(street.size)
        return ExpertPlan(width * bets, 1, state.remaining - 1, bluffs, street.bluff_from, street.size)
    if not state.can_fold:
        return ExpertPlan(width * street.bet, 1, state.remaining - 1, 0, None, street.size)
    raises = street.open / max(behind, 1) ** street.fade * street.limper**state.called
    return ExpertPlan(raises, raises + street.limp, 1, 0, None, street.size)


def _facing(style: Style, street: Preflop | StreetStyle, state: State, widths: list[float]) -> ExpertPlan:
    others = [p for p in range(state.game.num_players) if p != state.actor and not state.has_folded(p)]
    rivals = [p for p in others if state.spent[p] in (state.max_spent, state.game.stack[p])] or others
    tightest = min(widths[position] for position in rivals)
    width = widths[state.actor] ** (1 - style.respect) * tightest**style.respect
    goes_on = width * max(1 - state.to_call / state.pot, 0) ** street.caution
    bluffs = (street.bluff if isinstance(street, Preflop) else street.bluff_raise) * _fair_bluffs(street.reraise)
    return ExpertPlan(goes_on * street.raise_, goes_on, len(rivals), bluffs, None, street.reraise)


def _fair_bluffs(size: float) -> float:
    """Return the bluffs for each value bet that make calling a bet of a pot fraction neither win nor lose."""
    return size / (1 + size)
