"""A model of an opponent, counted on hands that were played: fold, call and raise by street, price and strength.

Where an opponent plays nothing like the strategy of the value function, that function is poor and much luck stays in. So the
opponent's decisions are predicted in two ways, by the strategy's row and by counts. The two are weighed by how likely each
makes the decisions seen so far (Bayesian model averaging, on each street with and without a bet to answer).

Counts of few decisions lean on those of more: by strength, price and street on those by strength and price on any street,
these on any price, and these on all strengths. Each leans first on the same counts with neighbouring strengths.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.base.strategy import pot_fraction

PRICES = (0.22, 0.3, 0.36)
"""Bounds between price classes: a call's share of the pot that it makes. The first three classes are about ⅓, ½ and 1 pot to
call; nothing to call is a class before them all."""
SIZES = (0.6, 1.2)
"""Bounds between kinds of raises, as shares of the pot after a call; all-in is a kind of its own."""
NUM_PRICES = len(PRICES) + 2
KINDS = 2 + len(SIZES) + 2
"""Number of kinds of actions: fold, call, raises by size, all-in."""
LEAN = 2.0
"""Number of decisions of the wider count that a narrower one begins with."""
FAITH = 3.0
"""Logarithm of the odds at which the strategy is believed before anything was seen: 20 to 1."""
NEVER = 1e-3
"""Probability that the strategy is given for a decision that its row never takes."""


class SeenDecision(NamedTuple):
    """One decision of an opponent, in the classes of the model.

    `strategy` is its probability by the strategy's row; NaN where the betting has left the strategy's tree.
    """

    round: int
    price: int
    strength: int
    kind: int
    strategy: float


class OpponentModel(NamedTuple):
    """A prediction of an opponent's actions.

    Attributes:
        kinds: float64 ``[round, price, strength, kind]``: probabilities by counts, summing to 1 over kinds.
        trust: float64 ``[round, 2]``: weight of the strategy's row, where there is nothing to call and where there is;
            `kinds` have the rest.
    """

    kinds: NDArray[np.float64]
    trust: NDArray[np.float64]


def seen_decision(state: State, action: Action, strength: int, strategy: float) -> SeenDecision:
    """Return the classes of a real state and the action taken there."""
    to_call = state.to_call
    price = _price(np.array(to_call / (state.pot + to_call) if to_call else 0.0))
    kind = 0 if action.kind == "f" else 1
    if action.kind == "r":
        all_in = action.size > 0 and action.size >= state.game.all_in[state.actor]
        kind = int(_raise_kind(np.array(pot_fraction(state, action.size)), np.array(all_in)))
    return SeenDecision(state.round, int(price), strength, kind, strategy)


def fit_opponent_model(decisions: Sequence[SeenDecision], rounds: int, strengths: int) -> OpponentModel:
    """Count decisions, and weigh the strategy by how much likelier it makes each decision than counts without it do."""
    cells = tuple(np.array([decision[i] for decision in decisions], np.intp) for i in range(4))
    counts = np.zeros((rounds, NUM_PRICES, strengths, KINDS))
    np.add.at(counts, cells, 1)
    kinds, without = np.full(counts.shape, 1 / KINDS), np.full(len(decisions), 1 / KINDS)
    for wide in _from_wide_to_narrow(counts):
        total = wide.sum(axis=-1)
        kinds = (wide + LEAN * kinds) / (total[..., None] + LEAN)
        without = (wide[cells] - 1 + LEAN * without) / (total[cells[:3]] - 1 + LEAN)
    strategy = np.array([decision.strategy for decision in decisions])
    has_row = ~np.isnan(strategy)
    likelier = np.log(np.maximum(strategy[has_row], NEVER)) - np.log(without[has_row])
    odds = np.full((rounds, 2), FAITH)
    np.add.at(odds, (cells[0][has_row], (cells[1][has_row] > 0).astype(np.intp)), likelier)
    return OpponentModel(kinds, 1 / (1 + np.exp(-np.clip(odds, -50, 50))))


def _from_wide_to_narrow(counts: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Yield the counts that each count leans on, then the counts; all ``[round, price, strength, kind]``."""
    paid = np.arange(NUM_PRICES) > 0
    strengths = np.stack([counts[:, paid == pays].sum(axis=(0, 1)) for pays in paid])
    yield np.broadcast_to(strengths.sum(axis=1, keepdims=True), counts.shape)
    for narrower in (strengths, counts.sum(axis=0), counts):
        with_neighbours = narrower.copy()
        with_neighbours[..., 1:, :] += narrower[..., :-1, :]
        with_neighbours[..., :-1, :] += narrower[..., 1:, :]
        yield np.broadcast_to(with_neighbours, counts.shape)
        yield np.broadcast_to(narrower, counts.shape)


def edge_probabilities(tree: BettingTree, model: OpponentModel) -> NDArray[np.float32]:
    """Return counts as probabilities of a tree's edges, float32 ``[edge, strength]``; those of a node sum to 1.

    Raises of sizes that a node lacks go to those it has, those of a node without raises to the call.
    """
    node = np.repeat(np.arange(tree.num_nodes), tree.num_actions)
    player, spent = tree.player[node], tree.spent[node]
    most = spent.max(axis=1)
    to_call = most - spent[np.arange(len(node)), player]
    pot = spent.sum(axis=1) + to_call
    price = _price(np.where(to_call > 0, to_call / pot, 0.0))
    limit = np.array(tree.game.all_in)[player]
    raises, size = tree.edge_kind == 2, tree.edge_size.astype(np.int64)
    raised_to = _raise_kind((size - most) / pot, (size >= limit) & (size > 0))
    kind = np.where(raises, raised_to, tree.edge_kind.astype(np.intp))
    by_kind = model.kinds[tree.round[node], price]  # [edge, strength, kind]
    likely = np.take_along_axis(by_kind, kind[:, None, None], axis=2)[:, :, 0]
    first = tree.first_edge[:-1][tree.num_actions > 0]
    of_node = np.repeat(np.arange(len(first)), tree.num_actions[tree.num_actions > 0])
    weights = np.where(raises[:, None], likely + 1e-3, 0.0)
    total = np.add.reduceat(weights, first)[of_node]
    raised = by_kind[:, :, 2:].sum(axis=2)
    can_raise = np.add.reduceat(raises.astype(np.intp), first)[of_node] > 0
    likely = np.where(raises[:, None], raised * weights / np.maximum(total, 1e-12), likely)
    likely += np.where(((tree.edge_kind == 1) & ~can_raise)[:, None], raised, 0.0)
    return np.asarray(likely / np.add.reduceat(likely, first)[of_node], np.float32)


def _price(share: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.where(share > 0, 1 + np.searchsorted(PRICES, share), 0)


def _raise_kind(fraction: NDArray[np.float64], all_in: NDArray[np.bool_]) -> NDArray[np.intp]:
    return np.where(all_in, KINDS - 1, 2 + np.searchsorted(SIZES, fraction))
