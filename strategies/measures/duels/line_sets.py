"""Samples of what the local best response wins from a bot, and of what a bot wins that solves at the table.

A set has both positions of one sample (`LinePlay`): the same cards, and the same lines as long as play is the same.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from limpet.protocol.state import State
from limpet.strategies.measures.duels.chances import Chances
from limpet.strategies.measures.duels.line_play import Kind, LinePlay
from limpet.strategies.players.lbr import LocalBestResponse, LocalBestResponseHand
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy

Before = Literal["call", "bot"]
"""What a local best response does before its first street: checks and calls, or plays as the bot would in its place."""

LOOK_UP = (4.0, 6.0, 6.0)
"""Big blinds in the pots for which one line is followed to flop, turn and river, against a bot that looks up its rows."""
THINK = (4.0, 12.0, 8.0)
"""Big blinds as in `LOOK_UP`, against a bot that solves streets during the hand: fewer lines come to them."""

StartHands = Callable[[HandKey], tuple[HandStrategy, HandStrategy]]
"""Starts a hand: answers of the position of a key, and of the other one."""


class LineSet(NamedTuple):
    """One set.

    Attributes:
        won: big blinds by position.
        kinds: big blinds by kind of spot, mean of both positions.
        come: share of hands that come to flop, turn and river, mean of both positions.
    """

    won: tuple[float, float]
    kinds: dict[Kind, float]
    come: tuple[float, ...]


def line_set(
    start_hands: StartHands, strategy: Strategy, seed: int, number: int, chances: Chances, first_round: int
) -> LineSet:
    """Return a set that is fixed by its seed and number. strategy: the bot, which may solve streets during the hand."""
    follow = THINK if isinstance(strategy, Resolve) else LOOK_UP
    plays = []
    for position in (0, 1):
        key = HandKey(seed, number, position)
        mine, other = start_hands(key)
        play = LinePlay(key, chances, follow, first_round)
        play.play(State.start(strategy.game), (mine, other) if position == 0 else (other, mine))
        plays.append(play)
    kinds = {kind: sum(play.won.get(kind, 0.0) for play in plays) / 2 for play in plays for kind in play.won}
    won = sum(plays[0].won.values()), sum(plays[1].won.values())
    return LineSet(won, kinds, tuple(sum(play.street_shares[round_] for play in plays) / 2 for round_ in (1, 2, 3)))


def lbr_hands(player: LocalBestResponse, bot: Strategy, chances: Chances, before: Before) -> StartHands:
    """Return how hands of a local best response against a bot begin."""

    def start(key: HandKey) -> tuple[HandStrategy, HandStrategy]:
        other = bot.start_hand(key._replace(position=1 - key.position))
        # The response asks a fork of the same hand: subgames are solved once for both.
        mine: HandStrategy = LocalBestResponseHand(player, key.position, other.fork(), chances.equities)
        if before == "bot":
            mine = TakesOver(bot.start_hand(key), mine, player.first_round)
        return mine, other

    return start


def gain_hands(player: Resolve, first_round: int) -> StartHands:
    """Return how hands of a player against its blueprint begin; before `first_round` both play the blueprint."""

    def start(key: HandKey) -> tuple[HandStrategy, HandStrategy]:
        blueprint = player.blueprint
        mine = TakesOver(blueprint.start_hand(key), player.start_hand(key), first_round)
        return mine, blueprint.start_hand(key._replace(position=1 - key.position))

    return start


class TakesOver(HandStrategy):
    """Answers of one strategy up to a street, and of another from there on."""

    def __init__(self, before: HandStrategy, after: HandStrategy, round_: int) -> None:
        self._before, self._after, self._round = before, after, round_

    def rows(self, state: State) -> Rows:
        return (self._before if state.round < self._round else self._after).rows(state)

    def fork(self) -> "TakesOver":
        return TakesOver(self._before.fork(), self._after.fork(), self._round)
