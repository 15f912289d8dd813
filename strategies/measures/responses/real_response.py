"""What a best answer with real cards wins from a strategy, inside the strategy's betting tree, bounded on sampled boards.

The answer sees its own cards and the board as they are, where the strategy sees buckets; it does not see cards to come.
An answer that saw buckets alone is one of those it may give: what it wins at most, one inside the abstraction does too.
Where all boards can be taken the result is exact. Else each street's cards are sampled, and two numbers bracket the
value in expectation:

- *above*: on every street the action that is best on the sampled boards themselves. A maximum of noisy means is too
  high on average (Jensen), ever less so with more boards.
- *below*: the sampled boards are split into parts; an action is chosen by the other parts and valued on its own. That is
  an honest strategy on cards it was not fitted to, so no best answer wins less.

On the last street nothing is left to come, and both take the maximum. Means over boards count, for each hand, those that
it leaves possible. Before the flop of hold'em the suits of a class decide alike, as they do in the full game.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.cards.public_boards import count_boards, num_cards
from limpet.strategies.measures.responses import real_response_kernels as kernels
from limpet.strategies.measures.responses.board_samples import BoardNode, BoardSamples
from limpet.strategies.measures.responses.last_street_kernels import Space, last_street, last_street_space
from limpet.strategies.measures.responses.tree_streets import Street, tree_streets
from limpet.strategies.solving.vector.memory import free_memory, size_text
from limpet.strategies.statistics.estimate import Estimate, estimate
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.tree_size import street_counts

_descend: Any = kernels.descend
_ascend: Any = kernels.ascend
_variants: Any = kernels.variants
_last_street: Any = last_street

ARRAYS_A_BOARD = 8  # float32 [leaves, hands] that a board of the first deal takes while all of them are summed up
PARTS = 4  # an answer is chosen by three of them and valued on the fourth
MOST_EXACT = 2_000  # boards that are all taken


class Response(NamedTuple):
    """Net chips a hand that the best answer of one position wins."""

    below: Estimate
    above: Estimate


class RealResponse(NamedTuple):
    """Answers of both positions."""

    positions: tuple[Response, Response]
    exact: bool

    @property
    def both(self) -> Response:
        """Mean of both positions. They are answered on the same boards: intervals are those of results in step, if
        anything too wide."""
        zero, one = self.positions
        return Response(*(Estimate((a.mean + b.mean) / 2, (a.half_width + b.half_width) / 2, a.samples)
                          for a, b in zip(zero, one, strict=True)))  # fmt: skip

    @property
    def below(self) -> float:
        """Mean of both positions: the exploitability is at least this, in expectation."""
        return (self.positions[0].below.mean + self.positions[1].below.mean) / 2

    @property
    def above(self) -> float:
        """The same, at most."""
        return (self.positions[0].above.mean + self.positions[1].above.mean) / 2


def real_response(
    tree: BettingTree,
    cards: CardAbstraction,
    table: NDArray[np.float32],
    samples: tuple[int, ...],
    seed: int,
    threads: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> RealResponse:
    """The best answers of both positions to `table`.

    Args:
        table: probabilities in the layout of ``tree.row_offset(buckets)``, rows summing to 1 (`played.PlayedRows`).
        samples: for each round in which cards are dealt, how many deals to draw: in hold'em flops, turns for each of
            them, and rivers for each turn; at least `PARTS` each. Ignored where all boards can be taken.
        report: called with lines to boards of the first deal, done and to do: every end of the first betting round that
            goes on counts once for each such board. Called from several threads, one at a time.

    Raises `ValueError` for too few samples, a table of another size, and games of other than two players, and
    `MemoryError` for more boards of the first deal than fit into memory.
    """
    game = tree.game
    offset = tree.row_offset([cards.num_buckets(round_) for round_ in range(game.num_rounds)])
    if table.shape != (int(offset[-1]),):
        raise ValueError(f"the table has the shape {list(table.shape)}, this tree and its buckets need [{offset[-1]}]")
    exact, deals = deals_taken(game, samples)
    require_room(tree, deals)
    boards = BoardSamples(game, cards, samples, seed, exact)
    streets = [tree_streets(tree, offset, player) for player in range(2)]
    total = 2
    if deals:
        leaves = [len(of[0].leaf_row) for of in streets]
        total = sum(leaves) * deals[0]
    done, lock = 0, threading.Lock()

    def step() -> None:
        nonlocal done
        with lock:
            done += 1
            report(done, total)

    report(0, total)
    positions = [_Answer(of, boards, table, step).response(threads) for of in streets]
    return RealResponse((positions[0], positions[1]), exact)


class DealsTaken(NamedTuple):
    """Which boards a best answer looks at."""

    exact: bool
    """Whether they are all boards of the game."""
    deals: tuple[int, ...]
    """Deals of each round that deals cards, for each board of the round before."""


def deals_taken(game: GameDef, samples: tuple[int, ...]) -> DealsTaken:
    """What `real_response` makes of its samples: no more deals than there are.

    Raises `ValueError` for too few samples and for a game whose boards are not dealt a round at a time.
    """
    exact = count_boards(game) <= MOST_EXACT
    dealt = [cards_ for cards_ in game.num_board_cards[1:] if cards_]
    if game.num_board_cards[0] or len(dealt) != game.num_rounds - 1:
        raise ValueError("real-card answers need a game that deals its board from the second round on, in each round")
    if not exact and (len(samples) != len(dealt) or min(samples) < PARTS):
        raise ValueError(
            f"{len(dealt)} numbers of at least {PARTS} say how many deals to draw a round, not {tuple(samples)}; "
            f"write for example {','.join(['16'] * len(dealt))}"
        )
    left, deals = len(game.deck), []
    for round_, cards_ in enumerate(dealt):
        there_are = comb(left, cards_)
        deals.append(there_are if exact else min(samples[round_], there_are))
        left -= cards_
    return DealsTaken(exact, tuple(deals))


def require_room(tree: BettingTree, deals: tuple[int, ...]) -> None:
    """Raises `MemoryError` if the values of all boards of the first deal are too many to be held.

    deals: of `deals_taken`.
    """
    if not deals:
        return
    first = street_counts(tree)[0]
    boards, leaves = deals[0], first.dealer + first.leaf - first.folds
    hands = comb(len(tree.game.deck), tree.game.num_hole_cards)
    need = ARRAYS_A_BOARD * boards * leaves * hands * 4
    free = free_memory()
    if free is not None and need > free:
        raise MemoryError(
            f"{boards:,} boards of the first deal need {size_text(need)} of memory, and {size_text(free)} are free; take at "
            f"most {boards * free // need:,} of them"
        )


@dataclass(eq=False)
class _Answer:
    """The answers of one position."""

    streets: tuple[Street, ...]
    boards: BoardSamples
    table: NDArray[np.float32]
    step: Callable[[], None]
    """Called once for each leaf of the first round on each board of the first deal."""
    own: threading.local = field(default_factory=threading.local)
    """Each thread's working space."""

    def response(self, threads: int) -> Response:
        root = self.boards.root()
        hands = self.boards.space.size
        street = self.streets[0]
        pairs = hands * comb(len(self.boards.deck) - self.boards.game.num_hole_cards, self.boards.game.num_hole_cards)
        reach = self._descended(0, 0, root, np.ones(hands, np.float32))
        if len(self.streets) == 1:
            sums = np.zeros((1, 1, hands), np.float32)
            self._last(0, np.ones((1, hands), np.float32), root.as_last, sums)
            value = float(sums[0].sum()) / pairs
            self.step()
            return Response(Estimate(value, 0.0, 1), Estimate(value, 0.0, 1))
        leaf_reach = self._leaf_reach(0, 0, reach)
        children = root.children

        def work(child: BoardNode) -> NDArray[np.float32]:
            return self._leaves(0, 0, leaf_reach, child)

        by_board = np.empty((len(children), 2, *leaf_reach.shape), np.float32)
        with ThreadPoolExecutor(threads) as pool:
            for board, values in enumerate(pool.map(work, children)):
                by_board[board] = values
        leaves, judge = self._first_leaves(root, by_board * np.float32(self.boards.chance(root)))
        chips = self._ascended(0, 0, street, reach, leaves, judge).sum(axis=1, dtype=np.float64) / pairs
        if self.boards.exact:
            known = Estimate(float(chips[0]), 0.0, len(children))
            return Response(known, known)
        below, above = chips[PARTS + 1 :].reshape(2, -1)
        return Response(*map(estimate, (below, above)))

    def _first_leaves(
        self, root: BoardNode, by_board: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Leaves of the first street and judges, as `ascend` takes them, from ``[boards, 2, leaves, H]``.

        Variants: means over the boards outside each part, honest values; the mean over all, fitted ones; then each
        board's share of its part's honest mean, judged by the others; then its share of the fitted mean. The last two
        groups are samples, whose means are the two results. All hands of a class pool their boards.
        """
        classes = self.boards.classes
        possible = root.possible
        honest, fitted = by_board[:, 0], by_board[:, 1]
        boards = len(by_board)
        fold = np.arange(boards) % PARTS
        everything = np.ones(boards, np.bool_)

        def share(values: NDArray[np.float32], chosen: NDArray[np.bool_]) -> NDArray[np.float32]:
            """``[leaves, H]`` sums over boards, divided by how many of the chosen boards the class's hands leave."""
            count = np.maximum(np.bincount(classes, possible[chosen].sum(axis=0)), 1)
            summed = np.stack([np.bincount(classes, row) for row in values]) / count
            return np.asarray(summed[:, classes], np.float32)

        if self.boards.exact:
            return share(fitted.sum(axis=0), everything)[:, None], np.zeros(1, np.int32)
        variants = [share(honest[fold != part].sum(axis=0), fold != part) for part in range(PARTS)]
        variants.append(share(fitted.sum(axis=0), everything))
        for board, part in enumerate(fold.tolist()):
            own = fold == part
            variants.append(share(honest[board], own) * np.float32(own.sum()))
        variants += [share(values, everything) * np.float32(boards) for values in fitted]
        return np.stack(variants, axis=1), np.array([*range(PARTS + 1), *fold, *[PARTS] * boards], np.int32)

    def _value(self, round_: int, root: int, place: BoardNode, given: NDArray[np.float32]) -> NDArray[np.float32]:
        """``[2, H]``: honest and fitted values of a root on a board; `given`: the other's reach."""
        reach = self._descended(round_, root, place, given)
        leaf_reach = self._leaf_reach(round_, root, reach)
        street = self.streets[round_]
        if not len(leaf_reach):
            leaves = np.empty((0, 1, len(given)), np.float32)
            value = self._ascended(round_, root, street, reach, leaves, np.zeros(1, np.int32))
            return np.concatenate([value, value])
        parts = 1 if self.boards.exact else PARTS
        fold = np.arange(len(place.children)) % parts
        honest = np.zeros((parts, len(leaf_reach), len(given)), np.float32)
        fitted = honest
        if round_ + 2 == len(self.streets):
            self._last(int(street.leaf[root]), leaf_reach, place.rivers, honest)
        else:
            fitted = np.zeros_like(honest)
            for part, child in zip(fold.tolist(), place.children, strict=True):
                values = self._leaves(round_, root, leaf_reach, child)
                honest[part] += values[0]
                fitted[part] += values[1]
        chance, count = np.float32(self.boards.chance(place)), place.count(parts)
        if self.boards.exact:
            leaves = np.empty((len(leaf_reach), 1, len(given)), np.float32)
            leaves[:, 0] = fitted[0] * chance / np.maximum(count[0], 1)
            value = self._ascended(round_, root, street, reach, leaves, np.zeros(1, np.int32))
            return np.concatenate([value, value])
        leaves = np.empty((len(leaf_reach), 2 * parts + 1, len(given)), np.float32)
        _variants(honest, fitted, count, count.sum(axis=0), chance, leaves)
        judge = np.array([*range(parts), parts, *range(parts)], np.int32)
        value = self._ascended(round_, root, street, reach, leaves, judge)
        telling = (count > 0).astype(np.float32)  # a part whose boards all block a hand says nothing of it
        below = (value[parts + 1 :] * telling).sum(axis=0) / np.maximum(telling.sum(axis=0), 1)
        return np.stack([below, value[parts]])

    def _leaves(self, round_: int, root: int, leaf_reach: NDArray[np.float32], child: BoardNode) -> NDArray[np.float32]:
        """``[2, leaves, H]``: values of a root's leaves on one board of the next round, zero for blocked hands."""
        first = int(self.streets[round_].leaf[root])
        values = np.zeros((2, *leaf_reach.shape), np.float32)
        if round_ + 2 == len(self.streets):
            self._last(first, leaf_reach, child.as_last, values[:1])
            values[1] = values[0]
            if round_ == 0:
                for _ in leaf_reach:
                    self.step()
            return values
        for leaf, given in enumerate(leaf_reach):
            given = given * child.live
            if given.any():
                values[:, leaf] = self._value(round_ + 1, first + leaf, child, given) * child.live
            if round_ == 0:
                self.step()
        return values

    def _last(
        self, first: int, given: NDArray[np.float32], boards: tuple[NDArray[Any], ...], sums: NDArray[np.float32]
    ) -> None:
        """Add to sums ``[parts, roots, H]`` over boards of the last round, dealt out to the parts in turn."""
        hands, cards, run_end, buckets = boards
        part = (np.arange(len(hands)) % len(sums)).astype(np.int32)
        space = self._space(hands.shape[1])
        _last_street(self.streets[-1], first, self.table, given, hands, cards, run_end, buckets, part, space, sums)

    def _space(self, hands: int) -> Space:
        """This thread's. Large enough for all last roots that one root of the street before leads to."""
        if not hasattr(self.own, "space"):
            street = self.streets[-1]
            ends = self.streets[-2].leaf if len(self.streets) > 1 else np.array([0, 1])
            rows, nodes, roots = (int(np.diff(of).max()) for of in (street.row[ends], street.root[ends], ends))
            self.own.space = last_street_space(roots, nodes, rows, hands, num_cards(self.boards.game))
        space: Space = self.own.space
        return space

    def _descended(self, round_: int, root: int, place: BoardNode, given: NDArray[np.float32]) -> NDArray[np.float32]:
        street = self.streets[round_]
        reach = np.empty((int(street.row[root + 1] - street.row[root]), len(given)), np.float32)
        reach[0] = given
        _descend(street, root, self.table, place.bucket, reach)
        return reach

    def _leaf_reach(self, round_: int, root: int, reach: NDArray[np.float32]) -> NDArray[np.float32]:
        street = self.streets[round_]
        rows: NDArray[np.float32] = reach[street.leaf_row[street.leaf[root] : street.leaf[root + 1]] - street.row[root]]
        return rows

    def _ascended(
        self,
        round_: int,
        root: int,
        street: Street,
        reach: NDArray[np.float32],
        leaves: NDArray[np.float32],
        judge: NDArray[np.int32],
    ) -> NDArray[np.float32]:
        variants, hands = len(judge), reach.shape[1]
        value = np.empty((int(street.root[root + 1] - street.root[root]), variants, hands), np.float32)
        _ascend(
            street, root, reach, self.boards.hand_cards, np.ascontiguousarray(leaves, np.float32), judge,
            np.empty(num_cards(self.boards.game), np.float32), np.empty((variants, hands), np.int8), value,
        )  # fmt: skip
        at_root: NDArray[np.float32] = value[0]
        return at_root
