"""A table's terms, kept in its folder from the first card on, so that the table can be opened again."""

import secrets
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Self

import msgspec

from limpet.bot.browser.views.messages import Refused
from limpet.configs.loading import ConfigError
from limpet.dealer.table.deals import new_secret
from limpet.dealer.table.files import write_json
from limpet.dealer.table.terms import Limits, Terms
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import has_holdem_cards, holdem
from limpet.strategies.base.botconfig import Name, load_bot

GAME_FILE = "table.game"
BIG_BLIND = 100
"""Chips of the big blind of hold'em tables; the small blind is half of it."""
MOST_HANDS = 1_000_000
"""Number of hands of a table, more than a person plays."""
YOU = "You"
"""Name of the person who began a table, in its log too."""
DAY = 86_400 * 1_000_000
PATIENT = Limits(response=30 * DAY, hand=30 * DAY, per_hand=DAY)
"""Time limits of tables with people, in microseconds: a month, so that a table waits until its person comes back."""


class Person(msgspec.Struct, frozen=True, tag="person"):
    """A person's place. `key` is a secret by which the person's browser tabs find it; `host` has started the command."""

    name: Name
    key: str
    host: bool


class BotPlayer(msgspec.Struct, frozen=True, tag="bot"):
    """A bot's place: its name at the table, its config, and what it is in short, empty at tables of older versions."""

    name: Name
    config: str
    kind: str = ""


class SavedSetup(msgspec.Struct, frozen=True):
    """The terms of a table or of a tournament, as its folder keeps them in the file `FILE`."""

    FILE: ClassVar[str]

    def save(self, folder: Path) -> None:
        write_json(folder / self.FILE, self)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the terms in a folder. Raises `ConfigError`."""
        path = folder / cls.FILE
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except (msgspec.DecodeError, OSError) as error:
            raise ConfigError(f"{path}: {error}; remove the folder, and what was played there is forgotten") from error


class Setup(SavedSetup, frozen=True):
    """The terms that a table was begun with.

    Attributes:
        name: name of the table and its folder.
        players: people and bots, per seat.
        seed: fixes the cards; a secret where guests sit, see `new_seed`.
        reveal: show all hands once a hand is over, those of players who folded too.
        closed: nobody will come back; the files stay.
    """

    FILE = "table.json"

    name: Name
    players: list[Person | BotPlayer]
    seed: Annotated[int, msgspec.Meta(ge=0)]
    reveal: bool = False
    closed: bool = False

    def terms(self, game: GameDef) -> Terms:
        names = tuple(player.name for player in self.players)
        return Terms(self.name, game, GAME_FILE, MOST_HANDS, self.seed, names, limits=PATIENT)


def others_text(players: Sequence[Person | BotPlayer]) -> str:
    """Return who plays against the host: ``limpet``, or ``call × 2, expert, 1 guest``."""
    bots = Counter(player.config for player in players if isinstance(player, BotPlayer))
    names = {player.config: player.name for player in players if isinstance(player, BotPlayer)}
    # The numbers that tell bots of one name apart say nothing here.
    words = [names[c] if count == 1 else f"{names[c].rpartition('-')[0]} × {count}" for c, count in bots.items()]
    guests = sum(isinstance(player, Person) and not player.host for player in players)
    return ", ".join(words + ([f"{guests} guest{'s' * (guests > 1)}"] if guests else []))


def seen_names(names: Sequence[str], own: int) -> list[str]:
    """Return the players' names as the person at index `own` reads them: "You", and "Host" for who began the table."""
    return [YOU if at == own else "Host" if name == YOU else name for at, name in enumerate(names)]


def new_seed(guests: int) -> int:
    """Return a new seed of cards. With guests it is a secret: 32 bits could be searched by the cards that they see."""
    return new_secret() if guests else secrets.randbits(32)


def new_key() -> str:
    """Return a new secret for a person's place."""
    return secrets.token_urlsafe(12)


def require_fit(configs: Sequence[str], game: GameDef) -> None:
    """Raise `Refused` for a bot that cannot play a game. This reads what the bots play by, which may take a second."""
    for config in dict.fromkeys(configs):
        try:
            load_bot(config, game).build()
        except ConfigError as error:
            own = load_bot(config).game
            if own.num_players != game.num_players:
                raise Refused(
                    f"{config} plays hands of {own.num_players} players alone, and here are hands of {game.num_players}; "
                    "choose another bot"
                ) from error
            raise Refused(
                f"{config} cannot play here: {str(error).replace(f'{load_bot(config).path.parent}/', '')}"
            ) from error


def table_game(configs: list[str], players: int, stack: float) -> GameDef:
    """Return the game of a new table: no-limit hold'em with stacks of `stack` big blinds, or the first bot's own game.

    Raises `ConfigError` where the bot's game has another number of players.
    """
    own = load_bot(configs[0]).game if configs else None
    if own is None or (own.no_limit and has_holdem_cards(own)):
        chips = (round(stack * BIG_BLIND),) * players
        small, big = BIG_BLIND // 2, BIG_BLIND
        return holdem(chips, (big, small) if players == 2 else (small, big, *[0] * (players - 2)))
    if own.num_players != players:
        raise ConfigError(f"{configs[0]} plays a game of {own.num_players} players; choose as many")
    return own
