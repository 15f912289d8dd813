"""Which subgames are solved and which keep a promise, and that keeping it means something."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.holdem.resolving.subgame import Subgame
from tests.protocol.walks import after
from tests.strategies.base.resolve_players import SMALL, called_to, resolver

BOARD = parse_cards("KsTh7s4d2c")
LIVE = ~hand_space().blocked(BOARD)


def turn(hand: ResolveHand, state: State) -> State:
    """Limped and checked to the turn."""
    for _ in range(4):
        state = state.apply(CALL).with_board(BOARD)
    return state


def asked(hand: ResolveHand, state: State) -> Subgame:
    hand.rows(state)
    found = hand.subgame(state)
    assert found is not None
    return found


def test_the_first_subgame_is_unsafe_and_the_river_keeps_the_turns_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = resolver(tmp_path, monkeypatch, gadget="combined")
    hand = player.start_hand(HandKey(1, 0, 0))
    state = turn(hand, State.start(player.game))
    first = asked(hand, state)
    assert first.gadget == "unsafe"
    river = state.apply(CALL).apply(CALL).with_board(BOARD)
    second = asked(hand, river)
    assert second is not first and second.gadget == "combined"


@pytest.mark.parametrize("position", [0, 1])
def test_a_promise_is_made_to_the_opponent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: int) -> None:
    player = resolver(tmp_path, monkeypatch, gadget="resolve", first_gadget="resolve")
    hand = player.start_hand(HandKey(1, 0, position))
    state = turn(hand, State.start(player.game))
    for root in (state, state.apply(CALL).apply(CALL).with_board(BOARD)):
        found = asked(hand, root)
        assert (found.gadget, found._opponent) == ("resolve", 1 - position)
    assert not player.resolver.fallbacks
    assert found.promise(root, 1 - position, "unsafe") is None


def test_a_bet_off_the_tree_must_be_worth_no_less_than_those_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = resolver(tmp_path, monkeypatch, gadget="resolve")
    hand = player.start_hand(HandKey(1, 0, 0))
    state = turn(hand, State.start(player.game))
    first = asked(hand, state)
    checked = state.apply(CALL)
    after = checked.apply(raise_to(230))  # the tree has the pot, 300, and all-in
    second = asked(hand, after)
    assert second is not first and second.gadget == "resolve"
    promise = first.promise(after, 1, "resolve")
    assert promise is not None
    options = first.solver.node_values(first.node(checked), state.board, best=True).actions
    np.testing.assert_array_equal(promise.alternatives, options.max(axis=0))


def test_by_default_no_subgame_keeps_a_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch)
    hand = player.start_hand(HandKey(1, 0, 0))
    river = turn(hand, State.start(player.game)).apply(CALL).apply(CALL).with_board(BOARD)
    assert asked(hand, river).gadget == "unsafe"


@pytest.mark.parametrize("gadget", ["resolve", "maxmargin", "reach-maxmargin", "combined"])
def test_the_first_subgame_keeps_the_blueprints_promise_if_asked_to(
    gadget: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = resolver(tmp_path, monkeypatch, first_gadget=gadget, gadget="unsafe")
    hand = player.start_hand(HandKey(1, 0, 0))
    state = turn(hand, State.start(player.game))
    assert asked(hand, state).gadget == gadget
    river = state.apply(CALL).apply(CALL).with_board(BOARD)
    assert asked(hand, river).gadget == "unsafe"


def test_a_blueprint_off_its_tree_promises_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, first_gadget="resolve", streets={"river": SMALL})
    hand = player.start_hand(HandKey(1, 0, 0))
    state = turn(hand, State.start(player.game)).apply(CALL).apply(CALL).with_board(BOARD)
    monkeypatch.setattr(hand.blueprint, "nodes", lambda state: ())
    assert asked(hand, state).gadget == "unsafe"


def test_a_flop_with_sampled_runouts_is_promised_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole flops are too much to promise, and nobody begins to."""
    streets = {"flop": {**SMALL, "runouts": "sampled"}, "turn": SMALL}
    player = resolver(tmp_path, monkeypatch, first_gadget="resolve", streets=streets)
    hand = player.start_hand(HandKey(1, 0, 0))
    flop = State.start(player.game).apply(CALL).apply(CALL).with_board(BOARD[:3])
    begun: list[object] = []
    monkeypatch.setattr(
        "limpet.strategies.holdem.resolving.resolver.played_promise", lambda *given: begun.append(given)
    )
    assert asked(hand, flop).gadget == "unsafe" and not begun


def test_before_the_bet_the_bettor_keeps_the_other_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, gadget="resolve", nested="before")
    hand = player.start_hand(HandKey(1, 0, 0))
    state = turn(hand, State.start(player.game))
    first = asked(hand, state)
    checked = state.apply(CALL)
    bet = raise_to(230)  # the tree has the pot, 300, and all-in
    second = asked(hand, checked.apply(bet))
    assert second.root == checked and second.gadget == "resolve"
    assert set(second.tree.actions(0)) == {*first.tree.actions(first.node(checked)), bet}
    assert hand.rows(checked).actions == second.tree.actions(0)  # and who bets so is known from there
    called = checked.apply(bet).apply(CALL).with_board(BOARD)
    assert hand.subgame(called.apply(CALL)) is not second  # a new street is a new subgame


def test_what_a_hand_gives_up_on_the_way_it_may_win_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, gadget="reach-maxmargin")
    hand = player.start_hand(HandKey(1, 0, 0))
    state = turn(hand, State.start(player.game))
    first = asked(hand, state)
    checked = state.apply(CALL)
    river = checked.apply(CALL).with_board(BOARD)
    gifts, actions = first.gifts(river, 1), first.solver.node_values(first.node(checked), checked.board, best=True)
    np.testing.assert_allclose(gifts, actions.actions.max(axis=0) - actions.actions[0], atol=1e-6)
    assert gifts[LIVE].min() == 0 and gifts.max() > 0.1  # some check rightly; some should have bet
    assert not first.gifts(checked, 1).any() and not first.gifts(state, 1).any()
    plain, reached = first.promise(river, 1, "maxmargin"), first.promise(river, 1, "reach-maxmargin")
    assert plain is not None and reached is not None
    own, best = (first.solver.node_values(first.node(river), BOARD, best=best).values[1] for best in (False, True))
    np.testing.assert_array_equal(plain.alternatives, best)
    assert (best - own)[LIVE].max() > 0.1
    np.testing.assert_allclose(reached.alternatives, plain.alternatives + gifts)
    assert asked(hand, river).gadget == "reach-maxmargin"


def test_a_promise_kept_leaves_no_hand_much_better_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The opponent's best response on the river, against what the turn's solution would have let each hand win: within
    3 % of the pot of 6 big blinds, where the river alone could cost any hand its 12."""
    plan = {"menus": [{"menu": {"sizes": [[[1], []]], "raise_cap": 2}}], "iterations": 200, "target": 0}
    streets = {"turn": {**plan, "iterations": 150}, "river": plan}
    player = resolver(tmp_path, monkeypatch, stacks=(1200, 1200), gadget="resolve", mix=0.02, streets=streets)
    hand = player.start_hand(HandKey(1, 0, 0))
    state = turn(hand, State.start(player.game))
    first = asked(hand, state)
    river = state.apply(CALL).apply(raise_to(300)).apply(CALL).with_board(BOARD)
    second = asked(hand, river)
    gains = second.solver.hand_values(1, best=True) - first.values(river, 1, best=True)
    assert gains[LIVE].max() < 0.03 * 6


def believed(hand: ResolveHand, before: State, after: State, mix: float) -> NDArray[np.float64]:
    """The actor's range after an action by the rows at `before`, of which the share `mix` stays as it was."""
    reach = hand.ranges(before)[before.actor]
    assert after.action is not None
    rows = hand.rows(before)
    taken = reach * rows.dense(hand_space().blocked(before.board))[rows.actions.index(after.action)]
    return np.asarray((1 - mix) * taken / taken.sum() + mix * reach)


@pytest.mark.parametrize("nested", ["before", "after"])
def test_the_opponents_range_keeps_the_share_mix_at_every_action_and_the_own_range_none(
    nested: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bet off the tree too, whose bettor's range comes from the subgame that is solved with the bet in its tree."""
    player = resolver(tmp_path, monkeypatch, nested=nested, mix=0.3)
    hand = player.start_hand(HandKey(1, 0, 0))
    state = turn(hand, State.start(player.game))
    checked = state.apply(CALL)
    bet = checked.apply(raise_to(230))  # the tree has the pot, 300, and all-in
    for before, later in ((state, checked), (checked, bet)):
        hand.rows(later)
        own = before.actor == 0
        found = hand.ranges(later)[before.actor]
        if nested == "before" or own:
            np.testing.assert_allclose(found, believed(hand, before, later, 0.0 if own else 0.3), atol=1e-9)
        assert np.abs(found - hand.ranges(before)[before.actor]).max() > 1e-6


# --- Streets that are solved where they are shallow

SHALLOW = {"flop": {**SMALL, "runouts": "sampled", "most_spr": 4}, "turn": {**SMALL, "most_spr": 4}, "river": SMALL}


def pairs_raise(betting: str, actions: tuple[str, ...], name: str) -> dict[str, float]:
    return {action: 5.0 if action[0] == "r" and name[:1] == name[1:] else 1.0 for action in actions}


def test_a_shallow_flop_is_solved_and_a_deep_one_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, (6000, 6000), streets=SHALLOW)
    deep, shallow = (after(player.game, f"r{chips}c", BOARD) for chips in (300, 1500))  # 9.5 and 1.5 pots behind
    for flop in (deep, deep.apply(raise_to(2700)), deep.apply(CALL)):  # less deep after a bet, but the street was not
        hand = player.start_hand(HandKey(1, 0, flop.actor))
        looked_up = player.blueprint.start_hand(HandKey(1, 0, flop.actor)).rows(flop)
        np.testing.assert_array_equal(hand.rows(flop).probabilities, looked_up.probabilities)
        assert hand.subgame(flop) is None and not player.resolver.solved
    hand = player.start_hand(HandKey(1, 0, 0))
    flop_subgame = asked(hand, shallow)
    assert isinstance(flop_subgame, SampledSubgame) and flop_subgame.root == shallow
    turn_subgame = asked(hand, shallow.apply(CALL).apply(CALL).with_board(BOARD))
    assert turn_subgame.root.round == 2 and not isinstance(turn_subgame, SampledSubgame)
    assert not player.resolver.fallbacks


@pytest.mark.parametrize("position", [0, 1])
def test_a_shallow_turn_after_a_flop_that_was_looked_up_follows_its_ranges_and_promise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: int
) -> None:
    player = resolver(tmp_path, monkeypatch, (6000, 6000), pairs_raise, streets=SHALLOW, first_gadget="resolve")
    hand, flop = player.start_hand(HandKey(1, 0, position)), after(player.game, "r300c", BOARD)
    bet = flop.apply(raise_to(900))
    root = bet.apply(CALL).with_board(BOARD)  # 2.8 pots behind
    found = asked(hand, root)
    assert found.root == root and found.gadget == "resolve" and player.resolver.solved == 1
    for before, later in pairwise(state.with_board(BOARD) for state in root.path()):
        mix = 0.0 if before.actor == position else 0.02
        moved = believed(hand, before, later, mix) * ~hand_space().blocked(later.board)
        np.testing.assert_allclose(hand.ranges(later)[before.actor], moved / moved.sum(), atol=1e-9)
        np.testing.assert_array_equal(hand.rows(before).probabilities, hand.blueprint.rows(before).probabilities)
    deep_turn = flop.apply(CALL).apply(CALL).with_board(BOARD)
    assert player.start_hand(HandKey(1, 0, position)).subgame(deep_turn) is None


def test_a_river_that_is_too_deep_is_played_by_the_turns_subgame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    streets = {"turn": SMALL, "river": {**SMALL, "most_spr": 4}}
    player = resolver(tmp_path, monkeypatch, (1200, 1200), streets=streets, gadget="combined")
    state, hand = called_to(player, 2, BOARD), player.start_hand(HandKey(1, 0, 0))
    first = asked(hand, state)
    deep = state.apply(CALL).apply(CALL).with_board(BOARD)  # 5.5 pots behind
    shallow = state.apply(raise_to(300)).apply(CALL).with_board(BOARD)  # 1.5 pots
    assert asked(hand, deep) is first and hand.rows(deep).actions == first.tree.actions(first.node(deep))
    solved = asked(player.start_hand(HandKey(1, 0, 0)), shallow)
    assert solved.root == shallow and solved.gadget == "combined"
