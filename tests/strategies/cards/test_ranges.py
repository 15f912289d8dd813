"""Range text: every dialect by count and by hand, the round trip, and what is refused."""

import re
from itertools import combinations
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.protocol.cards import cards_text, parse_cards
from limpet.strategies.cards import ranges
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_name, class_number, preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities
from limpet.strategies.cards.ranges import Notation, RangeError, Unit, parse_range, range_text

KUJATH = "A9+,KT+,QT+,JT+,A4s+,K8s+,Q9s+,J9s+,T9s+,55+"


def names(text: str) -> set[str]:
    """The classes a text holds in full; every other hand must weigh nothing."""
    weights = ranges.class_weights(parse_range(text))
    assert set(np.unique(weights)) <= {0.0, 1.0}
    return {class_name(int(number)) for number in np.flatnonzero(weights)}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("AA", 6),
        ("AKs", 4),
        ("AKo", 12),
        ("AK", 16),
        ("KhJd", 1),
        ("AKs:0.5,77+,KhJd", 51),
        (KUJATH, 276),  # 20 % of all hands, thesis Fig 18
        ("A2s+", 48),
        ("KT+", 48),
        ("*", 1326),
        ("random", 1326),
        ("100%", 1326),
        ("22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32", 1326),
        ("random:0", 0),
        ("AA@50", 3),
        ("[50]AA, KK[/50] QQ", 12),
        ("[12.5]random[/12.5]", 165.75),
        ("AA:.25", 1.5),
        # The jam range at 10 bb of literature: 58.284 % of 1,326, 43s in 0.711 of the cases.
        (
            "22+,A2+,K2+,Q2s+,Q7o+,J3s+,J8o+,T4s+,T8o+,95s+,97o+,84s+,87o,74s+,76o,64s+,53s+,43s:0.711",
            0.58284 * 1326,
        ),
    ],
)
def test_numbers_of_combos(text: str, count: float) -> None:
    assert ranges.combos(parse_range(text)) == pytest.approx(count, abs=5e-3 if count > 700 else 1e-6)


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("77+", "77 88 99 TT JJ QQ KK AA"),
        ("KTs+", "KTs KJs KQs"),
        ("AQ+", "AQs AQo AKs AKo"),
        ("22-44", "22 33 44"),
        ("44-22", "22 33 44"),
        ("J8o-J5o", "J8o J7o J6o J5o"),
        ("J5o-J8o", "J8o J7o J6o J5o"),
        ("AK-AJ", "AKs AKo AQs AQo AJs AJo"),
        ("T9s-76s", "T9s 98s 87s 76s"),
        ("QTo-J9o", "QTo J9o"),
        ("TT-TT", "TT"),
        ("KA,2as", "AKs AKo A2s"),
        ("akS; tT\nqJo", "AKs TT QJo"),
        ("AK : 1 , QQ @ 100 , 55 - 44", "AKs AKo QQ 55 44"),
        ("32s+", "32s"),
        ("AA+", "AA"),
    ],
)
def test_spans(text: str, classes: str) -> None:
    assert names(text) == set(classes.split())


def test_a_combo_is_the_hand_of_its_cards() -> None:
    assert np.flatnonzero(parse_range("KhJd")).tolist() == [hand_space().index(parse_cards("KhJd"))]
    assert (parse_range("jDkH") == parse_range("KhJd")).all()


def test_later_items_override() -> None:
    weights = parse_range("77+,TT:0.5,TsTh:0.25,99:0")
    assert weights[hand_space().index(parse_cards("TsTh"))] == 0.25
    assert weights[hand_space().index(parse_cards("TcTd"))] == 0.5
    assert ranges.combos(weights) == 6 * 6 + 5 * 0.5 + 0.25
    assert (parse_range("TT:0.5,TT") == parse_range("TT")).all()


def test_the_best_hands() -> None:
    equities = class_equities()[preflop_classes()]
    order = np.sort(equities)
    for percent in (0.1, 1, 5, 20, 33.3, 50, 99, 100):
        weights = ranges.percent_range(percent)
        taken = weights > 0
        assert abs(int(taken.sum()) - percent * 13.26) <= 6  # half of the largest class
        assert equities[taken].min() == order[-int(taken.sum())]
        assert (parse_range(f"{percent}%") == weights).all()
    assert names("1%") == {"AA", "KK"}
    with pytest.raises(ValueError, match="at most 100"):
        ranges.percent_range(0)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("AKo, AKs, AQ, JJ-99:0.25, KhJd", "AQ+,KhJd,JJ-99:0.25"),
        ("22-66,77+", "22+"),
        ("AKo,A5s-A2s", "A5s-A2s,AKo"),
        # Suited and offsuit are written apart where their runs differ.
        (KUJATH, "55+,A4s+,A9o+,K8s+,KTo+,Q9s+,QTo+,J9s+,JTo,T9s"),
        ("*:0.5", "random:0.5"),
        ("random", "random"),
        ("AA:0", "random:0"),
        ("AsKs,AdKd,AcKc,AhKh", "AKs"),
        ("AsKs,AdKd,AcKc", "AsKs,AdKd,AcKc"),
        ("T9s-76s", "T9s,98s,87s,76s"),
    ],
)
def test_text_is_short(text: str, short: str) -> None:
    assert range_text(parse_range(text)) == short


@st.composite
def weight_arrays(draw: st.DrawFn) -> npt.NDArray[np.float32]:
    """Whole classes of a few weights, and then some single hands changed."""
    weight = st.integers(0, 10_000).map(lambda n: n / 10_000)
    palette = np.array(draw(st.lists(weight, min_size=1, max_size=4)))
    classes = draw(st.lists(st.integers(0, len(palette) - 1), min_size=169, max_size=169))
    weights: npt.NDArray[np.float32] = palette[np.array(classes)][preflop_classes()].astype(np.float32)
    for hand, value in draw(st.dictionaries(st.integers(0, 1325), weight, max_size=8)).items():
        weights[hand] = value
    return weights


@given(weight_arrays())
def test_round_trip(weights: npt.NDArray[np.float32]) -> None:
    text = range_text(weights)
    assert (parse_range(text) == weights).all()
    assert range_text(parse_range(text)) == text


@pytest.mark.parametrize("notation", ["pio", "equilab", "gto+"])
@settings(max_examples=20)
@given(weights=weight_arrays())
def test_notations_of_other_programs_come_back(notation: Notation, weights: npt.NDArray[np.float32]) -> None:
    if notation == "equilab":
        weights = np.ceil(weights)
    text = range_text(weights, notation)
    assert (parse_range(text) == weights).all()
    spans = "-" in text or "+" in text
    assert not spans if notation == "pio" else ":" not in text or not weights.any()


def pio_twin(text: str, full: float) -> dict[frozenset[str], float]:
    """Weights above 0 by hand, read from PioSOLVER's notation by the names of classes and cards alone."""
    named: dict[str, list[frozenset[str]]] = {}
    for a, b in combinations([rank + suit for rank in "23456789TJQKA" for suit in "cdhs"], 2):
        suits = "" if a[0] == b[0] else "s" if a[1] == b[1] else "o"
        for name in (b[0] + a[0] + suits, a + b, b + a):
            named.setdefault(name, []).append(frozenset((a, b)))
    hands: dict[frozenset[str], float] = {}
    for name, _, weight in (item.partition(":") for item in text.split(",")):
        hands.update(dict.fromkeys(named.get(name, []), float(weight or full) / full))
    return hands


@settings(max_examples=10)
@given(weights=weight_arrays().filter(np.any))
def test_a_plain_reader_of_pio_reads_the_same(weights: npt.NDArray[np.float32]) -> None:
    read = pio_twin(range_text(weights, "pio"), 1)
    expected = {
        frozenset((cards_text((a,)), cards_text((b,)))): weight
        for (a, b), weight in ((hand_space().cards(hand), float(weights[hand])) for hand in range(1326))
        if weight
    }
    assert read == pytest.approx(expected)


@settings(max_examples=20)
@given(weights=weight_arrays())
def test_pio_text_in_percentages_comes_back(weights: npt.NDArray[np.float32]) -> None:
    text = re.sub(r":([0-9.]+)", lambda found: f":{100 * float(found[1]):.12g}", range_text(weights, "pio"))
    assert parse_range(text, "percent") == pytest.approx(weights)
    if ((weights > 0.01) & (weights < 1)).any():
        assert ranges.likely_unit(text) == "percent"


def test_weights_are_shares_or_percentages() -> None:
    half = parse_range("AA,AKs:0.5")
    for text in ("AA:100,AKs:50", "AA@100,AKs@50", "AA,[50]AKs[/50]"):
        assert (parse_range(text, "percent") == half).all()
    for unit in get_args(Unit):
        assert (parse_range("AA,[50%]AKs[/50%]", unit) == parse_range("AA:100%, AKs@50%", unit)).all()
        assert (parse_range("AA,[50%]AKs[/50%]", unit) == half).all()
    assert (parse_range("AA:1,[0.5]AKs[/0.5]", "share") == half).all()
    assert ranges.combos(parse_range("[0.5]AKs[/0.5]")) == pytest.approx(0.02)
    with pytest.raises(RangeError, match=r"'\[50\]': '50' is no weight"):
        parse_range("[50]AA[/50]", "share")
    with pytest.raises(RangeError, match=r"write \[/0.5\] after"):
        parse_range("[0.5]AA", "share")


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("AA,KK", ""),
        ("AA:0.5", ""),
        ("AA:1", None),
        ("AA:1,KK:0", None),
        ("AA:1,KK:0.5", ""),
        ("AA:1%", ""),
        ("AA:0", ""),
        ("AA:50,KK:0.5", "percent"),
        ("[50.0]AA[/50.0],[1]KK[/1]", ""),
        ("[1]AA[/1]", None),
        ("[1%]AA[/1%]", ""),
        ("AA@0.25", None),
        ("AA@0", ""),
        ("[.]AA", ""),
    ],
)
def test_the_unit_is_known_or_must_be_asked_for(text: str, unit: str | None) -> None:
    assert ranges.likely_unit(text) == unit


def test_equilab_has_no_weights() -> None:
    assert range_text(parse_range(KUJATH), "equilab") == ("55+, A4s+, A9o+, K8s+, KTo+, Q9s+, QTo+, J9s+, JTo, T9s")
    with pytest.raises(RangeError, match="no weights, and that of AsKs is 0.5; make it 0 or 1"):
        range_text(parse_range("AKs:0.5"), "equilab")


def test_round_trip_of_any_float32() -> None:
    weights = np.random.default_rng(1).random(1326, dtype=np.float32)
    weights[:3] = np.float32(1e-38), np.nextafter(np.float32(1), np.float32(0)), np.float32(1 / 3)
    assert (parse_range(range_text(weights)) == weights).all()
    weights[30:] = 0
    for notation in set(get_args(Notation)) - {"equilab"}:
        assert (parse_range(range_text(weights, notation)) == weights).all()


@given(st.text(alphabet="AKQJT98765432cdhso+-:@,;%*[/] .", max_size=24))
def test_any_text_is_a_range_or_refused(text: str) -> None:
    try:
        weights = parse_range(text)
    except RangeError as error:
        assert "\n" not in str(error)
    else:
        assert (parse_range(range_text(weights)) == weights).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["names no hand", "random"]),
        (" , ", ["names no hand"]),
        ("77+,AXs", ["item 'AXs'", "character 5", "AKs"]),
        ("AAs", ["item 'AAs'", "write AA"]),
        ("AsAs", ["two different cards"]),
        ("AsKx", ["'AsKx'"]),
        ("AKs:1.5", ["'1.5'", "0 to 1"]),
        ("AKs:-1", ["AKs:-1"]),
        ("AKs:", ["character 4", "':'"]),
        ("AKs:half", ["'half'", "0 to 1"]),
        ("AKs@101", ["'101'", "0 to 100"]),
        ("AKs:nan", ["'nan'"]),
        ("AKs-AJo", ["do not belong together", "22-66"]),
        ("AKs-QTs", ["do not belong together"]),
        ("22-A5s", ["do not belong together"]),
        ("AA-KK-QQ", ["two ends"]),
        ("KhJd+", ["'KhJd'"]),
        ("10Ts", ["'10Ts'"]),
        ("0%", ["above 0"]),
        ("120%", ["up to 100"]),
        ("[50]AA", ["not closed", "[/50]"]),
        ("AA[/50]", ["[50] opens"]),
        ("[50]AA[/40]", ["[/50] closes"]),
        ("[50]AA:0.5[/50]", ["leave one of the two out"]),
        ("[x]AA[/x]", ["'x'"]),
        ("AA]", ["']'", "character 3"]),
        ("x" * 500, ["..."]),
    ],
)
def test_mistakes_are_told(text: str, words: list[str]) -> None:
    with pytest.raises(RangeError) as error:
        parse_range(text)
    for word in words:
        assert word in str(error.value)


def test_a_board_removes_cards() -> None:
    weights = parse_range("AA,AKs:0.5,72o")
    board = parse_cards("AsKd7h")
    assert ranges.combos(weights, board) == 3 + 0.5 * 2 + 9
    by_class = ranges.class_combos(weights, board)
    assert by_class[class_number("AA")] == 3
    assert by_class[class_number("AKs")] == 1
    assert ranges.class_weights(weights, board)[class_number("AKs")] == 0.5
    assert (ranges.live(weights, board)[hand_space().blocked(board)] == 0).all()
    aces = parse_cards("AsAhAdAc")
    assert ranges.class_weights(weights, aces)[class_number("AA")] == 0


def test_the_picture_has_aces_on_top_and_suited_on_the_right() -> None:
    grid = ranges.class_grid()
    rows = [[class_name(int(number)) for number in row] for row in grid]
    assert rows[0][:3] == ["AA", "AKs", "AQs"]
    assert rows[1][:3] == ["AKo", "KK", "KQs"]
    assert rows[12][0] == "A2o" and rows[0][12] == "A2s" and rows[12][12] == "22"


@pytest.mark.parametrize("wrong", [np.ones(169), np.full(1326, 1.5), np.full(1326, -0.1), np.full(1326, np.nan)])
def test_what_are_no_weights(wrong: npt.NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="1326|from 0 to 1"):
        range_text(wrong)
