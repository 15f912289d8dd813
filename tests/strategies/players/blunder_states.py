"""States in which the blueprint plays badly, and what each action loses there by a longer solve.

`python benchmarks/blunders.py` writes the file. What an action loses is the expected value of the best action less its own,
in % of the pot.
"""

from functools import cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.menu import STREETS, neighbours
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, Rows, Strategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures.full_ranges import without_clock
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.solvers.vector.vector_solver import NodeValues
from tests.protocol.walks import after

FILE = Path(__file__).with_name("blunders.yaml")
GAME = load_game("holdem.nolimit.2p.reverse_blinds")


class Blunder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One state and one hand.

    Attributes:
        betting: the actions from the start of the hand, as on the wire, for blinds of 50 and 100 and stacks of 20,000.
        board: cards of the board; empty before the flop.
        hand: the two cards of the player who has to act.
        named: whether somebody saw the state and named it; the others were searched for.
        about: why the state is here, in a few words.
        loses: % of the pot that each action loses, by its text on the wire; 0 for the best.
        judge: % of the pot that the play of the judging solve itself loses with this hand: how sure `loses` is.
        blueprint: % of the pot that the blueprint loses with it.
    """

    betting: str
    board: str = ""
    hand: str
    named: bool = False
    about: str
    loses: dict[str, float]
    judge: float
    blueprint: float

    def __str__(self) -> str:
        return " ".join(filter(None, (self.betting, self.board, self.hand)))

    @property
    def state(self) -> State:
        """The public state."""
        return reached(self.betting, parse_cards(self.board))

    @property
    def holes(self) -> int:
        """Number of the hand in the hand space."""
        return hand_space().index(parse_cards(self.hand))

    def lost(self, rows: Rows) -> float:
        """Return the % of the pot that `rows` lose with the hand, a mean over their probabilities."""
        column = rows.column(self.holes)
        return sum(float(share) * self._loss(action) for action, share in zip(rows.actions, column, strict=True))

    def _loss(self, action: Action) -> float:
        """Return what an action loses. Between two raises of the solve it is shared out as the translation of bets is."""
        if str(action) in self.loses:
            return self.loses[str(action)]
        state = self.state
        pot = state.pot + state.to_call
        raises = {(int(text[1:]) - state.max_spent) / pot: loss for text, loss in self.loses.items() if text[0] == "r"}
        near = neighbours(list(raises), (action.size - state.max_spent) / pot)
        return sum(share * list(raises.values())[index] for index, share in near)


def reached(betting: str, board: tuple[int, ...]) -> State:
    """Return the state after `betting`, with its street's cards of `board`."""
    state = after(GAME, betting, board)
    assert state.betting == betting, f"{betting} is not how {state.betting} is written"
    return state


def blunders() -> list[Blunder]:
    """Return all states of the file."""
    return msgspec.yaml.decode(FILE.read_bytes(), type=list[Blunder])


@cache
def thinker(bot: str, round_: int, iterations: int | None = None) -> Strategy:
    """Return a bot without its clock, which plays its blueprint up to a round and thinks as it does from there on.

    It then comes to the street with the ranges that the states were judged with. iterations: of every solve after the
    flop is dealt, in place of those of the config.
    """
    loaded = load_bot(bot)
    options = loaded.options()
    if not isinstance(options, Resolve.Options):
        return loaded.build()
    later = {street: plan for street, plan in options.streets.items() if STREETS.index(street) >= round_}
    options = without_clock(msgspec.structs.replace(options, streets=later), iterations=iterations)
    return Resolve(loaded.game, options, loaded.path.parent)


def answer(player: Strategy, blunder: Blunder, coin: int = 0) -> Rows:
    """Return a player's rows in a state. coin: number of the hand, by which raises off the blueprint's menu are translated."""
    state = blunder.state
    assert state.actor is not None
    return player.start_hand(HandKey(1, coin, state.actor)).rows(state)


def losses(values: NodeValues, state: State) -> NDArray[np.float64]:
    """Return float64 ``[action, 1326]``: % of the pot that each action loses."""
    actions = values.actions.astype(np.float64)
    chips = (actions.max(axis=0) - actions) * state.game.big_blind
    return np.asarray(100 * chips / state.pot, np.float64)
