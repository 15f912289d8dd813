"""``limpet strategy``: look into strategy files, check them, compare them, and measure how good they are."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.configs.loading import ConfigError, Document

if TYPE_CHECKING:
    from limpet.protocol.gamedef import GameDef
    from limpet.strategies.blueprint.look import Look
    from limpet.strategies.blueprint.strategy_file import StrategyFile
    from limpet.strategies.solutions.answer import Decision
    from limpet.strategies.solving.simulation import Estimate

DAMAGED = 1
PASSIVE = ("call", "fold")
NAMES = "A strategy is named as in a bot's config: one that ships or that you trained, or the path of its folder."

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress, only the result.")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Which boards are drawn."
)
threads_option = click.option(
    "--threads", type=click.IntRange(min=1), help="Default: all cores. The result does not depend on it."
)


@click.group(
    epilog=f"""\b
Examples:
  limpet strategy show hunl-200bb-first
  limpet strategy grid hunl-200bb-first r300          what the big blind does against a raise to 300
  limpet strategy duel hunl-200bb-first call          what it wins from a player who checks and calls
  limpet strategy COMMAND --help                      everything about a command

{NAMES}"""
)
def strategy() -> None:
    """Look into strategy files, check them, compare them, and measure how good they are."""


@strategy.command(
    epilog="""\b
Examples:
  limpet strategy show kuhn
  limpet strategy show ./my/folder --json

\b
Exit status: 0 shown; 2 there is no such strategy or it is damaged, and one line says why."""
)
@click.argument("name")
@as_json_option
def show(name: str, as_json: bool) -> None:
    """Print what a strategy is for, how it was made, how large it is, and what it does at the start of a hand."""
    import msgspec

    from limpet.configs.loading import yaml_text
    from limpet.strategies.blueprint.look import look

    with _mistakes():
        file = _open(name)
        start = look(file)
    manifest, tree = file.manifest, file.tree
    facts: dict[str, Any] = {
        "folder": str(file.folder),
        "nodes": tree.num_nodes,
        "decisions": len(tree.decisions),
        "decisions_by_round": _by_round(file),
        "buckets_by_round": [int(file.cards.num_buckets(round_)) for round_ in range(file.game.num_rounds)],
        "numbers": len(file.stored),
        "untrained_percent": round(100 * manifest.untrained_rows / max(manifest.rows, 1), 3),
        "first_decision": {
            "position": start.position,
            "actions": {
                str(action): round(float(part), 6)
                for action, part in zip(tree.actions(0), start.frequencies, strict=True)
            },
        },
    }
    if as_json:
        click.echo(json.dumps({"manifest": msgspec.to_builtins(manifest), **facts}, indent=2))
        return
    click.echo(yaml_text(msgspec.to_builtins(manifest)), nl=False)
    click.echo(f"\nfolder: {file.folder}")
    click.echo(
        f"tree: {tree.num_nodes:,} nodes, {len(tree.decisions):,} decisions "
        f"({', '.join(f'{count:,}' for count in facts['decisions_by_round'])} by round)"
    )
    click.echo(f"buckets: {', '.join(f'{count:,}' for count in facts['buckets_by_round'])} by round")
    click.echo(f"stored: {len(file.stored):,} numbers of {manifest.bits} bits in {manifest.size:,} bytes")
    click.echo(f"never reached in training: {facts['untrained_percent']:.2f} % of {manifest.rows:,} rows")
    line = ", ".join(f"{action} {100 * part:.1f} %" for action, part in facts["first_decision"]["actions"].items())
    click.echo(f"first decision, position {start.position}: {line}")


@strategy.command(
    epilog="""\b
Examples:
  limpet strategy verify hunl-200bb-first
  limpet strategy verify downloads/new/ kuhn leduc

\b
Exit status: 0 all are sound; 1 one is damaged, and a line says which file and how; 2 there is no such strategy."""
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@as_json_option
def verify(names: tuple[str, ...], as_json: bool) -> None:
    """Read whole strategies and check every byte, every row and the tree against the manifest.

    A bot does this by itself the first time it uses a copy; later it checks sizes, header and tree only, which takes
    milliseconds. Run this when a disk may have lost bits.
    """
    from limpet.strategies.blueprint.strategy_file import verify_strategy

    with _mistakes():
        folders = [_folder(name) for name in names]
    results = []
    for name, folder in zip(names, folders, strict=True):
        try:
            file = verify_strategy(folder)
            results.append({"strategy": name, "sound": True, "rows": file.manifest.rows, "bytes": file.manifest.size})
        except ValueError as error:
            results.append({"strategy": name, "sound": False, "error": str(error)})
    if as_json:
        click.echo(json.dumps(results, indent=2))
    else:
        for result in results:
            told = (
                f"sound, {result['rows']:,} rows in {result['bytes']:,} bytes" if result["sound"] else result["error"]
            )
            click.echo(f"{result['strategy']}: {told}")
    if not all(result["sound"] for result in results):
        sys.exit(DAMAGED)


@strategy.command(
    epilog="""\b
Examples:
  limpet strategy diff old new
  limpet strategy diff old new --boards 40 --lines 30 --json

\b
Exit status: 0 compared, alike or not; 2 they are for two games, or there is no such strategy."""
)
@click.argument("first")
@click.argument("second")
@click.option("--boards", type=click.IntRange(min=1), default=4, show_default=True, help="Boards to compare on.")
@click.option("--lines", type=click.IntRange(min=0), default=12, show_default=True, help="Decisions to list.")
@seed_option
@as_json_option
@quiet_option
def diff(first: str, second: str, boards: int, lines: int, seed: int, as_json: bool, quiet: bool) -> None:
    """Show where two strategies differ, and how much that matters.

    Bettings that both trees have are compared hand by hand on sampled boards (on all, in small games), so that menus and
    card abstractions may differ. The distance of two rows is half the sum of their differences: 0 is alike, 1 is never
    the same action. Decisions count by how often they come up when both players play FIRST.
    """
    from limpet.strategies.blueprint.difference import difference

    with _mistakes():
        one, two = _open(first), _open(second)
        with _progress("comparing", "boards", quiet) as report:
            found = difference(one, two, boards, seed, report)
    if as_json:
        streets = [
            {"round": number, "decisions_a_hand": street.reach, "shared": street.shared, "distance": street.distance}
            for number, street in enumerate(found.streets)
        ]
        nodes = [node._asdict() for node in found.nodes[:lines]]
        click.echo(json.dumps({"boards": found.boards, "exact": found.exact, "streets": streets, "nodes": nodes}))
        return
    click.echo(
        f"{first} (first) against {second} on {found.boards:,} {'boards, all there are' if found.exact else 'boards'}"
    )
    click.echo("round  decisions a hand  in both trees  distance")
    for number, street in enumerate(found.streets):
        part = 100 * street.shared / street.reach if street.reach else 0.0
        click.echo(f"{number:<5}  {street.reach:16.3f}  {part:11.1f} %  {street.distance:8.4f}")
    apart = [node for node in found.nodes if node.distance > 0][:lines]
    if apart:
        click.echo("\nwhat adds most: how often, how far apart, what the first and the second do")
    for node in apart:
        of_both = zip(node.actions, node.first, node.second, strict=True)
        told = ", ".join(f"{action} {100 * a:.1f}/{100 * b:.1f}" for action, a, b in of_both)
        click.echo(f"  {node.betting or '(start)':<16} {100 * node.reach:6.2f} %  {node.distance:.4f}  {told}")


@strategy.command(
    epilog="""\b
Examples:
  limpet strategy grid hunl-200bb-first                            the first decision
  limpet strategy grid hunl-200bb-first r300c/ --board Ks7h2d      big blind to act on the flop
  limpet strategy grid hunl-200bb-first r300 --svg bb-defence.svg

\b
LINE is the betting as on the wire: f, c, and r with the chips raised to over the whole hand.
Exit status: 0 drawn; 2 the line is off the tree, a card is missing, or a picture cannot be written."""
)
@click.argument("name")
@click.argument("line", default="")
@click.option("--board", "board_text", default="", metavar="CARDS", help="Board cards, as in Ks7h2d.")
@click.option("--png", type=click.Path(path_type=Path), help="Write the picture; needs pip install 'limpet[plot]'.")
@click.option("--svg", type=click.Path(path_type=Path), help="The same as SVG.")
@as_json_option
def grid(name: str, line: str, board_text: str, png: Path | None, svg: Path | None, as_json: bool) -> None:
    """Draw what a strategy does with each of the 169 starting hands in one place.

    In the terminal a class's cell shows its actions side by side; in a picture its height is how much of the class gets
    there. In games without the 169 classes, and without cards, the hands are listed.
    """
    from limpet.protocol.cards import cards_text, parse_cards
    from limpet.strategies.blueprint.look import is_holdem, look

    with _mistakes():
        if png or svg:
            from limpet.strategies.solutions.pictures import require_matplotlib

            require_matplotlib()
        file = _open(name)
        found = look(file, line, tuple(parse_cards(board_text.replace(" ", ""))))
        if (png or svg) and not is_holdem(file.game):
            raise ConfigError(f"{name}: a picture shows the 169 classes of hold'em; leave --png and --svg out")
    if as_json:
        click.echo(json.dumps(_grid_data(found)))
    elif is_holdem(file.game):
        _print_grid(found)
    else:
        actions = file.tree.actions(found.node)
        board = f"{cards_text(found.board)}, " if found.board else ""
        click.echo(f"{board}{found.betting or 'the start'}: position {found.position} acts")
        for cards, weight, row in _hands(found):
            told = ", ".join(f"{action} {100 * float(p):.2f} %" for action, p in zip(actions, row, strict=True))
            click.echo(f"{cards}  held {100 * weight:6.2f} %  {told}")
    for path in (png, svg):
        if path is not None:
            from limpet.strategies.solutions.pictures import write_picture

            try:
                with _mistakes():
                    write_picture(path, _decision(found), valued=False)
            except OSError as error:
                raise ConfigError(f"{path}: {error.strerror}; name a file in a folder that can be written") from error


@strategy.command(
    epilog="""\b
Examples:
  limpet strategy duel new old --boards 1000
  limpet strategy duel hunl-200bb-first call              what it wins from one who checks and calls
  limpet strategy duel new old --translation nearest --seed 7 --json

\b
'call' (checks and calls) and 'fold' (folds to every bet) may stand for a strategy; two names with a comma between are
one for each position. Off its tree a strategy calls.
Exit status: 0 played; 2 they are for two games, or there is no such strategy."""
)
@click.argument("first")
@click.argument("second")
@click.option("--boards", type=click.IntRange(min=1), default=200, show_default=True, help="Boards to play on.")
@click.option(
    "--translation", default="pseudo-harmonic", show_default=True, help="How both read bets; see player 'blueprint'."
)
@click.option("--purify", is_flag=True, help="FIRST takes only its likeliest actions.")
@click.option("--threshold", type=click.FloatRange(0, 1, max_open=True), default=0.0, help="FIRST drops rarer actions.")
@seed_option
@threads_option
@as_json_option
@quiet_option
def duel(
    first: str, second: str, boards: int, translation: str, purify: bool, threshold: float, seed: int,
    threads: int | None, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Work out what FIRST wins from SECOND in both seats, with a 95 % interval.

    On each sampled board all hands play against all hands, with every action and every coin of a translation weighed by
    its probability: only the boards are left to chance, so a few hundred say more than a million dealt hands. Small
    games are worked out on all boards, exactly.
    """
    import os

    from limpet.strategies.abstraction.translation import METHODS
    from limpet.strategies.blueprint.duel import duel as play
    from limpet.strategies.blueprint.seat import Passive, open_seats

    if translation not in METHODS:
        raise ConfigError(f"--translation {translation}: no such method; there are {', '.join(METHODS)}")
    with _mistakes():
        names = [first.split(","), second.split(",")]
        game = next((_open(each[0]).game for each in names if each[0] not in PASSIVE), None)
        if game is None:
            raise ConfigError("name at least one strategy: its game is what is played")
        contenders: list[Any] = []
        for each, own in zip(names, (True, False), strict=True):
            if each[0] in PASSIVE:
                contenders.append((Passive("fold" if each[0] == "fold" else "call"),) * 2)
                continue
            folders = tuple(str(_folder(name)) + "/" for name in each)
            contenders.append(
                open_seats(game, folders, Path("."), translation, "up", threshold if own else 0.0, purify and own)
            )
        with _progress("playing", "boards", quiet) as report:
            found = play(game, contenders[0], contenders[1], boards, seed, threads or os.cpu_count() or 1, report)
    unit = 1000 / game.big_blind
    if as_json:
        facts = {
            "first": first, "second": second, "boards": found.both.samples, "exact": found.exact, "seed": seed,
            "mbb_per_game": _numbers(found.both, unit),
            "by_position": [_numbers(seat, unit) for seat in found.seats], "off_tree": found.off_tree,
        }  # fmt: skip
        click.echo(json.dumps(facts))
        return
    click.echo(f"{first} wins {_told(found.both, unit)} mbb/g from {second}")
    for position, seat in enumerate(found.seats):
        click.echo(f"  in position {position}: {_told(seat, unit)}")
    how = "all boards, exact" if found.exact else f"{found.both.samples:,} boards, 95 % interval"
    click.echo(f"  {how}; {100 * found.off_tree:.3f} % of the hands left a tree")


@strategy.command(
    epilog="""\b
Examples:
  limpet strategy exploit leduc                           exact, at once
  limpet strategy exploit hunl-200bb-first --deals 16,8,8

\b
Both numbers have a 95 % interval over the flops; the exploitability lies between them, and closer with more boards:
turns and rivers tell how well an answer can be chosen, flops how well it is measured.
Exit status: 0 measured; 2 there is no such strategy, or the numbers cannot be used."""
)
@click.argument("name")
@click.option(
    "--deals", default="16,8,8", show_default=True, help="Flops, turns for each of them, and rivers for each turn."
)
@click.option("--record", is_flag=True, help="Write the result into the strategy's manifest.")
@seed_option
@threads_option
@as_json_option
@quiet_option
def exploit(name: str, deals: str, record: bool, seed: int, threads: int | None, as_json: bool, quiet: bool) -> None:
    """Bound what a best answer with real cards wins from a strategy, inside the strategy's betting tree.

    The answer sees cards as they are where the strategy sees buckets. It bets only as the tree allows, so a player with
    other bets may win more. Small games are worked out exactly.
    """
    import os

    from limpet.strategies.blueprint.played import PlayedRows
    from limpet.strategies.blueprint.real_response import real_response

    try:
        samples = tuple(int(part) for part in deals.split(","))
    except ValueError:
        raise ConfigError(f"--deals {deals}: write whole numbers between commas, such as 16,8,8") from None
    with _mistakes():
        file = _open(name)
        table = PlayedRows(file).table()
        with _progress("answering", "boards of the first deal", quiet) as report:
            found = real_response(file.tree, file.cards, table, samples, seed, threads or os.cpu_count() or 1, report)
    unit = 1000 / file.game.big_blind
    if record:
        _record(file, {"real_response_below_mbb": found.below * unit, "real_response_above_mbb": found.above * unit})
    if as_json:
        facts = {
            "strategy": name, "exact": found.exact, "deals": list(samples), "seed": seed,
            "exploitability_mbb_per_game": {"below": found.below * unit, "above": found.above * unit},
            "by_position": [
                {"below": _numbers(answer.below, unit), "above": _numbers(answer.above, unit)}
                for answer in found.positions
            ],
        }  # fmt: skip
        click.echo(json.dumps(facts))
        return
    if file.position is not None:
        click.echo(f"{name} is for position {file.position} alone: only what position {1 - file.position} wins counts")
    if found.exact:
        click.echo(f"{name}: a best answer wins {found.below * unit:.6g} mbb/g, the mean of both seats; exact")
        for position, answer in enumerate(found.positions):
            click.echo(f"  in position {position}: {answer.below.mean * unit:+.6g}")
        return
    click.echo(
        f"{name}: a best answer wins between {found.below * unit:,.0f} and {found.above * unit:,.0f} mbb/g, "
        "the mean of both seats"
    )
    for position, answer in enumerate(found.positions):
        click.echo(
            f"  in position {position}: at least {_told(answer.below, unit)}, at most {_told(answer.above, unit)}"
        )
    click.echo(f"  {deals} deals, 95 % intervals over the flops")


def _folder(name: str) -> Path:
    from limpet.strategies.folders import find_strategy

    if name.endswith("/"):
        name += "."
    folder = find_strategy(name, Path("."))
    made = Document.read(folder / "manifest.yaml").data
    if isinstance(made, dict) and str(made.get("format")).startswith("limpet-solution"):
        raise ConfigError(
            f"{name}: a solved spot, not a trained strategy; player 'solved' plays it, limpet solve shows it"
        )
    return folder


def _open(name: str) -> "StrategyFile":
    from limpet.strategies.blueprint.strategy_file import StrategyFile

    return StrategyFile.open(_folder(name))


@contextmanager
def _mistakes() -> Iterator[None]:
    """What is wrong with the input becomes one line and exit status 2."""
    try:
        yield
    except ConfigError:
        raise
    except ValueError as error:
        raise ConfigError(str(error)) from error


@contextmanager
def _progress(what: str, of: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr where somebody watches a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(of))
    with Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=quiet or not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _told(found: "Estimate", unit: float) -> str:
    return f"{found.mean * unit:+,.1f}" + (f" ± {found.half_width * unit:,.1f}" if found.half_width else "")


def _numbers(found: "Estimate", unit: float) -> dict[str, float | None]:
    half_width = found.half_width * unit
    return {"mean": found.mean * unit, "half_width": half_width if half_width < float("inf") else None}


def _by_round(file: "StrategyFile") -> list[int]:
    rounds = file.tree.round[file.tree.decisions]
    return [int((rounds == round_).sum()) for round_ in range(file.game.num_rounds)]


def _hands(found: "Look") -> Iterator[tuple[str, float, Any]]:
    """Cards, how often held, and probabilities of each hand that may be held."""
    from limpet.protocol.cards import cards_text
    from limpet.strategies.cards.handspace import game_hands

    game: GameDef = found.file.game
    space = game_hands(game)
    weights = found.weights
    for hand in weights.nonzero()[0].tolist():
        yield cards_text(space.cards(hand)[::-1]), float(weights[hand]), found.rows[:, hand]


def _grid_data(found: "Look") -> dict[str, Any]:
    from limpet.protocol.cards import cards_text
    from limpet.strategies.blueprint.look import is_holdem
    from limpet.strategies.cards.isomorphism import class_name

    actions = [str(action) for action in found.file.tree.actions(found.node)]
    data: dict[str, Any] = {
        "betting": found.betting,
        "board": cards_text(found.board),
        "position": found.position,
        "actions": dict(zip(actions, found.frequencies.tolist(), strict=True)),
        "untrained": float(found.weights @ found.missed),
    }
    if is_holdem(found.file.game):
        classes = _decision(found).classes
        data["classes"] = {
            class_name(number): {
                "held": float(classes.happens[number]),
                **dict(zip(actions, classes.frequencies[:, number].tolist(), strict=True)),
            }
            for number in classes.happens.nonzero()[0][::-1].tolist()
        }
    data["hands"] = {
        cards: {"held": weight, **dict(zip(actions, row.tolist(), strict=True))} for cards, weight, row in _hands(found)
    }
    return data


def _decision(found: "Look") -> "Decision":
    """As the pictures of solved spots take it, without values."""
    import numpy as np

    from limpet.strategies.solutions.answer import Decision
    from limpet.strategies.solutions.lines import Place, pot_fractions
    from limpet.strategies.solving.vector_solver import NodeValues
    from limpet.strategies.trees.action_names import action_names

    tree = found.file.tree
    unit = tree.game.big_blind
    spent = tree.spent[found.node]
    nothing = np.zeros_like(found.rows)
    return Decision(
        place=Place(found.node, found.board, (found.betting,) if found.betting else (), found.betting),
        position=found.position,
        spent=(float(spent[0]) / unit, float(spent[1]) / unit),
        actions=action_names(tree, found.node),
        fractions=pot_fractions(tree, found.node),
        values=NodeValues(found.reach, np.zeros_like(found.reach), nothing, found.rows),
    )


def _print_grid(found: "Look") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from limpet.protocol.cards import cards_text
    from limpet.strategies.solutions.colours import action_colours, hex_colour
    from limpet.strategies.solutions.report import Picture, action_labels

    decision = _decision(found)
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=200)
    board = f"{cards_text(found.board)}, " if found.board else ""
    console.print(
        f"{board}{found.betting or 'the start'}: position {found.position} acts, pot {decision.pot:g} bb", style="bold"
    )
    table = Table(box=None, pad_edge=False, show_header=False)
    colours = action_colours(decision.fractions)
    for label, colour, part in zip(action_labels(decision), colours, found.frequencies, strict=True):
        table.add_row(Text("██ ", style=hex_colour(colour)) + Text(label, style="default"), f"{100 * part:6.2f} %")
    console.print(table)
    if missed := float(found.weights @ found.missed):
        console.print(f"{100 * missed:.2f} % of the hands get here though training never did; they borrow a row")
    console.print("")
    console.print(Picture(decision))


def _record(file: "StrategyFile", quality: dict[str, float]) -> None:
    import msgspec

    from limpet.strategies.blueprint.strategy_file import write_manifest

    measured = {name: round(value, 6) for name, value in quality.items()}
    write_manifest(file.folder, msgspec.structs.replace(file.manifest, quality={**file.manifest.quality, **measured}))
