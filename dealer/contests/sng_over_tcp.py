"""Tournaments over TCP: our dealer deals every hand as a match of its own, and any ACPC client can sit down.

The port of a player is the same in all hands. A bot is one process, which connects again for every hand. A program is
started for every hand. A guest is started by somebody else, and connects by itself.
"""

import re
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from twisted.internet import task
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import CannotListenError

from limpet.common.folders import replace_file
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sit_and_go import Guest, SitAndGo, TournamentJournal
from limpet.dealer.contests.sng_inprocess import Report, card_seed, dealt_hand, finished_hand
from limpet.dealer.contests.sng_rules import Hand, TournamentState
from limpet.dealer.matches.faults import GuardedProcess, MatchFailed, tail
from limpet.dealer.matches.matchconfig import External, PlayerLimits
from limpet.dealer.table.files import LineFile, ResumeError, read_text, resume
from limpet.dealer.table.reactor import SUCCESS, install_reactor, run, why_not_listening
from limpet.dealer.table.server import MatchServer
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.table import Outcome, Table
from limpet.dealer.table.terms import Limits, Terms
from limpet.protocol.matchlog import HandRecord, read_entry, read_header
from limpet.protocol.situation import definition_text
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import Bot

HOST = "127.0.0.1"
GAME_FILE = "hand.game"
"""File of the definition of the hand that is dealt, rewritten before each hand, while nobody can connect."""
OVER = "# tournaments over\n"
"""Whole text of `GAME_FILE` after the last hand."""
HAND_LOG, HAND_TRANSACTIONS = "hand.log", "hand.tlog"
LOOK_SECONDS = 0.1
"""Seconds between two looks at the players' processes."""
LAST_WORDS = 5
"""Number of lines shown of a failed process's standard error."""
DEALER_WORDS = "dealer.err"
"""File of the dealer's messages about its hands, such as warnings of wrong answers."""
_PLAYER = (sys.executable, "-m", "limpet.bot")


class DealtHand:
    """A hand that waits for its players. `play` listens, and `state` is the hand's last state once its result has fired."""

    def __init__(self, folder: Path, terms: Terms) -> None:
        """Take up the hand of `terms` where its files in `folder` end, or begin it. Raises `ConfigError` and `OSError`."""
        self._log, self._transactions = folder / HAND_LOG, folder / HAND_TRANSACTIONS
        header = read_header(read_text(self._log).partition("\n")[0])
        if header is None or header.name != terms.name:
            self.forget()
        self.terms = terms
        self._table = Table(terms, quiet=True)
        try:
            resume(self._table, self._log, self._transactions)
        except ResumeError as error:
            raise ConfigError(str(error)) from error
        self._server: MatchServer | None = None
        replace_file(folder / GAME_FILE, definition_text(terms.game))

    def play(
        self, reactor: Any, notes: Notes, ports: Sequence[int], interface: str, start_seconds: float
    ) -> "Deferred[Outcome]":
        """Listen on a port for each position, and play. Raises `MatchFailed` for a port that is not free."""
        if self._table.score.hands:  # killed after the last action, before the journal had the hand
            return succeed(Outcome(True))
        files = [LineFile(path, append=True) for path in (self._log, self._transactions)]
        server = self._server = MatchServer(reactor, self._table, notes, *files)
        try:
            server.listen(ports, interface)
        except CannotListenError as error:
            raise MatchFailed(why_not_listening(error, "--ports")) from error
        server.limit_start(start_seconds)

        def close(outcome: Outcome) -> Outcome:
            for file in files:
                file.close()
            return outcome

        return server.done.addCallback(close)

    def stop(self, reason: str) -> None:
        """End the play of the hand. The next `DealtHand` of the same terms goes on with it."""
        if self._server is not None:
            self._server.shut_down(reason)

    def state(self) -> State:
        """Return the last state of a hand that is over."""
        line = next(line for line in read_text(self._log).split("\n") if line.startswith("STATE:"))
        entry = read_entry(line, self.terms.game, str(self._log))
        assert isinstance(entry, HandRecord)
        return entry.state

    def forget(self) -> None:
        """Remove the hand's files, once the journal has the hand."""
        # The log names the hand, so that transactions must never lie here without it.
        self._transactions.unlink(missing_ok=True)
        self._log.unlink(missing_ok=True)


def dealer_limits(limits: PlayerLimits) -> Limits:
    """Return the time limits of a player as limits of the dealer's table."""
    seconds = (limits.response_seconds, limits.hand_seconds, limits.per_hand_seconds)
    return Limits(*(round(1e6 * value) for value in seconds))


async def _as_it_stands(standing: TournamentState) -> TournamentState:
    return standing


class Hall:
    """The ports and processes of the players of tournaments, which one reactor deals to."""

    def __init__(
        self,
        sng: SitAndGo,
        folder: Path,
        journal: TournamentJournal,
        ports: Sequence[int],
        interface: str,
        report: Report,
        invite: Callable[[int], None] = lambda player: None,
        between: Callable[[TournamentState], Awaitable[TournamentState]] = _as_it_stands,
    ) -> None:
        """Prepare the ports, which are given by player, 0 for any that is free.

        `invite` is called with each guest of a hand, once it may connect, and `between` before each hand, which is dealt as
        what it returns stands.
        """
        self.ports = [port or _free_port() for port in ports]
        self._sng, self._folder, self._journal, self._report = sng, folder, journal, report
        self._interface = interface
        self._invite, self._between = invite, between
        self._processes: dict[int, GuardedProcess] = {}
        self._hand: DealtHand | None = None
        self._dealer_words = (folder / DEALER_WORDS).open("ab", buffering=0)
        self._notes = Notes(self._dealer_words)

    async def play(self, reactor: Any) -> None:
        """Play all tournaments that the journal lacks. Raises `MatchFailed`, `ConfigError` and `OSError`."""
        sng, over = self._sng, 0
        look = task.LoopingCall(self._look)
        look.clock = reactor
        try:
            look.start(LOOK_SECONDS, now=False)
            for number in range(sng.tournaments):
                for seating in range(len(sng.seatings)):
                    await self._tournament(reactor, number, seating)
                    over += 1
                    self._report(over)
            replace_file(self._folder / GAME_FILE, OVER)
        finally:
            look.stop()

    def stop(self, reason: str) -> None:
        """End the hand that is being dealt."""
        if self._hand is not None:
            self._hand.stop(reason)

    def close(self) -> None:
        """End the players' processes."""
        for process in self._processes.values():
            process.end()
        self._dealer_words.close()

    async def _tournament(self, reactor: Any, number: int, seating: int) -> None:
        line = self._journal.last.get((number, seating))
        now = line.standing if line else self._sng.beginning(number)
        while not (now := await self._between(now)).over:
            hand, cards, state = dealt_hand(self._sng, number, now)
            if state is None:
                state = await self._played(reactor, seating, hand)
            played = finished_hand(self._sng, seating, now, hand, state, cards)
            now = played.line.standing
            self._journal.add([played])
            if self._hand is not None:
                self._hand.forget()

    async def _played(self, reactor: Any, seating: int, hand: Hand) -> State:
        """Deal a hand to its players, and return its last state."""
        sng, number, at = self._sng, hand.situation.number, hand.situation.hand
        players = [sng.seatings[seating][seat] for seat in hand.seats]
        names = tuple(sng.names[player] for player in players)
        name, seed = f"tournament-{number}-{seating}-hand-{at}", card_seed(sng.seed, number, at)
        terms = Terms(name, hand.game, GAME_FILE, 1, seed, names, limits=dealer_limits(sng.limits))
        dealt = self._hand = DealtHand(self._folder, terms)
        ports = [self.ports[player] for player in players]
        done = dealt.play(reactor, self._notes, ports, self._interface, sng.limits.start_seconds)
        for player in players:
            self._sit_down(player)
        outcome = await done
        if not outcome.finished:
            raise MatchFailed(f"{name}: {outcome.reason}; the same command goes on")
        await self._ended(reactor, players)
        return dealt.state()

    def _sit_down(self, player: int) -> None:
        """Start a player's process, unless it runs or the player is a guest. Raises `MatchFailed`."""
        who = self._sng.players[player]
        if isinstance(who, Guest):
            self._invite(player)
        address = [HOST, str(self.ports[player])]
        game = str((self._folder / GAME_FILE).resolve())
        if isinstance(who, Bot) and player not in self._processes:
            command, home = [*_PLAYER, str(who.path.resolve()), *address, "--tournament", game], Path.cwd()
        elif isinstance(who, External):
            words = {"{game}": game, "{host}": HOST, "{port}": address[1]}
            command = [re.sub("{(game|host|port)}", lambda match: words[match[0]], word) for word in who.command]
            if command == list(who.command):  # without a placeholder, the address comes last
                command += address
            home = who.folder
        else:
            return
        output = self._folder / self._sng.names[player]
        for ending in ("out", "err"):  # a program is started for every hand, and leaves the words of the last one
            output.with_name(f"{output.name}.{ending}").unlink(missing_ok=True)
        try:
            self._processes[player] = GuardedProcess(command, home, output, self._sng.limits)
        except OSError as error:
            raise MatchFailed(f"cannot start {command[0]}: {error.strerror}") from error

    async def _ended(self, reactor: Any, players: Sequence[int]) -> None:
        """Wait up to a second for the programs of a hand that is over, and end those that still run."""
        for player in players:
            if isinstance(self._sng.players[player], External):
                process = self._processes.pop(player)
                for _ in range(20):
                    if process.gone:
                        break
                    await task.deferLater(reactor, LOOK_SECONDS / 2)
                process.end()

    def _look(self) -> None:
        """End the hand if a process that should play has ended."""
        for player, process in self._processes.items():
            stays = isinstance(self._sng.players[player], Bot)
            if process.failed or (stays and process.returncode is not None):
                last_words = "".join(f"\n  {line}" for line in tail(process.err)[-LAST_WORDS:])
                self.stop(f"{self._sng.names[player]} ended with status {process.returncode}{last_words}\n ")


def play_over_tcp(
    sng: SitAndGo, folder: Path, journal: TournamentJournal, ports: Sequence[int], interface: str, report: Report,
    notice: Callable[[str], None],
) -> None:  # fmt: skip
    """Play all tournaments that the journal lacks, on this process's reactor, which can run once only.

    notice: called with a line for each guest that says where it may connect.

    Raises `MatchFailed`, `ConfigError` and `OSError`, and `KeyboardInterrupt` if a signal has ended the reactor.
    """
    reactor = install_reactor()
    invited = set[int]()

    def invite(player: int) -> None:
        if player not in invited:
            invited.add(player)
            port = hall.ports[player]
            where = f"port {port} of this machine" if interface in ("", "0.0.0.0", "::") else f"{interface} {port}"
            notice(
                f"{sng.names[player]} may connect to {where}, for each hand anew; {folder / GAME_FILE} defines the hand"
            )

    hall = Hall(sng, folder, journal, ports, interface, report, invite)
    over = stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = not over
        hall.stop("stopped")

    async def main() -> int:
        nonlocal over
        reactor.addSystemEventTrigger("before", "shutdown", stop)
        try:
            await hall.play(reactor)
        finally:
            over = True
        return SUCCESS

    try:
        run(reactor, main)
    finally:
        hall.close()
        if stopped:
            raise KeyboardInterrupt


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as probe:
        return int(probe.getsockname()[1])
