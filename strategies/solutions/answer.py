"""A solved spot's answer as plain numbers: what each position wins, and what a decision's hands do.

EVs are counted two ways. *Net* is what a position wins beyond all it has put in, half of the spot's pot among it. The
*share* is what it takes out of the pot: net plus what it has put in. At the start of a spot the two shares sum to the pot.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.ranges import class_weights
from limpet.strategies.solutions.lines import Place, pot_fractions
from limpet.strategies.solutions.run import Reason, Solve
from limpet.strategies.solving.vector_solver import Exploitability, NodeValues
from limpet.strategies.trees.action_names import action_names
from limpet.strategies.trees.spot import Spot

POSITIONS = ("out of position", "in position")


class HandClasses(NamedTuple):
    """A decision by the 169 classes of starting hands, class numbers as in `cards.isomorphism.preflop_class`.

    Attributes:
        weights: float64 ``[169]`` mean reach of a class's hands that miss the board, 0 to 1.
        happens: float64 ``[169]`` share of the times the decision comes up in which the actor holds the class.
        frequencies: float64 ``[actions, 169]``; columns of classes that never get there are 0.
        share: float64 ``[169]`` mean share of the pot in big blinds.
        action_share: float64 ``[actions, 169]`` the same after each action.
    """

    weights: NDArray[np.float64]
    happens: NDArray[np.float64]
    frequencies: NDArray[np.float64]
    share: NDArray[np.float64]
    action_share: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Decision:
    """One decision on one board: reach, strategy and values of every hand. Money is in big blinds.

    Attributes:
        position: to act.
        spent: by each position so far, half of the spot's pot included.
        actions: names, in the spot's money.
        fractions: the raises as pot fractions, None for other actions.
        net: expected net of both positions.
    """

    place: Place
    position: int
    spent: tuple[float, float]
    actions: tuple[str, ...]
    fractions: tuple[float | None, ...]
    values: NodeValues

    @property
    def pot(self) -> float:
        return sum(self.spent)

    @property
    def net(self) -> tuple[float, float]:
        return self.values.expected

    @property
    def share(self) -> tuple[float, float]:
        """Expected share of the pot of both positions."""
        return self.net[0] + self.spent[0], self.net[1] + self.spent[1]

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """float64 ``[1326]``: how often the actor holds each hand when the decision comes up; sums to 1, or is all 0.

        A hand counts by its reach times the reach of the other's hands that it leaves possible.
        """
        reach = self.values.reach
        joint = reach[self.position].astype(np.float64) * hand_space().apart(reach[1 - self.position])
        total = float(joint.sum())
        share: NDArray[np.float64] = joint / total if total > 0 else joint
        return share

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """float64 ``[actions]``: how often each is taken, over all hands."""
        taken: NDArray[np.float64] = self.values.strategy.astype(np.float64) @ self.weights
        return taken

    @cached_property
    def classes(self) -> HandClasses:
        number, weights = preflop_classes(), self.weights

        def summed(per_hand: NDArray[np.floating]) -> NDArray[np.float64]:
            return np.bincount(number, weights * per_hand, NUM_CLASSES).astype(np.float64)

        happens = summed(np.ones(len(weights)))
        scale = np.divide(1, happens, out=np.zeros(NUM_CLASSES), where=happens > 0)
        put_in = self.spent[self.position] * (happens > 0)
        reach = np.minimum(self.values.reach[self.position], 1)
        return HandClasses(
            weights=np.where(happens > 0, class_weights(reach, self.place.board), 0),
            happens=happens,
            frequencies=np.stack([summed(row) for row in self.values.strategy]) * scale,
            share=summed(self.values.values[self.position]) * scale + put_in,
            action_share=np.stack([summed(row) for row in self.values.actions]) * scale + put_in,
        )

    def hands(self) -> NDArray[np.intp]:
        """Hands that get there, the most valuable first; of equal ones the higher cards."""
        held = np.flatnonzero(self.weights > 0)[::-1]
        order = np.argsort(-self.values.values[self.position][held], kind="stable")
        return held[order]

    def hand_share(self, hand: int) -> float:
        """What a hand takes out of the pot on average."""
        return float(self.values.values[self.position][hand]) + self.spent[self.position]


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solve has come to.

    Attributes:
        net: of both positions at the start.
        decisions: those asked for.
        memory: bytes.
    """

    spot: Spot
    reason: Reason
    iterations: int
    seconds: float
    exploitability: Exploitability
    net: tuple[float, float]
    memory: int
    decisions: tuple[Decision, ...]

    @property
    def pot(self) -> float:
        """Big blinds at the start."""
        return sum(self.spot.root.spent) / self.spot.root.game.big_blind

    @property
    def share(self) -> tuple[float, float]:
        return self.net[0] + self.pot / 2, self.net[1] + self.pot / 2

    @property
    def gains(self) -> tuple[float, float]:
        """What a best response of each position wins more than the answer, in big blinds; 0 at an equilibrium."""
        best = self.exploitability.best
        return best[0] - self.net[0], best[1] - self.net[1]


def answer(solve: Solve, places: Sequence[Place] = ()) -> Answer:
    """The answer with the decisions at `places`. Each costs about one iteration, and so do the EVs."""
    net = solve.solver.values()
    return Answer(
        spot=solve.spot,
        reason=solve.reason,
        iterations=solve.solver.iteration,
        seconds=solve.seconds,
        exploitability=solve.checks[-1].exploitability,
        net=(float(net[0]), float(net[1])),
        memory=solve.solver.memory.total,
        decisions=tuple(decision(solve, place) for place in places),
    )


def decision(solve: Solve, place: Place) -> Decision:
    """Raises ValueError for a board that does not continue the spot's."""
    tree, node = solve.spot.tree, place.node
    unit = solve.spot.root.game.big_blind
    return Decision(
        place=place,
        position=int(tree.player[node]),
        spent=(float(tree.spent[node, 0]) / unit, float(tree.spent[node, 1]) / unit),
        actions=action_names(tree, node, solve.spot.chip_size),
        fractions=pot_fractions(tree, node),
        values=solve.solver.node_values(node, place.board),
    )


def hand_text(hand: int) -> str:
    """A hand's two cards, the higher first."""
    return cards_text(hand_space().cards(hand)[::-1])
