"""Games, tables and lines that the parts of the soak share."""

import random
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # random games and the table without a network are those of the tests

from limpet.protocol.gamedef import GameDef
from tests.protocol.walks import random_game

SHIPPED = [GameDef.load(path) for path in sorted((ROOT / "configs" / "games").glob("*.game"))]
"""Kuhn, Leduc and hold'em, limit and no-limit, of two to six players."""


class Broken(AssertionError):
    """Something that the soak looks for: a hand lost or doubled, a card shown, a reader that disagrees."""


def any_game(rng: random.Random) -> GameDef:
    """A game that ships, or as often any other definition: 2 to 10 players, 1 to 4 rounds, any deck, stacks, blinds."""
    return (
        rng.choice(SHIPPED) if rng.random() < 0.5 else random_game(rng.randint, most_chips=rng.choice((60, 200, 2000)))
    )


def check_table(log: list[str], transactions: list[str], shown: list[tuple[int, str]], seats: int, hands: int) -> None:
    """See that a match has every hand once, in the log, in the transaction log and on the wire.

    Args:
        log: lines of the log without its header.
        transactions: lines of the transaction log.
        shown: lines that were sent, with the seat that was sent each.
        seats: number of seats.
        hands: number of hands of the match.

    Raises:
        Broken: naming the hand.
    """
    logged = [line for line in log if line.startswith("STATE:")]
    finished = bool(log) and log[-1].startswith("SCORE:")
    if len(log) != len(logged) + 1 or (not finished and not log[-1].startswith("# match ended in hand ")):
        raise Broken(f"the log of a match that is over has one line behind its hands, not {log[len(logged) :]}")
    if finished and len(logged) != hands:
        raise Broken(f"{len(logged)} hands of a finished match of {hands}")
    actions: dict[int, int] = {}
    for line in transactions:
        hand = int(line.split(" ")[1])
        actions[hand] = actions.get(hand, 0) + 1
    if list(actions) != list(range(len(actions))):
        raise Broken(f"transactions are of hands {list(actions)}")
    lines: dict[tuple[int, int], int] = {}
    for seat, line in shown:
        key = seat, int(line.split(":", 3)[2])
        lines[key] = lines.get(key, 0) + 1
    for number, line in enumerate(logged):
        _, played_hand, betting, _ = line.split(":", 3)
        played = sum(map(betting.count, "cdfr"))
        if int(played_hand) != number or actions.get(number) != played:
            raise Broken(f"{line!r} is line {number} of the log; {actions.get(number)} transactions")
        sent = [lines.get((seat, number), 0) for seat in range(seats)]
        if sent != [played + 1] * seats:
            raise Broken(f"hand {number} of {played} actions was shown to the seats in {sent} lines")
