"""Which measures suit a bot: each a command of ours that anybody can repeat."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from limpet.configs.loading import ConfigError, find_config, mistakes
from limpet.dealer.measures.lbr_matches import usual_start
from limpet.dealer.tournaments.tournament_config import no_table
from limpet.strategies.botconfig import Bot
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.cards.public_boards import count_boards
from limpet.strategies.measures.responses.real_response import MOST_EXACT, deals_taken
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.storage.folders import find_strategy

Kind = Literal["exploit", "preflop", "duel", "match", "aivat", "lbr", "lbr-ranges"]
PASSIVE = ("call", "fold")
OPPONENTS = ("call", "fold", "raise")
LUCKY = "call"
"""Of these, whose match is looked at again without its luck; that against `against` is too."""
SMALL_TIMES = 10
LBR_CONFIG = "lbr.yaml"


class Settings(NamedTuple):
    """How much is played. Numbers of hands are duplicate sets."""

    seed: int
    boards: int
    """Of a duel."""
    compiled_sets: int
    slow_sets: int
    """Of matches that cannot be played in compiled code, and of those with the local best response; in small games
    `SMALL_TIMES` as many."""
    luck_hands: int
    """Of each seating whose luck is taken out, some tenths of a second each; in small games `SMALL_TIMES` as many."""
    deals: tuple[int, ...] | None
    """Of the bounds with real cards, as `limpet strategy exploit` takes them; None to leave them out of large games."""


THOROUGH = Settings(seed=1, boards=500, compiled_sets=20_000, slow_sets=500, luck_hands=250, deals=None)
QUICK = Settings(seed=1, boards=50, compiled_sets=2_000, slow_sets=50, luck_hands=25, deals=None)


class _Opponent(NamedTuple):
    """Who is met."""

    word: str
    """In the names of parts."""
    title: str
    config: str
    """As `limpet match` names it."""
    strategy: str | None
    """As a duel names it; None if it cannot be met in one."""
    compiled: bool
    """Whether the match can be."""
    lucky: bool
    """Whether it is looked at again without its luck."""
    fingerprint: str = ""
    """Of the bot of `--against`; those that ship need none."""


class Part(NamedTuple):
    """One measure."""

    name: str
    """Of its entry in ``evaluation.json``."""
    kind: Kind
    title: str
    command: tuple[str, ...]
    """Without ``limpet``, and without where to and in which form it answers."""
    output: str = ""
    """The folder of a match, in that of the report."""
    against: str = ""
    """The fingerprint of the bot of `--against`, if it is met in this part."""

    @property
    def told(self) -> str:
        """The command line."""
        return shlex.join(("limpet", *self.command))


def parts(bot: Bot, folder: Path, settings: Settings, against: Bot | None = None) -> Iterator[Part]:
    """The measures that suit a bot, quick ones first. Builds its strategy and that of `against`.

    Args:
        folder: of the report; the local best response is told there whom it meets.
        against: another bot, loaded to play the same game.

    Raises `ConfigError` for bots that cannot be used.
    """
    game = bot.game
    small = count_boards(game) <= MOST_EXACT
    if small:
        settings = settings._replace(
            slow_sets=SMALL_TIMES * settings.slow_sets, luck_hands=SMALL_TIMES * settings.luck_hands
        )
    table = no_table(bot) is None
    other = against and _config(against)
    opponents = [
        _Opponent(name, name, name, name if name in PASSIVE else None, table, name in (LUCKY, other))
        for name in OPPONENTS
    ]
    if against is not None and other not in OPPONENTS:
        opponents.append(_named_opponent(against, table))
    strategy = _strategy(bot)
    heads_up = game.num_players == 2
    seed = ("--seed", str(settings.seed))
    if strategy is not None and heads_up:
        name, options = strategy
        if "," not in name and (small or settings.deals is not None):
            deals: tuple[str, ...] = ()
            if not small and settings.deals is not None:
                with mistakes():
                    deals_taken(game, settings.deals)
                deals = ("--deals", ",".join(map(str, settings.deals)), *seed)
            yield Part("exploit", "exploit", "What a best answer wins", ("strategy", "exploit", name, *deals))
        boards = ("--boards", str(settings.boards), *seed)
        if "," not in name and is_holdem(game) and not game.num_board_cards[0]:
            yield Part("preflop", "preflop", "Before the flop", ("strategy", "preflop", name, *boards))
        for each in opponents:
            if each.strategy is not None:
                command = ("strategy", "duel", name, each.strategy, *boards, *options)
                title = f"Full ranges against {each.title}"
                yield Part(f"duel-{each.word}", "duel", title, command, against=each.fingerprint)
    matches = []
    explained = _explained(bot, small)
    for each in opponents:
        title = f"Match against {each.title}"
        how: tuple[str, ...] = ("--compiled",) if each.compiled else ("--in-process",)
        if each.compiled and each.lucky and explained:
            how += ("--log",)  # however many hands there are: the luck is taken out of the log
        match = _match(f"match-{each.word}", "match", title, bot, each.config, how, settings)
        if each.fingerprint:
            # Once it has changed its match is another one, which does not go on where that stopped.
            match = match._replace(output=f"{match.output}-{each.fingerprint}", against=each.fingerprint)
        matches.append(match)
    yield from matches
    for each, match in zip(opponents, matches, strict=True):
        if each.lucky and explained:
            log = (str(folder.resolve() / match.output), "--bot", _config(bot))
            command = ("aivat", *log, "--hands", str(settings.luck_hands))
            title = f"Against {each.title}, with the luck taken out"
            yield Part(f"luck-{each.word}", "aivat", title, command, against=each.fingerprint)
    if not heads_up:
        return
    start = usual_start(bot)
    title = f"Local best response ({start} on)"
    if start == "turn":
        command = ("lbr", _config(bot), "--full-ranges", "--hands", str(settings.slow_sets), *seed)
        yield Part("lbr", "lbr-ranges", title, command, "lbr")
    else:
        yield _match("lbr", "lbr", title, bot, str(folder.resolve() / LBR_CONFIG), ("--in-process",), settings)


def _named_opponent(bot: Bot, table: bool) -> _Opponent:
    """The bot of `--against`. `table`: whether the one that is measured is one."""
    config, found = _config(bot), _strategy(bot)
    # A bot of one's own may be called call.
    word, title = f"against-{_word(bot.name)}", config if bot.name in OPPONENTS else bot.name
    return _Opponent(word, title, config, found and found[0], table and no_table(bot) is None, True, bot.fingerprint())


def _explained(bot: Bot, small: bool) -> bool:
    """Whether what it played by can be worked out again: by no clock, and in a game whose runouts can be counted."""
    return (small or bot.game.num_players == 2) and getattr(bot.options(), "bank", None) is None


def _match(name: str, kind: Kind, title: str, bot: Bot, other: str, how: tuple[str, ...], settings: Settings) -> Part:
    """The bot against as many of `other` as the game seats. `how`: the options that say it."""
    hands = settings.compiled_sets if "--compiled" in how else settings.slow_sets
    rest = (other,) * (bot.game.num_players - 1)
    played = ("--duplicate", *how, "--hands", str(hands), "--seed", str(settings.seed))
    return Part(name, kind, title, ("match", _config(bot), *rest, *played), f"{name}-{hands}-{settings.seed}")


def _config(bot: Bot) -> str:
    """How a command line names a bot: by its name if it ships, else by its file."""
    try:
        if find_config("bots", bot.path.stem) == bot.path:
            return bot.path.stem
    except ConfigError:
        pass
    return str(bot.path.resolve())


def _strategy(bot: Bot) -> tuple[str, tuple[str, ...]] | None:
    """A strategy as commands name it, and the options with which a duel reads it as the bot does; None if it has none."""
    options = bot.options()
    if not isinstance(options, Blueprint.Options):
        return None
    names = (options.strategy,) if isinstance(options.strategy, str) else options.strategy
    try:
        told = [_named(name, bot.path.parent) for name in names]
    except ValueError as error:
        raise ConfigError(f"{bot.path}: {error}") from error
    how: tuple[str, ...] = ()
    if options.translation != "pseudo-harmonic":
        how += ("--translation", options.translation)
    if options.purify:
        how += ("--purify",)
    if options.threshold:
        how += ("--threshold", f"{options.threshold:g}")
    return ",".join(told), how


def _named(name: str, home: Path) -> str:
    """A name stays; a path is told from anywhere."""
    folder = find_strategy(name, home)
    return f"{folder.resolve()}/" if "/" in name or "\\" in name else name


def _word(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in name)
