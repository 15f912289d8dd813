"""Answers: known values, sums that must hold, and what readers, programs and pictures get to see of them."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from rich.console import Console

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_number, preflop_classes
from limpet.strategies.solutions.answer import Answer, answer
from limpet.strategies.solutions.colours import action_colours
from limpet.strategies.solutions.lines import find_place, first_street, pot_fractions, split_line
from limpet.strategies.solutions.report import answer_view, segments, spot_lines
from limpet.strategies.solutions.run import Solve, prepare, size_of
from limpet.strategies.solutions.solution_json import answer_data
from limpet.strategies.trees.spot import Spot, load_spot


def solved(spot: Spot, **changes: Any) -> Solve:
    solve = prepare(msgspec.structs.replace(spot, threads=1, **changes))
    solve.run()
    return solve


@pytest.fixture(scope="module")
def clairvoyance() -> Answer:
    spot = load_spot("clairvoyance")
    return answer(solved(spot), [find_place(spot.tree, ()), find_place(spot.tree, ("all-in",))])


TURN = Spot(
    board="JhTh4c2s",
    pot=12,
    stack=40,
    ranges=("JJ+,AJ,KJ,QJs,TT:0.5", "AhKh,AhQh,KQ,98s,JT,44,ATs"),
    iterations=60,
    target=0,
    threads=1,
)


@pytest.fixture(scope="module")
def turn() -> Solve:
    return solved(TURN)


def combo(text: str) -> int:
    return hand_space().index(parse_cards(text))


def test_clairvoyance(clairvoyance: Answer) -> None:
    # A pot P and a bet of the pot: the bluffs are half the value bets, and half of the bets are called. The player who
    # knows gets the pot whenever the hand is good or a bluff: P * 0.5 * (1 + 0.5) = 0.75 P.
    assert clairvoyance.share == pytest.approx((75, 25), abs=0.01)
    assert clairvoyance.net == pytest.approx((25, -25), abs=0.01)
    assert clairvoyance.reason == "target" and clairvoyance.exploitability.percent <= 0.001
    bets, calls = clairvoyance.decisions
    assert bets.actions == ("check", "all-in") and bets.frequencies == pytest.approx([0.25, 0.75], abs=0.01)
    air, aces = class_number("43s"), class_number("AA")
    assert bets.classes.frequencies[:, air] == pytest.approx([0.5, 0.5], abs=0.01)
    assert bets.classes.frequencies[:, aces] == pytest.approx([0, 1], abs=0.001)
    assert bets.classes.happens[[air, aces]] == pytest.approx([0.5, 0.5])
    assert bets.classes.share[[air, aces]] == pytest.approx([0, 150], abs=0.1)
    assert calls.actions == ("fold", "call") and calls.frequencies == pytest.approx([0.5, 0.5], abs=0.01)
    assert calls.position == 1 and calls.pot == 200
    # Folding loses the pot but not more: an EV of the pot of 0 after the chips already in.
    assert calls.classes.action_share[:, class_number("QQ")] == pytest.approx([0, 0], abs=2)


def test_gains_are_what_is_exploitable(turn: Solve) -> None:
    found = answer(turn)
    assert sum(found.gains) * 1000 == pytest.approx(found.exploitability.mbb, abs=0.1)
    assert 50 * sum(found.gains) / found.pot == pytest.approx(found.exploitability.percent, abs=0.01)
    assert min(found.gains) >= -1e-4
    assert sum(found.share) == pytest.approx(found.pot, abs=1e-3) == pytest.approx(12, abs=1e-3)


def test_a_decision_adds_up(turn: Solve) -> None:
    spot, reached = turn.spot, 0
    for decision in answer(turn, first_street(spot.tree, spot.chip_size)).decisions:
        if not decision.weights.any():
            continue
        reached += 1
        assert decision.weights.sum() == pytest.approx(1)
        assert decision.frequencies.sum() == pytest.approx(1, abs=1e-5)
        classes, p = decision.classes, decision.position
        assert classes.frequencies @ classes.happens == pytest.approx(decision.frequencies, abs=1e-6)
        # What the actor gets on average is what its classes get, and what its actions get.
        assert classes.share @ classes.happens == pytest.approx(decision.share[p], abs=2e-3)
        mixed = (classes.frequencies * classes.action_share).sum(axis=0)[classes.happens > 0]
        per_hand = (decision.values.strategy * decision.values.actions).sum(axis=0)
        held = decision.weights > 0
        assert per_hand[held] == pytest.approx(decision.values.values[p][held], abs=5e-3)
        assert mixed.shape == (np.count_nonzero(classes.happens),)
        assert sum(decision.net) == pytest.approx(0, abs=2e-3)
    assert reached > 5


def test_classes_against_a_plain_loop(turn: Solve) -> None:
    spot = turn.spot
    decision = answer(turn, [find_place(spot.tree, ("check",))]).decisions[0]
    reach, strategy = decision.values.reach, decision.values.strategy
    hands = hand_space()
    for name in ("KQo", "98s", "44"):
        weight, taken, most = 0.0, np.zeros(len(strategy)), 0.0
        mine = [h for h in range(1326) if preflop_classes()[h] == class_number(name)]
        live = [h for h in mine if not set(hands.cards(h)) & set(spot.cards)]
        for hand in live:
            others = sum(
                float(reach[0, other])
                for other in np.flatnonzero(reach[0] > 0).tolist()
                if not set(hands.cards(hand)) & set(hands.cards(other))
            )
            weight += float(reach[1, hand]) * others
            taken += strategy[:, hand] * float(reach[1, hand]) * others
            most += float(reach[1, hand])
        got = decision.classes
        assert got.frequencies[:, class_number(name)] == pytest.approx(taken / weight, abs=1e-5)
        assert got.weights[class_number(name)] == pytest.approx(most / len(live), abs=1e-6)


def test_lines(turn: Solve) -> None:
    tree = turn.spot.tree
    place = find_place(tree, split_line("check,  bet 50%, call, 3d, check"), 0.01)
    assert place.words == ("check", "bet 6", "call", "3d", "check")
    assert place.board == parse_cards("JhTh4c2s3d") and place.betting == "cr1200c/c"
    assert tree.player[place.node] == 1 and tree.round[place.node] == 3
    assert pot_fractions(tree, 0)[:2] == (None, 0.5)
    with pytest.raises(ValueError, match="after check: 'bet 5' is no action here; there are check, bet 6"):
        find_place(tree, ("check", "bet 5"), 0.01)
    with pytest.raises(ValueError, match="after check, check: a card is dealt before 'check'; name it there"):
        find_place(tree, ("check", "check", "check"), 0.01)
    with pytest.raises(ValueError, match="after check, check a card is dealt; name it at the end"):
        find_place(tree, ("check", "check"), 0.01)
    with pytest.raises(ValueError, match="'2s' is on the board already"):
        find_place(tree, ("check", "check", "2s"), 0.01)
    with pytest.raises(ValueError, match="at the start: no card is dealt"):
        find_place(tree, ("3d",), 0.01)
    with pytest.raises(ValueError, match="nobody acts; end the line before 'check'"):
        find_place(tree, ("all-in", "fold", "check"), 0.01)


def test_the_first_street_is_all_of_it(turn: Solve) -> None:
    tree = turn.spot.tree
    found = [place.node for place in first_street(tree, 0.01)]
    assert sorted(found) == np.flatnonzero((tree.player >= 0) & (tree.round == 2)).tolist()
    assert all(find_place(tree, place.words, 0.01) == place for place in first_street(tree, 0.01))


def test_json_says_the_same(turn: Solve) -> None:
    found = answer(turn, [find_place(turn.spot.tree, ())])
    data = json.loads(json.dumps(answer_data(found)))
    assert msgspec.convert(data["spot"], Spot) == turn.spot
    root = data["decisions"][0]
    assert root["actions"][0] == "check" and sum(root["frequencies"]) == pytest.approx(1, abs=1e-5)
    hand = combo("JsJc")
    assert root["combos"]["JsJc"]["frequencies"] == pytest.approx(
        found.decisions[0].values.strategy[:, hand].tolist(), abs=1e-6
    )
    assert root["combos"]["JsJc"]["reach"] == 1 and root["combos"]["TdTc"]["reach"] == 0.5
    assert "KhQh" not in root["combos"]  # not a hand of the player out of position
    assert data["ev_share_of_pot"] == pytest.approx([share / 12 for share in found.share], abs=1e-6)


def test_the_report_is_readable(clairvoyance: Answer) -> None:
    console = Console(file=StringIO(), width=160)
    console.print(answer_view(clairvoyance))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "75.0000 bb     75.00  +25.0000 bb" in text
    assert "AA  100  AKs   -" in text and "KsKhKdKc2s, all-in [r15000]: the player in position acts" in text
    rows = [line.split() for line in text.splitlines() if line.startswith("QQ ")]
    assert rows[0][:3] == ["QQ", "100.00", "%"]


def test_the_picture_in_colours(clairvoyance: Answer) -> None:
    console = Console(file=StringIO(), width=160, force_terminal=True, color_system="truecolor")
    console.print(answer_view(clairvoyance))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    check, bet = action_colours((None, 1.0))
    assert f"48;2;{check[0]};{check[1]};{check[2]}m 43" in text  # half of the six characters, then the bets'
    assert f"48;2;{bet[0]};{bet[1]};{bet[2]}m AA   " in text


def test_the_spot_is_told_before_it_is_solved() -> None:
    lines = list(spot_lines(TURN, size_of(TURN)))
    assert lines[0] == "JhTh4c2s: pot 12 bb, 40 bb behind, 51 against 37 hands"
    assert lines[1].startswith("tree: ") and "on 1, " in lines[1] and lines[1].endswith("on 48 boards)")
    assert lines[2].startswith("memory: ") and "more than" not in "".join(lines)


@pytest.mark.parametrize("width", [1, 6, 7])
def test_segments_fill_the_width(width: int) -> None:
    for seed in range(20):
        shares = np.random.default_rng(seed).dirichlet(np.ones(4))
        lengths = segments(shares, width)
        assert sum(lengths) == width and min(lengths) >= 0
        assert max(abs(np.array(lengths) - shares * width)) < 1


def test_pictures_in_files(clairvoyance: Answer, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from limpet.strategies.solutions.pictures import write_picture

    write_picture(tmp_path / "a.png", clairvoyance.decisions[0])
    write_picture(tmp_path / "a.svg", clairvoyance.decisions[0])
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "a.svg").read_text()
    from limpet.strategies.solutions.colours import hex_colour

    assert svg.startswith("<?xml") and all(hex_colour(c) in svg for c in action_colours((None, 1.0)))
    with pytest.raises(ValueError, match=r"a\.txt: the ending says no picture format; use \.png"):
        write_picture(tmp_path / "a.txt", clairvoyance.decisions[0])


def test_without_matplotlib_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from limpet.strategies.solutions.pictures import require_matplotlib

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ValueError, match=r"pip install 'limpet\[plot\]'"):
        require_matplotlib()
