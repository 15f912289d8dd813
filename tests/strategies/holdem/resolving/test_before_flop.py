"""The rest of the betting before the flop: against sums over all pairs of hands, and at the table with what ships."""

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from preflop_sizes import LINES, lost, raised

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.preflop_tables import BOARDS, class_matrix, hand_matrix
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.blueprint.flop_values import UNITS, FlopValues, flop_nodes
from limpet.strategies.holdem.blueprint.named import open_named
from limpet.strategies.holdem.resolving import resolver
from limpet.strategies.holdem.resolving.before_flop import (
    GOOD_HANDS,
    ODD_RAISES,
    BeforeFlop,
    compatible_pairs,
    good_hands,
    preflop_values,
)
from limpet.strategies.holdem.resolving.beliefs import Ranges, starting_ranges
from limpet.strategies.holdem.resolving.plans import with_bets
from limpet.strategies.holdem.resolving.subgame import StreetAnswer
from limpet.strategies.players.resolve import Resolve

GAME = load_game("holdem.nolimit.2p.reverse_blinds")


def checked_down(menu: BetMenu) -> FlopValues:
    """Values of a game in which nobody bets from the flop on."""
    tree = build_tree(State.start(GAME), menu)
    nodes = np.array(flop_nodes(tree), np.int32)
    equities = np.rint(UNITS * class_matrix().equities).astype(np.int16)
    return FlopValues(tree, nodes, np.repeat(equities[None], len(nodes), 0), 1)


@cache
def compatible() -> NDArray[np.float64]:
    """float64 ``[1326, 1326]``: 1 for pairs of hands that share no card."""
    a, b = hand_space().holes.T
    same = (a[:, None] == a) | (a[:, None] == b) | (b[:, None] == a) | (b[:, None] == b)
    return np.where(same, 0.0, 1.0)


def exact_value(subgame: BeforeFlop, ranges: Ranges) -> float:
    """What position 0 wins in big blinds by both players' rows, summed over all pairs of hands."""
    wins, ties = hand_matrix()
    share = (wins + ties / 2) / BOARDS

    def value(state: State, reach: list[NDArray[np.float64]]) -> float:
        if state.finished or state.round > 0:
            if state.folded:
                won = -state.spent[0] if state.folded & 1 else state.spent[1]
                return float(won * (reach[0] @ compatible() @ reach[1]))
            matrix = share * state.pot - state.spent[0]
            return float(reach[0] @ (matrix * compatible()) @ reach[1])
        rows = subgame.rows(state)
        dense = rows.dense(np.zeros(1326, np.bool_))
        total = 0.0
        for action, row in zip(rows.actions, dense, strict=True):
            onward = list(reach)
            onward[state.actor] = onward[state.actor] * row
            total += value(state.apply(action), onward)
        return total

    met = float(ranges[0] @ compatible() @ ranges[1])
    return value(subgame.root, list(ranges)) / met / GAME.big_blind


SMALL = BetMenu(sizes=(((1.0,), (1.0,), ()), ((1.0,), ())))


@pytest.mark.parametrize("betting", ["", "r300", "cr400"])
def test_classes_are_worth_what_their_pairs_of_hands_are(betting: str) -> None:
    state = State.start(GAME)
    for action in {"": [], "r300": [raise_to(300)], "cr400": [CALL, raise_to(400)]}[betting]:
        state = state.apply(action)
    ranges = starting_ranges()
    ranges[0] *= preflop_classes() % 3 > 0
    ranges[0] /= ranges[0].sum()
    subgame = BeforeFlop(state, SMALL, ranges, checked_down(SMALL))
    subgame.solve(150)
    assert subgame.percent < 1
    assert subgame.rounds.game_values()[0] == pytest.approx(exact_value(subgame, ranges), abs=2e-3)
    assert subgame.rounds.game_values().sum() == pytest.approx(0, abs=1e-4)


def test_a_call_of_all_chips_is_right_for_every_class() -> None:
    """With nothing left to decide but the call, each class calls if that wins more than the fold, and no other does."""
    state = State.start(replace(GAME, stack=(1000, 1000)))
    state = state.apply(raise_to(state.game.stack[1]))
    ranges = starting_ranges()
    pushed = class_matrix().equities.mean(axis=1)[preflop_classes()] > 0.5
    ranges[1] = pushed / pushed.sum()
    subgame = BeforeFlop(state, SMALL, ranges, checked_down(SMALL))
    subgame.solve(200)
    by_class = np.bincount(preflop_classes(), ranges[1], 169) * compatible_pairs()
    wins = (by_class * class_matrix().odds).sum(axis=1) / by_class.sum(axis=1) * state.game.stack[0]
    calls = subgame.rounds.strategy(0)[1]
    clear = abs(wins + state.spent[0]) > 0.01 * state.game.stack[0]
    np.testing.assert_allclose(calls[clear], (wins > -state.spent[0])[clear], atol=0.02)


TESTED = (200, 250, 400, 500, 700, 1000, 1500, 2500, 4000, 6000, 8000, 12500, 17500, 19900, 20000)


@cache
def player(*stacks: int) -> Resolve:
    """The bot that ships; with stacks, in chips, at those."""
    strategy = load_bot("limpet-fast", game=replace(GAME, stack=stacks) if stacks else GAME).build()
    assert isinstance(strategy, Resolve)
    return strategy


def answer(*raises: int, stacks: tuple[int, ...] = ()) -> tuple[NDArray[np.float64], float]:
    """How often each hand plays on against the last of some raises, and how often the whole range does."""
    state = State.start(player(*stacks).game)
    for size in raises:
        state = state.apply(raise_to(size))
    hand = player(*stacks).start_hand(HandKey(1, 0, state.actor))
    rows, ranges = hand.rows(state), hand.ranges(state)
    plays_on = 1 - rows.dense(np.zeros(1326, np.bool_))[0].astype(np.float64)
    return plays_on, float(plays_on @ ranges[state.actor])


def hand(text: str) -> int:
    return hand_space().index(parse_cards(text))


@pytest.mark.parametrize(
    ("line", "sizes"),
    [("first in", TESTED[::2]), *(pytest.param(line, TESTED, marks=pytest.mark.slow) for line in LINES)],
)
def test_a_raiser_of_good_hands_wins_little_by_any_size(line: str, sizes: tuple[int, ...]) -> None:
    """Raises from the smallest to all-in, good hands raised and the rest folded: at most 0.6 bb a hand.

    The larger the raise, the fewer hands play on, to two hundredths: solves end after 800 iterations. All-in is answered by
    the blueprint, whose menu has it, and is compared with itself alone.
    """
    before = State.start(GAME)
    for action in LINES[line]:
        before = before.apply(action)
    low, high = before.raise_bounds() or (0, 0)
    made = [raised(player(), LINES[line], size) for size in sizes if low <= size <= high]
    assert len(made) > 6
    assert max(each.best for each in made) / GAME.big_blind < 0.6
    plays_on = np.array([each.plays_on for each in made[:-1]])
    assert (plays_on - np.minimum.accumulate(plays_on)).max() < 0.02
    assert plays_on[-1] < (0.25 if line == "r300r900" else 0.2) < plays_on[0]


def test_a_huge_reraise_is_answered_by_hardly_any_hand_and_believed_to_be_strong() -> None:
    """Ranges of the menu's sizes made 88, KQs and A5s shove every time: QQ+ and AK then won 15 bb a hand by 60 bb."""
    made = raised(player(), LINES["r300"], 6000)
    assert made.plays_on < 0.08
    assert made.won[parse_range("QQ+,AK") > 0].mean() / GAME.big_blind < 5.5
    assert made.range @ good_hands()[preflop_classes()] > 0.9


def test_a_raise_that_the_solve_hardly_plays_leaves_the_hands_of_the_tremble() -> None:
    """In the equilibrium nobody opens to 60 bb: the good hands that do it now and then are the range."""
    state = State.start(GAME)
    subgame = BeforeFlop(state, with_bets(SMALL, {"": 6000}), starting_ranges(), checked_down(SMALL), raise_to(6000))
    subgame.solve(150)
    opens = subgame.rows(state).dense(np.zeros(1326, np.bool_))[-2]
    good = good_hands()[preflop_classes()] > 0
    assert good.mean() == pytest.approx(GOOD_HANDS, abs=0.01)
    assert opens[good].min() > 0.99 * ODD_RAISES and opens[~good].max() < ODD_RAISES / 10


@pytest.mark.parametrize("size", [1000, 1100, 1200, 1300])
def test_good_hands_do_not_fold_to_reraises_above_the_pot(size: int) -> None:
    """The menu has the pot, 900, and then all-in: such re-raises were taken for a shove a fifth of the time."""
    plays_on, share = answer(300, size)
    assert all(plays_on[hand(text)] > 0.95 for text in ("8h8d", "KsQs", "AsQs", "AdAc", "AhKd"))
    assert share > 0.35 and plays_on[hand("7h2d")] < 0.05


def test_after_such_a_raise_the_blueprint_plays_on_from_the_most_similar_flop() -> None:
    state = State.start(GAME).apply(raise_to(300)).apply(raise_to(1200)).apply(CALL).with_board(parse_cards("KsTh7s"))
    for key in range(8):
        blueprint = player().start_hand(HandKey(key, 0, 0)).blueprint
        (place,) = blueprint.nodes(state)
        spent = blueprint.seat.file.tree.spent[place.node]
        assert tuple(spent.tolist()) in ((900, 900), (1500, 1500))


def test_there_is_nothing_to_ponder_before_the_flop() -> None:
    state = State.start(GAME).apply(raise_to(300)).apply(raise_to(1200))
    thinker = player().start_hand(HandKey(1, 0, 1))
    thinker.rows(state)
    subgame = thinker.subgame(state)
    assert isinstance(subgame, StreetAnswer) and subgame.iteration == 800
    thinker.ponder(lambda: False)
    assert subgame.iteration == 800


def test_a_raise_that_was_solved_to_the_end_is_not_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    solves: list[State] = []

    class Counted(BeforeFlop):
        def __init__(self, root: State, *rest: Any) -> None:
            solves.append(root)
            super().__init__(root, *rest)

    monkeypatch.setattr(resolver, "BeforeFlop", Counted)
    monkeypatch.setattr(player().resolver, "preflop", {})
    before = State.start(GAME).apply(raise_to(300))

    def probabilities(number: int, size: int) -> NDArray[np.float32]:
        return player().start_hand(HandKey(1, number, 1)).rows(before.apply(raise_to(size))).probabilities

    with monkeypatch.context() as hurried:  # a clock may end a solve at any iteration
        hurried.setattr(resolver.Search, "stop", lambda *_: partial(next, iter([False] * 20 + [True])))
        short = probabilities(0, 1111)
    assert (probabilities(1, 1111) != short).any() and len(solves) == 2
    np.testing.assert_array_equal(probabilities(2, 1111), probabilities(1, 1111))
    assert len(solves) == 2
    monkeypatch.setattr(resolver, "PREFLOP_KEPT", 1)
    probabilities(3, 1211)
    probabilities(4, 1111)
    assert len(solves) == 4 and len(player().resolver.preflop) == 1


# --- other stacks than those that the blueprint was trained for


def opening(big_blinds: int) -> dict[str, float]:
    """How often the button takes each action first, over all hands."""
    seated = player(100 * big_blinds, 100 * big_blinds)
    rows = seated.start_hand(HandKey(1, 0, 1)).rows(State.start(seated.game))
    shares = rows.dense(np.zeros(1326, np.bool_)).mean(axis=1)
    return {str(action): float(share) for action, share in zip(rows.actions, shares, strict=True)}


def test_shoves_are_answered_by_the_stacks_at_hand() -> None:
    """200 bb deep 5 % call a shove. Of ten big blinds 37 % call one in the game of all-in or fold, and 58 % shove there."""
    calls = [answer(100 * depth, stacks=(100 * depth,) * 2)[1] for depth in (5, 10, 20, 50, 100, 400)]
    assert calls == sorted(calls, reverse=True)
    assert calls[0] > 0.55 and 0.34 < calls[1] < 0.41 and calls[-1] < 0.05
    shoves = [opening(depth)[f"r{100 * depth}"] for depth in (5, 10, 20, 100)]
    assert shoves == sorted(shoves, reverse=True) and shoves[0] > 0.5 and shoves[-1] < 0.01


@pytest.mark.parametrize("depth", [100, *(pytest.param(depth, marks=pytest.mark.slow) for depth in (20, 50, 400))])
def test_at_any_depth_fewer_hands_play_on_against_larger_raises(depth: int) -> None:
    """Raises of the menu too: what hardly any hand shoves was answered by chance, at 100 bb with 11 % of the hands."""
    stacks = (100 * depth, 100 * depth)
    sizes = [size for size in (200, 250, 300, 400, 500, 1000, 1500, 2500, 4000, 10000, 40000) if size <= stacks[0]]
    shares = np.array([answer(size, stacks=stacks)[1] for size in sizes])
    assert (shares - np.minimum.accumulate(shares)).max() < 0.02
    assert shares[0] > 0.69  # 69.5 % with 20 big blinds since flops have gains of their own there, and more with others


@pytest.mark.parametrize(
    ("depth", "line", "size"),
    [
        (10, "r200", 6),
        (100, "r200", 40),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((100, "c", 10), (400, "c", 20), (400, "c", 60))),
    ],
)
def test_no_hand_loses_a_tenth_of_a_big_blind_against_a_raise(depth: int, line: str, size: int) -> None:
    """By 2,000 iterations of the same tree. Where too few hands open to be learnt from, 0.8 bb were lost; to slow solves up to 1.5."""
    most, mean = lost(player(100 * depth, 100 * depth), LINES[line], 100 * size)
    assert most < 0.1 and abs(mean) < 0.003


def test_of_uneven_stacks_the_shorter_is_played_for() -> None:
    """All that the deeper player raises beyond it is the same raise."""
    for stacks in ((2000, 10000), (10000, 2000)):
        assert answer(2000, stacks=stacks)[1] == pytest.approx(answer(2000, stacks=(2000, 2000))[1], abs=0.01)
    assert answer(5000, stacks=(2000, 10000))[1] == pytest.approx(answer(2000, stacks=(2000, 10000))[1], abs=0.03)


@pytest.mark.parametrize("stack", [100, 120, 250])
def test_hardly_any_chips_are_played(stack: int) -> None:
    state = State.start(player(stack, stack).game)
    rows = player(stack, stack).start_hand(HandKey(1, 0, state.actor)).rows(state)
    np.testing.assert_allclose(rows.probabilities.sum(axis=0), 1, atol=1e-5)


def test_actions_that_a_class_hardly_takes_are_followed_by_its_best_response() -> None:
    """The blueprint folds 72o on the button, and so has learnt nothing of how to go on after a limp with it."""
    bot = load_bot("blueprint")
    root, hand = State.start(bot.game), hand_space().index(parse_cards("7s2h"))
    file = open_named("hunl-200bb")
    flops, playing = FlopValues.open(file.folder, file.tree), bot.build().start_hand(HandKey(0, 0, 1))
    played, best = (
        preflop_values(playing, root, starting_ranges(), flops, best=best)[0].actions[:, hand] for best in (False, True)
    )
    assert playing.rows(root).actions[:2] == (FOLD, CALL) and played[0] == best[0] == -0.5
    assert played[1] < -1.2 and -0.65 < best[1] < -0.5
    assert (best >= played - 1e-5).all()
