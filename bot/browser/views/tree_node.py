"""A decision of any tree as a page shows it: the way to it, its actions and where they lead, and its grids."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from limpet.bot.browser.views.grid import HandGrid
from limpet.common.workers import Report
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.strategy import HandStrategy
from limpet.strategies.cards.handspace import hand_space, is_holdem
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.blueprint.flop_values import FlopValues
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.range_values import DEALS, Sampled, sampled_values
from limpet.strategies.holdem.luck.self_play import SelfPlay
from limpet.strategies.holdem.resolving.before_flop import preflop_values
from limpet.strategies.holdem.resolving.explanation import ExplainedDecision
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.holdem.resolving.subgame import MOST_ENTRIES, FixedPlay, played_bets
from limpet.strategies.holdem.resolving.time_bank import entries
from limpet.strategies.solvers.vector.vector_solver import NodeValues
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.menu import STREETS


class Edge(msgspec.Struct, frozen=True):
    """An action and where it leads.

    Attributes:
        label: name in words, money in big blinds.
        line: betting after the action as on the wire; None where the hand is over.
    """

    label: str
    colour: str
    frequency: float
    line: str | None


class TakenAction(msgspec.Struct, frozen=True):
    """An action on the way to a decision: who took it, its name in words, and the betting before it."""

    position: int
    label: str
    line: str
    street: str


class TreeNode(msgspec.Struct, frozen=True):
    """A decision of a strategy on a board.

    Attributes:
        cards_missing: number of board cards that must be named before the decision can be shown; grids are then missing.
        path: actions on the way from the start.
        grid: the actor's hands. ranges: range of every position, where hands have the 169 classes.
        untrained: probability of a hand that training never reached here.
        comes_up: whether all players get here with some hand.
    """

    line: str
    board: str
    street: str
    position: int
    pot_bb: float
    cards_missing: int
    path: tuple[TakenAction, ...]
    edges: tuple[Edge, ...] = ()
    grid: HandGrid | None = None
    ranges: tuple[HandGrid, ...] = ()
    untrained: float = 0.0
    comes_up: bool = True


def tree_node(tree: BettingTree, node: int, **shown: Any) -> TreeNode:
    """Return a node of a tree with these fields of `TreeNode`."""
    return TreeNode(
        street=street_name(tree.game, int(tree.round[node])),
        position=int(tree.player[node]),
        pot_bb=round(float(tree.spent[node].sum()) / tree.game.big_blind, 3),
        **shown,
    )


def step(tree: BettingTree, node: int, label: str, line: str) -> TakenAction:
    """Return an action at a node, with the betting before it."""
    return TakenAction(int(tree.player[node]), label, line, street_name(tree.game, int(tree.round[node])))


def edges(grid: HandGrid, lines: Sequence[str | None]) -> tuple[Edge, ...]:
    """Return the actions of a decision with the lines that they lead to."""
    shown = zip(grid.actions, lines, strict=True)
    return tuple(Edge(action.label, action.colour, action.frequency, line) for action, line in shown)


def street_name(game: GameDef, round_: int) -> str:
    """Return the name of a betting round: ``flop`` in hold'em, ``round 2`` in games with other boards."""
    return STREETS[round_] if is_holdem(game) else f"round {round_ + 1}"


def raise_size(state: State, percent: float) -> int:
    """Return the raise-to in chips of a raise over the call of `percent` % of the pot after calling, if need be clamped.

    Raises `ValueError` where nobody may raise.
    """
    bounds = state.raise_bounds()
    if bounds is None or not state.game.no_limit:
        raise ValueError("nobody may bet or raise an amount of one's own choice here; choose another decision")
    size = state.max_spent + round(percent / 100 * (state.pot + state.to_call))
    return min(max(size, bounds[0]), bounds[1])


# --- Expected values of the hands at a decision, from the most exact source that there is, and their standard error.

FIRST_WHOLE = 2
"""First round on which a blueprint is played out whole: the turn. Before it there are too many runouts."""


class Valued(NamedTuple):
    """Values at a decision.

    Attributes:
        how: sentence on how they were got.
        error: standard error of one hand's value in big blinds, over the actor's hands; 0 where they are exact.
    """

    values: NodeValues
    how: str
    error: float


@lru_cache(maxsize=2)
def self_play(folder: Path) -> SelfPlay:
    """Return the play of a strategy's folder against itself. It loads in seconds, and is kept."""
    return SelfPlay(StrategyFile.open(folder))


def blueprint_of(hand: HandStrategy) -> BlueprintHand | None:
    """Return the hand of the blueprint that a bot plays, alone or where it solves nothing; None for other bots."""
    played = hand.blueprint if isinstance(hand, ResolveHand) else hand
    return played if isinstance(played, BlueprintHand) else None


def known_values(hand: HandStrategy, decision: ExplainedDecision, report: Report, both: bool = False) -> Valued | None:
    """Return the values at a decision for the actions of its rows; None where none can be computed.

    Args:
        report: called with numbers of deals done and of all, where hands are sampled.
        both: whether the other player's hands need values too.
    """
    state, blueprint = decision.state, blueprint_of(hand)
    if state.round == 0:
        return None if blueprint is None else _before_the_flop(hand, blueprint, decision)
    subgame = hand.subgame(state) if isinstance(hand, ResolveHand) else None
    if subgame is not None and subgame.tree.actions(subgame.node(state)) == decision.rows.actions:
        runouts = ", on sampled turns and rivers" if isinstance(subgame, SampledSubgame) else ""
        return Valued(subgame.node_values(state), f"by the subgame that was solved{runouts}", 0.0)
    if blueprint is None:
        return None
    whole = None if subgame is not None or state.round < FIRST_WHOLE else _played_out(blueprint, decision)
    return whole or (_sampled(blueprint, decision, report, both) if decision.root is None else None)


def _played_out(blueprint: BlueprintHand, decision: ExplainedDecision) -> Valued | None:
    """Return the values where both play the blueprint, exact; None where that is too much work."""
    state, hands = decision.state, (blueprint, blueprint)
    if entries(state, played_bets(state, hands), MOST_ENTRIES) > MOST_ENTRIES:
        return None
    try:
        play = FixedPlay(state, decision.ranges, hands)
    except MemoryError:
        return None
    if play.tree.actions(0) != decision.rows.actions:
        return None
    return Valued(play.node_values(0, state.board), "the blueprint played out whole", 0.0)


def _before_the_flop(hand: HandStrategy, blueprint: BlueprintHand, decision: ExplainedDecision) -> Valued | None:
    file = blueprint.seat.file
    try:
        flops = blueprint.flops or FlopValues.open(file.folder, file.tree)
    except FileNotFoundError:
        return None
    values, error = preflop_values(hand.fork(), decision.state, decision.ranges, flops)
    return Valued(values, f"the betting played on, to what flops were worth on {flops.deals:,} deals", error)


def _sampled(hand: BlueprintHand, decision: ExplainedDecision, report: Report, both: bool) -> Valued | None:
    state, actor = decision.state, decision.state.actor
    places = hand.nodes(state)
    if len(places) != 1:
        return None
    play, node = self_play(hand.seat.file.folder), places[0].node
    if tuple(hand.seat.walk.real_actions(places[0], state)) != decision.rows.actions:
        return None  # two actions of the tree are one of the real game
    unit, blocked = state.game.big_blind, hand_space().blocked(state.board)
    strategy = decision.rows.dense(blocked)

    def values_of(position: int) -> Sampled:
        return sampled_values(play, state, node, position, decision.ranges, report=report)

    own = values_of(actor)
    values = np.zeros((2, 1326))
    values[actor] = (strategy * own.chips).sum(axis=0) / unit
    if both:
        values[1 - actor] = values_of(1 - actor).chips[0] / unit
    weights = np.where(blocked, 0, decision.ranges[actor])
    error = float((strategy * own.errors).sum(axis=0) @ weights / weights.sum()) / unit
    node_values = NodeValues(
        np.asarray(decision.ranges, np.float32),
        values.astype(np.float32),
        (own.chips / unit).astype(np.float32),
        strategy,
    )
    return Valued(node_values, f"the blueprint played out on {DEALS} sampled deals", error)
