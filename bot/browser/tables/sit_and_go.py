"""A sit-and-go with people, as in ``limpet sng``."""

from collections.abc import Callable
from typing import Any

from limpet.bot.browser.tables.hand_by_hand import HandByHandTable, TournamentSetup
from limpet.bot.browser.tables.running import Changed
from limpet.bot.browser.tables.setup import seen_names
from limpet.bot.browser.views.room import Room
from limpet.dealer.contests.sit_and_go import JournalHand, mean_places
from limpet.dealer.contests.sng_rules import load_structure, prizes


class SitAndGoTable(HandByHandTable):
    """A tournament with prizes, from which whoever is broke is out."""

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
