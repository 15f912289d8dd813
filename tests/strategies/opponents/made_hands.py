"""Recorded hands made of a line of betting and cards."""

from pathlib import Path

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.base.strategy import Strategy
from tests.protocol.walks import after

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
SIX = load_game("holdem.nolimit.6p")
HERE = Path(".")


def state_of(betting: str, board: str = "", game: GameDef = HUNL) -> State:
    """Return the state after betting such as ``r300c/cr600``, with as many cards of the board as are dealt then."""
    return after(game, betting, cards(board))


def cards(text: str) -> tuple[int, ...]:
    return parse_cards(text)


def hand(
    betting: str, *holes: str, board: str = "2c7dTh3s9c", names: str = "ann bob", game: GameDef = HUNL, number: int = 0
) -> HandRecord:
    """Return a hand. `holes`: cards of each position, empty where they are not known. Payoffs are left at 0."""
    players = game.num_players
    state = state_of(betting, board, game)
    shown = (*(cards(hole) for hole in holes), *((),) * (players - len(holes)))
    return HandRecord(number, state, shown, (0.0,) * players, tuple(names.split()))


def hands_of(strategy: Strategy, count: int, names: str = "bob ann", seed: int = 1) -> list[HandRecord]:
    """Return heads-up hands in which a strategy plays both seats, all cards known."""
    from limpet.protocol.messages import MatchState
    from limpet.strategies.base.agent import Agent
    from limpet.strategies.base.sampling import mix

    game = strategy.game
    agents = [Agent(strategy, seed + position) for position in range(game.num_players)]
    made = []
    for number in range(count):
        deck = sorted(game.deck, key=lambda card: mix(seed, number, card))
        holes = tuple(tuple(deck[2 * position : 2 * position + 2]) for position in range(game.num_players))
        board = tuple(deck[20:25])
        state = State.start(game)
        while not state.finished:
            actor = state.actor
            state = state.with_board(board)
            state = state.apply(agents[actor].decide(MatchState(actor, number, state, holes)))
        made.append(HandRecord(number, state.with_board(board), holes, (0.0, 0.0), tuple(names.split())))
    return made
