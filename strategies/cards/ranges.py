"""Ranges: a weight from 0 to 1 for each of the 1,326 hold'em hands, and the text they are written in.

    AKs:0.5, 77+, KhJd          hands, separated by commas, semicolons or blanks
    AK  AKs  AKo  TT            a class: both kinds, suited, offsuit, a pair
    77+  A5s+  KT+              this pair or kicker and the better ones, up to the high card
    22-66  J8o-J5o  T9s-54s     from one class to another: pairs, kickers, or both cards moving together
    KhJd                        one combo
    random  any  *              every hand
    20%                         the best hands by equity against a random one
    :0.5  @50  :50%             a weight, and the same as a percentage; without one it is 1
    [50]AKs, KQs[/50]           the percentage of all hands between the brackets

Later items override earlier ones, so `77+,TT:0.5` is all pairs from 77, tens half the time, and `*,AA:0` is everything
but aces. Capitals do not matter.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from limpet.protocol.cards import RANKS, card_id, cards_text
from limpet.protocol.errors import ProtocolError
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, class_name, preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities

NUM_HANDS = 1326

Notation = Literal["limpet", "pio", "equilab", "gto+"]
"""The programs in whose notation a range may be written."""
Unit = Literal["", "share", "percent"]
"""What weights without ``%`` are: shares of 1, or percentages; empty where each is what the sign before it says."""

Weights = npt.NDArray[np.float32]

_WORD = r"[^\s,;\[\]:@-]+"
_TOKEN = re.compile(
    rf"(?P<gap>[\s,;]+)|\[(?P<close>/?)\s*(?P<percent>[^\[\]/]*)\]|(?P<item>{_WORD}(?:\s*[:@-]\s*{_WORD})*)|(?P<bad>.)",
    re.DOTALL,
)
_CLASS = re.compile(rf"([{RANKS}])([{RANKS}])([SO]?)")
_NUMBER = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")
_EVERY_HAND = ("*", "random", "any")
_SIGNED = re.compile(r"([:@\[])\s*([0-9.]+)(%?)")
_FORMS = "write a class (AKs, AKo, AK, TT), a span (77+, A5s+, 22-66, J8o-J5o), a combo (KhJd), random or 20%"
_WEIGHTS = "a weight is a number from 0 to 1 after ':', or from 0 to 100 after '@' or in brackets"


class RangeError(ProtocolError):
    """Text that is not a range. The message names the item, its position, and what could stand there."""


def parse_range(text: str, unit: Unit = "") -> Weights:
    """Return float32[1326]: the weight of every hand, by colex index (`handspace.hand_space`).

    >>> float(parse_range("AKs:0.5,77+,KhJd").sum())
    51.0
    >>> bool((parse_range("AKs:50", "percent") == parse_range("[0.5]AKs[/0.5]", "share")).all())
    True

    unit: what weights are that have no ``%``; empty where a weight after ``:`` is a share, and others are percentages.
    Raises `RangeError`. An empty text is refused too: `random:0` is the range without hands.
    """
    weights = np.zeros(NUM_HANDS, dtype=np.float32)
    units = {"": (1.0, 100.0), "share": (1.0, 1.0), "percent": (100.0, 100.0)}
    if unit not in units:
        raise RangeError(
            f"no unit {unit!r} of weights; there are share and percent, and '' to tell them by their signs"
        )
    after_colon, elsewhere = units[unit]
    bracket: float | None = None
    items = 0
    for token in _TOKEN.finditer(text):
        where = f"range {_short(text)!r}, at character {token.start() + 1}"
        if token["gap"] is not None:
            continue
        if token["bad"] is not None:
            raise RangeError(f"{where}: {token['bad']!r} does not belong there; {_FORMS}")
        if token["percent"] is not None:
            closes = token["close"] == "/"
            bracket = _bracket(bracket, closes, token["percent"], elsewhere, f"{where}: {token[0]!r}")
            continue
        item = re.sub(r"\s+", "", token["item"])
        where += f", item {item!r}"
        items += 1
        body, sign, number = re.split(r"([:@])", item, maxsplit=1) if re.search("[:@]", item) else (item, "", "")
        if sign and bracket is not None:
            raise RangeError(f"{where}: the brackets around it give a weight already; leave one of the two out")
        weight = _number(number, after_colon if sign == ":" else elsewhere, where) if sign else bracket
        weights[_hands(body, where)] = 1.0 if weight is None else weight
    if bracket is not None:
        raise RangeError(
            f"range {_short(text)!r}: the brackets are not closed; write [/{bracket * elsewhere:g}] after the hands"
        )
    if items == 0:
        raise RangeError(f"range {_short(text)!r} names no hand; {_FORMS}")
    return weights


def likely_unit(text: str) -> Unit | None:
    """Return what the weights of a text are, by their signs and sizes; None where they may be shares as well as percentages.

    After ``:`` there are shares, but percentages if one is above 1; they may be either if all are 1 or 0. After ``@`` and in
    brackets there are percentages; they may be either if none is above 1.

    >>> likely_unit("AA:1,AKs:0.5"), likely_unit("AA:50"), likely_unit("[50.0]AKs[/50.0]"), likely_unit("[0.5]AKs[/0.5]")
    ('', 'percent', '', None)
    """
    signed = [
        (sign, float(number))
        for sign, number, percent in _SIGNED.findall(text)
        if _NUMBER.fullmatch(number) and not percent
    ]
    after_colon = {weight for sign, weight in signed if sign == ":"}
    elsewhere = {weight for sign, weight in signed if sign != ":"}
    if max(after_colon, default=0) > 1:
        return "percent"
    either = 1 in after_colon <= {0, 1} or 0 < max(elsewhere, default=0) <= 1
    return None if either else ""


def range_text(weights: npt.NDArray[np.floating], notation: Notation = "limpet") -> str:
    """Return the weights as short text, without blanks; `parse_range` turns it into the same float32 weights again.

    Hands of the greatest weight come first, and a class whose combos differ is written combo by combo. In the notation ``pio``
    each class stands alone, because PioSOLVER reads no spans; in ``gto+`` weights are percentages in brackets; in ``equilab``,
    with a blank after each comma, suited and offsuit hands stand apart.
    Raises ValueError unless weights are 1,326 numbers from 0 to 1, and `RangeError` for another notation, and for ``equilab``
    unless they are all 0 or 1.

    >>> range_text(parse_range("AKo, AKs, AQ, JJ-99:0.25, KhJd"))
    'AQ+,KhJd,JJ-99:0.25'
    >>> range_text(parse_range("AKs, JJ-99:0.25"), "pio"), range_text(parse_range("AKs, JJ-99:0.25"), "gto+")
    ('AKs,JJ:0.25,TT:0.25,99:0.25', 'AKs,[25]JJ-99[/25]')
    >>> range_text(parse_range("AQ+,99+"), "equilab")
    '99+, AQs+, AQo+'
    """
    if notation not in get_args(Notation):
        raise RangeError(f"no notation {notation!r}; there are {', '.join(get_args(Notation))}")
    weights = checked(weights)
    partly = np.flatnonzero((weights > 0) & (weights < 1))
    if notation == "equilab" and len(partly):
        hand = cards_text(hand_space().cards(int(partly[-1]))[::-1])
        raise RangeError(
            f"Equilab's ranges have no weights, and that of {hand} is {weights[partly[-1]]:g}; make it 0 or 1"
        )
    values = np.unique(weights)[::-1]
    if len(values) == 1 and (notation == "limpet" or not values[0]):
        return "random" + _suffix(values[0])
    items: list[str] = []
    for value in values[values > 0]:
        hands = list(_items(weights == value, spans=notation != "pio", joined=notation != "equilab"))
        if notation == "gto+" and value != 1:
            percent = _shortest(value, 100)
            items.append(f"[{percent}]{','.join(hands)}[/{percent}]")
        else:
            items += [item + _suffix(value) for item in hands]
    return (", " if notation == "equilab" else ",").join(items)


def checked(weights: npt.NDArray[np.floating]) -> Weights:
    """Return the weights as float32[1326]. Raises ValueError unless they are 1,326 numbers from 0 to 1."""
    weights = np.asarray(weights, dtype=np.float32)
    if weights.shape != (NUM_HANDS,):
        raise ValueError(f"a range has {NUM_HANDS} weights, one a hand, not an array of shape {weights.shape}")
    wrong = np.flatnonzero(~((weights >= 0) & (weights <= 1)))
    if len(wrong):
        hand = cards_text(hand_space().cards(int(wrong[0])))
        raise ValueError(f"the weight of {hand} is {weights[wrong[0]]}; weights go from 0 to 1")
    return weights


def percent_range(percent: float) -> Weights:
    """Return the best starting hands by equity against a random one: the whole classes that come closest to the percentage.

    At least one class is in it; classes of equal equity go by their number. Raises ValueError outside 0 < percent <= 100.
    """
    if not 0 < percent <= 100:
        raise ValueError(f"{percent:g} % of the hands cannot be had; ask for more than 0 and at most 100")
    order = np.argsort(-class_equities(), kind="stable")
    sizes = np.bincount(preflop_classes(), minlength=NUM_CLASSES)[order]
    off = np.abs(np.cumsum(sizes) - percent / 100 * NUM_HANDS)
    weights = np.zeros(NUM_CLASSES, dtype=np.float32)
    weights[order[: int(np.argmin(off)) + 1]] = 1
    return weights[preflop_classes()]


def live(weights: npt.NDArray[np.floating], board: Sequence[int] = ()) -> Weights:
    """Return a copy of the weights in which hands that share a card with the board weigh nothing."""
    return np.where(hand_space().blocked(board), np.float32(0), checked(weights))


def combos(weights: npt.NDArray[np.floating], board: Sequence[int] = ()) -> float:
    """Return the weighted number of hands that miss the board."""
    return float(live(weights, board).sum(dtype=np.float64))


def class_combos(weights: npt.NDArray[np.floating], board: Sequence[int] = ()) -> npt.NDArray[np.float64]:
    """Return float64[169]: the weighted number of hands of each class that miss the board."""
    return np.bincount(preflop_classes(), live(weights, board), NUM_CLASSES).astype(np.float64)


def class_weights(weights: npt.NDArray[np.floating], board: Sequence[int] = ()) -> npt.NDArray[np.float64]:
    """Return float64[169]: the mean weight over the hands of each class that miss the board; 0 where the board blocks all."""
    most = class_combos(np.ones(NUM_HANDS, dtype=np.float32), board)
    return class_combos(weights, board) / np.maximum(most, 1)


def named_class_weights(weights: npt.NDArray[np.floating], board: Sequence[int] = ()) -> dict[str, float]:
    """Return `class_weights` by the names of the classes, aces first; those of weight 0 are left out."""
    by_class = class_weights(weights, board)
    return {class_name(number): float(by_class[number]) for number in by_class.nonzero()[0][::-1].tolist()}


def class_grid() -> npt.NDArray[np.intp]:
    """Return [13, 13]: the numbers of the 169 classes in the usual grid, AA top left and suited above the diagonal."""
    return np.arange(169).reshape(13, 13)[::-1, ::-1]


@cache
def class_hands() -> tuple[npt.NDArray[np.intp], ...]:
    """Return the ascending hand indices of each of the 169 classes."""
    return tuple(np.flatnonzero(preflop_classes() == number) for number in range(NUM_CLASSES))


def _short(text: str) -> str:
    """Return a text cut to 60 characters."""
    return text if len(text) <= 60 else text[:57] + "..."


def _number(text: str, most: float, where: str) -> float:
    """Return the weight, 0 to 1, of a number from 0 to `most`, or to 100 with a ``%``. Raises `RangeError` for another text."""
    number = text.removesuffix("%")
    most = most if number == text else 100.0
    if not _NUMBER.fullmatch(number) or not 0 <= float(number) <= most:
        raise RangeError(f"{where}: {text!r} is no weight here; {_WEIGHTS}")
    return float(number) / most


def _bracket(opened: float | None, closes: bool, text: str, most: float, where: str) -> float | None:
    """Return the weight after a bracket. Raises `RangeError` unless brackets open and close in turn, with equal numbers."""
    weight = _number(text.strip(), most, where)
    if closes == (opened is None) or (closes and weight != opened):
        expected = f"[{most / 2:g}] opens" if opened is None else f"[/{opened * most:g}] closes"
        raise RangeError(f"{where}: {expected} the brackets here")
    return None if closes else weight


def _hands(body: str, where: str) -> npt.NDArray[np.intp]:
    """Return the indices of the hands that an item without its weight names. Raises `RangeError`."""
    if body.lower() in _EVERY_HAND:
        return np.arange(NUM_HANDS)
    if body.endswith("%"):
        if not _NUMBER.fullmatch(body[:-1]) or not 0 < float(body[:-1]) <= 100:
            raise RangeError(f"{where}: write a percentage of the hands above 0 and up to 100, such as 20%")
        return np.flatnonzero(percent_range(float(body[:-1])))
    if len(body) == 4 and (x := card_id(body[:2])) is not None and (y := card_id(body[2:])) is not None:
        if x == y:
            raise RangeError(f"{where}: a combo is two different cards; name another second card")
        return np.array([hand_space().index((x, y))])
    return np.concatenate([class_hands()[number] for number in _classes(body, where)])


def _classes(body: str, where: str) -> Iterator[int]:
    """Yield the numbers of the classes that `AK`, `77+` or `J8o-J5o` names. Raises `RangeError`."""
    if body.endswith("+"):
        high, low, kind = _class(body[:-1], where)
        for step in range(13 - low if high == low else high - low):
            yield from _numbers(high + step if high == low else high, low + step, kind)
        return
    ends = [_class(part, where) for part in body.split("-")]
    if len(ends) == 1:
        yield from _numbers(*ends[0])
        return
    if len(ends) > 2:
        raise RangeError(f"{where}: a span has two ends, such as 22-66")
    (high, low, kind), (other_high, other_low, other_kind) = max(ends), min(ends)
    pairs = (high == low) + (other_high == other_low)
    moving = high - other_high == low - other_low  # pairs and connectors: both cards move
    if pairs == 1 or kind != other_kind or not (high == other_high or moving):
        raise RangeError(
            f"{where}: its ends do not belong together; both are pairs (22-66), share the high card and the suits "
            "(J8o-J5o), or are equally far apart (T9s-54s)"
        )
    for step in range(low - other_low + 1):
        yield from _numbers(high - step if moving else high, low - step, kind)


def _class(text: str, where: str) -> tuple[int, int, str]:
    """Return (high rank, low rank, "s", "o" or "") of a class's text. Raises `RangeError`."""
    match = _CLASS.fullmatch(text.upper())
    if match is None:
        raise RangeError(f"{where}: {text!r} is no hand; {_FORMS}")
    high, low = sorted((RANKS.index(match[1]), RANKS.index(match[2])), reverse=True)
    if high == low and match[3]:
        raise RangeError(f"{where}: a pair is neither suited nor offsuit; write {text[:2].upper()}")
    return high, low, match[3].lower()


def _numbers(high: int, low: int, kind: str) -> Iterator[int]:
    """Yield the class numbers (`isomorphism.preflop_class`) of one class, or of its suited and offsuit halves."""
    if kind != "o":
        yield 13 * high + low
    if kind != "s" and high != low:
        yield 13 * low + high


def _suffix(weight: np.float32) -> str:
    """Return the text of a weight behind an item, empty for 1."""
    return "" if weight == 1 else ":" + np.format_float_positional(weight, unique=True, trim="-")


def _shortest(weight: np.float32, unit: int) -> str:
    """Return the shortest number of `unit` that is read as this weight: ``25`` for a quarter in per cent."""
    value = unit * float(weight)
    return next(text for digits in range(60) if np.float32(float(text := f"{value:.{digits}f}") / unit) == weight)


def _items(inside: npt.NDArray[np.bool_], spans: bool, joined: bool) -> Iterator[str]:
    """Yield the items of a set of hands: pairs, then each high card's kickers from the ace down, then single combos.

    spans: whether neighbouring classes are one item; without them each class is written by its name, suited and offsuit apart.
    joined: whether suited and offsuit hands of the same kickers are one item.
    """
    whole = (np.bincount(preflop_classes(), inside, NUM_CLASSES) == np.bincount(preflop_classes())).tolist()
    if not spans:
        yield from (class_name(number) for number in range(NUM_CLASSES - 1, -1, -1) if whole[number])
        yield from _combos_of(inside, whole)
        return
    for run in _runs([whole[14 * rank] for rank in range(13)]):
        yield _span(run, [2 * rank for rank in RANKS])
    for high in range(12, 0, -1):
        suited = _runs([whole[13 * high + low] for low in range(high)])
        offsuit = _runs([whole[13 * low + high] for low in range(high)])
        both = [run for run in suited if run in offsuit and joined]
        for runs, kind in ((both, ""), (suited, "s"), (offsuit, "o")):
            for run in runs:
                if kind == "" or run not in both:
                    yield _span(run, [RANKS[high] + low + kind for low in RANKS[:high]])
    yield from _combos_of(inside, whole)


def _combos_of(inside: npt.NDArray[np.bool_], whole: Sequence[bool]) -> Iterator[str]:
    """Yield the single hands of the classes that are not inside as a whole."""
    classes = preflop_classes()
    hands = np.flatnonzero(inside & ~np.array(whole)[classes])
    for hand in hands[np.argsort(classes[hands], kind="stable")][::-1].tolist():
        yield hand_space().names[hand]


def _runs(taken: Sequence[bool]) -> list[tuple[int, int]]:
    """Return (highest, lowest) position of each unbroken run of true, from the top down."""
    runs: list[tuple[int, int]] = []
    for at in range(len(taken) - 1, -1, -1):
        if taken[at] and runs and runs[-1][1] == at + 1:
            runs[-1] = (runs[-1][0], at)
        elif taken[at]:
            runs.append((at, at))
    return runs


def _span(run: tuple[int, int], names: Sequence[str]) -> str:
    """Return the text of one run of the named classes, the last name being the best."""
    top, bottom = run
    if top == bottom:
        return names[top]
    return names[bottom] + "+" if top == len(names) - 1 else f"{names[top]}-{names[bottom]}"
