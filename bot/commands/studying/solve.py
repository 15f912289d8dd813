"""``limpet solve``: answers a spot with text, a picture, a file that a bot can play, or a table over many boards."""

import json
import resource
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
import msgspec

from limpet.bot.commands import parameters
from limpet.bot.commands.options import choice, flag, given, option, picture_option, quiet_option, seed_option
from limpet.bot.commands.parameters import NEW_FILE, NEW_FOLDER, OLD_FOLDER, Real, Whole
from limpet.bot.commands.progress import OFTEN, progress
from limpet.bot.commands.terminal import INTERRUPTED, print_note, standard_output, writing
from limpet.common.folders import require_writable
from limpet.common.workers import interruptible
from limpet.configs.loading import ConfigError, mistakes
from limpet.strategies.solvers.schedule import Name

if TYPE_CHECKING:
    from limpet.strategies.holdem.solutions.answer import Answer
    from limpet.strategies.holdem.solutions.decision_reports import Comparison, NextCards
    from limpet.strategies.holdem.solutions.lines import BoardNode
    from limpet.strategies.holdem.solutions.solve import Solve
    from limpet.strategies.holdem.solutions.spot import Spot

LINES = """\b
A line names a decision: actions as the answer prints them, between commas, with the turn and river card where their
street begins: --at "check, bet 50%, call, 2c, check". Sizes are in the spot's money, or in % of the pot."""


@click.command(
    epilog=f"""\b
Examples:
  limpet solve river-bluffcatch                          a spot that ships; a fraction of a second
  limpet solve t1 --target 0.1 --at "check, bet 50%"     closer, and one more decision
  limpet solve my.yaml --png root.png --json root.json   pictures need matplotlib: pip install matplotlib
  limpet solve f1 --save runs/f1                         Ctrl-C keeps what is done; again with --resume goes on
  limpet solve --load runs/f1 --at "bet 10"              look again without solving
  limpet solve --load runs/f1 --at "check, check" --next-cards    strategy, EV and equity on each turn
  limpet solve --load runs/f1 --compare runs/f1-wide     which hands play differently there
  limpet solve t1 --export t1/                           a folder that player 'solved' plays
  limpet solve f1 --batch 50 --output runs/flops         50 flops that stand for all; mean frequencies and EVs

{LINES}

\b
SPOT is a name that limpet list spots prints, or a YAML file written like theirs.
Exit status: 0 solved; 2 a mistake, or too little memory, and one line says what; 130 after Ctrl-C, everything written."""
)
@click.argument("spot", required=False, type=parameters.SPOT)
@option("--board", "Solve this board in place of the spot's: KsTh7s.", metavar="CARDS")
@option("--target", "Stop at this exploitability, in % of the pot.", Real(min=0))
@option("--iterations", "Stop after so many iterations.", Whole(min=1))
@option("--seconds", "Stop after so many seconds.", Real(min=0, min_open=True))
@option(
    "--rake",
    "The house takes this share of each pot, in %, and at most CAP in the spot's money.",
    parameters.RAKE,
    metavar="PERCENT[,CAP]",
)
@choice("--algorithm", "The regret minimiser; its usual parameters.", get_args(Name))
@option("--threads", "Default: all cores. The answer does not depend on it.", parameters.THREADS)
@option("--at lines", "Show this decision too. May be given repeatedly.", metavar="LINE", multiple=True)
@option("--rows", "Hand classes to list.", Whole(min=0), default=15)
@picture_option("--png", "Write the last decision shown as a picture.")
@picture_option("--svg", "The same as SVG.")
@option("--json json_to", "Write the answer as JSON; - prints it instead of the report.", metavar="FILE")
@flag("--next-cards", "After --at, a line that ends a street: strategy, EV and equity on each card that may fall.")
@option("--csv", "With --next-cards: write a line for each card.", NEW_FILE, metavar="FILE")
@option("--compare", "Set the last decision shown beside the same one of this saved solve.", OLD_FOLDER)
@option(
    "--compare-at", "Set it beside the decision after this line, of --compare's solve or of this one.", metavar="LINE"
)
@flag("--equity", "With --json: equity and EV of every hand of both players, by rising equity.")
@flag("--whole-street", "With --json: every decision of the first street, not only the first.")
@option("--save", "Keep the solve in this folder, to load or resume it.", NEW_FOLDER)
@flag("--resume", "Go on from what --save's folder holds, if it holds a solve.")
@option("--load", "Show what this folder holds, without solving.", parameters.ANY_PATH)
@option("--export", "Write a strategy that player 'solved' plays.", NEW_FOLDER)
@option("--streets", "With --export: so many streets; default: what fits 256 MiB.", Whole(1, 3))
@option("--batch", "Solve the boards of a file (one a line), or N that stand for all.", metavar="FILE|N")
@option("--output", "With --batch: folder of the results; done ones stay.", NEW_FOLDER)
@seed_option("With --batch N: which boards.")
@option("--jobs", "With --batch: processes.", parameters.PROCESSES, default=1)
@quiet_option
def solve(
    spot: str | None, lines: tuple[str, ...], rows: int, png: Path | None, svg: Path | None, json_to: str | None,
    next_cards: bool, csv: Path | None, compare: Path | None, compare_at: str | None, equity: bool, whole_street: bool,
    save: Path | None, resume: bool, load: Path | None, export: Path | None, streets: int | None, batch: str | None,
    output: Path | None, seed: int, jobs: int, quiet: bool, **limits: Any,
) -> None:  # fmt: skip
    """Solve a spot: board, pot, stacks, two ranges and a bet menu become an equilibrium with an exact error.

    Prints how large the tree is and what memory it takes, then how far the solve is, then the answer: what both
    positions win, how much a best response would win more, and what each hand does.
    """
    from limpet.strategies.holdem.solutions.answer import answer, find_decisions
    from limpet.strategies.holdem.solutions.decision_reports import report_next_cards
    from limpet.strategies.holdem.solutions.solution_file import export_solution
    from limpet.strategies.holdem.solutions.solve import load_solve, read_record, save_solve
    from limpet.strategies.holdem.solutions.spot import load_spot, spot_lines

    _check_options(click.get_current_context().params, limits)
    for written in (save, export, output):
        if written is not None:
            require_writable(written)
    with mistakes():
        if load is not None:
            running, interrupted = load_solve(load), False
        else:
            assert spot is not None
            loaded = load_spot(spot, **given(limits))
            if batch is not None:
                assert output is not None
                _batch(loaded, batch, output, seed, jobs, lines, quiet, json_to)
                return
            size = loaded.size()
            for line in () if quiet else spot_lines(loaded, size):
                print_note(line)
            size.require()  # the tree is not built yet
            _places(loaded, lines, next_cards, whole_street)  # a wrong line is found before the solve
            if compare_at is not None or compare is not None:
                find_decisions(loaded if compare is None else read_record(compare).spot, [compare_at or ""])
            running, interrupted = _solved(loaded, save, resume, quiet)
            if save is not None:
                save_solve(save, running)
                print_note(f"kept in {save}; look again with: limpet solve --load {save}")
        shown = answer(running, _places(running.spot, lines, next_cards, whole_street))
        report = report_next_cards(running, lines[0]) if next_cards else None
        compared = _compared(running, shown, compare, compare_at)
        _tell(shown, report, compared, rows, json_to, equity, csv, (png, svg))
        if export is not None:
            manifest = export_solution(export, running, streets)
            counts = f"{manifest.rows:,} rows of {manifest.streets} street(s), {manifest.size:,} bytes"
            print_note(f"exported {counts}: {export}")
    if interrupted:
        again = f"limpet solve {spot} --save {save} --resume" if save else "--save FOLDER, and --resume later"
        print_note(f"interrupted; go on with: {again}")
        sys.exit(INTERRUPTED)


def _places(spot: "Spot", lines: tuple[str, ...], next_cards: bool, whole_street: bool) -> "list[BoardNode]":
    """Return the decisions to show: none beside a report over next cards, whose line is checked alone."""
    from limpet.strategies.holdem.solutions.answer import find_decisions
    from limpet.strategies.holdem.solutions.decision_reports import card_falls

    if not next_cards:
        return find_decisions(spot, lines, whole_street)
    card_falls(spot, lines[0])
    return []


def _compared(running: "Solve", shown: "Answer", folder: Path | None, line: str | None) -> "Comparison | None":
    if folder is None and line is None:
        return None
    from limpet.strategies.holdem.solutions.answer import decision, find_decisions
    from limpet.strategies.holdem.solutions.decision_reports import Comparison
    from limpet.strategies.holdem.solutions.solve import load_solve

    here = shown.decisions[-1]
    other = running if folder is None else load_solve(folder)
    wanted = ", ".join(here.place.words) if line is None else line
    return Comparison(here, decision(other, find_decisions(other.spot, [wanted])[-1]))


def _tell(
    shown: "Answer", report: "NextCards | None", compared: "Comparison | None", rows: int, json_to: str | None, equity: bool,
    csv: Path | None, pictures: tuple[Path | None, ...],
) -> None:  # fmt: skip
    """Print an answer, a report over next cards and a comparison, or write them as JSON, CSV and pictures of the last decision."""
    from limpet.strategies.holdem.solutions import decision_reports
    from limpet.strategies.holdem.solutions.pictures import write_picture

    if json_to is not None:
        data = decision_reports.answer_data(shown)
        for written, decision in zip(data["decisions"], shown.decisions if equity else (), strict=False):
            written["by_equity"] = decision_reports.equity_data(decision)
        if report is not None:
            data["next_cards"] = decision_reports.next_cards_data(report)
        if compared is not None:
            data["comparison"] = decision_reports.comparison_data(compared)
        _write_json(json_to, data)
    if json_to != "-":
        from limpet.bot.commands.drawing import answer_view, comparison_view, next_cards_view

        standard_output().print(answer_view(shown, rows))
        if report is not None:
            standard_output().print("", next_cards_view(report), sep="\n")
        if compared is not None:
            standard_output().print("", comparison_view(compared, rows), sep="\n")
    if csv is not None and report is not None:
        with writing(csv):
            decision_reports.write_next_cards(csv, report)
    for path in pictures:
        if path is not None:
            with writing(path):
                write_picture(path, shown.decisions[-1])


def _check_options(options: Mapping[str, Any], limits: Mapping[str, Any]) -> None:
    """Raise `ConfigError` for options that do not go together. `limits`: those that replace what the spot says."""
    names = {name for name, value in options.items() if value not in (None, False)}
    limit = next(iter(given(limits)), "")

    def needs(option: str, other: str) -> bool:
        return option in names and other not in names

    wrong = {
        "name a spot that ships, a file, or --load FOLDER; see limpet solve --help": not names & {"spot", "load"},
        "--load shows a solve that is done; leave SPOT out": names >= {"spot", "load"},
        "--load and --save exclude each other; to go on with a solve: SPOT --save FOLDER --resume": names
        >= {"load", "save"},
        "--resume needs the folder to go on from: --save FOLDER": needs("resume", "save"),
        "--batch needs a folder for its results: --output FOLDER": needs("batch", "output"),
        "--output is for --batch; a solve is kept with --save FOLDER": needs("output", "batch"),
        "--batch keeps one result for each board in --output; leave --save, --load and --export out": "batch" in names
        and names & {"save", "load", "export"},
        f"--load does not solve, so --{limit} says nothing here; leave it out": "load" in names and limit,
        "--streets is for --export": needs("streets", "export"),
        "--next-cards looks at one line that ends a street; give --at once, such as: --at 'check, check'": "next_cards"
        in names
        and len(options["lines"]) != 1,
        "--next-cards shows no single decision; leave --png, --svg, --whole-street and --equity out": "next_cards"
        in names
        and names & {"png", "svg", "whole_street", "equity"},
        "--next-cards shows one solve; leave --batch out": names >= {"next_cards", "batch"},
        "--compare and --compare-at show one decision of each; leave --next-cards and --batch out": names
        & {"compare", "compare_at"}
        and names & {"next_cards", "batch"},
        "--csv is for --next-cards": needs("csv", "next_cards"),
        "--equity is for --json": needs("equity", "json_to"),
        "--whole-street is for --json": needs("whole_street", "json_to"),
    }
    if message := next((message for message, holds in wrong.items() if holds), None):
        raise ConfigError(message)


def _solved(spot: "Spot", save: Path | None, resume: bool, quiet: bool) -> "tuple[Solve, bool]":
    from rich.console import Console

    from limpet.strategies.holdem.solutions.solve import TABLES, load_solve, prepare

    if save is not None and (save / TABLES).exists() and not resume:
        raise ConfigError(f"{save} holds a solve; --resume goes on with it, --save with another folder keeps both")
    with interruptible() as interrupted:
        with Console(stderr=True).status("preparing (the first time on a machine, compiling takes up to 25 s)"):
            begun = save is not None and (save / TABLES).exists()
            running = load_solve(save, spot) if save is not None and begun else prepare(spot)
        with progress("solving", "s", quiet, every=OFTEN) as report:

            def look(solve: "Solve") -> None:
                seconds = solve.checks[-1].seconds
                report(round(seconds), round(seconds + solve.seconds_left()), lambda: _progress_text(solve))

            reason = running.run(look, interrupted)
    return running, reason == "interrupted"


def _progress_text(solve: "Solve") -> str:
    last, exploitability = solve.checks[-1], solve.checks[-1].exploitability
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    memory = f"{used / 2**30:.1f} GiB in use" if used >= 2**30 else f"{used / 2**20:.0f} MiB in use"
    return (
        f"iteration {last.iteration:,} of {solve.spot.iterations:,}, exploitability {exploitability.percent:.3f} % of the pot "
        f"({exploitability.mbb:,.1f} mbb/g), {memory}"
    )


def _write_json(to: str, data: Any) -> None:
    """Write JSON into a file, or to standard output for ``-``. Raises `ConfigError`."""
    with writing(Path(to)), click.open_file(to, "w", encoding="utf-8") as file:
        click.echo(json.dumps(data), file)


def _batch(
    spot: "Spot", boards: str, output: Path, seed: int, jobs: int, lines: tuple[str, ...], quiet: bool, json_to: str | None,
) -> None:  # fmt: skip
    from limpet.strategies.holdem.solutions.batch import SUMMARY, TABLE, JobResult, open_batch, summary
    from limpet.strategies.holdem.solutions.lines import split_line

    if len(lines) > 1:
        raise ConfigError(f"--batch looks at one decision; give --at once, not {len(lines)} times")
    if spot.threads is None and jobs > 1:
        spot = msgspec.structs.replace(spot, threads=1)
    batch, whole = open_batch(spot, boards, seed, split_line(lines[0]) if lines else (), output)
    if whole:
        print_note(f"these ranges leave {len(batch.jobs):,} boards that differ; all of them are solved")

    def report(result: JobResult, done: int) -> None:
        if not quiet:
            print_note(
                f"{done} of {len(batch.jobs)}: {result.board}, {result.exploitability_percent:.3f} % of the pot, "
                f"{result.iterations:,} iterations, {result.seconds:.1f} s"
            )

    with interruptible() as interrupted:
        results = batch.run(jobs, report, interrupted)
    if results:
        means = summary(results)
        if json_to is not None:
            _write_json(json_to, means)
        if json_to != "-":
            for action, frequency in (means["frequencies"] or {}).items():
                click.echo(f"{action}: {100 * frequency:.2f} %")
            first, second = means["ev_share_of_pot"]
            click.echo(f"share of the pot: {100 * first:.2f} % out of position, {100 * second:.2f} % in position")
            mean, largest = means["exploitability_percent"], means["largest_exploitability_percent"]
            click.echo(f"exploitability: {mean:.3f} % of the pot on average, {largest:.3f} % at most")
            click.echo(f"{len(results)} boards: {output / TABLE}, {output / SUMMARY}")
    if len(results) < len(batch.jobs):
        print_note(f"stopped after {len(results)} of {len(batch.jobs)} boards; the same command goes on")
        sys.exit(INTERRUPTED)
