"""Games small enough to check by hand or by plain recursion."""

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.menu import BetMenu

ALL_IN = BetMenu(sizes=(((),),))
POT_AND_ALL_IN = BetMenu(sizes=(((1.0,),),))


def no_limit(stacks: str, blinds: str, suits: int, ranks: int, holes: int, board: str) -> GameDef:
    """A no-limit game; lists are written as in a definition."""
    return GameDef.parse(
        f"nolimit\nnumPlayers = {len(stacks.split())}\nnumRounds = {len(board.split())}\nstack = {stacks}\n"
        f"blind = {blinds}\nnumSuits = {suits}\nnumRanks = {ranks}\nnumHoleCards = {holes}\nnumBoardCards = {board}\n"
    )
