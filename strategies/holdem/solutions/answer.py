"""A solved spot's answer as numbers: the EV of each position, the strategy and EV of a decision's hands.

EVs are counted two ways. *Net* is what a position wins beyond all it has put in, half of the spot's pot included. The
*share* is what it takes out of the pot: net plus what it has put in. At the start of a spot the two shares sum to the pot.

An expected value is a mean over the opponent's hands that reach a decision. It is NaN where the opponent never reaches
it, or only with hands that share a card with the player's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.ranges import class_weights
from limpet.strategies.holdem.solutions.lines import (
    BoardNode,
    action_names,
    find_node,
    first_street,
    pot_fractions,
    split_line,
)
from limpet.strategies.holdem.solutions.solve import RealGame, Solve, prepare, real_game
from limpet.strategies.holdem.solutions.spot import Spot, load_spot
from limpet.strategies.solvers.vector.vector_solver import Exploitability, NodeValues, possible_reach

POSITIONS = ("out of position", "in position")


class HandClasses(NamedTuple):
    """A decision by the 169 classes of starting hands, numbered as in `cards.isomorphism.preflop_class`.

    Where the decision never comes up, `happens` is the share of each class in the actor's range.

    Attributes:
        weights: float64 ``[169]``: mean reach of a class's hands that miss the board, 0 to 1.
        happens: float64 ``[169]``: probability that the actor holds the class when the decision comes up.
        frequencies: float64 ``[actions, 169]``: probability of each action; 0 for classes that never reach it.
        share: float64 ``[169]``: mean share of the pot in big blinds; NaN where the opponent can hold nothing.
        action_share: float64 ``[actions, 169]``: mean share of the pot after each action.
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
        position: position of the actor.
        spent: big blinds put in by each position, half of the spot's pot included.
        actions: names of the actions, in the spot's money.
        fractions: raises as pot fractions, None for other actions.
    """

    place: BoardNode
    position: int
    spent: tuple[float, float]
    actions: tuple[str, ...]
    fractions: tuple[float | None, ...]
    values: NodeValues

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the actions with the pot fraction of raises: ``bet 5 (50 %)``."""
        pairs = zip(self.actions, self.fractions, strict=True)
        return tuple(name if fraction is None else f"{name} ({100 * fraction:.0f} %)" for name, fraction in pairs)

    @property
    def pot(self) -> float:
        return sum(self.spent)

    @property
    def net(self) -> tuple[float, float]:
        """Expected net of both positions; NaN if the decision never comes up."""
        return self.values.expected

    @property
    def share(self) -> tuple[float, float]:
        """Expected share of the pot of both positions; NaN if the decision never comes up."""
        return self.net[0] + self.spent[0], self.net[1] + self.spent[1]

    @property
    def own(self) -> NDArray[np.float64]:
        """float64 ``[1326]``: the actor's reach of the decision."""
        return np.asarray(self.values.reach[self.position], np.float64)

    @cached_property
    def possible(self) -> NDArray[np.float64]:
        """float64 ``[1326]``: opponent's reach that each hand of the actor leaves possible, see `vector_solver.possible_reach`."""
        return possible_reach(self.values.reach[1 - self.position])

    @cached_property
    def comes_up(self) -> bool:
        """True if both players reach the decision. Otherwise it has a strategy but no expected values."""
        return bool((self.own * self.possible).any())

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """float64 ``[1326]``: probability that the actor holds each hand when the decision comes up.

        A hand counts by its reach times the opponent's reach that it leaves possible, or by its own reach alone where the
        decision never comes up. All 0 where the actor never reaches the decision.
        """
        joint = self.own * self.possible if self.comes_up else self.own
        total = float(joint.sum())
        return np.asarray(joint / total if total > 0 else joint)

    @cached_property
    def hand_net(self) -> NDArray[np.float64]:
        """float64 ``[1326]``: expected net of the actor's hands; NaN where the opponent can hold nothing."""
        return np.where(self.possible > 0, self.values.values[self.position], np.nan)

    @cached_property
    def action_net(self) -> NDArray[np.float64]:
        """float64 ``[actions, 1326]``: expected net of the actor's hands after each action."""
        return np.where(self.possible > 0, self.values.actions, np.nan)

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """float64 ``[actions]``: probability of each action, over all hands."""
        return np.asarray(self.values.strategy.astype(np.float64) @ self.weights)

    def action_ev(self, action: int) -> float:
        """Return the expected share of the pot after an action, over the hands that take it; NaN if none does."""
        taken = self.weights * self.values.strategy[action] if self.comes_up else np.zeros(len(self.weights))
        total = float(taken.sum())
        return float(taken @ self.values.actions[action]) / total + self.spent[self.position] if total > 0 else np.nan

    @cached_property
    def classes(self) -> HandClasses:
        """The decision by classes of starting hands."""
        number, weights, own = preflop_classes(), self.weights, self.own
        reach = self.values.reach[self.position]

        def summed(per_hand: NDArray[np.floating]) -> NDArray[np.float64]:
            return np.bincount(number, per_hand, NUM_CLASSES).astype(np.float64)

        happens = summed(weights)
        counted = np.where(happens[number] > 0, weights, own)
        total = summed(counted)
        scale = np.divide(1, total, out=np.zeros(NUM_CLASSES), where=total > 0)
        put_in = np.where(self.comes_up & (happens > 0), self.spent[self.position], np.nan)
        return HandClasses(
            weights=np.where(total > 0, class_weights(np.minimum(reach, 1), self.place.board), 0),
            happens=happens,
            frequencies=np.stack([summed(counted * row) for row in self.values.strategy]) * scale,
            share=summed(counted * self.values.values[self.position]) * scale + put_in,
            action_share=np.stack([summed(counted * row) for row in self.values.actions]) * scale + put_in,
        )

    def hands(self) -> NDArray[np.intp]:
        """Return the actor's hands that reach it, by falling value, then by falling cards; hands without a value last."""
        held = np.flatnonzero(self.own > 0)[::-1]
        order = np.argsort(-self.hand_net[held], kind="stable")
        return held[order]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a row for each hand of the actor as plain data, in the order of `hands`, as a data frame takes it.

        A row has the hand, the probability that the actor holds it, its net in big blinds, and the frequency of each action.
        """
        return [
            {
                "hand": hand_text(hand),
                "weight": float(self.weights[hand]),
                "net_bb": float(self.hand_net[hand]),
                **dict(zip(self.labels, map(float, self.values.strategy[:, hand]), strict=True)),
            }
            for hand in self.hands().tolist()
        ]


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of a solve: the expected net of both positions at the start, and the decisions that were asked for.

    `real_game` is the exploitability outside the abstraction; None where the spot has none.
    """

    solve: Solve
    net: tuple[float, float]
    decisions: tuple[Decision, ...]
    real_game: RealGame | None

    @property
    def exploitability(self) -> Exploitability:
        """Exploitability within the abstraction, where the spot has one."""
        return self.solve.checks[-1].exploitability

    @property
    def pot(self) -> float:
        """The pot at the start, in big blinds."""
        root = self.solve.spot.root
        return sum(root.spent) / root.game.big_blind

    @property
    def share(self) -> tuple[float, float]:
        """Expected share of the pot of both positions at the start."""
        return self.net[0] + self.pot / 2, self.net[1] + self.pot / 2

    @property
    def taken(self) -> float:
        """Expected big blinds that the house takes; 0 without rake."""
        return -sum(self.net) if self.solve.solver.rake.share else 0.0

    @property
    def gains(self) -> tuple[float, float]:
        """Big blinds that a best response of each position wins beyond the answer; 0 at an equilibrium."""
        best = self.exploitability.best
        return best[0] - self.net[0], best[1] - self.net[1]


def solve(
    spot: str | Path | Spot | None = None, at: Sequence[str] = (), report: Callable[[Solve], None] = lambda solve: None,
    stop: Callable[[], bool] = lambda: False, **fields: Any,
) -> Answer:  # fmt: skip
    """Return the equilibrium of a spot with its first decision, and those `at` lines such as ``"check, bet 50%"``.

    Args:
        spot: name of one that ships, a file, or a `Spot`; None for a spot made of `fields` alone.
        at: lines of actions, and of cards where a street begins, between commas; a text is one line.
        report: called after every measurement of the exploitability.
        stop: asked now and then whether to end early.
        fields: fields of `Spot` in place of the spot's own: board, pot, stack, ranges, menu, target, threads and so on.

    Raises `ConfigError` for a spot or a line that is wrong, and `MemoryError` for a tree that does not fit.
    """
    loaded = load_spot(spot, **fields)
    loaded.size().require()
    places = find_decisions(loaded, [at] if isinstance(at, str) else at)
    running = prepare(loaded)
    running.run(report, stop)
    return answer(running, places)


def find_decisions(spot: Spot, lines: Sequence[str], whole_street: bool = False) -> list[BoardNode]:
    """Return the first decision, or all of the first street, and those after lines. Raises `ConfigError` for a wrong line."""
    decisions = first_street(spot.tree, spot.chip_size) if whole_street else [find_node(spot.tree, ())]
    return decisions + [place_after(spot, line) for line in lines]


def place_after(spot: Spot, line: str, open_cards: bool = False) -> BoardNode:
    """Return the decision after a line; open_cards: see `find_node`. Raises `ConfigError` for a wrong line."""
    try:
        return find_node(spot.tree, split_line(line), spot.chip_size, open_cards)
    except ValueError as error:
        raise ConfigError(f"line {line!r}: {error}") from error


def answer(solve: Solve, places: Sequence[BoardNode] = (), in_real_game: bool = True) -> Answer:
    """Return the answer with the decisions at `places`. Each costs about one iteration, and so do the EVs.

    in_real_game: whether to measure an answer from an abstraction outside it too.
    """
    spot = solve.spot
    merged = spot.merge == "groups" and not spot.locks  # a lock binds best responses, and holds on merged boards alone
    real = real_game(solve.solver, on_all_boards=merged) if in_real_game and spot.abstracts else None
    return Answer(solve, solve.solver.values(), tuple(decision(solve, place) for place in places), real)


def decision(solve: Solve, place: BoardNode) -> Decision:
    """Return a decision of the answer. Raises ValueError for a board that does not continue the spot's."""
    spot = solve.spot
    return decision_at(spot.tree, place, solve.solver.node_values(place.node, place.board), spot.chip_size)


def decision_at(tree: BettingTree, place: BoardNode, values: NodeValues, chip: float = 1.0) -> Decision:
    """Return a decision of heads-up hold'em. chip: value of a chip in the money of the names of bets."""
    node = place.node
    first, second = (float(chips) / tree.game.big_blind for chips in tree.spent[node])
    names, fractions = action_names(tree, node, chip), pot_fractions(tree, node)
    return Decision(place, int(tree.player[node]), (first, second), names, fractions, values)


def hand_text(hand: int) -> str:
    """Return a hand's two cards as text, the higher first."""
    return cards_text(hand_space().cards(hand)[::-1])
