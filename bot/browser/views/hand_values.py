"""Expected values of the hands at a decision, from the most exact source that there is, and their standard error."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limpet.strategies.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.blueprint.flop_values import FlopValues
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.measures.luck.sampled_values import DEALS, Sampled, sampled_values
from limpet.strategies.measures.luck.self_play import SelfPlay
from limpet.strategies.resolving.before_flop import preflop_values
from limpet.strategies.resolving.explanation import ExplainedDecision
from limpet.strategies.resolving.fixed_play import MOST_ENTRIES, FixedPlay, played_bets
from limpet.strategies.resolving.pace import entries
from limpet.strategies.resolving.resolve_hand import ResolveHand
from limpet.strategies.resolving.sampled import SampledSubgame
from limpet.strategies.solving.vector.node_values import NodeValues
from limpet.strategies.strategy import HandStrategy

Report = Callable[[int, int], None]
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
