"""A fast reader of the states in match states and logs that are spelt as dealers spell them.

It refuses every other text, and leaves that to the readers of `messages` and `matchlog`, which decide.
"""

from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State

KNOWN_BETTING = 1 << 13
"""Number of betting sequences whose end is remembered, so that each action is applied once."""
KNOWN_HOLES = 1 << 16
"""Number of texts of hole cards that are remembered."""
KNOWN_DEALS = 1 << 7
"""Number of texts of all cards that are remembered: the lines of a hand repeat them."""
MOST_BETTING = 512
"""Characters of the longest betting that is read quickly; hands of more are hardly ever played."""


class Dealt(NamedTuple):
    """All cards of a state, no card twice."""

    holes: tuple[Hole, ...]  # hole cards per position, empty for hidden ones
    board: tuple[int, ...]
    round: int  # round whose board is complete


class QuickReader:
    """Reads the ``betting:cards`` of one game."""

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self._start = State.start(game)
        self._ids = {CARD_TEXT[card]: card for card in game.deck}
        self._played = lru_cache(KNOWN_BETTING)(self._play)
        self._cards = lru_cache(KNOWN_HOLES)(self._read_cards)
        self._dealt = lru_cache(KNOWN_DEALS)(self._deal)

    def read(self, betting: str, cards: str) -> tuple[State, Dealt] | None:
        """Return the state, without its board, and the cards. None stands for another spelling and what cannot be."""
        dealt = self._dealt(cards)
        state = self._played(betting) if len(betting) <= MOST_BETTING else None
        return (state, dealt) if state is not None and dealt is not None and state.round == dealt.round else None

    def _play(self, betting: str) -> State | None:
        """Return the state after the betting, from the one before its last action."""
        if not betting:
            return self._start
        text = betting.rstrip("/")
        letters = text.rstrip("0123456789")
        size = text[len(letters) :]
        before = self._played(letters[:-1])
        if before is None or bool(size) != (letters[-1:] == "r" and self.game.no_limit):
            return None
        try:
            state = before.apply(Action(letters[-1:], int(size or 0)))
        except IllegalAction:
            return None
        return state if state.betting == betting else None

    def _deal(self, text: str) -> Dealt | None:
        game = self.game
        holes_text, *boards = text.split("/")
        holes = holes_text.split("|")
        if (
            game.num_board_cards[0]  # such a board follows the hole cards without a separator
            or len(holes) != game.num_players
            or any(hole and len(hole) != 2 * game.num_hole_cards for hole in holes)
            or [len(board) for board in boards] != [2 * count for count in game.num_board_cards[1 : len(boards) + 1]]
        ):
            return None
        try:
            dealt = Dealt(tuple(map(self._cards, holes)), self._read_cards("".join(boards)), len(boards))
        except KeyError:
            return None
        cards = [*dealt.board, *chain.from_iterable(dealt.holes)]
        return dealt if len(set(cards)) == len(cards) else None

    def _read_cards(self, text: str) -> Hole:
        return tuple([self._ids[text[at : at + 2]] for at in range(0, len(text), 2)])
