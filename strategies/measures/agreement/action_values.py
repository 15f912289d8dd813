"""Expected values of the actions of one decision, from strategies that solve while they play."""

import numpy as np

from limpet.protocol.state import Action
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.measures.agreement.recorded import RecordedDecision
from limpet.strategies.resolving.before_flop import BeforeFlop
from limpet.strategies.resolving.resolve_hand import ResolveHand
from limpet.strategies.solving.vector.node_values import possible_reach
from limpet.strategies.strategy import HandKey, Strategy


def action_values(strategy: Strategy, decision: RecordedDecision, seed: int = 0) -> dict[Action, float] | None:
    """Return what each action wins from here on by the strategy's own solve, in big blinds; a fold wins 0.

    None for a strategy that solves nothing here, for unknown hole cards, and for a hand against which the solve's opponent can hold none.
    """
    state = decision.state
    hand = strategy.start_hand(HandKey(seed, decision.hand, state.actor))
    if not decision.hole or not isinstance(hand, ResolveHand):
        return None
    hand.rows(state)  # a street's tree depends on the first decision that is asked about
    subgame = hand.subgame(state)
    if subgame is None or isinstance(subgame, BeforeFlop):  # classes have no values by hand
        return None
    values = subgame.node_values(state)
    index = hand_space().index(decision.hole)
    if not possible_reach(values.reach[1 - state.actor])[index]:
        return None
    spent = state.spent[state.actor] / state.game.big_blind
    won = values.actions[:, index].astype(np.float64) + spent
    return dict(zip(subgame.tree.actions(subgame.node(state)), won.tolist(), strict=True))
