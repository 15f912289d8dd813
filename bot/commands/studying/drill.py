"""``limpet drill``: asks what to do at decisions of solved spots, and says what each answer costs."""

import random
import sys
from typing import TYPE_CHECKING, TextIO

import click

from limpet.bot.commands.options import choice, flag, json_option, option
from limpet.bot.commands.parameters import Parsed, Whole
from limpet.bot.commands.progress import OFTEN, progress
from limpet.bot.commands.terminal import INTERRUPTED, print_json, print_note, print_table
from limpet.configs.loading import ConfigError, mistakes

if TYPE_CHECKING:
    from limpet.dealer.measures.drill_questions import Drill, Question
    from limpet.dealer.measures.drill_session import DrillAnswer, DrillSession
    from limpet.dealer.measures.named_drills import FoundDrill
    from limpet.strategies.holdem.solutions.solve import Solve

SEATS = ("out", "in")


@click.command(
    epilog="""\b
Examples:
  limpet drill rivers                            rivers that face a bet
  limpet drill defence                           before the flop, facing a raise
  limpet drill preflop --position in             before the flop, all decisions of the small blind
  limpet drill flops --hands 50                  flops as the raiser, out of position
  limpet drill pushfold-10                       push or fold heads-up, 10 big blinds deep
  limpet drill pushfold-8,12,10+0.1:50,30,20     three stacks, first to act first, antes of 0.1, and prizes
  limpet drill my.yaml --street turn --facing    your own spot: turns that face a bet
  limpet drill runs/f1 --position in             a solve that is kept in this folder
  limpet drill rivers --stats                    what lost most so far

\b
Answers are actions as they are listed, or their first letters or numbers: c, bet 5, 2. The hands are dealt from the
ranges and both sides play the solution, so that decisions come as often as in play. A loss is what the best action
wins beyond the answer, against an opponent who plays the solution. What lost 1 % of the pot or more is missed: it comes
again after 3 other answers, then 10, then 30, and first in the next session; a new question follows each repetition.

\b
Drills: preflop, defence, flops, turns, rivers, pushfold-N or pushfold-STACKS+ANTE:PRIZES, a spot of limpet list spots or a file of one, or a folder that limpet solve keeps a solve in.
Answers are kept in drills in the data folder ($LIMPET_DATA, by default ~/.local/share/limpet).
Exit status: 0 done; 2 a mistake, and one line says what; 130 after Ctrl-C, all answers kept."""
)
@click.argument("name", type=Parsed("text", str, "spots"))
@option("--hands", "End after so many answers.", Whole(min=1), default=20)
@option("--seed", "Seed of the questions.  [default: another one each time]", Whole(min=0))
@choice("--street", "Only ask about this street of a spot.", ("flop", "turn", "river"))
@choice("--position", "Only ask the player out of or in position.", SEATS)
@option("--facing/--first", "Only ask about decisions that face a bet, or that face none.", is_flag=True, default=None)
@option("--answers", "Read answers from a file, one a line; - reads standard input.", click.File(), metavar="FILE")
@flag("--stats", "Ask nothing: show what all answers so far lost, by kind of mistake.")
@json_option("Print every answer and the score as JSON lines.")
def drill(
    name: str, hands: int, seed: int | None, street: str | None, position: str | None, facing: bool | None,
    answers: TextIO | None, stats: bool, as_json: bool,
) -> None:  # fmt: skip
    """Drill decisions: it deals, you answer, and it says what the answer lost and what the strategy does."""
    from limpet.dealer.measures.drill_questions import AskedAbout
    from limpet.dealer.measures.drill_session import DrillSession, most_expensive, read_answers, score
    from limpet.dealer.measures.named_drills import find_drill

    wanted = AskedAbout(street, None if position is None else SEATS.index(position), facing)
    with mistakes():
        found = find_drill(name, wanted)
        given = read_answers(found.path)
        if not stats:
            session = DrillSession(_begun(found, as_json), found.path, random.getrandbits(32) if seed is None else seed)
            try:
                _ask(session, hands, answers, as_json)
            except (KeyboardInterrupt, click.Abort):
                print_note(f"\nstopped; all answers are kept in {found.path}")
                sys.exit(INTERRUPTED)
            given = session.here
    whole, kinds = score(given), most_expensive(given)
    if as_json:
        print_json({"score": whole, "mistakes": kinds, "file": str(found.path)})
        return
    if whole is None:
        click.echo("no answers yet")
        return
    lost = _mean(whole.lost_bb, whole.lost_bb_half, 4), _mean(whole.lost_percent, whole.lost_percent_half, 2)
    counts = f"{whole.answers:,} {'answer' if whole.answers == 1 else 'answers'}, {whole.missed:,} missed"
    click.echo(f"\n{counts}: {lost[0]} bb lost a hand, {lost[1]} % of the pot")
    if kinds:
        rows = []
        for kind in kinds:
            where = kind.kind, kind.street, kind.seat, "facing a bet" if kind.facing else ""
            rows.append((*where, str(kind.answers), f"{kind.lost_bb:.3f}"))
        print_table(["mistake", "street", "seat", "", "answers", "bb lost"], rows, left=4, boxed=False)


def _mean(mean: float, half: float | None, digits: int) -> str:
    return f"{mean:.{digits}f}" if half is None else f"{mean:.{digits}f} ± {half:.{digits}f}"


def _begun(found: "FoundDrill", quiet: bool) -> "Drill":
    with progress("solving", "s", quiet, every=OFTEN) as report:

        def look(solve: "Solve") -> None:
            last = solve.checks[-1]
            text = f"exploitability {last.exploitability.percent:.3f} % of the pot"
            report(round(last.seconds), round(last.seconds + solve.seconds_left()), lambda: text)

        return found.begin(look, lambda: False)


def _ask(session: "DrillSession", hands: int, answers: TextIO | None, as_json: bool) -> None:
    for number in range(1, hands + 1):
        question, again = session.ask()
        text = f"\n{number}/{hands}{', again' if again else ''}: {_question_text(question)}"
        if not as_json:
            click.echo(text)
        elif answers is None:
            print_note(text)
        action = _answer(question, answers)
        if action is None:
            return
        given = session.answer(question, action)
        if as_json:
            print_json({"question": question, "again": again, "answer": given})
        else:
            _print_judgement(question, given, action)


def _question_text(question: "Question") -> str:
    board = f" on {question.board}" if question.board else ""
    before = f", after {question.said}" if question.said else ""
    listed = "   ".join(f"{number} {label}" for number, label in enumerate(question.labels, 1))
    return f"{question.hand}{board}, {question.street}, {question.seat}, pot {question.pot:g} bb{before}\n  {listed}"


def _answer(question: "Question", answers: TextIO | None) -> int | None:
    """Return the next answer's action; None at the end of answers. Raises `ConfigError` for a wrong one of a file."""
    while True:
        if answers is None:
            try:
                text = click.prompt("your answer", prompt_suffix=": ", err=True)
            except click.Abort:
                raise KeyboardInterrupt from None
        elif not (text := answers.readline()):
            return None
        try:
            return question.action(text)
        except ValueError as error:
            if answers is not None:
                raise ConfigError(str(error)) from error
            print_note(str(error))


def _print_judgement(question: "Question", given: "DrillAnswer", action: int) -> None:
    verdict = f"{given.kind}: loses" if given.kind else "as the strategy plays: loses" if given.lost_bb else "best:"
    click.echo(f"{verdict} {given.lost_bb:.4f} bb, {given.lost_percent:.2f} % of the pot")
    rows = []
    answers = zip(question.labels, question.frequencies, question.values, strict=True)
    for number, (label, frequency, value) in enumerate(answers):
        mark, lost = ">" if number == action else "", question.lost(number)
        rows.append((mark, label, f"{100 * frequency:.1f} %", f"{value:+.4f}", f"{lost:.4f}"))
    print_table(["", "action", "strategy", "EV (bb)", "lost"], rows, left=2, boxed=False)
    if question.ranges:
        own, other = question.ranges
        click.echo(
            f"range against range: yours has {100 * own.equity:z.1f} % equity and wins {100 * own.share:z.1f} % of the pot, "
            f"the other {100 * other.equity:z.1f} % and {100 * other.share:z.1f} %"
        )
