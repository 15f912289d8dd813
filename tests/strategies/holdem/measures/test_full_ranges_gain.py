"""What solving again wins, against exact values worked out another way: locked strategies in a vector solver."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from limpet.protocol.state import CALL, State
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.measures.full_ranges import (
    PublicSpot,
    RangePlay,
    SpotGain,
    gain,
    mean_gain,
    sampled_spots,
    spot_gain,
    without_clock,
)
from limpet.strategies.holdem.resolving.subgame import FixedPlay
from limpet.strategies.holdem.resolving.time_bank import BankRules
from limpet.strategies.players.resolve import Resolve
from tests.commands import json_of, printed, refused
from tests.oracles.repair import copy_of
from tests.strategies.base.resolve_players import resolver

MENU = {"sizes": [[[1], []]]}  # the blueprint's own bets
RIVER: dict[str, Any] = {"river": {"menus": [{"menu": MENU}], "iterations": 60, "target": 0}}


def pairs_raise(betting: str, actions: tuple[str, ...], hand: str) -> dict[str, float]:
    """Before the flop pairs always raise and nothing else does; later everybody does everything."""
    if hand:
        return {actions[-1] if hand[0] == hand[1] and len(betting) < 2 else "c": 1.0}
    return dict.fromkeys(actions, 1.0)


def river_player(folder: Path, patch: pytest.MonkeyPatch, **options: Any) -> Resolve:
    return resolver(folder, patch, **{"stacks": (1000, 1000), "streets": RIVER, "mix": 0.0, **options})


def self_play(player: Resolve, round_: int, seed: int) -> Iterator[PublicSpot]:
    return sampled_spots((player.blueprint, player.blueprint), round_, seed)


def first_spot(player: Resolve, round_: int = 3) -> PublicSpot:
    return next(spot for spot in self_play(player, round_, 1) if not spot.state.finished)


def test_spots_come_with_the_ranges_that_lead_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, stacks=(1000, 1000), rule=pairs_raise)
    space = hand_space()
    pair = space.holes[:, 0] // 4 == space.holes[:, 1] // 4
    seen = set()
    for spot in islice((s for s in self_play(player, 1, 2) if not s.state.finished), 12):
        assert spot.state.round == 1 and len(spot.state.board) == 3
        raised = {position for position in (0, 1) if spot.state.spent[position] > 100}
        live = ~space.blocked(spot.state.board)
        button_raised = spot.state.betting.startswith("r")
        assert ((spot.reach[1] > 0) == (live & (pair if button_raised else ~pair))).all()
        seen.add((button_raised, len(raised)))
    assert seen  # something came there
    assert any(s.state.finished for s in islice(self_play(player, 3, 2), 30))


def test_a_street_that_the_stacks_leave_out_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for stacks in ((100, 100), (100, 20000), (20000, 100)):
        with pytest.raises(ValueError, match=rf"stacks of \({stacks[0]}, {stacks[1]}\) every hand is all in before"):
            gain(river_player(tmp_path, monkeypatch, stacks=stacks), 3, spots=2, seed=1)


def test_reach_stays_a_probability_where_merged_actions_add_up_to_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call of a short stack merges all raises of the tree; in float32 their sum may pass 1."""
    player = resolver(tmp_path, monkeypatch, stacks=(20000, 100))
    rows = Rows((CALL,), np.full((1, 1), np.nextafter(np.float32(1), np.float32(2))), np.zeros(1326, np.int16))
    monkeypatch.setattr(BlueprintHand, "rows", lambda *_: rows)
    spot = next(self_play(player, 3, 1))
    assert spot.state.finished and spot.reach.max() == 1
    started = PublicSpot(0, State.start(player.game, spot.state.board), spot.reach)
    hands = player.blueprint.start_hand(HandKey(1, 0, 0)), player.blueprint.start_hand(HandKey(1, 0, 1))
    chips = RangePlay(0, []).opponent_values(started.state, *hands, started.reach)
    assert np.isfinite(chips).all()


def test_the_gain_is_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the blueprint's bets in its tree a position solves one subgame; lock the other into its own rows."""
    player = river_player(tmp_path, monkeypatch)
    spot = first_spot(player)
    found = spot_gain(player, spot, seed=1, best=True)
    assert found.subgames == 2
    blueprint = player.blueprint.start_hand(HandKey(1, 0, 0))
    before = FixedPlay(spot.state, spot.reach, (blueprint, blueprint))
    for position in (0, 1):
        hand = player.start_hand(HandKey(1, spot.hand, position))
        subgame = hand.subgame(spot.state)
        assert subgame is not None
        whole = copy_of(subgame.solver)
        best = whole.best_responses()[1 - position] - before.best_responses()[1 - position]
        for node, state in whole.tree.states().items():
            if not state.finished and state.actor != position:
                rows = blueprint.rows(state)
                assert rows.actions == whole.tree.actions(node)
                whole.tables.lock(node, state.board, rows.dense(np.zeros(1326, np.bool_)))
        assert found.gain[position] == pytest.approx(whole.values()[position] - before.values()[position], abs=2e-4)
        assert found.best[position] == pytest.approx(best, abs=2e-4)
    # The blueprint does everything alike: an equilibrium wins from it in the mean of both seats, and loses less.
    assert sum(found.gain) > 0.05 and sum(found.best) < -0.05


def test_solving_nothing_wins_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = river_player(tmp_path, monkeypatch, streets={})
    found = gain(player, 3, 3, seed=3)
    assert found.there.mean == found.hand.mean == 0.0 and found.reached == 3 and found.subgames == 0


def test_the_same_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = river_player(tmp_path, monkeypatch, streets={"river": {**RIVER["river"], "iterations": 5}})
    one, two = (gain(player, 3, 2, seed=4) for _ in range(2))
    assert one._replace(seconds=0) == two._replace(seconds=0)
    assert gain(player, 3, 2, seed=5).there.mean != one.there.mean


def test_a_turn_goes_on_to_the_rivers_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = river_player(tmp_path, monkeypatch, streets={"turn": {**RIVER["river"], "iterations": 10}})
    spot = first_spot(player, 2)
    found = spot_gain(player, spot, 1, rivers=2)
    assert found.subgames == 2 and sum(found.gain) > 0


def test_bets_off_the_tree_are_answered_on_the_line_they_are_made_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The player's tree has half the pot, the blueprint bets the pot: first to act it is a tree with the pot in it."""
    streets = {"river": {"menus": [{"menu": {"sizes": [[[0.5], []]]}}], "iterations": 5}}
    player = river_player(tmp_path, monkeypatch, stacks=(20000, 20000), streets=streets)
    spot = first_spot(player)
    assert spot_gain(player, spot, 1).subgames >= 4
    hand = player.start_hand(HandKey(1, spot.hand, 1))
    bet = next(a for a in hand.blueprint.rows(spot.state).actions if a.kind == "r")
    on_check, on_bet = hand.fork(), hand.fork()
    after_check, after_bet = (
        fork.subgame(spot.state.apply(action))
        for fork, action in ((on_check, hand.blueprint.rows(spot.state).actions[0]), (on_bet, bet))
    )
    assert after_check is not None and after_bet is not None
    assert after_check.root == after_bet.root == spot.state
    assert bet in after_bet.tree.actions(0) and bet not in after_check.tree.actions(0)


def test_over_all_hands_it_is_as_much_less_as_hands_end_before() -> None:
    found = [SpotGain((gained, 3 * gained), (0.0, 0.0), 1, 0.5) for gained in (1.0, 2.0)]
    both = mean_gain(found, dealt=8)
    assert both.there.mean == 3 and both.hand.mean == pytest.approx(3 * 2 / 8)
    assert both.positions[0].mean == 1.5 and both.positions[1].mean == 4.5 and both.seconds == 1


def test_no_clock_is_looked_at() -> None:
    options = Resolve.Options(blueprint=None, streets={}, log="x", rows="y", threads=4)  # type: ignore[arg-type]
    bare = without_clock(msgspec.structs.replace(options, bank=BankRules(), ponder=True))
    assert bare.bank is None and not bare.ponder and bare.log is None and bare.rows is None and bare.threads == 1


def test_it_explains_itself() -> None:
    text = printed("gain", "--help")
    assert "Examples:" in text and "Exit status:" in text


def test_a_bot_that_does_not_think_is_refused() -> None:
    assert "does not think" in refused("gain", "call")


def test_it_measures() -> None:
    arguments = ("gain", "limpet-fast", "--spots", "2", "--iterations", "5", "--best")
    facts = json_of(*arguments)
    assert facts["reached"] == 2 and facts["dealt"] >= 2 and facts["subgames"] >= 4
    text = printed(*arguments)
    assert f"{facts['mbb_per_game']['mean']:+,.1f}" in text and "best response" in text


@pytest.mark.slow
def test_it_measures_from_the_flop(tmp_path: Path) -> None:
    arguments = (
        "gain",
        "limpet-fast",
        "--street",
        "flop",
        "--spots",
        "2",
        "--iterations",
        "2",
        "--output",
        str(tmp_path),
    )
    facts = json_of(*arguments)
    assert facts["spots"] == 2 and facts["street"] == "flop"
    assert len((tmp_path / "limpet-fast-flop-gain-1.jsonl").read_text().splitlines()) == 3
    text = printed(*arguments)
    assert f"{facts['mbb_per_game']['mean']:+,.1f}" in text and "from the flop on" in text


def test_best_responses_are_for_whole_spots() -> None:
    assert "--street turn" in refused("gain", "limpet-fast", "--street", "preflop", "--best")
