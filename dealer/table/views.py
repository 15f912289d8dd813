"""The ``MATCHSTATE`` lines of one hand for each position. Hidden cards are hidden here and nowhere else."""

from limpet.dealer.table.deals import Deal
from limpet.protocol.cards import cards_text
from limpet.protocol.draws import Draws, draws_text, visible_draws
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import board_text, visible_holes
from limpet.protocol.state import State


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
