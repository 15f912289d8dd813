"""Luck of the boards in tournaments: the prize money that a board won a player beyond the mean over all boards.

Once nobody has a decision left in a hand, the rest of the board is drawn from the cards that nobody holds. Prize money by
the independent chip model after the board that came, less its mean over all boards that might have come, has a mean of
0, whatever the model and the players are. So prizes less this luck have the mean of the prizes, and usually vary less.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from limpet.common.statistics import Values
from limpet.dealer.contests.sit_and_go import HANDS_FILE, LOG_FILE, HandLine
from limpet.dealer.contests.sng_rules import net_chips, start
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import Hole
from limpet.protocol.ranking import rank_hands
from limpet.protocol.situation import Situation, game_of
from limpet.protocol.state import State
from limpet.strategies.holdem.luck.runouts import order_chances
from limpet.strategies.shortstacks.icm import equities_of_many


def luck_by_seat(folder: Path) -> dict[tuple[int, int], Values]:
    """Return the luck of each seat in each tournament and seating of a folder whose hands are all kept.

    float64 ``[seat]``, in the unit of the buy-in. Raises `ProtocolError` for a ``hands.log`` with other lines than ours.
    """
    luck: dict[tuple[int, int], Values] = {}
    with (folder / HANDS_FILE).open("rb") as lines:
        for text, (situation, state, holes) in zip(lines, read_hands(folder), strict=True):
            line = msgspec.json.decode(text, type=HandLine)
            by_seat = luck.setdefault((line.tournament, line.seating), np.zeros(len(line.stacks)))
            by_seat[list(situation.seats)] += board_luck(situation, state, holes)
    return luck


def read_hands(folder: Path) -> Iterator[tuple[Situation, State, tuple[Hole, ...]]]:
    """Yield the hands of a folder's ``hands.log``, in the order of ``hands.jsonl``, each with the situation before it.

    The last states and the hole cards per position are those of `logged_hand`. Raises `ProtocolError`.
    """
    path = folder / LOG_FILE
    with path.open(encoding="ascii") as file:
        for number, comment in enumerate(file):
            situation = Situation.parse(comment.rstrip("\n"))
            yield situation, *logged_hand(situation, next(file).rstrip("\n"), f"{path}:{2 * number + 2}")


def logged_hand(situation: Situation, line: str, where: str) -> tuple[State, tuple[Hole, ...]]:
    """Return the last state and the hole cards of a log line. Hands without a decision, which ACPC logs lack, are read too."""
    game = game_of(situation)
    state = start(game)
    if state.finished:
        held, _, board = line.split(":")[3].partition("/")
        return state.with_board(parse_cards(board.replace("/", ""))), tuple(map(parse_cards, held.split("|")))
    record = read_entry(line, game, where)
    if not isinstance(record, HandRecord):
        raise ProtocolError(f"{where}: {line[:80]!r} is no hand")
    return record.state, record.holes


def board_luck(situation: Situation, state: State, holes: Sequence[Hole]) -> Values:
    """Return float64 ``[position]``: prize money that the cards after a hand's last decision won, beyond their mean.

    state: the last state, with the whole board of a showdown.
    """
    known_board = state.board[: state.game.board_sizes[state.parent.round]] if state.parent is not None else ()
    if not state.showdown or len(known_board) == len(state.board):
        return np.zeros(len(holes))
    showing = [p for p in range(len(holes)) if not state.has_folded(p)]
    dead = tuple(card for p, hole in enumerate(holes) if p not in showing for card in hole)
    chances = order_chances(tuple(tuple(holes[p]) for p in showing), dead, known_board)
    orders = [*chances, rank_hands([holes[p] for p in showing], state.board)]
    ranks = (dict(zip(showing, order, strict=True)) for order in orders)
    won = np.array([net_chips(state.spent, state.folded, ranked) for ranked in ranks])
    before = np.array(state.game.stack, np.float64)
    equities = equities_of_many(before + won, situation.live_payouts, before)
    luck: Values = equities[-1] - np.array([*chances.values()]) @ equities[:-1]
    return luck
