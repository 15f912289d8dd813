"""``limpet pushfold``: says which hands go all-in when stacks are short, and how far that is from an equilibrium."""

from math import isnan
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import json_option
from limpet.bot.commands.parameters import AMOUNTS, BLINDS, PRIZES, Real
from limpet.bot.commands.terminal import print_json, print_line, print_table, standard_output

if TYPE_CHECKING:
    from rich.console import Console

    from limpet.strategies.pushfold.profile import Frequencies, Locks
    from limpet.strategies.pushfold.solve import Solution
    from limpet.strategies.pushfold.tree import Slot

KINDS = ("push", "call", "overcall")
"""Names of a decision by the number of players already all-in."""
VERBS = ("pushes", "calls", "overcalls")
SOLVERS = ("classes", "linear-program", "fictitious-play", "shrinking", "growth")


@click.command(
    epilog="""\b
Examples:
  limpet pushfold --stacks 10,10                                heads-up, exact
  limpet pushfold --stacks 5000,3000,2000 --blinds 200,400 --ante 50 --payouts 50,30,20
  limpet pushfold --stacks 10,10,10 --lock BTN=22+,A2+,KT+      the button plays this: what do the others do?
  limpet pushfold --stacks 10,10,10 --hands BTN --grids         what each hand wins, and ranges as pictures

\b
The first prints
  SB pushes 58.28 %   22+,A2+,K2+,Q2s+,Q7o+,J3s+,J8o+,T4s+,T8o+,95s+,97o+,84s+,87o,74s+,76o,64s+,53s+,43s:0.711
    BB calls 37.38 %  22+,A2+,K2s+,K5o+,Q7s+,Q9o+,J8s+,JTo,T9s,Q6s:0.403

\b
Seats are UTG, UTG1 .., LJ, HJ, CO, BTN, SB, BB, as many as there are stacks; heads-up SB and BB. A decision is named by
the seats that are all-in: BTN is the button's push, BTN,SB the small blind's call of it, BTN,SB,BB the overcall.

epsilon is what the best response of any seat wins, over all 169 starting hands in all its decisions: 0 is an
equilibrium. The tree has no limps and no raises but all-in, and at most three players all-in.

\b
Exit status: 0 it was solved; 2 the spot cannot be, and one line says why."""
)
@click.option(
    "--stacks", type=AMOUNTS, required=True, help="Chips before antes and blinds, first to act first, SB and BB last."
)
@click.option("--blinds", type=BLINDS, default="0.5,1", show_default=True, help="Small and big blind.")
@click.option("--ante", type=Real(0), default=0.0, show_default=True, help="Paid by every player, before the blinds.")
@click.option("--payouts", type=PRIZES, help="Prizes from the first place down; without them chips are what counts.")
@click.option(
    "--solver", type=click.Choice(SOLVERS), help="[default: linear-program heads-up without locks, otherwise classes]"
)
@click.option(
    "--lock", "locks", multiple=True, metavar="SEATS=RANGE", help="Range that a decision plays; the rest is solved."
)
@click.option("--hands", multiple=True, metavar="SEATS", help="Also show what each hand wins at this decision.")
@click.option(
    "--outcomes", type=click.Choice(("exact", "product")), default="exact", show_default=True,
    help="Three hands all-in: counted, or products of who wins three and two, with smeared ties, as in the 2011 thesis.",
)  # fmt: skip
@click.option("--grids", is_flag=True, help="Also draw every range.")
@json_option()
def pushfold(
    stacks: tuple[float, ...],
    blinds: tuple[float, float],
    ante: float,
    payouts: tuple[float, ...] | None,
    solver: str | None,
    locks: tuple[str, ...],
    hands: tuple[str, ...],
    outcomes: str,
    grids: bool,
    as_json: bool,
) -> None:
    """Say which hands go all-in when everybody goes all-in or folds.

    Prints for every decision the range that goes all-in, and how far the whole is from an equilibrium, in big blinds or,
    with PAYOUTS, in prize money by the independent chip model.
    """
    from limpet.configs.loading import mistakes
    from limpet.strategies.pushfold.deal_tables import tables_for
    from limpet.strategies.pushfold.game import Game
    from limpet.strategies.pushfold.solve import solve
    from limpet.strategies.pushfold.spot import Spot
    from limpet.strategies.pushfold.thesis_outcomes import product_tables

    spot = Spot(stacks, *blinds, ante, payouts)
    shown = [_slot(name, spot.players) for name in hands]
    locked = _locks(locks, spot.players)
    with mistakes():
        tables = tables_for(spot.players)
    if outcomes == "product":
        game = Game(spot, product_tables(tables) if spot.players > 2 else tables, "smeared")
    else:
        game = Game(spot, tables)
    solution = solve(game, solver or "", locked)
    if as_json:
        print_json(_data(solution, shown))
        return
    console = standard_output()
    _print_answer(console, solution, grids)
    for slot in shown:
        _print_hands(console, solution, slot)


def _slot(name: str, players: int) -> "Slot":
    """Return the slot that names of seats between commas stand for. Raises `click.BadParameter`."""
    from limpet.strategies.pushfold.tree import seat_names, slots

    seats = seat_names(players)
    slot = tuple(seats.index(part) if part in seats else -1 for part in name.upper().replace(" ", "").split(","))
    if slot not in slots(players):
        raise click.BadParameter(
            f"{name!r} names no decision; write one to three of {', '.join(seats)} in this order, such as "
            f"{seats[-2]} for a push and {seats[-2]},{seats[-1]} for a call"
        )
    return slot


def _locks(texts: tuple[str, ...], players: int) -> "Locks":
    """Return the locked ranges of texts such as ``BTN=22+,A2+``; ``BB=…`` locks all of the big blind's calls."""
    from limpet.strategies.cards.ranges import class_weights, parse_range
    from limpet.strategies.pushfold.tree import slots

    locks: dict[Slot, Frequencies] = {}
    for text in texts:
        seats, sign, held = text.partition("=")
        if not sign:
            raise click.BadParameter(f"{text!r}: write seats, =, and a range, such as BTN=22+,A2+")
        row = class_weights(parse_range(held))
        if seats.strip().upper() == "BB":
            locks |= {slot: row for slot in slots(players) if len(slot) == 2 and slot[1] == players - 1}
        else:
            locks[_slot(seats, players)] = row
    return locks


def _print_answer(console: "Console", solution: "Solution", grids: bool) -> None:
    """Print who goes all-in with what, decision by decision, and epsilon."""
    from limpet.bot.commands.drawing import range_picture
    from limpet.strategies.cards.isomorphism import preflop_classes
    from limpet.strategies.pushfold.response import slot_gains
    from limpet.strategies.pushfold.tree import seat_names, slots

    spot, profile = solution.game.spot, solution.profile
    seats = seat_names(spot.players)
    print_line(console, _heading(solution))
    rows = [
        [seat, f"{stack:,.10g}", f"{total:+.5f}", f"{gain:.5f}"]
        for seat, stack, total, gain in zip(
            seats, spot.stacks, solution.values.totals.tolist(), solution.epsilon.gains, strict=True
        )
    ]
    unit = "bb" if spot.payouts is None else "prize"
    print_table(console, ["seat", "stack", f"EV ({unit})", f"best response wins ({unit})"], rows, boxed=False)
    print_line(console, "")
    gains = dict(zip(slots(spot.players), slot_gains(spot.players, profile.frequencies, solution.values), strict=True))
    share = solution.game.tables.share
    for slot in sorted(gains):
        name = f"{'  ' * (len(slot) - 1)}{seats[slot[-1]]} {VERBS[len(slot) - 1]} {100 * float(profile[slot] @ share):.2f} %"
        note = "locked" if slot in solution.locks else f"best response +{gains[slot]:.5f}"
        print_line(console, f"{name:<27} {note:<23} {profile.text(slot)}")
        if grids:
            console.print(range_picture(profile[slot][preflop_classes()].astype("float32"), ()))


def _heading(solution: "Solution") -> str:
    """Return the lines that say who solved it, how long it took, and what epsilon is."""
    spot, found = solution.game.spot, solution.epsilon
    unit, whole = ("bb", "chips") if spot.payouts is None else ("of the payouts' unit", "prizes")
    lines = [
        f"solver {solution.solver}, {solution.seconds:.2f} s",
        f"epsilon {found.value:.2g} {unit}, {found.percent:.2g} % of the {whole}",
        f"within the 170 ordered ranges: epsilon {solution.ordered.value:.2g} {unit}, {solution.ordered.percent:.2g} %",
        f"played hand by hand: epsilon {solution.played.value:.2g} {unit}, {solution.played.percent:.2g} %",
    ]
    return "\n".join(lines)


def _print_hands(console: "Console", solution: "Solution", slot: "Slot") -> None:
    """Print what each class wins at a decision, best first."""
    from limpet.strategies.pushfold.tree import slot_name

    console.print("")
    hands = _hands(solution, slot)
    rows = [
        [name, *("" if value is None else f"{value:.4f}" for value in values.values())]
        for name, values in sorted(hands.items(), key=lambda item: -(item[1]["gain"] or 0.0))
    ]
    headings = [f"{slot_name(slot, solution.game.players)}: hand", "frequency", "all-in", "fold", "difference"]
    print_table(console, headings, rows, boxed=False)


def _hands(solution: "Solution", slot: "Slot") -> dict[str, dict[str, float | None]]:
    """Return frequency and values of each class at a decision; None for the values of a decision that is never reached."""
    from limpet.strategies.cards.isomorphism import class_name
    from limpet.strategies.pushfold.response import hand_values

    act, fold = hand_values(solution.game, solution.profile, slot)
    columns = {"frequency": solution.profile[slot], "all_in": act, "fold": fold, "gain": act - fold}
    return {
        class_name(number): {
            name: None if isnan(column[number]) else float(column[number]) for name, column in columns.items()
        }
        for number in range(168, -1, -1)
    }


def _data(solution: "Solution", shown: "list[Slot]") -> dict[str, Any]:
    """Return the answer as JSON has it."""
    from limpet.strategies.cards.isomorphism import class_name
    from limpet.strategies.pushfold.tree import seat_names, slot_name, slots

    spot, profile = solution.game.spot, solution.profile
    data: dict[str, Any] = {
        "stacks": spot.stacks,
        "blinds": [spot.small_blind, spot.big_blind],
        "ante": spot.ante,
        "payouts": spot.payouts,
        "seats": seat_names(spot.players),
        "solver": solution.solver,
        "epsilon": solution.epsilon.value,
        "epsilon_unit": spot.unit,
        "epsilon_percent": solution.epsilon.percent,
        "epsilon_ordered": solution.ordered.value,
        "epsilon_played": solution.played.value,
        "seconds": solution.seconds,
        "iterations": solution.answer.iterations,
        "ev": solution.values.totals.tolist(),
        "locked": [slot_name(slot, spot.players) for slot in solution.locks],
    }
    for size, kind in enumerate(KINDS, 1):
        names = {slot_name(slot, spot.players): slot for slot in slots(spot.players) if len(slot) == size}
        data[kind] = {
            name: {class_name(number): float(profile[slot][number]) for number in range(168, -1, -1)}
            for name, slot in names.items()
        }
        data[f"{kind}_text"] = {name: profile.text(slot) for name, slot in names.items()}
    if shown:
        data["hands"] = {slot_name(slot, spot.players): _hands(solution, slot) for slot in shown}
    return data
