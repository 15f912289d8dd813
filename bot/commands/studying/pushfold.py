"""``limpet pushfold``: says which hands go all-in when stacks are short, and how far that is from an equilibrium."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from limpet.bot.commands.options import choice, flag, json_option, option
from limpet.bot.commands.parameters import AMOUNTS, BLINDS, DEPTHS, NEW_FILE, PRIZES, Real
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import print_json, print_table, standard_output, writing

if TYPE_CHECKING:
    from limpet.strategies.shortstacks.solve import Solution
    from limpet.strategies.shortstacks.spot import Slot

VERBS = ("pushes", "calls", "overcalls")
SOLVERS = ("classes", "linear-program", "fictitious-play", "shrinking", "growth")


@click.command(
    epilog="""\b
Examples:
  limpet pushfold --stacks 10,10                                heads-up, exact
  limpet pushfold --stacks 5000,3000,2000 --blinds 200,400 --ante 50 --payouts 50,30,20
  limpet pushfold --stacks 10,10,10 --lock BTN=22+,A2+,KT+      the button plays this: what do the others do?
  limpet pushfold --stacks 10,10,10 --hands BTN --grids         what each hand wins, and ranges as pictures
  limpet pushfold --stacks 9,9,9,9,9,9 --payouts 65,35 --seat UTG --hand A8s    one hand, in one line
  limpet pushfold --stacks 1,1 --depths 2-20 --output nash.svg  how deep each hand goes all-in

\b
The first prints
  SB pushes 58.28 %           best response +0.00000  22+,A2+,K2+,Q2s+,Q7o+,J3s+, … ,43s:0.711
    BB calls 37.38 %          best response +0.00000  22+,A2+,K2s+,K5o+,Q7s+,Q9o+,J8s+,JTo,T9s,Q6s:0.403

\b
Seats are UTG, UTG1 .., LJ, HJ, CO, BTN, SB, BB, as many as there are stacks; heads-up SB and BB. A decision is named by
the seats that are all-in: BTN is the button's push, BTN,SB the small blind's call of it, BTN,SB,BB the overcall.

epsilon is what the best response of any seat wins, over all 169 starting hands in all its decisions: 0 is an
equilibrium. The largest conditional loss is what is lost at the worst decision once the hand has come to it, a mean over
the hands dealt there; epsilon hides losses at decisions that are rarely reached. The tree has no limps and no raises but
all-in, and at most three players all-in. The cards of players who fold are put back into the deck: both measures are of
that model, and with real deals more is lost.

\b
Exit status: 0 it was solved; 2 the spot cannot be, and one line says why."""
)
@option("--stacks", "Chips before antes and blinds, first to act first, SB and BB last.", AMOUNTS, required=True)
@option("--blinds", "Small and big blind.", BLINDS, default="0.5,1")
@option("--ante", "Paid by every player, before the blinds.", Real(0), default=0.0)
@option("--payouts", "Prizes from the first place down; without them chips are what counts.", PRIZES)
@choice("--solver", "[default: linear-program heads-up without locks, otherwise classes]", SOLVERS)
@option("--lock locks", "Range that a decision plays; the rest is solved.", multiple=True, metavar="SEATS=RANGE")
@option("--hands", "Also show what each hand wins at this decision.", multiple=True, metavar="SEATS")
@choice(
    "--outcomes",
    "Three hands all-in: counted, or products of who wins three and two, with smeared ties, as the 2011 thesis is likely to have had.",
    ("exact", "product"),
    default="exact",
)
@option(
    "--target",
    "Conditional loss at which solver classes ends, in % of all prizes, or with chips of ten big blinds.",
    Real(0, min_open=True),
    default=0.001,
)
@flag("--grids", "Also draw every range.")
@option("--seat", "Decision of --hand and --depths, named as above: UTG, or BTN,SB.", metavar="SEATS")
@option("--hand", "Only say in one line what this hand does at --seat, and what its answers win.", metavar="HAND")
@option(
    "--depths",
    "Draw charts of how deep each hand goes all-in: all stacks are multiplied so that the shortest has so many big "
    "blinds. Without --seat every push, and heads-up the call.",
    DEPTHS,
    metavar="FROM-TO",
)
@option("-o --output", "Also write the charts of --depths as a picture (SVG).", NEW_FILE, metavar="FILE")
@json_option()
def pushfold(
    stacks: tuple[float, ...], blinds: tuple[float, float], ante: float, payouts: tuple[float, ...] | None,
    solver: str | None, locks: tuple[str, ...], hands: tuple[str, ...], outcomes: Literal["exact", "product"], target: float, grids: bool,
    seat: str | None, hand: str | None, depths: tuple[float, ...] | None, output: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Say which hands go all-in when everybody goes all-in or folds.

    Prints for every decision the range that goes all-in, and how far the whole is from an equilibrium, in big blinds or,
    with PAYOUTS, in prize money by the independent chip model.
    """
    from limpet.configs.loading import mistakes
    from limpet.strategies.cards.isomorphism import class_name, class_number
    from limpet.strategies.shortstacks import solve
    from limpet.strategies.shortstacks.spot import named_slot

    if hand is not None and seat is None:
        raise click.UsageError("which decision? Name it: --seat UTG, or --seat BTN,SB")
    if seat is not None and (hand is None) == (depths is None):
        raise click.UsageError("--seat names the decision of either --hand HAND or --depths FROM-TO")
    if depths is not None and (hands or grids):
        raise click.UsageError("--hands and --grids show one spot, and --depths FROM-TO several; leave them out")
    if output is not None and depths is None:
        raise click.UsageError("--output writes the charts of --depths FROM-TO")
    terms: dict[str, Any] = {
        "ante": ante, "payouts": payouts, "locks": locks, "solver": solver or "", "target": target, "outcomes": outcomes,
    }  # fmt: skip
    if depths is not None:
        _chart(depths, stacks, blinds, seat, output, as_json, terms)
        return
    with mistakes():
        shown = [named_slot(name, len(stacks)) for name in hands]
        decision = None if seat is None else named_slot(seat, len(stacks))
        one = None if hand is None else class_name(class_number(hand.strip()))
        solution = solve.pushfold(stacks, blinds, **terms)
    data = solve.solution_data(solution, shown) if as_json else {}
    if decision is not None and one is not None:
        data["answer"] = solve.hand_answer(solution, decision, one)
        if not as_json:
            click.echo(solve.answer_line(data["answer"], solution.game.spot.unit))
            return
    if as_json:
        print_json(data)
        return
    _print_answer(solution, grids, shown)


def _chart(
    depths: tuple[float, ...], stacks: tuple[float, ...], blinds: tuple[float, float], seat: str | None,
    output: Path | None, as_json: bool, terms: dict[str, Any],
) -> None:  # fmt: skip
    from limpet.common.folders import replace_file, require_writable
    from limpet.configs.loading import mistakes
    from limpet.strategies.shortstacks.depth_charts import depth_charts, title

    if output is not None:
        require_writable(output.parent)
    with mistakes(), progress("pushfold", "depths", quiet=len(depths) < 2) as report:
        charts = depth_charts(depths, stacks, blinds, [] if seat is None else [seat], report, **terms)
    if output is not None:
        with writing(output):
            replace_file(output, charts.svg())
    if as_json:
        print_json(charts.data())
        return
    click.echo(f"largest conditional loss {max(charts.losses):.2g} % at {len(depths)} depths")
    for decision in charts.frequencies:
        click.echo(f"\n{title(decision)}")
        for row in charts.grid(decision):
            click.echo("".join(f"{cell:<9}" for cell in row).rstrip())


def _print_answer(solution: "Solution", grids: bool, shown: "list[Slot]") -> None:
    from limpet.bot.commands.drawing import range_picture
    from limpet.strategies.cards.isomorphism import preflop_classes
    from limpet.strategies.shortstacks.solve import slot_hands
    from limpet.strategies.shortstacks.spot import seat_names, slot_name, slot_numbers

    spot, profile, epsilon = solution.game.spot, solution.profile, solution.epsilon
    seats = seat_names(spot.players)
    unit, whole, money = ("of the payouts' unit", "prizes", "prize") if spot.payouts else ("bb", "chips", "bb")
    click.echo(f"solver {solution.solver}, {solution.seconds:.2f} s")
    click.echo(f"epsilon {epsilon.value:.2g} {unit}, {epsilon.percent:.2g} % of the {whole}")
    losses, players = solution.losses, spot.players
    if losses.by_slot:
        reached = 100 * float(solution.values.chances[slot_numbers(players)[losses.worst]])
        click.echo(
            f"largest conditional loss {losses.value:.2g} {unit}, {losses.percent:.2g} % of "
            f"{'the prizes' if spot.payouts else '10 bb'}, at {slot_name(losses.worst, players)}, "
            f"where {reached:.3g} % of the hands come"
        )
    others = {"within the 170 ordered ranges": solution.ordered, "played hand by hand": solution.played}
    for where, other in others.items():
        click.echo(f"{where}: epsilon {other.value:.2g} {unit}, {other.percent:.2g} %")
    if players > 2:
        click.echo(
            "all of it in a model that puts folded cards back into the deck; with them gone best responses win more"
        )
    wins = zip(seats, spot.stacks, solution.values.totals.tolist(), epsilon.gains, strict=True)
    rows = [[seat, f"{stack:,.10g}", f"{total:+.5f}", f"{gain:.5f}"] for seat, stack, total, gain in wins]
    print_table(["seat", "stack", f"EV ({money})", f"best response wins ({money})"], rows, boxed=False)
    click.echo()
    share = solution.game.tables.share
    for slot, gain in sorted(solution.gains().items()):
        name = f"{'  ' * (len(slot) - 1)}{seats[slot[-1]]} {VERBS[len(slot) - 1]}"
        if not (solution.is_reached(slot) or slot in solution.locks):
            click.echo(f"{name:<51} never reached")
            continue
        name += f" {100 * float(profile[slot] @ share):.2f} %"
        note = "locked" if slot in solution.locks else f"best response +{gain:.5f}"
        click.echo(f"{name:<27} {note:<23} {profile.text(slot)}")
        if grids:
            standard_output().print(range_picture(profile[slot][preflop_classes()].astype("float32"), ()))
    for slot in shown:
        hands = sorted(slot_hands(solution, slot).items(), key=lambda item: -(item[1]["gain"] or 0.0))
        rows = [[name, *("" if value is None else f"{value:.4f}" for value in row.values())] for name, row in hands]
        click.echo()
        print_table(
            [f"{slot_name(slot, players)}: hand", "frequency", "all-in", "fold", "difference"], rows, boxed=False
        )
