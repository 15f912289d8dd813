"""The work of ``limpet agree``: a bot is asked about every decision of a player in archives of hands."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limpet.common.workers import Report, silent
from limpet.configs.loading import ConfigError
from limpet.protocol.archives.convert import scaled
from limpet.protocol.archives.hand_file import Skip, no_hands
from limpet.protocol.archives.hands import located_hands
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import Action
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import silenced
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.opponents.agreement import (
    Agreement,
    FrequencyBaseline,
    Prediction,
    action_values,
    agreement,
    player_decisions,
    predictions,
)
from limpet.strategies.opponents.situations import RecordedDecision

GAMES_KEPT = 64
"""Number of games for which a bot is kept ready: in archives nearly every hand has other stacks, and so another game."""
NAMES_SHOWN = 12
"""Number of names, the most frequent ones, that the message about an absent player lists."""
UNREAD = "hands that cannot be read"
UNKNOWN_CARDS = "decisions with unknown hole cards; --ranges takes the mean over the player's range"
OTHER_GAME = "hands of a game that the bot does not play"


class Options(NamedTuple):
    """The options of the command that decide what is asked.

    Attributes:
        player: see `positions_of`; all players who fit are asked about.
        game: game of files that do not name theirs.
        aliases: new names of players by the names in the files, which may hold ``*`` and ``?``.
        ranges: whether decisions with unknown hole cards are asked about, over the player's range.
        decisions: number of decisions that are asked about, drawn at random by the seed; None asks about all.
        shown: number of surprises to return.
    """

    files: tuple[Path, ...]
    bot: str
    player: str
    game: GameDef | None = None
    aliases: Mapping[str, str] = {}
    coins: int | None = None
    """Number of seeds of the bot, from its config's up, whose answers are averaged; None averages over all coins exactly."""
    ranges: bool = False
    decisions: int | None = None
    seed: int = 1
    shown: int = 10


class Surprise(NamedTuple):
    """A decision that the bot took to be unlikely."""

    prediction: Prediction
    values: dict[Action, float] | None
    """Big blinds that each action wins from here on by the bot's own solve, a fold winning 0; None without a solve."""


class Asked(NamedTuple):
    """The answers of a bot, by its name, to a player's decisions.

    Attributes:
        decisions: number of decisions that could be asked about.
        skipped: number of hands or decisions left out, by reason.
        surprises: the decisions that the bot took to be the least likely, the least likely first.
    """

    bot: str
    hands: int
    decisions: int
    skipped: dict[str, int]
    agreement: Agreement
    surprises: list[Surprise]


@lru_cache(maxsize=1 << 16)
def positions_of(names: tuple[str, ...], players: tuple[str, ...]) -> tuple[int, ...]:
    """Return the positions of the players, each a name or, where nobody has that very name, a pattern of ``*`` and ``?``."""
    fits = [
        {player} if player in names else {name for name in names if fnmatchcase(name, player)} for player in players
    ]
    return tuple(position for position, name in enumerate(names) if any(name in found for found in fits))


def hands_of(
    players: tuple[str, ...], files: Sequence[Path], game: GameDef | None, aliases: Mapping[str, str], skipped: list[Skip],
    others_too: bool = False,
) -> Iterator[tuple[str, HandRecord, tuple[int, ...]]]:  # fmt: skip
    """Yield the hands of players, or all with `others_too`: file and line, the hand, and the positions of `positions_of`.

    game, aliases, skipped: see `located_hands`. Raises `ConfigError` where there are none; it says who plays in the files.
    """
    others, none = Counter[str](), True
    for where, record in located_hands(files, game=game, aliases=aliases, skipped=skipped):
        positions = positions_of(record.names, players)
        if positions or others_too:
            none = False
            yield where, record, positions
        else:
            others.update(record.names)
    if none and not others:
        raise ConfigError(no_hands(*files, skipped=[str(skip) for skip in skipped]))
    if none:
        names = ", ".join(name for name, _ in others.most_common(NAMES_SHOWN))
        raise ConfigError(f"{', '.join(players)} plays no hand of these files; in them play {names}")


class AskedBot:
    """A bot that is made ready for each game that it is asked about."""

    def __init__(self, name: str) -> None:
        """Load the bot's config, whose game names the blinds. Raises `ConfigError`."""
        self.bot = load_bot(name)
        self.refusal = ""
        """The first reason for which the bot does not play a game; empty if there was none."""
        self._strategies = lru_cache(maxsize=GAMES_KEPT)(self._build)

    def hand_for(self, hand: HandRecord) -> HandRecord:
        """Return the hand with its chips scaled to the bot's blinds; the hand as it is where that is not exact."""
        own, game = self.bot.game, hand.state.game
        if own.num_players != game.num_players or own.blind == game.blind:
            return hand
        return scaled(hand, own) or hand

    def strategy(self, game: GameDef) -> Strategy:
        """Return the bot's strategy for a game. Raises `ConfigError` where the bot does not play it."""
        strategy = self._strategies(game)
        if strategy is None:
            raise ConfigError(self.refusal)
        return strategy

    def _build(self, game: GameDef) -> Strategy | None:
        try:
            bot = self.bot if game == self.bot.game else load_bot(self.bot.path, game)
            strategy = silenced(bot.build())
        except ConfigError as error:
            ring = "; bot 'expert' plays with any number of players" if game.num_players > 2 and is_holdem(game) else ""
            self.refusal = self.refusal or f"{error}{ring}"
            return None
        strategy.warm_up()
        return strategy


class Questions:
    """A player's decisions in archives, each with the bot for its game."""

    def __init__(self, options: Options, unknown: str = UNKNOWN_CARDS) -> None:
        """unknown: what decisions with unknown hole cards are called where they are counted."""
        self.options, self._unknown = options, unknown
        self.asked_bot = AskedBot(options.bot)
        self.skipped: Counter[str] = Counter()
        self.hands = 0

    def __iter__(self) -> Iterator[list[RecordedDecision]]:
        """Yield the decisions of each player of each hand, those that can be asked about. Counts what is left out.

        A hand without decisions of the player has an empty list.

        Raises `ConfigError` where the player is in no hand, and `ProtocolError` for files that cannot be read.
        """
        options, unread = self.options, list[Skip]()
        self.skipped.clear()
        self.hands = refused = 0
        hands = hands_of((options.player,), options.files, options.game, options.aliases, unread)
        for where, played, positions in hands:
            self.hands += 1
            record = self.asked_bot.hand_for(played)
            try:
                self.asked_bot.strategy(record.state.game)
            except ConfigError:
                refused += 1
                continue
            for position in positions:
                decisions = list(player_decisions(record, position, where))
                if decisions and not decisions[0].hole and not options.ranges:
                    self.skipped[self._unknown] += len(decisions)
                else:
                    yield decisions
        if refused:
            self.skipped[f"{OTHER_GAME}: {self.asked_bot.refusal}"] = refused
        if unread:
            self.skipped[f"{UNREAD}, the first at {unread[0]}"] = len(unread)


def ask(options: Options, report: Report = silent) -> Asked:
    """Ask a bot about the decisions that were drawn, and return how well its answers agree with what was done.

    The files are read twice: first the decisions are counted. Raises `ConfigError` and `ProtocolError`.
    """
    questions, plain, total = Questions(options), FrequencyBaseline(), 0
    for decisions in questions:
        total += len(decisions)
        for decision in decisions:
            plain.add(decision)
    asked_bot, bot = questions.asked_bot, questions.asked_bot.bot
    if not total:
        why = asked_bot.refusal or "; ".join(questions.skipped) or "the player never had to decide"
        raise ConfigError(f"{bot.name} can be asked about no decision of {options.player}: {why}")
    scored = agreement(_answers(questions, total, report), plain.without, options.shown)
    surprises = []
    for answer in scored.surprises:
        strategy = asked_bot.strategy(answer.decision.state.game)
        surprises.append(Surprise(answer, action_values(strategy, answer.decision, bot.config.seed)))
    return Asked(bot.name, questions.hands, total, dict(questions.skipped), scored, surprises)


def _answers(questions: Questions, total: int, report: Report) -> Iterator[Prediction]:
    """Yield the bot's answers to the decisions that are drawn, in order."""
    options, asked_bot = questions.options, questions.asked_bot
    is_drawn = np.ones(total, np.bool_)
    if options.decisions is not None and options.decisions < total:
        is_drawn[:] = False
        is_drawn[np.random.default_rng(options.seed).choice(total, options.decisions, replace=False)] = True
    count, done, first = int(is_drawn.sum()), 0, 0
    report(0, count)
    for decisions in questions:
        drawn = is_drawn[first : first + len(decisions)].tolist()
        first += len(decisions)
        # A range is narrowed at the decisions before; a known hand needs only those that are drawn.
        pairs = [(decision, use) for decision, use in zip(decisions, drawn, strict=True) if use or not decision.hole]
        if not any(drawn):
            continue
        strategy, seed = asked_bot.strategy(decisions[0].state.game), asked_bot.bot.config.seed
        answers = predictions(strategy, (decision for decision, _ in pairs), seed, options.coins)
        for answer, (_, use) in zip(answers, pairs, strict=True):
            if use:
                done += 1
                yield answer
                report(done, count)
