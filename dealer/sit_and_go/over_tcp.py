"""Tournaments over TCP: our dealer deals every hand as a match of its own, and any ACPC client can sit down.

The port of a player is the same in all hands. A bot is one process, which connects again for every hand. A program is
started for every hand. A guest is started by somebody else, and connects by itself.
"""

import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from twisted.internet import task

from limpet.dealer.matches.faults import MatchFailed
from limpet.dealer.matches.guarded_process import GuardedProcess, tail
from limpet.dealer.matches.matchconfig import External
from limpet.dealer.sit_and_go.cards import card_seed
from limpet.dealer.sit_and_go.dealt_hand import GAME_FILE, OVER, DealtHand, dealer_limits
from limpet.dealer.sit_and_go.inprocess import Report, dealt_hand, finished_hand
from limpet.dealer.sit_and_go.journal import Journal
from limpet.dealer.sit_and_go.rules import Hand, begin
from limpet.dealer.sit_and_go.sit_and_go import Guest, SitAndGo
from limpet.dealer.table.reactor import SUCCESS, install_reactor, run
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.terms import Terms
from limpet.protocol.state import State
from limpet.strategies.botconfig import Bot
from limpet.strategies.storage.folders import replace_file

HOST = "127.0.0.1"
LOOK_SECONDS = 0.1
"""Seconds between two looks at the players' processes."""
LAST_WORDS = 5
"""Number of lines shown of a failed process's standard error."""
DEALER_WORDS = "dealer.err"
"""File of the dealer's messages about its hands, such as warnings of wrong answers."""
_PLAYER = (sys.executable, "-m", "limpet.bot")


class Hall:
    """The ports and processes of the players of tournaments, which one reactor deals to."""

    def __init__(
        self,
        sng: SitAndGo,
        folder: Path,
        journal: Journal,
        ports: Sequence[int],
        interface: str,
        report: Report,
        invite: Callable[[int], None] = lambda player: None,
    ) -> None:
        """`ports` are by player, 0 for any that is free. `invite` is called with each guest of a hand, once it may connect."""
        self.ports = [port or _free_port() for port in ports]
        self._sng, self._folder, self._journal, self._report = sng, folder, journal, report
        self._interface = interface
        self._invite = invite
        self._processes: dict[int, GuardedProcess] = {}
        self._hand: DealtHand | None = None
        self._said = (folder / DEALER_WORDS).open("ab", buffering=0)
        self._notes = Notes(self._said)

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
        self._said.close()

    async def _tournament(self, reactor: Any, number: int, seating: int) -> None:
        line = self._journal.last.get((number, seating))
        now = line.standing if line else begin(self._sng.structure, len(self.ports), self._sng.seed, number)
        order = self._sng.seatings[seating]
        while not now.over:
            hand, cards, state = dealt_hand(self._sng, number, now)
            dealt = None
            if state is None:
                dealt = self._hand = self._dealt(number, seating, hand)
                state = await self._played(reactor, dealt, [order[seat] for seat in hand.seats])
            played, now = finished_hand(self._sng, number, seating, now, hand, state, cards)
            self._journal.add([played])
            if dealt is not None:
                dealt.forget()

    def _dealt(self, number: int, seating: int, hand: Hand) -> DealtHand:
        sng, at = self._sng, hand.situation.hand
        names = tuple(sng.names[sng.seatings[seating][seat]] for seat in hand.seats)
        seed = card_seed(sng.seed, number, at)
        name = f"tournament-{number}-{seating}-hand-{at}"
        return DealtHand(
            self._folder, Terms(name, hand.game, GAME_FILE, 1, seed, names, limits=dealer_limits(sng.limits))
        )

    async def _played(self, reactor: Any, dealt: DealtHand, players: Sequence[int]) -> State:
        """Deal a hand to players, given by position, and return its last state."""
        done = dealt.play(
            reactor,
            self._notes,
            [self.ports[player] for player in players],
            self._interface,
            self._sng.limits.start_seconds,
        )
        for player in players:
            self._sit_down(player)
        outcome = await done
        if not outcome.finished:
            raise MatchFailed(f"{dealt.terms.name}: {outcome.reason}; the same command goes on")
        await self._ended(reactor, players)
        return dealt.state()

    def _sit_down(self, player: int) -> None:
        """Start a player's process, unless it runs or is none of ours. Raises `MatchFailed`."""
        who = self._sng.players[player]
        if isinstance(who, Guest):
            self._invite(player)
        address = [HOST, str(self.ports[player])]
        game = str((self._folder / GAME_FILE).resolve())
        if isinstance(who, Bot) and player not in self._processes:
            command, home = [*_PLAYER, str(who.path.resolve()), *address, "--tournament", game], Path.cwd()
        elif isinstance(who, External):
            words = {"{game}": game, "{host}": HOST, "{port}": address[1]}
            command, home = _filled(who.command, words) or [*who.command, *address], who.folder
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
        """Wait a moment for the programs of a hand that is over, and end those that stay."""
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
                said = "".join(f"\n  {line}" for line in tail(process.err)[-LAST_WORDS:])
                self.stop(f"{self._sng.names[player]} ended with status {process.returncode}{said}\n ")


def play_over_tcp(
    sng: SitAndGo, folder: Path, journal: Journal, ports: Sequence[int], interface: str, report: Report
) -> None:
    """Play all tournaments that the journal lacks, on this process's reactor, which can run once only.

    Raises `MatchFailed`, `ConfigError` and `OSError`, and `KeyboardInterrupt` if a signal has ended the reactor.
    """
    reactor = install_reactor()
    hall = Hall(sng, folder, journal, ports, interface, report)
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


def _filled(words: Sequence[str], values: dict[str, str]) -> list[str]:
    """Return a command with its placeholders filled in, an empty one if it has none."""
    if not any(key in word for word in words for key in values):
        return []
    filled = list(words)
    for key, value in values.items():
        filled = [word.replace(key, value) for word in filled]
    return filled


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
