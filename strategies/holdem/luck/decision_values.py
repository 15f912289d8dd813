"""Expected values of the hands at a decision of a bot, from the most exact source that there is, and their standard error."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limpet.common.workers import Report, silent
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action
from limpet.strategies.base.strategy import HandStrategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.blueprint.flop_values import FlopValues
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.range_values import DEALS, Sampled, sampled_values
from limpet.strategies.holdem.luck.self_play import SelfPlay
from limpet.strategies.holdem.resolving.before_flop import preflop_values
from limpet.strategies.holdem.resolving.explanation import ExplainedDecision, with_subgame
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.holdem.resolving.resolver import HandHistory
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.holdem.resolving.subgame import fixed_play
from limpet.strategies.solvers.vector.vector_solver import NodeValues

FIRST_WHOLE = 2
"""First round on which a blueprint is played out whole: the turn. Before it there are too many runouts."""
PLAYED_OUT = "the blueprint played out"
"""How values begin to tell that they were got without a solve."""
ROUND = 49
"""Runouts in which every card of a flop comes once as the turn and once as the river.

A flop that was solved over sampled runouts is valued on half as many as it had iterations, which takes half as long.
"""


class Valued(NamedTuple):
    """Values at a decision, a sentence on `how` they were got, and the standard error of one hand's value in big blinds.

    The error is a mean over the actor's hands, and 0 where values are exact. Of a flop that was solved over sampled runouts it is
    that of what an action wins beyond what is played.
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


def known_values(
    hand: HandStrategy, decision: ExplainedDecision, report: Report = silent, both: bool = False
) -> Valued | None:
    """Return the values at a decision for the actions of its rows; None where none can be computed.

    report: called with numbers of deals done and of all, where hands are sampled. both: whether the other player's hands need
    values too.
    """
    state, blueprint = decision.state, blueprint_of(hand)
    if state.round == 0:
        return None if blueprint is None else _before_the_flop(hand, blueprint, decision)
    subgame = hand.subgame(state) if isinstance(hand, ResolveHand) else None
    if subgame is not None and subgame.tree.actions(subgame.node(state)) == decision.rows.actions:
        if isinstance(subgame, SampledSubgame):
            count = ROUND * max(2, min(subgame.iteration // 2, subgame.runouts.number) // ROUND)
            found, error = subgame.values_and_error(state, count)
            return Valued(
                found, f"by the subgame that was solved, on {count:,} of {subgame.runouts.number:,} runouts", error
            )
        return Valued(subgame.node_values(state), "by the subgame that was solved", 0.0)
    if blueprint is None:
        return None
    whole = None if subgame is not None or state.round < FIRST_WHOLE else _played_out(blueprint, decision)
    return whole or (_sampled(blueprint, decision, report, both) if decision.root is None else None)


def answered_bet(
    hand: HandStrategy, decision: ExplainedDecision, bet: Action, mix: float, hole: Hole = (), report: Report = silent
) -> tuple[ExplainedDecision, Valued | None]:
    """Return the other player's answer to a bet made in place of what was done, and the values of both players' hands there.

    mix: share of the bettor's range that stays as it was, see `beliefs.updated`. hole: hand of the player who answers; empty
    where it is not known. report: see `known_values`.
    """
    after = decision.state.apply(bet).with_board(decision.state.board)
    fork = hand.fork()
    rows = fork.rows(after)
    ranges = HandHistory(decision.state, decision.ranges).after(decision.rows, after, mix).ranges
    answer = with_subgame(fork, ExplainedDecision(after, rows, ranges, None, hole))
    return answer, known_values(fork, answer, report, both=True)


def _played_out(blueprint: BlueprintHand, decision: ExplainedDecision) -> Valued | None:
    """Return the values where both play the blueprint, exact; None where that is too much work."""
    play = fixed_play(decision.state, decision.ranges, (blueprint, blueprint))
    if play is None or play.tree.actions(0) != decision.rows.actions:
        return None
    return Valued(play.node_values(0, decision.state.board), f"{PLAYED_OUT} whole", 0.0)


def _before_the_flop(hand: HandStrategy, blueprint: BlueprintHand, decision: ExplainedDecision) -> Valued | None:
    file = blueprint.seat.file
    try:
        flops = blueprint.flops or FlopValues.open(file.folder, file.tree)
    except FileNotFoundError:
        return None
    values, error = preflop_values(hand.fork(), decision.state, decision.ranges, flops, best=True)
    solved = f" and {flops.solves:,} solved flops" if flops.solves else ""
    return Valued(values, f"the betting played on, to what flops were worth on {flops.deals:,} deals{solved}", error)


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
    return Valued(node_values, f"{PLAYED_OUT} on {DEALS} sampled deals", error)
