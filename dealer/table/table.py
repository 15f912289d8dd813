"""A match as a pure object: the players' lines come in with their times, and lines to send and to write come out.

`Table` has no sockets, no files and no clock. Its driver

- reports events: `start`, `receive`, `dropped`, `lost`, `tick`, `stop`, with the time in microseconds;
- empties the `outbox` after each call, in the outbox's order;
- calls `tick` when `deadline` has come;
- closes the connections once `outcome` is set.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from limpet.dealer.table.deals import Deals, HandViews
from limpet.dealer.table.responses import read_response, read_version
from limpet.dealer.table.score import MatchScore, by_seat, seat_of
from limpet.dealer.table.terms import Clocks, Terms
from limpet.protocol.draws import Cards, Hands
from limpet.protocol.errors import IllegalAction, ProtocolError
from limpet.protocol.handhistory import is_casino
from limpet.protocol.matchlog import HandRecord, Transaction, stamp
from limpet.protocol.messages import KNOWS_ANTES, VERSION_LINE, MatchState
from limpet.protocol.settlement import settle
from limpet.protocol.state import Action, State

END_COMMENT = "# match ended"
"""Beginning of the log's last line when a match could not be finished."""
BAD_LINES = "lines in this hand that were no answer:"
"""Words in the log's last line before the number of lines of the player at fault that were no answer."""
TOO_LONG = "in a line that is too long"
"""Words that replace the text of a version line that was too long to be kept."""

PROTOCOL_VERSION = (2, 0, 0)
_HANDS_PER_REPORT = 100


class Outcome(NamedTuple):
    """The end of a match. `reason` is empty for a finished match."""

    finished: bool
    reason: str = ""


@dataclass
class Outbox:
    """Lines to be written and sent, in the order of the fields: a transaction is on disk before anybody sees its effect.

    `notes` are for standard error, and `sends` has the lines for each seat.
    """

    transactions: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sends: list[list[str]] = field(default_factory=list)

    def clear(self) -> None:
        self.transactions.clear()
        self.log.clear()
        self.notes.clear()
        for lines in self.sends:
            lines.clear()


class Table:
    """One match. Seats, positions and hands are counted from 0 here, and seats from 1 in everything printed."""

    def __init__(self, terms: Terms, quiet: bool = False) -> None:
        """With `quiet` the notes hold warnings, errors and the score only."""
        self.terms = terms
        self.quiet = quiet
        self.outcome: Outcome | None = None
        self.outbox = Outbox(sends=[[] for _ in terms.players])
        self.score = MatchScore(terms.players, terms.fixed_button)
        self.clocks = Clocks(terms.limits, terms.hands, len(terms.players))
        self.awaited: int | None = None
        """The seat whose line is read next; lines of the others wait."""
        self._waiting: list[deque[str]] = [deque() for _ in terms.players]
        self._lost = [False] * len(terms.players)
        self._bad_lines = [0] * len(terms.players)
        self._sent = 0
        self._awaited_state: MatchState | None = None
        """The state that the awaited player must answer, with everybody's cards; None while versions are awaited."""
        self._line = ""
        """The line in which that state was sent."""
        self._deals = Deals(terms.game, terms.seed)
        self._start = State.start(terms.game)
        self._deal_hand()

    # Events.

    def replay(self, transactions: Iterable[Transaction], source: str = "transaction log") -> list[str]:
        """Play an interrupted match up to where it stopped, before `start`. Returns the log lines of its hands.

        Illegal actions are not fixed and times are charged again, as the reference does.

        Raises:
            ProtocolError: if the transactions do not belong to this match, naming `source` and the line.
        """
        lines = []
        for number, transaction in enumerate(transactions, 1):
            where = f"{source}:{number}: '{transaction}'"
            if self.score.hands >= self.terms.hands:
                raise ProtocolError(f"{where}: the match is over after {self.terms.hands} hands")
            if transaction.hand != self.score.hands:
                raise ProtocolError(f"{where}: hand {self.score.hands} should go on here")
            if not self._state.is_legal(transaction.action):
                raise ProtocolError(f"{where}: not legal after '{self._state.betting}' in this game")
            seat = self._seat(self._state.actor)
            if not self.clocks.charge(seat, transaction.sent, transaction.received):
                raise ProtocolError(f"{where}: seat {seat + 1} had run out of time; raise the limits to go on")
            try:
                self._apply(transaction.action)
            except IllegalAction as error:
                raise ProtocolError(f"{where}: {error}") from error
            if self._state.finished:
                lines.append(self._settle_hand())
                self._deal_hand()
        return lines

    def start(self, now: int) -> None:
        """Read the version lines, seat by seat: everybody is connected."""
        self._await_version(now, 0)
        self._read_on(now)

    def receive(self, now: int, seat: int, line: str) -> None:
        """Take a player's line, without its newline. It waits until that player is asked."""
        self._waiting[seat].append(line)
        if seat == self.awaited:
            self._read_on(now)

    def dropped(self, now: int, seat: int) -> None:
        """Count a player's line that was too long to be kept. A version line that is too long is an invalid one."""
        if self._owes_version(seat):
            self.receive(now, seat, TOO_LONG)
            return
        self._bad_lines[seat] += 1
        self.outbox.notes.append(f"WARNING: ignoring a line from seat {seat + 1} that is too long")

    def lost(self, now: int, seat: int) -> None:
        """A player is gone. The lines that it has sent still count, but no more will come."""
        self._lost[seat] = True
        if seat == self.awaited:
            self._read_on(now)

    def tick(self, now: int) -> None:
        """End the match if the awaited player is late at the time `now`."""
        deadline = self.deadline
        if deadline is None or now < deadline or self.awaited is None:
            return
        if self._awaited_state is None or now - self._sent >= self.terms.limits.response:
            self._no_answer(now, "timed out")
        else:
            self._fail(f"ERROR: seat {self.awaited + 1} ran out of time", "ran out of time", self.awaited)

    def stop(self, reason: str) -> None:
        """End the match from outside, as when the dealer itself is stopped."""
        if self.outcome is None:
            self._end(f"ERROR: {reason}", reason)

    @property
    def deadline(self) -> int | None:
        """Time at which `tick` should be called, None for never."""
        if self.awaited is None:
            return None
        if self._awaited_state is None:
            return self._sent + self.terms.limits.version
        return self._sent + max(0, self.clocks.left(self.awaited))

    def waiting(self, seat: int) -> int:
        """Return how many lines of a player have not been read yet."""
        return len(self._waiting[seat])

    # Reading lines.

    def _read_on(self, now: int) -> None:
        """Read the waiting lines of the awaited player, then of the next, until a line has to be waited for."""
        while (seat := self.awaited) is not None:
            lines = self._waiting[seat]
            if lines:
                self._read(now, seat, lines.popleft())
            elif self._lost[seat]:
                self._no_answer(now, "disconnected")
            else:
                return

    def _read(self, now: int, seat: int, line: str) -> None:
        awaited_state = self._awaited_state
        if awaited_state is None:
            self._read_version(now, seat, line)
            return
        if not self.quiet:
            self.outbox.notes.append(f"FROM {seat + 1} at {stamp(now)} {line}")
        if line.startswith(("#", ";")):  # a comment
            return
        if not self.clocks.charge(seat, self._sent, now):
            self._fail(f"ERROR: seat {seat + 1} ran out of time", "ran out of time", seat)
            return
        action, warnings = read_response(line, self._line, awaited_state)
        if warnings:
            self.outbox.notes.extend(warnings)
        if action is None:
            self._bad_lines[seat] += 1
        else:
            self.outbox.transactions.append(str(Transaction(action, awaited_state.hand, self._sent, now)))
            self._apply(action)
            if self._state.finished:
                self._finish_hand(now)
            else:
                self._ask(now)

    def _read_version(self, now: int, seat: int, line: str) -> None:
        version = read_version(line)
        if version is None:
            self._fail(f"ERROR: invalid version string {line}", "sent no valid version line", seat)
            return
        if is_casino(self.terms.game) and line.split()[1:] != [KNOWS_ANTES]:
            wanted = f"{VERSION_LINE} {KNOWS_ANTES}"
            error = f"ERROR: seat {seat + 1} does not say that it knows this game's antes and smallest bet"
            self._fail(error, f"must begin with '{wanted}' to play a game with 'ante' or 'minBet'", seat)
            return
        if version[0] != PROTOCOL_VERSION[0] or version[1] > PROTOCOL_VERSION[1]:
            own_version = ".".join(map(str, PROTOCOL_VERSION))
            self.outbox.notes.append(f"ERROR: this server is currently using version {own_version}")  # and plays on
        if seat + 1 < len(self.terms.players):
            self._await_version(now, seat + 1)
            return
        if not self.quiet:
            self.outbox.notes.append(f"STARTED at {stamp(now)}")
        if self.score.hands < self.terms.hands:
            self._ask(now)
        else:  # resumed after the last hand
            self._finish(now)

    def _owes_version(self, seat: int) -> bool:
        """Return whether the seat's version line is still to come."""
        before_hands = self._awaited_state is None and self.outcome is None
        return before_hands and not self._waiting[seat] and (self.awaited is None or self.awaited <= seat)

    def _await_version(self, now: int, seat: int) -> None:
        self._awaited_state = None
        self._sent = now
        self.awaited = seat

    # Playing hands.

    @property
    def dealt(self) -> tuple[int, tuple[Cards, ...]]:
        """Number of the hand that is played, and everybody's private cards by position, as they are now."""
        return self.score.hands, self._hands.now

    def _deal_hand(self) -> None:
        """Begin the next hand. Its number is the count of hands played."""
        self._deal = next(self._deals)
        self._state = self._start.with_board(self._deal.board)
        self._hands = Hands(self._deal.holes, self._deal.stub)
        self._views = HandViews(self.score.hands, self.terms.game, self._deal)
        self.clocks.new_hand()
        self._bad_lines = [0] * len(self.terms.players)

    def _apply(self, action: Action) -> None:
        hands = self._hands.after(self._state, action)
        self._state, self._hands = self._state.apply(action).with_board(self._deal.board), hands

    def _ask(self, now: int) -> None:
        """Show the state to everybody and wait for the player whose turn it is."""
        actor = self._state.actor
        self._line = self._show(now)[actor]
        self._awaited_state = MatchState(actor, self._views.hand, self._state, self._deal.holes, self._hands.draws)
        self._sent = now
        self.awaited = self._seat(actor)

    def _show(self, now: int) -> list[str]:
        """Show the state to everybody. Returns the line of each position."""
        lines = self._views.lines(self._state, self._hands.draws)
        at = "" if self.quiet else stamp(now)
        for seat, line in enumerate(by_seat(lines, self._views.hand, self.terms.fixed_button)):
            self.outbox.sends[seat].append(line)
            if at:
                self.outbox.notes.append(f"TO {seat + 1} at {at} {line}\r")
        return lines

    def _finish_hand(self, now: int) -> None:
        hand = self.score.hands
        self.outbox.log.append(self._settle_hand())
        self._show(now)
        if not self.quiet and hand % _HANDS_PER_REPORT == 0:
            for seat, micros in enumerate(self.clocks.used_match):
                seconds = micros // 1_000_000
                self.outbox.notes.append(f"Seconds cumulatively spent in match for seat {seat}: {seconds}")
        if self.score.hands < self.terms.hands:
            self._deal_hand()
            self._ask(now)
        else:
            self._finish(now)

    def _settle_hand(self) -> str:
        """Add the finished hand to the score, and return its log line."""
        hands, values = self._hands, settle(self._state, self._hands.now)
        return self.score.add(HandRecord(self.score.hands, self._state, hands.dealt, values, (), hands.draws))

    def _finish(self, now: int) -> None:
        if not self.quiet:
            self.outbox.notes.append(f"FINISHED at {stamp(now)}")
        score = str(self.score)
        self.outbox.notes.append(score)
        self.outbox.log.append(score)
        self.awaited = None
        self.outcome = Outcome(True)

    # Ending early.

    def _no_answer(self, now: int, reason: str) -> None:
        assert self.awaited is not None
        seat = self.awaited + 1
        if self._awaited_state is None:
            error = f"ERROR: could not read version string from seat {seat}"
            self._fail(error, f"{reason} at the version handshake", self.awaited)
            return
        waited, limit = (now - self._sent) / 1e6, self.terms.limits.response / 1e6
        error = f"ERROR: could not get action from seat {seat}\n{waited:.1f} seconds spent waiting; timeout {limit:.1f}"
        self._fail(error, reason, self.awaited)

    def _fail(self, error: str, reason: str, seat: int) -> None:
        bad = self._bad_lines[seat]
        bad_lines = f"; {BAD_LINES} {bad}" if bad else ""
        self._end(error, f"seat {seat + 1} ({self.terms.players[seat]}) {reason}{bad_lines}")

    def _end(self, error: str, reason: str) -> None:
        """End the match without a score. The hands played stay in the log, whose last line gives the reason."""
        self.outbox.notes.append(error)
        self.outbox.log.append(f"{END_COMMENT} in hand {self.score.hands}: {reason}")
        self.awaited = None
        self.outcome = Outcome(False, reason)

    def _seat(self, position: int) -> int:
        return seat_of(position, self._views.hand, len(self.terms.players), self.terms.fixed_button)
