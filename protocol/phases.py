"""The phases of a hand: the betting of each round, and a draw before it in games that have one."""

from enum import Enum


class Phase(Enum):
    """The kind of decision that the players of a hand are at."""

    BET = "bet"
    DRAW = "draw"


BET, DRAW = Phase.BET, Phase.DRAW
