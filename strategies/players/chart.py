"""Preflop by a chart of starting hand groups, postflop by the formula. Hold'em only.

The groups are Sklansky's as printed in Kujath's thesis (Fig 12), with its rules of position: groups 1-4 are played in any
position, 5 from middle position on, 6 in late position, 7-8 in late position by the first to enter the pot. In a loose
game 5 is played in early position and 6 in middle position too.
"""

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.strategy import RaiseSize, Rows, Stateless, Strategy, fold_call_raise, sized_raise
from limpet.strategies.cards.handspace import is_holdem, read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.ranges import class_weights, parse_range
from limpet.strategies.players.formula import Formula

GROUPS = (
    "AA-JJ AKs",
    "TT AQs AJs KQs AKo",
    "99 ATs KJs QJs JTs AQo",
    "88 KTs QTs J9s T9s 98s AJo KQo",
    "77 A9s-A2s Q9s T8s 97s 87s 76s KJo QJo JTo",
    "66 55 K9s J8s 86s 75s 54s ATo KTo QTo",
    "44-22 K8s-K2s Q8s T7s 64s 53s 43s J9o T9o 98o",
    "J7s 96s 85s 74s 42s 32s A9o K9o Q9o J8o T8o 87o 76o 65o 54o",
)
NO_GROUP = 9
"""Group number of hands that are in none."""
ANY_POSITION = 4
"""Weakest group that is played in any position."""


class Chart(Stateless):
    """Enters the pot with the groups its position allows: raising if it is the first, calling after others.

    After a second raise only the groups for any position go on, after a third the first two. Group 1 raises whoever
    raised, up to the third raise, and groups 1 and 2 raise callers. Checking is never refused. Position counts from the
    button, which acts last from the flop on: late is the button and the seat before it, middle the two before those.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """`size` of preflop raises (``min``, ``max`` or a pot fraction); `loose` games; the `formula` behind it."""

        size: RaiseSize = 1.0
        loose: bool = False
        formula: Formula.Options = Formula.Options()

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if not is_holdem(game) or game.num_board_cards[0] != 0:
            raise ValueError(
                "the chart holds hold'em starting hands: two of 52 cards and no board in the first round; "
                f"this game deals {game.num_hole_cards} of {len(game.deck)} and "
                f"{game.num_board_cards[0]} board cards; player 'formula' plays any game"
            )
        self.options = options
        self.formula = Formula(game, options.formula, folder)

    def slow(self, state: State) -> bool:
        return bool(state.board) and self.formula.slow(state)

    def warm_up(self) -> None:
        self.formula.warm_up()
        hand_groups()

    def rows(self, state: State) -> Rows:
        if state.round > 0:
            return self.formula.rows(state)
        groups = hand_groups()
        first = state.raises == 0 and "c" not in state.betting
        played = groups <= self.last_group(state, first)
        last = NO_GROUP - 1 if first else (2, 1, 1)[state.raises] if state.raises < 3 else 0
        bigger = sized_raise(state, self.options.size)
        return fold_call_raise(state, played, played & (groups <= last), bigger, preflop_classes())

    def last_group(self, state: State, first: bool) -> int:
        """Return the weakest group that the actor plays in `state`; first: whether nobody has entered the pot."""
        if state.raises > 2:
            return 2
        if state.raises > 1:
            return ANY_POSITION
        from_button = self.game.num_players - 1 - state.actor
        if from_button <= 1:
            return 8 if first else 6
        return (5 if from_button <= 3 else ANY_POSITION) + self.options.loose


@cache
def hand_groups() -> NDArray[np.int8]:
    """Return int8 ``[169]``: the group 1 to 8 of each starting hand class, `NO_GROUP` for the rest; read-only."""
    groups = np.full(NUM_CLASSES, NO_GROUP, np.int8)
    for number, group in enumerate(GROUPS, 1):
        groups[class_weights(parse_range(group)) > 0] = number
    return read_only(groups)
