"""What is learned of an opponent: counts that lean on wider ones, and how much they are trusted."""

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.holdem.luck.opponent_model import (
    FAITH,
    KINDS,
    LEAN,
    NUM_PRICES,
    OpponentModel,
    SeenDecision,
    edge_probabilities,
    fit_opponent_model,
    seen_decision,
)
from tests.strategies.base.small_games import no_limit
from tests.strategies.base.strategy_files import MANY, some_habits

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")


def played(*actions: Action) -> State:
    state = State.start(HUNL)
    for action in actions:
        state = state.apply(action)
    return state


@pytest.mark.parametrize(
    ("before", "action", "price", "kind"),
    [
        ((), FOLD, 2, 0),  # half a blind into two
        ((CALL,), CALL, 0, 1),
        ((CALL,), raise_to(200), 0, 2),
        ((CALL, CALL), raise_to(200), 0, 2),
        ((CALL, CALL), raise_to(300), 0, 3),
        ((CALL, CALL), raise_to(900), 0, 4),
        ((CALL, CALL), raise_to(20000), 0, 5),
        ((raise_to(300), raise_to(500)), CALL, 1, 1),
        ((CALL, CALL, raise_to(200)), CALL, 2, 1),
        ((CALL, CALL, raise_to(300)), CALL, 3, 1),
        ((CALL, CALL, raise_to(900)), CALL, 4, 1),
        ((CALL, CALL, raise_to(20000)), FOLD, 4, 0),
    ],
)
def test_decisions_are_told_apart(before: tuple[Action, ...], action: Action, price: int, kind: int) -> None:
    state = played(*before)
    seen = seen_decision(state, action, 7, 0.25)
    assert seen == SeenDecision(round=state.round, price=price, strength=7, kind=kind, strategy=0.25)


def plain(decisions: list[SeenDecision], round_: int, price: int, strength: int, kind: int) -> float:
    """The definition: wider counts first."""
    likely = 1 / KINDS
    alike = [d for d in decisions if (d.price > 0) == (price > 0)]
    at_price = [d for d in alike if d.price == price]
    on_street = [d for d in at_price if d.round == round_]
    for seen, near in (
        (alike, 99),
        (alike, 1),
        (alike, 0),
        (at_price, 1),
        (at_price, 0),
        (on_street, 1),
        (on_street, 0),
    ):
        here = [d.kind == kind for d in seen if abs(d.strength - strength) <= near]
        likely = (sum(here) + LEAN * likely) / (len(here) + LEAN)
    return likely


def some_decisions(count: int, seed: int) -> list[SeenDecision]:
    random = np.random.default_rng(seed)

    def below(bound: int) -> int:
        return int(random.integers(bound))

    return [SeenDecision(below(2), below(NUM_PRICES), below(3), below(KINDS), random.random()) for _ in range(count)]


def test_counts_lean_on_wider_ones() -> None:
    decisions = some_decisions(40, 1)
    habits = fit_opponent_model(decisions, 2, 3)
    assert habits.kinds.shape == (2, NUM_PRICES, 3, KINDS)
    np.testing.assert_allclose(habits.kinds.sum(axis=-1), 1)
    for place in np.ndindex(habits.kinds.shape):
        assert habits.kinds[place] == pytest.approx(plain(decisions, *place))


def test_counts_and_strategy_are_weighed_by_what_each_made_of_every_decision() -> None:
    """Counts by those of all other decisions."""
    decisions = some_decisions(5, 3)
    odds = np.full((2, 2), FAITH)
    for number, seen in enumerate(decisions):
        others = decisions[:number] + decisions[number + 1 :]
        counted = plain(others, seen.round, seen.price, seen.strength, seen.kind)
        odds[seen.round, int(seen.price > 0)] += np.log(seen.strategy / counted)
    np.testing.assert_allclose(fit_opponent_model(decisions, 2, 3).trust, 1 / (1 + np.exp(-odds)))


def test_the_better_prediction_is_trusted() -> None:
    """Of one who always calls, counts; of one who does what only the strategy foresees, the strategy."""
    random = np.random.default_rng(2)
    caller = [SeenDecision(0, int(random.integers(2)), int(random.integers(3)), 1, 0.3) for _ in range(200)]
    habits = fit_opponent_model(caller, 1, 3)
    assert habits.trust[0].max() < 1e-6 and habits.kinds[0, :2, :, 1].min() > 0.95
    assert habits.kinds[0, 4, 0, 1] > 0.9, "at prices never seen too"
    erratic = [SeenDecision(0, int(random.integers(2)), 0, int(random.integers(KINDS)), 0.95) for _ in range(200)]
    assert fit_opponent_model(erratic, 1, 3).trust.min() > 1 - 1e-6


def test_a_row_that_never_acts_so_does_not_decide_alone() -> None:
    """A bet read as another size may be one that the row never makes."""
    decisions = [SeenDecision(0, 0, 0, kind, 0.9) for kind in (1, 2)]
    never = SeenDecision(0, 0, 0, 1, 0.0)
    before, after = (fit_opponent_model(seen, 1, 1).trust[0, 0] for seen in (decisions, [*decisions, never]))
    assert 0.5 < after < before
    assert fit_opponent_model([*decisions, *[never] * 9], 1, 1).trust[0, 0] < 0.01


def test_where_nothing_was_seen_the_strategy_is_believed() -> None:
    habits = fit_opponent_model([SeenDecision(0, 0, 0, 1, float("nan"))], 2, 1)
    np.testing.assert_allclose(habits.trust, 20 / 21, atol=0.001)


@pytest.mark.parametrize(
    ("game", "menu"), [(no_limit("12 12", "1 2", 2, 3, 1, "0 1"), MANY), (load_game("leduc.limit.2p"), None)]
)
def test_a_trees_probabilities_sum_to_one(game: object, menu: BetMenu | None) -> None:
    tree = build_tree(game, menu)  # type: ignore[arg-type]
    habits = some_habits(2, 3, 4)
    found = edge_probabilities(tree, habits)
    assert found.shape == (len(tree.edge_child), 3) and found.min() >= 0
    for node in tree.decisions.tolist():
        edges = slice(tree.first_edge[node], tree.first_edge[node + 1])
        np.testing.assert_allclose(found[edges].sum(axis=0), 1, atol=1e-6)


def test_raises_that_a_node_lacks_go_to_those_it_has() -> None:
    game = no_limit("12 12", "1 2", 2, 3, 1, "0 1")
    tree = build_tree(game, BetMenu(sizes=(((1.0,), ()),)))
    kinds = np.zeros((2, NUM_PRICES, 1, KINDS))
    kinds[..., 0], kinds[..., 1], kinds[..., 4] = 0.1, 0.3, 0.6  # overbets, which the tree has not
    found = edge_probabilities(tree, OpponentModel(kinds, np.zeros((2, 2))))[:, 0]
    states = tree.states()
    seen = set()
    for node in tree.decisions.tolist():
        actions = tree.actions(node)
        row = dict(zip(map(str, actions), found[tree.first_edge[node] : tree.first_edge[node + 1]], strict=True))
        folds = states[node].can_fold
        raised = sum(p for action, p in row.items() if action.startswith("r"))
        whole = 1.0 if folds else 0.9
        if len(actions) == 1 + folds:  # no raises: calls instead
            assert row["c"] == pytest.approx(0.9 / whole)
        else:
            assert row["c"] == pytest.approx(0.3 / whole) and raised == pytest.approx(0.6 / whole)
        seen.add((folds, len(actions)))
    assert len(seen) >= 3
