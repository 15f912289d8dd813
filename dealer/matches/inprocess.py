"""Plays strategies against each other without a network: the cards, positions and hand numbers of the dealer.

A bot that is fixed by its seed therefore makes the same decisions here as over TCP.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from limpet.dealer.table.deals import Deal
from limpet.dealer.table.seating import by_position
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole, MatchState
from limpet.protocol.settlement import settle
from limpet.protocol.state import State
from limpet.strategies.agent import Agent, WrongRows


class PlayedHand(NamedTuple):
    """A finished hand. `holes` and `values` (net chips) are per position."""

    number: int
    state: State
    holes: tuple[Hole, ...]
    values: tuple[float, ...]


class WrongAnswer(ValueError):
    """A player answered what cannot be played. `seat` says which of the agents it was."""

    def __init__(self, seat: int, message: str) -> None:
        super().__init__(message)
        self.seat = seat


def play_hands(
    game: GameDef,
    agents: Sequence[Agent],
    deals: Iterable[Deal],
    first_hand: int = 0,
    fixed_button: bool = False,
) -> Iterator[PlayedHand]:
    """Play one hand for each deal, numbered from `first_hand`.

    `agents` are per seat; see `seating` for who is where in which hand. Raises `WrongAnswer`.
    """
    if len(agents) != game.num_players:
        raise ValueError(f"{len(agents)} agents, but the game seats {game.num_players}")
    beginning = State.start(game)
    for number, (holes, board) in enumerate(deals, first_hand):
        seen = [tuple(hole if p == own else () for p, hole in enumerate(holes)) for own in range(len(holes))]
        at = by_position(agents, number, fixed_button)
        state = beginning.with_board(board)
        while (actor := state.actor) >= 0:
            try:
                action = at[actor].decide(MatchState(actor, number, state, seen[actor]))
                state = state.apply(action).with_board(board)
            except (WrongRows, IllegalAction) as error:
                raise WrongAnswer(agents.index(at[actor]), f"hand {number}: {error}") from error
        yield PlayedHand(number, state, holes, settle(state, holes))
