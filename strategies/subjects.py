"""The subject of a strategy, a training config or a bot, hold'em's betting trees or five-card draw, and what differs by it.

It opens training runs, describes and checks strategies' folders, chooses value functions that take luck out, and replays a hand.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import comb, prod
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from limpet.common.artifact import MANIFEST
from limpet.common.folders import data_folder, find_strategy, require_writable, shipped_strategies
from limpet.common.provenance import SOLVING, repeatable
from limpet.common.safetensors import map_tensors, write_tensors
from limpet.common.workers import Report, silent
from limpet.configs.loading import ConfigError, Document, find_config, mistakes
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.protocol.ranking import Ranking
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.card_tables import Vector, compare_tables, kept_vector
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.base.records import RowsFile, RowsSource
from limpet.strategies.base.strategy import HandStrategy, Rows, Strategy
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import game_hands, hand_space, is_holdem, require_all_cards, require_no_antes
from limpet.strategies.draw import draw_file
from limpet.strategies.draw.explanation import draw_decisions
from limpet.strategies.draw.hands import all_hands
from limpet.strategies.draw.luck import DrawValues, aivat_of_draws
from limpet.strategies.draw.training import DrawTraining
from limpet.strategies.draw.training_config import DEPTH_LIMITED
from limpet.strategies.holdem.blueprint.look import look
from limpet.strategies.holdem.blueprint.named import any_folder, kind_of, named_folder
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile, training_repeats, verify_strategy
from limpet.strategies.holdem.luck import self_play_values as by_self_play
from limpet.strategies.holdem.luck.aivat import Corrected, aivat
from limpet.strategies.holdem.luck.range_values import RangeEquity, RangeValues, SelfPlayRanges
from limpet.strategies.holdem.luck.runouts import MOST_BOARDS
from limpet.strategies.holdem.luck.self_play import SelfPlay, leaning
from limpet.strategies.holdem.luck.value_function import EquityValues, ValueFunction
from limpet.strategies.holdem.resolving.explanation import explained
from limpet.strategies.holdem.solutions.solution_file import SolutionFile
from limpet.strategies.holdem.training.run import StageProgress, TrainingRun, checkpoint_mark
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.simple import Call, Fold


class Description(NamedTuple):
    """A strategy's manifest, and facts as plain data and in words: counts, sizes and the first decision."""

    manifest: msgspec.Struct
    facts: dict[str, Any]
    lines: list[str]


def described(name: str) -> Description:
    """Return what is known of a trained strategy. Raises `ConfigError` for a solved spot, `ValueError` for damage."""
    folder = any_folder(name)
    return _drawn(folder) if kind_of(folder) == "draw" else _trained(named_folder(name))


def verified(folder: Path) -> dict[str, Any]:
    """Read every byte of a strategy's folder and check it against its manifest. Raises `ValueError` for a damaged one.

    Returns, as plain data, the numbers of rows and bytes, whether and why making it again gives the same bits, and for buckets
    of hold'em how the card tables here compare.
    """
    kind, tables = kind_of(folder), {}
    if kind == "solution":
        solution = SolutionFile.open(folder).manifest  # reads all of it
        rows, size = solution.rows, solution.size
        # Sums do not depend on threads.
        repeats, made = repeatable(solution.code, solution.versions, SOLVING, threads=1)
    elif kind == "draw":
        draw = draw_file.verify_draw_strategy(folder)
        rows, size = draw.rows, draw.manifest.size + draw.manifest.network_size
        repeats, made = draw_file.draw_training_repeats(draw.manifest)
    else:
        file = verify_strategy(folder)
        manifest = file.manifest
        rows, size, (repeats, made) = manifest.rows, manifest.size, training_repeats(manifest)
        if not isinstance(manifest.cards, Lossless):
            same, comparison = compare_tables(manifest.cards, manifest.tables, data_folder() / "tables", file.cards)
            tables = {"same_tables": same, "tables": comparison}
    return {"rows": rows, "bytes": size, "repeats": repeats, "provenance": made, **tables}


def _trained(folder: Path) -> Description:
    file = StrategyFile.open(folder)
    manifest, tree, start = file.manifest, file.tree, look(file)
    repeats, made = training_repeats(manifest)
    rounds = tree.round[tree.decisions]
    facts: dict[str, Any] = {
        "folder": str(file.folder),
        "nodes": tree.num_nodes,
        "decisions": len(tree.decisions),
        "decisions_by_round": [int((rounds == round_).sum()) for round_ in range(file.game.num_rounds)],
        "buckets_by_round": [int(file.cards.num_buckets(round_)) for round_ in range(file.game.num_rounds)],
        "numbers": len(file.stored),
        "repeats": repeats,
        "provenance": made,
        "untrained_percent": round(100 * manifest.untrained_rows / max(manifest.rows, 1), 3),
        "first_decision": _first_decision(start.position, tree.actions(0), start.frequencies),
    }
    by_round = {of: ", ".join(f"{count:,}" for count in facts[f"{of}_by_round"]) for of in ("decisions", "buckets")}
    lines = [
        f"tree: {facts['nodes']:,} nodes, {facts['decisions']:,} decisions ({by_round['decisions']} by round)",
        f"buckets: {by_round['buckets']} by round",
        f"stored: {facts['numbers']:,} numbers of {manifest.bits} bits in {manifest.size:,} bytes",
        f"never reached in training: {facts['untrained_percent']:.2f} % of {manifest.rows:,} rows",
    ]
    return Description(manifest, facts, lines)


def _drawn(folder: Path) -> Description:
    file = draw_file.DrawStrategyFile.open(folder)
    trees, start = file.trees, State.start(file.game)
    repeats, made = draw_file.draw_training_repeats(file.manifest)
    first, second = len(trees.first.decisions), len(trees.second.decisions)
    facts = {
        "folder": str(folder),
        "decisions_by_round": [first, second],
        "draws": len(trees.continuations),
        "second_rounds": trees.leaves,
        "rows": file.rows,
        "repeats": repeats,
        "provenance": made,
        "first_decision": _first_decision(
            start.actor, draw_file.legal_actions(start), file.betting(0) @ all_hands().weights
        ),
    }
    lines = [
        f"first round: {first} decisions; {facts['draws']} draws of each player",
        f"second round: {second} decisions in each of {trees.leaves} by the betting and the discards before it",
        f"stored: {file.rows:,} rows in {file.manifest.size:,} bytes",
    ]
    return Description(file.manifest, facts, lines)


def _first_decision(position: int, actions: Iterable[Action], shares: Iterable[float]) -> dict[str, Any]:
    parts = zip(actions, shares, strict=True)
    return {"position": position, "actions": {str(action): round(float(part), 6) for action, part in parts}}


def load_run(name_or_path: str, output: Path | None = None) -> TrainingRun[Any]:
    """Read a training config of either kind. Raises `ConfigError`."""
    config = Document.read(find_config("training", name_or_path)).data
    is_draw = isinstance(config, dict) and config.get("algorithm") == DEPTH_LIMITED
    kind: type[TrainingRun[Any]] = DrawTraining if is_draw else Training
    return kind.load(name_or_path, output)


def with_checkpoint(runs: Sequence[TrainingRun[Any]], checkpoint: Path | None) -> Sequence[TrainingRun[Any]]:
    """Return the runs that a copy of a checkpoint belongs to; without one, those that have a checkpoint of their own.

    Where there is none, return the first run, whose error names the file.
    """
    if checkpoint is None:
        return [run for run in runs if run.checkpoint.exists()] or runs[:1]
    mark = checkpoint_mark(checkpoint)
    return [run for run in runs if run.fingerprint == mark] or runs[:1]


def train(
    config: str | Path, output: str | Path | None = None, resume: bool = False,
    report: Callable[[StageProgress], None] = lambda progress: None, stop: Callable[[], bool] = lambda: False,
) -> list[Path]:  # fmt: skip
    """Train a strategy by a config and return its folder; a folder for each position where opponents have other bets.

    Args:
        config: training config that ships, by name, or a YAML file.
        output: the strategy's folder; by default one of the config's name, where bots find it.
        resume: go on from the run's last checkpoint where there is one.
        report: called several times a second with the progress.
        stop: asked now and then whether to stop; the strategy so far is written, and its checkpoint stays.

    Raises `ConfigError` for a config that is wrong and an output that cannot be written, and `ValueError` where an earlier run is
    unfinished and `resume` is False.
    """
    folders = []
    for run in load_run(str(config), None if output is None else Path(output)).runs():
        require_writable(run.output)
        goes_on = resume and run.checkpoint.exists()
        run.check_checkpoint(goes_on, f"train {config}")
        run.report = report
        run.prepare()
        _, finished = run.carry_out(goes_on, stop)
        folders.append(run.output)
        if not finished:
            break
    return folders


def explained_hand(match: MatchState, hand: HandStrategy, file: RowsFile | None = None) -> Iterator[Any]:
    """Yield a player's decisions of a hand, of a game that `check_explained` lets pass.

    They are `ExplainedDecision` in hold'em, and `DrawDecision` in five-card draw; `data` of each is plain data.

    file: what the player played by, where it was kept. Raises `ConfigError` for a file without the hand.
    """
    if match.state.game.num_draws:
        return draw_decisions(match, hand)
    position, hole = match.position, match.holes[match.position]

    def kept(state: State, action: Action) -> Rows:
        assert file is not None
        with mistakes():
            row = file.played(match.hand, state, position, hole, action)
        return Rows(row.actions, row.probabilities.astype(np.float32))

    return explained(hand, position, match.state, hole, None if file is None else kept)


def check_explained(name: str, game: GameDef, kept: bool, pictures: bool) -> None:
    """Raise `ConfigError` for games whose ranges are not shown, and for what is not there for a game.

    The bot is called by the user's name for it. Rows that it kept, and pictures of the ranges, may be asked for.
    """
    draws = bool(game.num_draws) and game_hands(game) == hand_space(k=5) and game.ranking is Ranking.HIGH
    if not (draws or is_holdem(game)) or game.num_players != 2:
        raise ConfigError(
            f"{name}: ranges are for heads-up hold'em and five-card draw; this bot plays another game; limpet move {name} "
            "MATCHSTATE:... --json says what it does with the hand held"
        )
    if draws and pictures:
        raise ConfigError(
            f"{name}: --png draws hold'em's 169 classes of starting hands, and five-card hands have no such picture; leave "
            "it out: the table and --json have both ranges and every action by category of hand"
        )
    if draws and kept:
        raise ConfigError(
            f"{name}: --rows reads what hold'em bots keep, and no bot keeps rows of draws; leave it out: the hand is worked "
            "out again"
        )


EQUITY = "equity"
CALLING = 0.3
"""Probability with which the value function of hold'em has the other check or call, whatever the strategy says. Few
opponents fold as the strategy does. Chosen on matches of one seed (docs/evaluate.md); 0 is best in self-play."""
MOST_DEALS = 100_000
"""Most deals of the others' hands that the mean before the deal is summed over."""
MODEL_FORMAT = "limpet-values/1"
Values = ValueFunction | DrawValues


def named_values(game: GameDef, name: str, relative_to: Path, report: Report = silent) -> Values:
    """Return the values of ``equity``, or of a strategy file in self-play. Raises `ValueError` for another game's file.

    report: called with the numbers of flops done and of all, while a model is fitted the first time that it is needed.
    """
    if name == EQUITY:
        return equity_values(game)
    if game.num_draws:
        raise ValueError(f"the baseline of draw poker is '{EQUITY}'; a strategy's values are for games with boards")
    if game.num_players != 2:
        raise ValueError(
            f"the baseline of a strategy is for two players, and {game.num_players} play here; the baseline '{EQUITY}' is for "
            "small games of more"
        )
    return self_play_values(StrategyFile.open(find_strategy(name, relative_to)), game, report)


def values_for(strategy: Strategy, report: Report = silent) -> Values:
    """Return the values that suit a player: of its strategy file or blueprint in self-play, or equity if it has none."""
    game = strategy.game
    blueprint = getattr(strategy, "blueprint", strategy)
    if isinstance(blueprint, Blueprint) and game.num_players == 2:
        return self_play_values(blueprint.file, game, report)
    return equity_values(game)


def equity_values(game: GameDef) -> Values:
    """Return the values of equity. Raises `ValueError` for true antes, and too many deals or boards to be summed over."""
    require_no_antes(game)
    require_all_cards(game)
    return DrawValues(game) if game.num_draws else board_equity(game)


def board_equity(game: GameDef) -> EquityValues:
    """Return the values of equity of a game without draws. Raises `ValueError` as `equity_values`, and for draws."""
    if game.num_draws:
        raise ConfigError("AIVAT takes the luck out of games with a board here; `limpet aivat` does it for draws")
    require_all_cards(game)
    require_no_antes(game)
    cards, held, others = len(game.deck), game.num_hole_cards, game.num_players - 1
    deals = prod(comb(cards - held * player, held) for player in range(others))
    by_table = others == 1 and is_holdem(game, whole=True)  # by the table of preflop equities
    boards = 1 if by_table else comb(cards - held * others, sum(game.num_board_cards))
    if deals > MOST_DEALS or boards > MOST_BOARDS:
        raise ValueError(
            f"with {game.num_players} players there are {deals:,} deals of the others' hands and {boards:,} boards, too "
            "many to sum over; luck is taken out of heads-up hold'em and of small games"
        )
    return EquityValues(game)


def baseline_that_ships(game: GameDef) -> str:
    """Return the name of a strategy that ships for a game of two players, else that of `equity`."""
    manifests = sorted(shipped_strategies().glob(f"*/{MANIFEST}")) if game.num_players == 2 else ()
    for manifest in manifests:
        with suppress(ValueError):
            StrategyFile.open(manifest.parent).check_game(game)
            return manifest.parent.name
    return EQUITY


def self_play_values(file: StrategyFile, game: GameDef, report: Report) -> by_self_play.SelfPlayValues:
    """Return the values of a strategy file. Raises `ValueError` as `StrategyFile.check_game` and `SelfPlay`."""
    file.check_game(game)
    if not is_holdem(game, whole=True):
        return by_self_play.SelfPlayValues(SelfPlay(file), None)
    # Thousands of boards are asked for: where training has left tables of buckets, they are looked up.
    vector = kept_vector(file.manifest.cards, file.cards, data_folder() / "tables")
    return by_self_play.SelfPlayValues(SelfPlay(file, CALLING, vector), _kept_model(file, vector, report))


def luck_free(record: HandRecord, position: int, values: Values, rows: Mapping[int, RowsSource]) -> Corrected:
    """Return a hand's result by AIVAT with the rows of the known positions; without any, less the cards' luck alone."""
    if isinstance(values, DrawValues):
        return aivat_of_draws(record, position, values, rows)
    return aivat(record, position, values, rows, cards_only=not rows)


def range_values(values: Values, opponent: Strategy | None = None) -> RangeValues | None:
    """Return the same value function of two ranges, for two players who are both known.

    None for more than two players, and for games with too many hands and boards to sum over in pairs.

    opponent: where it is `Call` or `Fold`, the value function has it play so; any other plays as the values' strategy.
    """
    game = values.game
    if game.num_players != 2 or game.num_hole_cards > 2:
        return None
    assert isinstance(values, ValueFunction)  # those of draws are of games with more hole cards
    try:
        range_equity(game, (), np.ones(values.space.size))
    except ValueError:
        return None
    if not isinstance(values, by_self_play.SelfPlayValues):
        return RangeEquity(game)
    kinds = "c" if isinstance(opponent, Call) else "fc" if isinstance(opponent, Fold) else None
    play = values.play
    return SelfPlayRanges(values, None if kinds is None else leaning(play.file, play.table, 1.0, kinds))


def _kept_model(file: StrategyFile, vector: Vector | None, report: Report) -> by_self_play.FlopModel:
    """Return the model of a strategy file, which is fitted once and kept in the data folder under the file's hash."""
    path = (
        data_folder()
        / "values"
        / f"{file.manifest.sha256[:20]}-{by_self_play.MODEL_FLOPS}-{by_self_play.MODEL_RUNOUTS}.safetensors"
    )
    if path.is_file():
        tensors, metadata = map_tensors(path)
        if metadata.get("format") == MODEL_FORMAT and set(tensors) == set(by_self_play.FlopModel._fields):
            return by_self_play.FlopModel(**{name: np.array(array, np.float64) for name, array in tensors.items()})
    model = by_self_play.fit_flop_model(SelfPlay(file, vector=vector), report=report)
    write_tensors(path, model._asdict(), {"format": MODEL_FORMAT, "strategy": file.manifest.name})
    return model
