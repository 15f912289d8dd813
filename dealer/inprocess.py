"""Plays strategies against each other without a network: the cards, positions and hand numbers of the dealer.

A bot that is fixed by its seed therefore makes the same decisions here as over TCP.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from limpet.dealer.deals import Deal
from limpet.dealer.seating import by_position
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole, MatchState
from limpet.protocol.settlement import settle
from limpet.protocol.state import State
from limpet.strategies.agent import Agent


class PlayedHand(NamedTuple):
    """A finished hand. `holes` and `values` (net chips) are per position."""

    number: int
    state: State
    holes: tuple[Hole, ...]
    values: tuple[float, ...]


def play_hands(
    game: GameDef,
    agents: Sequence[Agent],
    deals: Iterable[Deal],
    first_hand: int = 0,
    fixed_button: bool = False,
) -> Iterator[PlayedHand]:
    """Play one hand for each deal, numbered from `first_hand`.

    `agents` are per seat; see `seating` for who is where in which hand.
    """
    if len(agents) != game.num_players:
        raise ValueError(f"{len(agents)} agents, but the game seats {game.num_players}")
    beginning = State.start(game)
    for number, (holes, board) in enumerate(deals, first_hand):
        seen = [tuple(hole if p == own else () for p, hole in enumerate(holes)) for own in range(len(holes))]
        at = by_position(agents, number, fixed_button)
        state = beginning.with_board(board)
        while (actor := state.actor) >= 0:
            action = at[actor].decide(MatchState(actor, number, state, seen[actor]))
            state = state.apply(action).with_board(board)
        yield PlayedHand(number, state, holes, settle(state, holes))
