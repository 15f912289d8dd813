"""Regrets that a solve begins with: the blueprint's play, whatever bets the solve's tree has."""

from pathlib import Path

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.beliefs import starting_ranges
from limpet.strategies.holdem.resolving.sampled import SampledSubgame, blueprint_regrets
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.solvers.sampled.public_sampling import Runouts
from tests.strategies.base.resolve_players import TRUNK, resolver

FLOP = parse_cards("Ks7h2d")
SHARES = {"f": 0.2, "c": 0.5, "r": 0.3}


def mostly_calls(betting: str, actions: tuple[str, ...], name: str) -> dict[str, float]:
    """Half the weight on calling, three tenths on the smallest raise, two on folding."""
    raises = [action for action in actions if action[0] == "r"]
    return {a: SHARES[a] for a in actions if a in "fc"} | ({raises[0]: SHARES["r"]} if raises else {})


@pytest.fixture
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Resolve:
    return resolver(tmp_path, monkeypatch, (6000, 6000), mostly_calls)


def regrets(player: Resolve, menu: BetMenu) -> tuple[dict[str, np.ndarray], State]:
    """Regrets ``[action, bucket]`` of each decision, by its betting on the flop and later."""
    hand = player.blueprint.start_hand(HandKey(1, 0, 0))
    root = State.start(player.game).apply(raise_to(300)).apply(CALL).with_board(FLOP)
    tree = build_tree(root, menu)
    runouts = Runouts(FLOP, np.ones((2, 1326), np.float32), hand.seat.file.cards)
    found = blueprint_regrets(tree, hand, runouts)
    offset, states = tree.row_offset(runouts.num_buckets), tree.states()
    tables = {
        states[node].betting.removeprefix(root.betting): found[offset[node] : offset[node + 1]]
        .reshape(-1, int(tree.num_actions[node]))
        .T
        for node in tree.decisions.tolist()
    }
    return tables, root


def test_matched_regrets_are_the_blueprints_rows(player: Resolve) -> None:
    tables, root = regrets(player, TRUNK)
    hand = player.blueprint.start_hand(HandKey(1, 0, 0))
    live = ~hand_space().blocked(FLOP)
    for state in (root, root.apply(CALL), root.apply(raise_to(900))):
        table = tables[state.betting.removeprefix(root.betting)]
        matched = table / table.sum(axis=0)
        np.testing.assert_allclose(matched, hand.rows(state).dense(~live)[:, live], atol=1e-3)


def test_before_its_first_iteration_a_solve_plays_and_is_worth_what_the_blueprint_is(player: Resolve) -> None:
    _, root = regrets(player, TRUNK)
    hand = player.blueprint.start_hand(HandKey(1, 0, 0))
    subgame = SampledSubgame(root, TRUNK, starting_ranges(FLOP), hand)
    live = ~hand_space().blocked(FLOP)
    found, played = subgame.node_values(root, 1), hand.rows(root).dense(~live)[:, live]
    np.testing.assert_allclose(found.strategy[:, live], played, atol=1e-3)
    won = (played * found.actions[:, live]).sum(axis=0)
    np.testing.assert_allclose(found.values[root.actor, live], won, atol=0.02)
    assert np.abs(found.values).max() > 1


def test_a_bet_the_tree_lacks_counts_as_the_nearest_or_as_a_call(player: Resolve) -> None:
    """The blueprint bets the pot, three tenths of the time."""
    sizes, _ = regrets(player, BetMenu(sizes=(((0.33, 0.8), ()),), all_in_spr="never"))
    np.testing.assert_allclose((sizes[""] / sizes[""].sum(axis=0))[:, 0], [0.625, 0, 0.375], atol=5e-3)
    checks, _ = regrets(player, BetMenu(sizes=(((),),), all_in_spr="never"))
    assert list(checks) == ["", "c", "cc/", "cc/c", "cc/cc/", "cc/cc/c"]
    np.testing.assert_allclose(checks[""] / checks[""].sum(axis=0), np.ones((1, 1176)))


def test_inertia_is_in_proportion_to_pot_and_reach(player: Resolve) -> None:
    tables, _ = regrets(player, TRUNK)
    total = {line: float(table[:, 0].sum()) for line, table in tables.items()}
    assert total["c"] / total[""] == pytest.approx(0.625, abs=0.01)  # the other has checked
    assert total["r900"] / total[""] == pytest.approx(0.375 * 2, abs=0.02)  # has bet the pot of 600, which is 1,200 now
