"""The cards of a match, which a seed fixes whatever the players do, and what each position sees of a hand.

The generator is MT19937 started by ``init_genrand(seed)``, and the draw is the reference dealer's, so equal seeds deal
equal cards on both. Seeds of 32 bits can be searched by who sees some cards, and a twister's state follows from its
numbers. A table whose players must not predict cards therefore takes a `new_secret` as its seed.
"""

import random
import secrets
from collections.abc import Callable, Iterator
from hashlib import shake_256
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from limpet.protocol.cards import cards_text
from limpet.protocol.draws import Draws, draws_text, require_enough_cards, visible_draws
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole, board_text, visible_holes
from limpet.protocol.state import State

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STATE_WORDS = 624
_INIT_MULTIPLIER = 1812433253  # Matsumoto and Nishimura, mt19937ar (2002)
SECRET = 2**128
"""The least seed that is a secret: all smaller ones are seeds of the reference dealer, modulo 2^32."""


class Deal(NamedTuple):
    """All cards of one hand: hole cards per position, the whole board, and the cards for draws, in the order dealt."""

    holes: tuple[Hole, ...]
    board: tuple[int, ...]
    stub: tuple[int, ...] = ()
    """As many cards as may be drawn in the hand; the next player to draw takes the first ones left."""


class Deals(Iterator[Deal]):
    """The endless deals of a match, hand 0 first."""

    def __init__(self, game: GameDef, seed: int) -> None:
        """`seed` is taken modulo 2^32, unless it is a secret. Raises `GameDefError` where the deck may not suffice for draws."""
        require_enough_cards(game)
        self._random32 = _generator(seed) if seed < SECRET else _secret_generator(seed)
        self._deck = game.deck
        self._holes = game.num_hole_cards
        self._hole_cards = game.num_hole_cards * game.num_players
        self._dealt = self._hole_cards + sum(game.num_board_cards)
        self._cards = self._dealt + game.most_drawn

    def __next__(self) -> Deal:
        deck, random32, drawn = list(self._deck), self._random32, []
        left = len(deck)
        for _ in range(self._cards):
            at = random32(32) % left
            left -= 1
            drawn.append(deck[at])
            deck[at] = deck[left]
        step, end = self._holes, self._hole_cards
        holes = tuple([tuple(drawn[at : at + step]) for at in range(0, end, step)])
        return Deal(holes, tuple(drawn[end : self._dealt]), tuple(drawn[self._dealt :]))

    def skip(self, hands: int) -> None:
        """Pass over `hands` deals."""
        for _ in range(hands * self._cards):
            self._random32(32)

    def take(self, hands: int) -> "tuple[NDArray[np.int8], NDArray[np.int8]]":
        """Return the next `hands` deals: holes ``[hands, P, cards]`` and boards ``[hands, cards]``, in the order dealt.

        The cards for draws are not returned.
        """
        import numpy as np  # a dealer starts without it

        # One call draws all words, the first of them in the lowest bits.
        words = self._random32(32 * hands * self._cards).to_bytes(4 * hands * self._cards, "little")
        random32 = np.frombuffer(words, "<u4").reshape(hands, self._cards)
        deck = np.tile(np.array(self._deck, np.int8), (hands, 1))
        drawn = np.empty((hands, self._cards), np.int8)
        row = np.arange(hands)
        left = len(self._deck)
        for card in range(self._cards):
            at = random32[:, card] % np.uint32(left)
            left -= 1
            drawn[:, card] = deck[row, at]
            deck[row, at] = deck[:, left]
        holes = np.ascontiguousarray(drawn[:, : self._hole_cards])
        board = np.ascontiguousarray(drawn[:, self._hole_cards : self._dealt])
        return holes.reshape(hands, -1, self._holes), board


def _generator(seed: int) -> Callable[[int], int]:
    """Return ``getrandbits`` of an MT19937 in the state that ``init_genrand(seed)`` leaves.

    Python seeds its own twister by arrays only, so the state is built here and set.
    """
    words = [seed & 0xFFFFFFFF]
    for i in range(1, _STATE_WORDS):
        words.append((_INIT_MULTIPLIER * (words[-1] ^ (words[-1] >> 30)) + i) & 0xFFFFFFFF)
    twister = random.Random()
    twister.setstate((3, (*words, _STATE_WORDS), None))
    return twister.getrandbits


def new_secret() -> int:
    """Return a seed with 128 bits of entropy, from `SECRET` on."""
    return SECRET + secrets.randbits(128)


def secret_of(secret: int, *numbers: int) -> int:
    """Return a secret of its own for each tuple of numbers. It says nothing of `secret` and of the others."""
    text = " ".join(map(str, (secret, *numbers)))
    return SECRET + int.from_bytes(shake_256(text.encode()).digest(16), "little")


def _secret_generator(secret: int) -> Callable[[int], int]:
    """Return a function that draws 32-bit words, the first in the lowest bits, each a SHAKE-256 of the secret and a counter.

    Whoever knows some of the words cannot work out the others without the secret.
    """
    key, words = secret.to_bytes(32, "little"), count()

    def drawn(bits: int) -> int:
        parts = (shake_256(key + next(words).to_bytes(8, "little")).digest(4) for _ in range(bits // 32))
        return int.from_bytes(b"".join(parts), "little")

    return drawn


# --- The ``MATCHSTATE`` lines of one hand for each position. Hidden cards are hidden here and nowhere else.


class HandViews:
    """Prints the ``MATCHSTATE`` lines of one hand as `MatchState` does, faster.

    The parts that stay the same during the hand are made once, because the dealer prints a line for every seat and action
    of a match.
    """

    def __init__(self, hand: int, game: GameDef, deal: Deal) -> None:
        self.hand = hand
        self._holes = deal.holes
        players = range(game.num_players)
        texts = [cards_text(hole) for hole in deal.holes]
        self._heads = [f"MATCHSTATE:{position}:{hand}:" for position in players]
        self._own = [":" + "|" * position + texts[position] + "|" * (len(texts) - 1 - position) for position in players]
        self._boards = [board_text(game, deal.board, round_) for round_ in range(game.num_rounds)]

    def lines(self, state: State, draws: Draws = ()) -> list[str]:
        """Return the line of each position. `state` is a state of this hand with its board; `draws` are everybody's."""
        betting, board, own = state.betting, self._boards[state.round], self._own
        if state.showdown:
            own = [":" + "|".join(map(cards_text, visible_holes(state, self._holes, p))) for p in range(len(own))]
        if state.game.num_draws:
            own = [f"{cards}{draws_text(visible_draws(state, draws, p))}" for p, cards in enumerate(own)]
            board = ""
        return [f"{head}{betting}{cards}{board}" for head, cards in zip(self._heads, own, strict=True)]
