"""Answers: known values, sums that must hold, and what readers, programs and pictures get to see of them."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from rich.console import Console

from limpet.bot.commands.drawing import SELDOM, answer_view, segments
from limpet.protocol.cards import cards_text, parse_cards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_number, preflop_classes
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.holdem.solutions.answer import POSITIONS, Answer, answer
from limpet.strategies.holdem.solutions.decision_reports import answer_data
from limpet.strategies.holdem.solutions.lines import Lock, find_node, first_street, pot_fractions, split_line
from limpet.strategies.holdem.solutions.pictures import action_colours
from limpet.strategies.holdem.solutions.solve import Solve, prepare
from limpet.strategies.holdem.solutions.spot import Spot, load_spot, spot_lines


def solved(spot: Spot, **changes: Any) -> Solve:
    solve = prepare(msgspec.structs.replace(spot, threads=1, **changes))
    solve.run()
    return solve


@pytest.fixture(scope="module")
def clairvoyance() -> Answer:
    spot = load_spot("clairvoyance")
    return answer(solved(spot), [find_node(spot.tree, ()), find_node(spot.tree, ("all-in",))])


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
    assert clairvoyance.solve.reason == "target" and clairvoyance.exploitability.percent <= 0.001
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
        if not decision.comes_up:
            continue
        reached += 1
        assert decision.weights.sum() == pytest.approx(1)
        assert decision.frequencies.sum() == pytest.approx(1, abs=1e-5)
        classes, p = decision.classes, decision.position
        assert classes.frequencies @ classes.happens == pytest.approx(decision.frequencies, abs=1e-6)
        # What the actor gets on average is what its classes get, and what its actions get.
        assert np.nansum(classes.share * classes.happens) == pytest.approx(decision.share[p], abs=2e-3)
        mixed = (classes.frequencies * classes.action_share).sum(axis=0)[classes.happens > 0]
        per_hand = (decision.values.strategy * decision.values.actions).sum(axis=0)
        held = decision.weights > 0
        assert per_hand[held] == pytest.approx(decision.values.values[p][held], abs=5e-3)
        assert mixed.shape == (np.count_nonzero(classes.happens),)
        assert sum(decision.net) == pytest.approx(0, abs=2e-3)
    assert reached > 5


def test_classes_against_a_plain_loop(turn: Solve) -> None:
    spot = turn.spot
    decision = answer(turn, [find_node(spot.tree, ("check",))]).decisions[0]
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
    place = find_node(tree, split_line("check,  bet 50%, call, 3d, check"), 0.01)
    assert place.words == ("check", "bet 6", "call", "3d", "check")
    assert place.board == parse_cards("JhTh4c2s3d") and place.betting == "cr1200c/c"
    assert tree.player[place.node] == 1 and tree.round[place.node] == 3
    assert pot_fractions(tree, 0)[:2] == (None, 0.5)
    with pytest.raises(ValueError, match="after check: 'bet 5' is no action here; there are check, bet 6"):
        find_node(tree, ("check", "bet 5"), 0.01)
    with pytest.raises(ValueError, match="after check, check: a card is dealt before 'check'; name it there"):
        find_node(tree, ("check", "check", "check"), 0.01)
    with pytest.raises(ValueError, match="after check, check a card is dealt; name it at the end"):
        find_node(tree, ("check", "check"), 0.01)
    with pytest.raises(ValueError, match="'2s' is on the board already"):
        find_node(tree, ("check", "check", "2s"), 0.01)
    with pytest.raises(ValueError, match="at the start: no card is dealt"):
        find_node(tree, ("3d",), 0.01)
    with pytest.raises(ValueError, match="nobody acts; end the line before 'check'"):
        find_node(tree, ("all-in", "fold", "check"), 0.01)


def test_the_first_street_is_all_of_it(turn: Solve) -> None:
    tree = turn.spot.tree
    found = [place.node for place in first_street(tree, 0.01)]
    assert sorted(found) == np.flatnonzero((tree.player >= 0) & (tree.round == 2)).tolist()
    assert all(find_node(tree, place.words, 0.01) == place for place in first_street(tree, 0.01))


def test_json_says_the_same(turn: Solve) -> None:
    found = answer(turn, [find_node(turn.spot.tree, ())])
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


BLUFFCATCH = load_spot("river-bluffcatch")


@pytest.fixture(scope="module")
def whole_river() -> Answer:
    spot = BLUFFCATCH
    return answer(solved(spot), first_street(spot.tree, spot.chip_size))


@pytest.fixture(scope="module")
def checked_river() -> Answer:
    """The first player always checks, so that nobody ever faces a bet of theirs."""
    spot = msgspec.structs.replace(BLUFFCATCH, locks=(Lock(play={"check": "rest"}),))
    return answer(solved(spot), first_street(spot.tree, spot.chip_size))


def exploitability_of_file(data: dict[str, Any]) -> float:
    """Exploitability in % of the pot by a plain best response, from what the exported file holds and nothing else."""
    spot = msgspec.convert(data["spot"], Spot)
    board = parse_cards(spot.board)
    decisions = {tuple(decision["line"]): decision for decision in data["decisions"]}
    root = decisions[()]
    total = sum(root["spent_bb"]) / 2 + float(spot.stack if isinstance(spot.stack, float | int) else min(spot.stack))
    hands = hand_space()
    strength = hand_strengths(np.array(board, np.int8), hands.holes)
    weights = [parse_range(text) for text in spot.ranges]
    held = [[h for h in np.flatnonzero(w > 0).tolist() if not set(hands.cards(h)) & set(board)] for w in weights]
    texts = [[cards_text(hands.cards(h)[::-1]) for h in of_player] for of_player in held]
    ranges = [weights[p][held[p]].astype(np.float64) for p in (0, 1)]
    apart = np.array([[not set(hands.cards(a)) & set(hands.cards(b)) for b in held[1]] for a in held[0]], np.float64)
    wins = apart * np.sign(np.subtract.outer(strength[held[0]], strength[held[1]]))
    met, won = (apart, apart.T), (wins, -wins.T)

    def best(p: int, line: tuple[str, ...], spent: list[float], reach: Any) -> Any:
        """What each hand of p wins against the reach of the other player's hands, from a decision on."""
        decision = decisions[line]
        actor = POSITIONS.index(decision["position"])
        assert decision["spent_bb"] == pytest.approx(spent)
        values = []
        for number, action in enumerate(decision["actions"]):
            onward = reach
            if actor != p:  # every hand that gets here must be in the file
                combos = decision["combos"]
                onward = np.array(
                    [
                        weight * combos[text]["frequencies"][number] if weight > 0 else 0.0
                        for text, weight in zip(texts[1 - p], reach, strict=True)
                    ]
                )
            put_in = list(spent)
            if action == "call":
                put_in[actor] = min(max(spent), total)
            elif action == "all-in":
                put_in[actor] = total
            elif action not in ("check", "fold"):  # a bet or raise is named by what it puts in on the street
                put_in[actor] = root["spent_bb"][actor] + float(action.split()[1])
            if action == "fold":
                values.append((min(spent) if actor != p else -min(spent)) * met[p] @ onward)
            elif (*line, action) in decisions:
                values.append(best(p, (*line, action), put_in, onward))
            else:
                values.append(min(put_in) * won[p] @ onward)
        return np.max(values, axis=0) if actor == p else np.sum(values, axis=0)

    mass = ranges[0] @ apart @ ranges[1]
    won_in_all = sum(float(ranges[p] @ best(p, (), root["spent_bb"], ranges[1 - p])) for p in (0, 1))
    return 50 * won_in_all / float(mass) / float(data["pot_bb"])


def test_the_exported_file_is_as_exploitable_as_the_answer(whole_river: Answer) -> None:
    data = json.loads(json.dumps(answer_data(whole_river)))
    said = data["exploitability"]["percent_of_pot"]
    assert said > 0.1
    assert exploitability_of_file(data) == pytest.approx(said, abs=2e-3)


def test_decisions_that_the_opponent_never_gets_to(checked_river: Answer) -> None:
    by_line = {decision.place.words: decision for decision in checked_river.decisions}
    bet = by_line["bet 3.3",]
    assert not bet.values.reach[0].any() and bet.values.reach[1].any()
    assert not bet.comes_up and np.isnan([*bet.net, *bet.share]).all() and np.isnan(bet.action_ev(1))
    assert bet.weights.sum() == pytest.approx(1) and bet.frequencies.sum() == pytest.approx(1)
    held = bet.classes.weights > 0
    assert held.sum() == 11 and bet.classes.happens[held].sum() == pytest.approx(1)
    assert bet.classes.frequencies[:, held].sum(axis=0) == pytest.approx(1)
    assert np.isnan(bet.classes.share).all() and len(bet.hands()) == 60
    data = json.loads(json.dumps(answer_data(checked_river), allow_nan=False))
    written = next(found for found in data["decisions"] if found["line"] == ["bet 3.3"])
    assert written["ev_net_bb"] == written["ev_share_bb"] == [None, None] and written["largest_reach"] == [0, 1]
    assert len(written["combos"]) == 60 and len(written["classes"]) == 11
    combo = written["combos"]["AsQs"]
    assert combo["net_bb"] is None and set(combo["action_net_bb"]) == {None} and sum(combo["frequencies"]) == 1


def test_values_where_the_opponent_next_to_never_gets(checked_river: Answer) -> None:
    for decision in checked_river.decisions:
        if not decision.comes_up:
            continue
        assert sum(decision.share) == pytest.approx(decision.pot, rel=1e-4)
        if decision.actions[0] == "fold":
            live = (decision.weights > 0) & ~np.isnan(decision.action_net[0])
            assert decision.action_net[0, live] == pytest.approx(-decision.spent[decision.position], rel=1e-3)
            assert np.isnan(decision.action_ev(0)) or decision.action_ev(0) == pytest.approx(0, abs=0.02)
    seldom = [d for d in checked_river.decisions if d.comes_up and d.values.reach[1 - d.position].max() < SELDOM]
    assert seldom, "a decision that is next to never reached is among them"


def shown(found: Answer) -> str:
    console = Console(file=StringIO(), width=160)
    console.print(answer_view(found))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_the_report_says_who_never_gets_there(checked_river: Answer) -> None:
    def only(*line: str) -> str:
        found = next(d for d in checked_river.decisions if d.place.words == line)
        return shown(replace(checked_river, decisions=(found,)))

    text = only("bet 3.3")
    assert "the player out of position never gets here: there are no EVs, and each hand counts by its own reach" in text
    assert "nan" not in text and "AQo" in text
    hardly = next(d for d in checked_river.decisions if d.comes_up and d.values.reach[1 - d.position].max() < SELDOM)
    other = POSITIONS[1 - hardly.position]
    assert f"the player {other} gets here with no hand more often than " in only(*hardly.place.words)
    absent = next(d.place.words for d in checked_river.decisions if not d.own.any())
    assert f"the player {POSITIONS[0]} never gets here, so that there is no answer" in only(*absent)


def test_pictures_of_decisions_without_values(checked_river: Answer, tmp_path: Path) -> None:
    from limpet.strategies.holdem.solutions.pictures import write_picture

    bet = next(d for d in checked_river.decisions if d.place.words == ("bet 3.3",))
    write_picture(tmp_path / "a.svg", bet)
    assert "nan" not in (tmp_path / "a.svg").read_text()


def test_hands_that_meet_none_of_the_opponents() -> None:
    spot = Spot(
        board="2c2d7h8s9s", pot=10, stack=10, ranges=("AsAh,QdQc,KdKc", "AsKs,AhKh"), target=0, iterations=20, threads=1
    )
    (root,) = answer(solved(spot), [find_node(spot.tree, ())]).decisions
    aces = combo("AsAh")
    assert root.comes_up and np.isnan(root.hand_net[aces]) and np.isnan(root.action_net[:, aces]).all()
    assert root.weights[aces] == 0 and root.hands()[-1] == aces
    assert root.classes.weights[class_number("AA")] > 0 and np.isnan(root.classes.share[class_number("AA")])
    assert root.classes.frequencies[:, class_number("AA")].sum() == pytest.approx(1)
    written = answer_data(answer(solved(spot), [find_node(spot.tree, ())]))["decisions"][0]
    assert written["combos"]["AsAh"]["net_bb"] is None and written["classes"]["AA"]["share_bb"] is None


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
    lines = list(spot_lines(TURN, TURN.size()))
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
    from limpet.strategies.holdem.solutions.pictures import write_picture

    write_picture(tmp_path / "a.png", clairvoyance.decisions[0])
    write_picture(tmp_path / "a.svg", clairvoyance.decisions[0])
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "a.svg").read_text()
    from limpet.strategies.holdem.solutions.pictures import hex_colour

    assert svg.startswith("<?xml") and all(hex_colour(c) in svg for c in action_colours((None, 1.0)))
    with pytest.raises(ValueError, match=r"a\.txt: the ending says no picture format; use \.png"):
        write_picture(tmp_path / "a.txt", clairvoyance.decisions[0])


def test_without_matplotlib_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from limpet.strategies.holdem.solutions.pictures import require_matplotlib

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ValueError, match="pip install matplotlib"):
        require_matplotlib()
