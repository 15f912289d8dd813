"""Expected values of every hand at a decision, by the subgame solved for it or by the play of a known strategy."""

from limpet.protocol.state import State
from limpet.strategies.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.resolving.beliefs import Ranges
from limpet.strategies.resolving.fixed_play import MOST_ENTRIES, FixedPlay, played_bets
from limpet.strategies.resolving.pace import entries
from limpet.strategies.resolving.resolve_hand import ResolveHand
from limpet.strategies.solving.vector.node_values import NodeValues
from limpet.strategies.strategy import HandStrategy
from limpet.strategies.trees.betting import BettingTree

FIRST_ROUND = 2
"""First round whose values are worked out exactly: the turn. Before it there are too many runouts."""


def decision_values(
    hand: HandStrategy, state: State, ranges: Ranges, threads: int = 1
) -> tuple[NodeValues, BettingTree, int] | None:
    """Return the values at a decision, with the tree and the node that name its actions; None where they are not known.

    A hand that solves subgames answers by its subgame; one of sampled runouts has the values of its own turns and rivers,
    by buckets. A blueprint is played out by both players from the turn on, where that takes no more than
    `fixed_play.MOST_ENTRIES`. `preflop_values` are for decisions before the flop.
    """
    if state.round == 0:
        return None
    if isinstance(hand, ResolveHand):
        subgame = hand.subgame(state)
        if subgame is not None:
            return subgame.node_values(state), subgame.tree, subgame.node(state)
        hand = hand.blueprint
    if not isinstance(hand, BlueprintHand) or state.round < FIRST_ROUND or not is_holdem(state.game):
        return None
    hands = hand, hand
    if entries(state, played_bets(state, hands), MOST_ENTRIES) > MOST_ENTRIES:
        return None
    try:
        play = FixedPlay(state, ranges, hands, threads)
    except MemoryError:
        return None
    return play.node_values(0, state.board), play.tree, 0
