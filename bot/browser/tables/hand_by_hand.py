"""Tables whose hands begin with different stacks: every hand is a match of its own at our dealer, as in ``limpet sng``."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from twisted.internet.defer import CancelledError, Deferred, ensureDeferred
from twisted.logger import Logger

from limpet.bot.browser.tables.bots import Bots
from limpet.bot.browser.tables.running import Changed, RunningTable
from limpet.bot.browser.tables.setup import BotPlayer, Person, SavedSetup, seen_names
from limpet.bot.browser.views.room import Room
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sit_and_go import (
    LOG_FILE,
    Guest,
    JournalHand,
    SitAndGo,
    TournamentJournal,
    mean_places,
)
from limpet.dealer.contests.sng_over_tcp import GAME_FILE, HOST, Hall
from limpet.dealer.contests.sng_rules import Structure, TournamentState, begin, load_structure, prizes
from limpet.dealer.contests.sng_run import logged_hand
from limpet.dealer.matches.faults import MatchFailed
from limpet.dealer.matches.matchconfig import PlayerLimits, find_player
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, visible_holes
from limpet.protocol.situation import Situation, is_tournament
from limpet.strategies.base.botconfig import Name

MONTH = 30 * 86_400.0
PATIENT = PlayerLimits(MONTH, MONTH, MONTH, MONTH)
"""Time limits in seconds: a tournament waits until its person comes back."""

_log = Logger()


class TournamentSetup(SavedSetup, frozen=True):
    """The terms that a sit-and-go was begun with, or a cash table whose stacks are carried.

    Attributes:
        paid: the host's prize was added to the bankroll.
        stack: chips of a buy-in at a cash table, 0 for a sit-and-go.
        dealt: number of the last hand that a cash table began, then the stacks before it.
    """

    FILE = "sit-and-go.json"

    name: Name
    structure: str
    players: list[Person | BotPlayer]
    seed: Annotated[int, msgspec.Meta(ge=0)]
    paid: bool = False
    closed: bool = False
    stack: int = 0
    dealt: tuple[int, ...] = ()


class HandByHandTable(RunningTable):
    """A table whose people connect to the dealer anew for each hand that they play.

    Attributes:
        structure: blinds, stacks and prizes that are played for.
        now: the standing after the last hand, or before the one that is dealt.
    """

    counts_luck = False

    def __init__(
        self, room: Room, setup: TournamentSetup, structure: Structure, big_blind: int, changed: Changed
    ) -> None:
        """`big_blind`: chips in which results are counted. Raises `ConfigError`."""
        super().__init__(room, setup.name, setup.players, big_blind, changed)
        self.setup = setup
        self.folder = room.folder / setup.name
        self.structure = structure
        players = tuple(
            Guest(player.name) if isinstance(player, Person) else find_player(player.config, Path("."))
            for player in setup.players
        )
        self._sng = SitAndGo(self.structure, players, tuple(self.player_names), 1, setup.seed, False, PATIENT)
        self.folder.mkdir(parents=True, exist_ok=True)
        setup.save(self.folder)
        self.now = begin(self.structure, len(players), setup.seed, 0)
        self._playing: Deferred[None] | None = None
        self._hall: Hall | None = None
        self._invited: set[int] = set()
        """People who were invited to the hand that is dealt."""

    @property
    def running(self) -> bool:
        return self._playing is not None or self.now.over

    async def start(self, bots: Bots) -> None:
        self.fault = ""
        journal = _Watched(self.folder, self.after_hand)
        hall = self._hall = Hall(
            self._sng,
            self.folder,
            journal,
            [0] * len(self.player_names),
            HOST,
            lambda over: None,
            self._invite,
            self.next_standing,
        )
        if (0, 0) in journal.last:
            self.now = journal.last[0, 0].standing
        playing = self._playing = ensureDeferred(hall.play(self.room.reactor))
        try:
            await playing
        except (MatchFailed, ConfigError, OSError) as error:
            self.fault = self.fault or str(error)
        except CancelledError:
            pass
        finally:
            self._playing = self._hall = None
            journal.close()
            await self.room.in_thread(hall.close)
            self.all_changed()

    async def stop(self, reason: str) -> None:
        if self._hall is not None and self._playing is not None:
            self.fault = reason
            self._hall.stop(reason)
            self._playing.cancel()

    def close(self) -> None:
        self.replace_setup(closed=True)

    def names(self, seat: int, match: MatchState) -> Sequence[str]:
        if not is_tournament(match.state.game):
            return super().names(seat, match)
        seats = Situation.of(match.state.game).seats
        ordered = (*seats[match.position :], *seats[: match.position])
        return [self.player_names[other] for other in ordered]

    def _invite(self, player: int) -> None:
        """Have a person connect for the hand that is dealt now."""
        assert self._hall is not None
        self._invited.add(player)
        game = GameDef.load(self.folder / GAME_FILE)
        port = self._hall.ports[player]
        seated = ensureDeferred(self.sit_down(player, game, HOST, port))
        seated.addErrback(lambda failure: _log.error("a person cannot sit down: {failure}", failure=str(failure)))

    def _show_undealt(self, played: JournalHand) -> None:
        """Show a hand in which nobody had a decision, because the blinds put everybody all-in: no dealer has shown it."""
        invited, self._invited = self._invited, set()
        if invited or played.log is None:
            return
        for seat, match in self.logged(*played.log.split("\n")).items():
            self.seats[seat].show(match)

    def logged(self, comment: str, line: str) -> dict[int, MatchState]:
        """Return the end of a hand of the log as each person's seat in it saw it."""
        situation = Situation.parse(comment)
        state, held = logged_hand(situation, line, LOG_FILE)
        return {
            seat: MatchState(position, situation.hand, state, visible_holes(state, held, position))
            for position, seat in enumerate(situation.seats)
            if seat in self.seats
        }

    def after_hand(self, played: JournalHand) -> None:
        """Take up what a hand has changed, and show it."""
        self.now = played.line.standing
        self._show_undealt(played)
        self.all_changed()

    async def next_standing(self, standing: TournamentState) -> TournamentState:
        """Return the standing before the next hand, which comes after `standing`."""
        return standing

    def replace_setup(self, **what: bool | tuple[int, ...]) -> None:
        """Change the terms, in their file too."""
        self.setup = msgspec.structs.replace(self.setup, **what)
        self.setup.save(self.folder)


class SitAndGoTable(HandByHandTable):
    """A sit-and-go with people, as in ``limpet sng``: prizes are played for, and whoever is broke is out."""

    def __init__(self, room: Room, setup: TournamentSetup, changed: Changed, won: Callable[[float], object]) -> None:
        """`won` is called once with the host's prize, when its place is known. Raises `ConfigError`."""
        super().__init__(room, setup, load_structure(setup.structure, len(setup.players)), 1, changed)
        self._won = won

    @property
    def title(self) -> str:
        return f"{self.setup.structure}, {len(self.setup.players)} players"

    def waits(self, seat: int) -> bool:
        out = mean_places(self.now)[seat] is not None
        return super().waits(seat) and (not out or self.seats[seat].has_more)

    def away(self, seat: int) -> bool | None:
        return None

    def standing(self, seat: int) -> dict[str, Any] | None:
        """Return how the tournament stands. Lists are by player; places are None for those who are in, means where shared."""
        now, structure = self.now, self.structure
        blinds = structure.blinds(now.hand, sum(now.stacks))
        hands_left = next(
            n for n in range(1, 2**20) if structure.blinds(now.hand + n, sum(now.stacks)).level != blinds.level
        )
        pool = structure.prizes(len(now.stacks))
        return {
            "hand": now.hand,
            "level": blinds.level,
            "blinds": [blinds.small, blinds.big],
            "ante": blinds.ante,
            "next_level": hands_left,  # number of hands until the blinds rise
            "names": seen_names(self.player_names, seat),
            "stacks": now.stacks,
            "places": mean_places(now),
            "won": prizes(now, pool),
            "prizes": pool,
            "buy_in": structure.buy_in,
            "over": now.over,
            "you": seat,
        }

    def after_hand(self, played: JournalHand) -> None:
        host = next(seat for seat, person in self.people.items() if person.host)
        standing = played.line.standing
        if mean_places(standing)[host] is not None and not self.setup.paid:
            self.replace_setup(paid=True)
            self._won(prizes(standing, self.structure.prizes(len(standing.stacks)))[host])
        super().after_hand(played)


class _Watched(TournamentJournal):
    """A journal that tells of each hand."""

    def __init__(self, folder: Path, tell: Callable[[JournalHand], None]) -> None:
        super().__init__(folder, logged=True)
        self._tell = tell

    def add(self, played: Iterable[JournalHand]) -> None:
        hands = list(played)
        super().add(hands)
        for hand in hands:
            self._tell(hand)
