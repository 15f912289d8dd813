"""The measures that suit a bot, each a command that anybody can repeat. They are run one by one.

What has been measured is kept, so that a stopped evaluation goes on. The report is one table of all results, then each measure
with its command.
"""

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from limpet.common.folders import find_strategy
from limpet.configs.loading import ConfigError, find_config, mistakes
from limpet.dealer.matches.match import TERMS_FILE
from limpet.dealer.matches.matchconfig import why_not
from limpet.dealer.matches.results import ResultRow, half_text, half_width, interval_around
from limpet.dealer.measures.lbr import usual_start
from limpet.dealer.measures.match_luck import spread_texts
from limpet.dealer.reports import report_document as doc
from limpet.dealer.table.files import write_json
from limpet.protocol.ranking import Ranking
from limpet.strategies.base.botconfig import Bot
from limpet.strategies.cards.boards import count_boards
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.holdem.measures.real_response import MOST_EXACT, deals_taken
from limpet.strategies.players.blueprint import Blueprint

EVALUATION_FILE = "evaluation.json"
Kind = Literal["exploit", "preflop", "duel", "match", "aivat", "lbr", "lbr-ranges"]
PASSIVE = ("call", "fold")
OPPONENTS = ("call", "fold", "raise")
LUCKY = "call"
"""Opponent whose match is also evaluated with AIVAT. The match against `--against` always is."""
SMALL_TIMES = 10
LBR_CONFIG = "lbr.yaml"


class Settings(NamedTuple):
    """Numbers of boards of a full-range duel, of duplicate sets of a compiled match, and of hands that the measures play.

    Attributes:
        slow_sets: duplicate sets of any other match, such as with LBR; in small games `SMALL_TIMES` as many.
        luck_hands: hands of each seating that AIVAT evaluates, some tenths of a second each; also `SMALL_TIMES` as many.
        deals: deals of the bounds with real cards, as `limpet strategy exploit` takes them; None leaves them out of large games.
    """

    seed: int
    boards: int
    compiled_sets: int
    slow_sets: int
    luck_hands: int
    deals: tuple[int, ...] | None


THOROUGH = Settings(seed=1, boards=500, compiled_sets=20_000, slow_sets=500, luck_hands=250, deals=None)
QUICK = Settings(seed=1, boards=50, compiled_sets=2_000, slow_sets=50, luck_hands=25, deals=None)


class EvaluationPart(NamedTuple):
    """One measure of an evaluation: a command, and its names in ``evaluation.json`` and in the report.

    Attributes:
        command: the command's words without ``limpet``, `--json` and `--output`.
        output: folder of a match, inside that of the report.
        against: fingerprint of the bot of `--against`, if this part is played against it.
    """

    name: str
    kind: Kind
    title: str
    command: tuple[str, ...]
    output: str = ""
    against: str = ""

    @property
    def command_line(self) -> str:
        return shlex.join(("limpet", *self.command))


class Done(msgspec.Struct, frozen=True):
    """A part that was measured, with the JSON that the command printed, and its `EvaluationPart.against`."""

    command: str
    seconds: float
    answer: Any
    against: str = ""


class EvaluationRecord(msgspec.Struct, frozen=True):
    """The content of ``evaluation.json``, with the fingerprint of the bot and of its strategy when it was measured."""

    bot: str
    config: str
    fingerprint: str
    parts: dict[str, Done] = {}

    def done(self, part: EvaluationPart) -> Done | None:
        """Return a part, if it was measured by the same command and against the same bot."""
        stored = self.parts.get(part.name)
        asked = part.command_line, part.against
        return stored if stored and (stored.command, stored.against) == asked else None


class Failed(Exception):
    """A command that did not answer. The message names it and repeats what it said."""


def parts(bot: Bot, folder: Path, settings: Settings, against: Bot | None = None) -> Iterator[EvaluationPart]:
    """Yield the measures that suit a bot, quick ones first. Builds its strategy and that of `against`, of the same game.

    The report's folder holds the config of the local best response to the bot. Raises `ConfigError` for bots that cannot
    be used.
    """
    game = bot.game
    small = not game.num_draws and count_boards(game) <= MOST_EXACT
    if small:
        slow_sets, luck_hands = SMALL_TIMES * settings.slow_sets, SMALL_TIMES * settings.luck_hands
        settings = settings._replace(slow_sets=slow_sets, luck_hands=luck_hands)
    strategy = _strategy(bot) if game.num_players == 2 else None
    if strategy is not None:
        yield from _strategy_parts(bot, strategy[0], small, settings)
    table = why_not("compiled", bot) is None
    # AIVAT needs rows that depend on no clock, and a game whose hands and runouts can be counted.
    ranked = game.ranking is Ranking.HIGH and not game.hole_cards_used
    explained = ranked and (small or game.num_players == 2) and getattr(bot.options(), "bank", None) is None
    config, other = _config(bot), "" if against is None else _config(against)
    duels, matches, luck = [], [], []
    for word, title, theirs, named in _opponents(against, other):
        mark = "" if named is None else named.fingerprint()
        their_strategy = ((theirs, ()) if theirs in PASSIVE else None) if named is None else _strategy(named)
        if strategy is not None and their_strategy is not None:
            name, options = strategy
            boards = ("--boards", str(settings.boards), "--seed", str(settings.seed))
            command = ("strategy", "duel", name, their_strategy[0], *boards, *options)
            duels.append(EvaluationPart(f"duel-{word}", "duel", f"Full ranges against {title}", command, against=mark))
        compiled = table and (named is None or why_not("compiled", named) is None)
        lucky = explained and (named is not None or theirs in (LUCKY, other))
        how: tuple[str, ...] = ("--compiled",) if compiled else ("--in-process",)
        if compiled and lucky:
            how += ("--log",)  # however many hands there are: AIVAT reads the log
        match = _match(f"match-{word}", "match", f"Match against {title}", bot, theirs, how, settings)
        if mark:
            # Once the opponent has changed its match is another one, which does not go on where that stopped.
            match = match._replace(output=f"{match.output}-{mark}", against=mark)
        matches.append(match)
        if lucky:
            log = str(folder.resolve() / match.output)
            command = ("aivat", log, "--bot", config, "--hands", str(settings.luck_hands))
            titled = f"Against {title}, with the luck taken out"
            luck.append(EvaluationPart(f"luck-{word}", "aivat", titled, command, against=mark))
    yield from (*duels, *matches, *luck)
    if ranked and game.num_players == 2 and not game.num_draws:  # a local best response follows ranges over boards
        start = usual_start(bot)
        title = f"Local best response ({start} on)"
        if start == "turn":
            hands = ("--hands", str(settings.slow_sets), "--seed", str(settings.seed))
            yield EvaluationPart("lbr", "lbr-ranges", title, ("lbr", config, "--full-ranges", *hands), "lbr")
        else:
            lbr = str(folder.resolve() / LBR_CONFIG)
            yield _match("lbr", "lbr", title, bot, lbr, ("--in-process",), settings)


def _opponents(against: Bot | None, other: str) -> list[tuple[str, str, str, Bot | None]]:
    """Return each opponent's word in the names of parts, title and config, and the bot itself where it does not ship.

    other: how a command line names `against`.
    """
    opponents: list[tuple[str, str, str, Bot | None]] = [(name, name, name, None) for name in OPPONENTS]
    if against is not None and other not in OPPONENTS:
        word = "".join(letter if letter.isalnum() or letter in "-." else "-" for letter in against.name)
        title = other if against.name in OPPONENTS else against.name  # a bot of one's own may be called call
        opponents.append((f"against-{word}", title, other, against))
    return opponents


def _strategy_parts(bot: Bot, name: str, small: bool, settings: Settings) -> Iterator[EvaluationPart]:
    """Yield the measures of a strategy file for two players, which commands call `name`, by itself."""
    if "," in name:
        return
    game, seed = bot.game, ("--seed", str(settings.seed))
    if small or settings.deals is not None:
        deals: tuple[str, ...] = ()
        if not small and settings.deals is not None:
            with mistakes():
                deals_taken(game, settings.deals)
            deals = ("--deals", ",".join(map(str, settings.deals)), *seed)
        yield EvaluationPart("exploit", "exploit", "What a best answer wins", ("strategy", "exploit", name, *deals))
    if is_holdem(game) and not game.num_board_cards[0]:
        boards = ("--boards", str(settings.boards), *seed)
        yield EvaluationPart("preflop", "preflop", "Before the flop", ("strategy", "preflop", name, *boards))


def _match(
    name: str, kind: Kind, title: str, bot: Bot, other: str, how: tuple[str, ...], settings: Settings
) -> EvaluationPart:
    """Return a match of the bot against as many of `other` as the game seats, with the options `how`."""
    hands = settings.compiled_sets if "--compiled" in how else settings.slow_sets
    rest = (other,) * (bot.game.num_players - 1)
    played = ("--duplicate", *how, "--hands", str(hands), "--seed", str(settings.seed))
    return EvaluationPart(name, kind, title, ("match", _config(bot), *rest, *played), f"{name}-{hands}-{settings.seed}")


def _config(bot: Bot) -> str:
    """Return how a command line names a bot: by its name if it ships, else by its file."""
    with suppress(ConfigError):
        if find_config("bots", bot.path.stem) == bot.path:
            return bot.path.stem
    return str(bot.path.resolve())


def _strategy(bot: Bot) -> tuple[str, tuple[str, ...]] | None:
    """Return a bot's strategy as commands name it, and the options with which a duel reads it as the bot does.

    None for a bot without a strategy file.
    """
    options = bot.options()
    if not isinstance(options, Blueprint.Options):
        return None
    names = (options.strategy,) if isinstance(options.strategy, str) else options.strategy
    strategies = []
    try:
        for name in names:
            strategy = find_strategy(name, bot.path.parent)
            # A path is made one that holds from anywhere.
            strategies.append(f"{strategy.resolve()}/" if "/" in name or "\\" in name else name)
    except ValueError as error:
        raise ConfigError(f"{bot.path}: {error}") from error
    how = [] if options.translation == "pseudo-harmonic" else ["--translation", options.translation]
    how += ["--purify"] if options.purify else []
    how += ["--threshold", f"{options.threshold:g}"] if options.threshold else []
    return ",".join(strategies), tuple(how)


def open_evaluation(bot: Bot, folder: Path) -> EvaluationRecord:
    """Return what the folder holds of this bot, else an empty evaluation. Raises `ConfigError` for another bot's folder."""
    mark, path = bot.fingerprint(), folder / EVALUATION_FILE
    if not path.exists():
        return EvaluationRecord(bot.name, str(bot.path), mark)
    try:
        evaluation = msgspec.json.decode(path.read_bytes(), type=EvaluationRecord)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path}: cannot read it: {error}; name another folder with --output") from error
    if evaluation.fingerprint != mark:
        raise ConfigError(
            f"{path}: {evaluation.bot} was another bot when it was measured: its config or its strategy has changed; "
            "name another folder with --output"
        )
    return evaluation


def measure(evaluation: EvaluationRecord, part: EvaluationPart, folder: Path) -> EvaluationRecord:
    """Measure one part, write the file and return the evaluation with it. Raises `Failed`."""
    began = time.monotonic()
    answer = ask(part, folder)
    done = Done(part.command_line, round(time.monotonic() - began, 3), answer, part.against)
    measured = msgspec.structs.replace(evaluation, parts={**evaluation.parts, part.name: done})
    write_json(folder / EVALUATION_FILE, measured)
    return measured


def ask(part: EvaluationPart, folder: Path) -> Any:
    """Run a part's command in a process of its own, which shows its progress on the terminal. Raises `Failed`."""
    command = [
        sys.executable,
        "-P",  # no module is taken from the folder that this is run from
        "-c",
        "from limpet.bot.cli import main; main(prog_name='limpet')",
        *part.command,
        "--json",
    ]
    if part.output:
        played = folder / part.output
        command += ["--output", str(played)]
        if "--compiled" in part.command:
            (played / TERMS_FILE).unlink(missing_ok=True)  # a compiled match that was stopped begins anew
        elif (played / TERMS_FILE).exists():
            command.append("--resume")
    stderr = None if sys.stderr.isatty() else subprocess.PIPE
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, stdin=subprocess.DEVNULL, check=False)
    with suppress(ValueError):
        if run.returncode == 0:
            return json.loads(run.stdout)
    error_lines = (run.stderr or b"").decode("utf-8", "replace").strip().splitlines()
    raise Failed(f"{part.command_line}: exit status {run.returncode}" + (f": {error_lines[-1]}" if error_lines else ""))


MEANINGS: dict[Kind, str] = {
    "exploit": "What a best answer that knows the strategy wins from it, inside the strategy's betting tree, in mbb/g.",
    "preflop": "How the strategy opens and defends, beside the bounds of what strong players do with deep stacks.",
    "duel": "What it wins when on each board all hands play against all hands; only the boards are left to chance.",
    "match": "What it wins in a duplicate match; the interval counts duplicate sets.",
    "aivat": "The first hands of that match again, with the luck of the cards and of its own draws taken out (AIVAT): the "
    "same expectation, whoever the opponent is, and a smaller interval. A sample is a deal in both seatings.",
    "lbr": "What a player wins from it who knows its strategy and looks one bet ahead. A win shows that it can be exploited by "
    "at least as much; a loss shows nothing.",
    "lbr-ranges": "What such a player wins with all hands against all hands on the boards dealt.",
}


def numbers(part: EvaluationPart, answer: Any) -> list[ResultRow]:
    """Return the results of a measure, the one that counts first."""
    match part.kind:
        case "exploit":
            bounds = answer["exploitability_mbb_per_game"]
            if answer["exact"]:
                return [_estimate("exploitability", bounds["below"], exact=True)]
            return [_estimate("exploitability, at least", bounds["below"]), _estimate("at most", bounds["above"])]
        case "preflop":
            value = answer["button_wins_mbb_per_game"]
            return [] if value is None else [_estimate("the button wins from itself", value)]
        case "duel":
            seats = [_estimate(f"position {number}", seat) for number, seat in enumerate(answer["by_position"])]
            return [_estimate("both positions", answer["mbb_per_game"]), *seats]
        case "match" | "lbr":
            player = answer["players"][1 if part.kind == "lbr" else 0]
            return [_rate(player["name"], player)]
        case "lbr-ranges":
            return [_rate("lbr", row) for row in answer]
        case "aivat":
            return [_rate(answer["player"], row, f", {row['estimator']}") for row in reversed(answer["estimators"])]


def _estimate(what: str, estimate: Any, exact: bool = False) -> ResultRow:
    if isinstance(estimate, float):  # older evaluations did not keep the interval of a bound
        return _number(what, estimate, 0 if exact else None)
    return _number(what, estimate["mean"], estimate["half_width"])


def _rate(name: str, row: dict[str, Any], how: str = "") -> ResultRow:
    return _number(f"{name} wins{how}", row["mbb_per_game"], half_width(row["interval_95"]))


def _number(what: str, mean: float, half: float | None) -> ResultRow:
    """Return a result in mbb/g. `half` is half its 95 % interval, 0 for an exact result, None where it is not known."""
    shown = f"{mean:+,.6g}" if half == 0 else f"{mean:+,.1f} ± {half_text(half)}"
    return ResultRow(what, mean, interval_around(mean, half), shown=shown)


def evaluation_document(
    evaluation: EvaluationRecord, parts: Iterable[EvaluationPart], failures: dict[str, str]
) -> Iterator[doc.Block]:
    """Yield the whole report. failures: by name of a part, why it was not measured."""
    listed, rows = [], []
    for part in parts:
        done = evaluation.done(part)
        results = numbers(part, done.answer) if done else []
        listed.append((part, done, results))
        cells = (results[0].name, results[0].text) if results else ("", "see there" if done else "not measured")
        rows.append((doc.Link(part.title, part.name), *cells))
    yield doc.Heading(1, f"How good is {evaluation.bot}?")
    yield doc.Paragraph(
        f"{doc.config_cell(evaluation.config).text}, {evaluation.fingerprint}. All rates are in mbb/g, intervals are 95 %."
    )
    yield doc.Heading(2, "All measures", "all")
    yield doc.Sheet(("measure", "what", "mbb/g"), tuple(rows))
    if bars := tuple(results[0]._replace(name=part.title) for part, _, results in listed if results):
        yield doc.BarChart("measures", "The first number of each measure in mbb/g, with its 95 % interval", bars)
    for part, done, results in listed:
        yield doc.Heading(2, part.title, part.name)
        yield doc.Paragraph(MEANINGS[part.kind])
        yield doc.verbatim(part.command_line)
        if done is None:
            yield doc.Paragraph(f"Not measured: {failures.get(part.name, 'the evaluation was stopped before')}")
        else:
            yield from _part(part, done, results)


def _part(part: EvaluationPart, done: Done, results: list[ResultRow]) -> Iterator[doc.Block]:
    answer = done.answer
    if results:
        yield doc.Sheet(("what", "mbb/g"), tuple((number.name, number.text) for number in results))
    if part.kind == "aivat":
        spreads = tuple((row["estimator"], *spread_texts(row)) for row in answer["estimators"])
        yield doc.Sheet(("estimator", "sd of a deal, bb", "of raw", "deals for ±50 mbb/g"), spreads)
    if part.kind == "preflop" and (verdicts := answer["verdicts"]):
        yield doc.Sheet(("what", "value", "bounds", "unit", "inside"), tuple(map(_verdict, verdicts)))
    if part.kind in ("match", "lbr"):
        kinds = list(dict.fromkeys(kind for player in answer["players"] for kind in player["report"]))
        rows = tuple(
            (player["name"], *(f"{player['report'][kind]:,}" if kind in player["report"] else "-" for kind in kinds))
            for player in answer["players"]
        )
        if kinds:
            yield from (doc.Paragraph("Look-up misses and fallbacks:"), doc.Sheet(("player", *kinds), rows))
    yield doc.Paragraph(f"It took {done.seconds:,.1f} s.")


def _verdict(verdict: dict[str, Any]) -> tuple[str, ...]:
    value = "-" if verdict["value"] is None else f"{verdict['value']:,.1f}"
    if half_width := verdict.get("half_width"):  # older answers have none
        value += f" ± {half_width:,.1f}"
    bounds, inside = f"{verdict['low']:g} … {verdict['high']:g}", {True: "yes", False: "no", None: "open"}
    return verdict["what"], value, bounds, verdict["unit"], inside[verdict["holds"]]
