"""Small games that do not ship."""

from pathlib import Path

LEDUC_3P = """limit
numPlayers = 3
numRounds = 2
blind = 1 1 1
raiseSize = 2 4
maxRaises = 2 2
numSuits = 2
numRanks = 4
numHoleCards = 1
numBoardCards = 0 1
"""
SMALL = """nolimit
numPlayers = 2
numRounds = 2
stack = 5 5
blind = 1 1
numSuits = 2
numRanks = 3
numHoleCards = 1
numBoardCards = 0 1
"""


def written(folder: Path, game: str) -> str:
    """The name of a game that ships, or the path of one that is written out."""
    if "\n" not in game:
        return game
    path = folder / "some.game"
    path.write_text(game)
    return str(path)
