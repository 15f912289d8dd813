"""Tournaments from their terms to their result, in a folder in which they can go on after any end."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np

from limpet.common.statistics import Estimate, Interval, Values, estimate
from limpet.dealer.contests.sit_and_go import (
    HANDS_FILE,
    LOG_FILE,
    HandLine,
    SitAndGo,
    TournamentJournal,
    config_text,
    require_any_stacks,
)
from limpet.dealer.contests.sng_inprocess import Report, play_here
from limpet.dealer.contests.sng_rules import net_chips, places, prizes, start
from limpet.dealer.matches.match import claim_folder
from limpet.dealer.matches.results import Result, ResultRow, sampled_text
from limpet.dealer.table.files import write_json
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import Hole
from limpet.protocol.ranking import rank_hands
from limpet.protocol.situation import Situation, game_of
from limpet.protocol.state import State
from limpet.strategies.holdem.luck.runouts import order_chances
from limpet.strategies.shortstacks.icm import equities_of_many

TERMS_FILE = "sng.json"
Luck = Mapping[tuple[int, int], Values]
"""float64 ``[seat]`` by tournament and seating: prize money won by the luck of boards (`luck_by_seat`)."""


class SngPlayer(msgspec.Struct, frozen=True):
    """One player's result over all tournaments and seatings. Money is in the unit of the buy-in.

    The return on investment (ROI) is the mean prize less the buy-in, as a share of the buy-in. Intervals are Student's; null
    where there is only one sample. Those of prizes and returns lie within the prizes that there are, and are null where all samples are
    alike, which says nothing of how others would differ.
    """

    name: str
    config: str
    places: tuple[float, ...]
    """Number of tournaments that ended in each place, the first place first; shared places count in equal parts."""
    prize_mean: float
    prize_interval_95: Interval
    roi: float
    roi_interval_95: Interval
    roi_luck_adjusted: float | None = None
    """The return with the luck of boards after the last decisions taken out (`luck_by_seat`); None where not asked for."""
    roi_luck_adjusted_interval_95: Interval | None = None


class SngResult(Result, frozen=True):
    """``sng-result.json``. All but `how` and the speeds is the same for the same seeds, over TCP and in one process.

    Each of the `tournaments`, the samples, was played by so many `seatings`. Seconds are those of the last run alone.
    """

    FILE = "sng-result.json"

    structure: str
    seed: int
    duplicate: bool
    sample: str
    """Sample of the intervals: ``tournament`` or ``duplicate set``, the mean over all rotations of the seats."""
    tournaments: int
    seatings: int
    hands: int
    buy_in: float
    rake: float
    prizes: tuple[float, ...]
    players: tuple[SngPlayer, ...]
    how: str
    seconds: float
    tournaments_per_second: float

    @property
    def sampled(self) -> str:
        """The samples in words."""
        return sampled_text(self.tournaments, self.sample, f"{self.seatings} rotations" if self.seatings > 1 else "")

    @property
    def rows(self) -> list[ResultRow]:
        """The players with their returns on investment in percent."""
        samples = {"samples": self.tournaments}
        return [
            ResultRow(p.name, 100 * p.roi, percent(p.roi_interval_95), "ROI %", None, samples) for p in self.players
        ]


def percent(share: Interval) -> Interval:
    """Return an interval of a share in percent."""
    low, high = share
    return (None, None) if low is None or high is None else (100 * low, 100 * high)


def run(
    sng: SitAndGo, folder: Path, report: Report, *, logged: bool = True, adjusts: bool = False, jobs: int = 1,
    ports: Sequence[int] | None = None, interface: str = "", notice: Callable[[str], None] = lambda line: None,
) -> SngResult:  # fmt: skip
    """Play tournaments into `folder`, or go on with those that it holds, and write ``sng-result.json`` there.

    Args:
        logged: keep every hand, otherwise the last one of each tournament. Over TCP all are kept.
        adjusts: also report the returns of logged tournaments with the luck taken out.
        jobs: number of processes that share tournaments out, where they are not played over TCP.
        ports: port of each player over TCP, 0 for any that is free; a process can play so once. None: without a network.
        interface: address on which `ports` listen.
        notice: called with a line for each guest that says where it may connect.

    Raises `ConfigError` for bots that cannot play and for a folder that holds tournaments of other terms, `MatchFailed`
    and `OSError`.
    """
    bots = require_any_stacks(sng, in_process=ports is None)
    logged = logged or ports is not None
    terms = {**sng.terms(), "logged": logged}
    path = folder / TERMS_FILE
    if claim_folder(path, "tournament", terms, {}, resume=path.exists()):
        write_json(path, terms)
    with closing(TournamentJournal(folder, logged)) as journal:
        before = len(journal.ended())
        began = time.perf_counter()
        if ports is None:
            play_here(sng, bots, journal, jobs, report)
        else:
            from limpet.dealer.contests.sng_over_tcp import play_over_tcp  # the reactor is imported only here

            play_over_tcp(sng, folder, journal, ports, interface, report, notice)
        seconds = time.perf_counter() - began
        played = len(journal.ended()) - before
    how = "in-process" if ports is None else "tcp"
    result = sng_result(sng, journal, how, seconds, played, luck_by_seat(folder) if adjusts else None)
    result.write(folder)
    return result


def sng_result(
    sng: SitAndGo, journal: TournamentJournal, how: str, seconds: float, played: int, luck: Luck | None = None
) -> SngResult:
    """Return the result of tournaments that are all over. `played` of them were played in this run.

    luck: see `Luck`; None leaves the returns without luck out.
    """
    seatings, names = sng.seatings, sng.names
    counts = np.zeros((len(names), len(names)))
    samples, lucky = np.zeros((2, len(names), sng.tournaments))
    hands = 0
    for number in range(sng.tournaments):
        for seating, seats in enumerate(seatings):
            line, order = journal.last[number, seating], list(seats)
            hands += line.hand + 1
            for player, place in zip(order, places(line.standing), strict=True):
                assert place is not None
                first, last = place
                counts[player, first - 1 : last] += 1 / (last - first + 1)
            samples[order, number] += np.array(prizes(line.standing, sng.prizes)) / len(seatings)
            if luck is not None:
                lucky[order, number] += luck[number, seating] / len(seatings)
    buy_in = sng.structure.buy_in
    players = []
    for at, (name, who) in enumerate(zip(names, sng.players, strict=True)):
        prize = estimate(samples[at])
        low, high = _within(prize, max(sng.prizes))
        roi_interval = (None, None) if low is None or high is None else (low / buy_in - 1, high / buy_in - 1)
        fair = None if luck is None else estimate((samples[at] - lucky[at]) / buy_in - 1)
        adjusted = (None, None) if fair is None else (fair.mean, fair.interval)
        ended = tuple(round(count, 6) for count in counts[at].tolist())
        won_by = (prize.mean, (low, high), prize.mean / buy_in - 1, roi_interval, *adjusted)
        players.append(SngPlayer(name, config_text(who), ended, *won_by))
    return SngResult(
        structure=sng.structure.name,
        seed=sng.seed,
        duplicate=sng.duplicate,
        sample="duplicate set" if len(seatings) > 1 else "tournament",
        tournaments=sng.tournaments,
        seatings=len(seatings),
        hands=hands,
        buy_in=buy_in,
        rake=sng.structure.rake,
        prizes=sng.prizes,
        players=tuple(players),
        how=how,
        seconds=round(seconds, 3),
        tournaments_per_second=round(played / seconds, 1) if seconds > 0 else 0.0,
    )


def _within(prize: Estimate, most: float) -> Interval:
    """Return the interval of a mean prize, as `SngPlayer` has it."""
    low, high = prize.interval
    if low is None or high is None or prize.sd < 1e-9 * most:  # alike but for rounding
        return None, None
    return max(low, 0.0), min(high, most)


# --- Luck of the boards: the prize money that a board won a player beyond the mean over all boards.
#
# Once nobody has a decision left in a hand, the rest of the board is drawn from the cards that nobody holds. Prize money by
# the independent chip model after the board that came, less its mean over all boards that might have come, has a mean of
# 0, whatever the model and the players are. So prizes less this luck have the mean of the prizes, and usually vary less.


def luck_by_seat(folder: Path) -> Luck:
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
    won = np.array([net_chips(state.paid, state.folded, ranked) for ranked in ranks])
    before = np.array(state.game.starting_stack, np.float64)
    equities = equities_of_many(before + won, situation.live_payouts, before)
    luck: Values = equities[-1] - np.array([*chances.values()]) @ equities[:-1]
    return luck
