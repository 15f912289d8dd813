"""Hands of tournaments for tests of the players of short stacks."""

from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation


def short_game(
    stacks: tuple[int, ...], blinds: tuple[int, int] = (50, 100), ante: int = 0, payouts: tuple[float, ...] = ()
) -> GameDef:
    """Return the game of a hand; stacks go by position, which begins with the big blind heads-up and the small one else.

    With payouts it is a tournament's hand, whose situation stands in a comment.
    """
    players = len(stacks)
    blind = [blinds[1], blinds[0]] if players == 2 else [*blinds, *[0] * (players - 2)]
    posted = [min(chips, ante + more) for chips, more in zip(stacks, blind, strict=True)]
    seats = tuple(range(players))
    comment = f"{Situation(0, 0, 0, *blinds, ante, stacks, seats, payouts)}\n" if payouts else ""
    return GameDef.parse(
        f"{comment}GAMEDEF\nnolimit\nnumPlayers = {players}\nnumRounds = 4\nstack = {_words(stacks)}\n"
        f"blind = {_words(posted)}\nfirstPlayer = {2 if players == 2 else 3} 1 1 1\nnumSuits = 4\n"
        "numRanks = 13\nnumHoleCards = 2\nnumBoardCards = 0 3 1 1\nEND GAMEDEF\n"
    )


def _words(numbers: "list[int] | tuple[int, ...]") -> str:
    return " ".join(map(str, numbers))
