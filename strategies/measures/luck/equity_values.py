"""The plain guess: nobody bets any more, and what is in the pot goes to the better hand."""

from collections.abc import Sequence

from limpet.protocol.messages import Hole
from limpet.protocol.state import State
from limpet.strategies.measures.luck.runouts import showdown_values
from limpet.strategies.measures.luck.value_function import ValueFunction, Values


class EquityValues(ValueFunction):
    """Net chips if the hand were checked down from here, every runout counted; bets not called come back.

    Knows no strategy. Its mean over the next cards is itself, so that nothing must be summed up.
    """

    def values(self, state: State, position: int, holes: Sequence[Hole]) -> Values:
        return showdown_values(state, state.board, position, holes)

    def next_cards(
        self, state: State, dealt: tuple[int, ...], position: int, holes: Sequence[Hole]
    ) -> tuple[Values, Values]:
        return self.values(state, position, holes), self.values(state.with_board(dealt), position, holes)
