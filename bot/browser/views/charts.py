"""Charts of push-or-fold ranges and prize money as a page draws them, and what a bot won with the luck taken out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from limpet.bot.browser.views.grid import (
    SIDE,
    GridAction,
    HandColumns,
    HandGrid,
    class_names,
    class_order,
    json_numbers,
    probabilities,
)
from limpet.configs.loading import ConfigError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import Recomputed, RowsFile, silenced
from limpet.strategies.cards.isomorphism import class_name, preflop_classes
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.luck.aivat import aivat
from limpet.strategies.holdem.solutions.pictures import CALL, FOLD, LARGEST, hex_colour
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.shortstacks.response import hand_values
from limpet.strategies.shortstacks.solve import KINDS, Solution, answer_line, hand_answer
from limpet.strategies.shortstacks.spot import named_slot, seat_names, slot_name, slots
from limpet.strategies.subjects import board_equity


def push_fold_view(solution: Solution) -> dict[str, Any]:
    """Return a solved spot with all its decisions, in the order in which they come up.

    Values are in big blinds, or in prize money where there are payouts.
    """
    spot, profile, share = solution.game.spot, solution.profile, solution.game.tables.share
    return {
        "seats": seat_names(spot.players),
        "unit": spot.unit,
        "ev": solution.values.totals.tolist(),  # by seat
        "epsilon": solution.epsilon.value,
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
                "locked": slot in solution.locks,
            }
            for slot in sorted(slots(spot.players))
        ],
    }


def slot_grid(solution: Solution, name: str) -> HandGrid:
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
    evs = json_numbers(fold), json_numbers(act)
    cells = HandColumns(class_names(), (1.0,) * len(order), frequencies, ev=json_numbers(mean), evs=evs)
    return HandGrid(SIDE, actions, cells, probabilities(share[order]), measure="EV")


def hand_view(solution: Solution, name: str, hand: str) -> dict[str, str]:
    """Return the class of a hand such as A8s or As8s, and what it does at a decision as `limpet pushfold --hand` says it.

    Raises `ValueError` for no decision and for no single class of hands.
    """
    slot = named_slot(name, solution.game.players)
    classes = np.unique(preflop_classes()[parse_range(hand) > 0])
    if len(classes) != 1:
        raise ConfigError(f"{hand}: write one hand, such as A8s or As8s")
    one = class_name(int(classes[0]))
    return {"hand": one, "line": answer_line(hand_answer(solution, slot, one), solution.game.spot.unit)}


# --- What a bot wins with the luck taken out by AIVAT, hand by hand, as ``limpet aivat --baseline equity`` has it.


class BotLuck:
    """A bot whose decisions are worked out again, or kept in a file, and the value function of equity.

    That function needs no model, so that a hand takes a moment where the blueprint's values would take seconds.
    """

    def __init__(self, config: str, game: GameDef, rows: Path | None = None) -> None:
        """Raise `ConfigError` for bots and games that AIVAT is not for.

        rows: file in which the bot keeps what it plays by; a bot that thinks against the clock needs it.
        """
        self._game, self._values, self._kept = game, board_equity(game), rows
        self._again = _recomputed(config, game) if rows is None else None

    def won(self, lines: Sequence[str], name: str) -> list[float]:
        """Return what the player called `name` wins in hands of a log, in chips. Raises `ValueError`."""
        source = self._again or self._rows_file()
        won = []
        for line in lines:
            record = read_entry(line, self._game, "the table's log")
            assert isinstance(record, HandRecord)
            position = record.names.index(name)
            won.append(aivat(record, position, self._values, {position: source}).value)
        return won

    def _rows_file(self) -> RowsFile:
        """Read the file of rows, which grows. Raises `ConfigError`."""
        assert self._kept is not None
        try:
            return RowsFile(self._kept, self._game)
        except OSError as error:
            raise ConfigError(f"{self._kept}: {error.strerror}; the bot has kept no rows of these hands") from error


def _recomputed(config: str, game: GameDef) -> Recomputed:
    """Return the bot's decisions worked out again. Raises `ConfigError` if they depend on the clock."""
    bot = load_bot(config, game)
    strategy = silenced(bot.build())
    if isinstance(strategy, Resolve) and strategy.resolver.bank is not None:
        raise ConfigError(f"{bot.name} thinks against the clock, so that its decisions cannot be worked out again")
    return Recomputed(strategy, bot.config.seed)
