"""Tournament charts as a page draws them: push-or-fold ranges of every seat, and prize money by the ICM."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from limpet.bot.browser.views.grid import SIDE, Grid, GridAction, Hands, class_names, class_order, probabilities, values
from limpet.strategies.icm.all_ins import icm, icm_data
from limpet.strategies.pushfold.deal_tables import tables_for
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import named_locks
from limpet.strategies.pushfold.response import hand_values
from limpet.strategies.pushfold.solve import KINDS, Solution, solve
from limpet.strategies.pushfold.spot import Spot
from limpet.strategies.pushfold.tree import named_slot, seat_names, slot_name
from limpet.strategies.solutions.pictures import CALL, FOLD, LARGEST, hex_colour


def icm_view(stacks: tuple[float, ...], payouts: tuple[float, ...]) -> dict[str, Any]:
    """Return what `limpet icm --json` prints. Raises `ValueError`."""
    equity, all_ins = icm(stacks, payouts)
    return icm_data(stacks, payouts, equity.tolist(), all_ins)


def solve_push_fold(spot: Spot, locks: Sequence[str] = ()) -> Solution:
    """Solve a spot as `limpet pushfold` does; locks: texts such as ``BTN=22+``. Raises `ValueError`."""
    return solve(Game(spot, tables_for(spot.players)), locks=named_locks(locks, spot.players))


def push_fold_view(solution: Solution) -> dict[str, Any]:
    """Return a solved spot with all its decisions, in the order in which they come up.

    Values are in big blinds, or in prize money where there are payouts. A gain is what a best response adds.
    """
    spot, profile, share = solution.game.spot, solution.profile, solution.game.tables.share
    return {
        "seats": seat_names(spot.players),
        "stacks": spot.stacks,
        "unit": spot.unit,
        "ev": solution.values.totals.tolist(),  # by seat
        "gains": solution.epsilon.gains,  # by seat
        "epsilon": solution.epsilon.value,
        "epsilon_percent": solution.epsilon.percent,
        "conditional_loss": solution.losses.value,
        "solver": solution.solver,
        "seconds": solution.seconds,
        "slots": [
            {
                "name": slot_name(slot, spot.players),
                "kind": KINDS[len(slot) - 1],
                "percent": round(100 * float(profile[slot] @ share), 2),
                "reached": solution.is_reached(slot),
                "range": profile.text(slot) if solution.is_reached(slot) else "never reached",
                "gain": gain,
                "locked": slot in solution.locks,
            }
            for slot, gain in sorted(solution.gains().items())
        ],
    }


def slot_grid(solution: Solution, name: str) -> Grid:
    """Return a decision's range with what each class wins by folding and all-in. Raises `ValueError` for no decision."""
    slot = named_slot(name, solution.game.players)
    order, share = class_order(), solution.game.tables.share
    pushes = solution.profile[slot]
    act, fold = (column[order] for column in hand_values(solution.game, solution.profile, slot))
    taken = pushes[order]
    overall = float(pushes @ share)
    actions = (
        GridAction("fold", hex_colour(FOLD), round(1 - overall, 5)),
        GridAction("all-in", hex_colour(LARGEST if len(slot) == 1 else CALL), round(overall, 5)),
    )
    mean = np.where(taken > 0, taken * act, 0) + np.where(taken < 1, (1 - taken) * fold, 0)
    frequencies = probabilities(1 - taken), probabilities(taken)
    evs = values(fold), values(act)
    cells = Hands(class_names(), (1.0,) * len(order), frequencies, ev=values(mean), evs=evs)
    return Grid(SIDE, actions, cells, probabilities(share[order]), measure="EV")
