"""Solves a subgame with exact cards: vector CFR over a public tree of bets and boards.

    solver = VectorSolver(tree, board, ranges)
    solver.run(100)
    solver.exploitability().percent
    solver.strategy(node, board)

Values are in big blinds, chips a player wins beyond those it has put in (half of a spot's pot counts as its own).
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.board_groups import Merge
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solving.schedule import Algorithm
from limpet.strategies.solving.vector import vector_kernels as kernels
from limpet.strategies.solving.vector.board_tree import BoardTree, board_tree
from limpet.strategies.solving.vector.memory import ForestSize, MemoryEstimate, require_memory
from limpet.strategies.solving.vector.street_forest import StreetForest, street_forest
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.starts import starts

Storage = Literal["float32", "int16"]
HandGroups = Callable[[tuple[int, ...]], NDArray[np.integer]]
"""From a board to the group of each of the 1,326 hands, negative for those it blocks."""

_KINDS = {"cfr-return-new": kernels.RETURN_NEW, "pcfr+": kernels.PREDICT, "cgh": kernels.GREEDY}
_UNCHANGED = np.array([[1, 1, 1, 0, 1, 0]], np.float32)
"""The schedule of a pass that changes nothing."""
_kernels: Any = kernels  # its arguments come as named tuples of arrays, which the checker cannot follow


class Exploitability(NamedTuple):
    """What best responses win against a strategy profile, in big blinds.

    Attributes:
        best: best-response value of each position.
        percent: mean of the two in % of the pot.
        mbb: their sum in thousandths of a big blind (NashConv; the thesis's ε).
    """

    best: tuple[float, float]
    percent: float
    mbb: float


class Entry(Protocol):
    """A choice before the game, see `VectorSolver.run_against`."""

    def weights(self) -> NDArray[np.floating]:
        """``[1326]``: how much of each hand enters now, 0 to 1."""

    def learn(self, values: NDArray[np.float32]) -> None:
        """float32 ``[1326]``: what entering has just been worth to each hand, in big blinds times the weight of the
        other's hands that it meets."""


LEAST_MET = 1e-5
"""Share of the other player's reach that a hand must meet to have a value: below, float32 sums leave only noise."""


def met(reach: NDArray[np.floating]) -> NDArray[np.float64]:
    """``float64 [1326]``: how much of the other player's reach ``[1326]`` each hand leaves possible.

    0 where that is so little (`LEAST_MET`) that the values of the hand are lost in rounding.
    """
    apart = hand_space().apart(reach)
    least = max(LEAST_MET * float(reach.sum(dtype=np.float64)), float(kernels.TINY))
    return np.where(apart > least, apart, 0.0)


class NodeValues(NamedTuple):
    """One decision on one board, per hand index ``[1326]``; 0 where a hand cannot be held.

    A hand that meets none of the other player's hands here (see `met`) has no expected value: it would be the mean over
    nothing. Its values are 0 too.

    Attributes:
        reach: ``[2, 1326]`` range weights times own action probabilities of the way there.
        values: ``[2, 1326]`` expected big blinds of each hand of each position, given that it is there.
        actions: ``[actions, 1326]`` the same for the actor, by action.
        strategy: ``[actions, 1326]``.
    """

    reach: NDArray[np.float32]
    values: NDArray[np.float32]
    actions: NDArray[np.float32]
    strategy: NDArray[np.float32]

    @property
    def expected(self) -> tuple[float, float]:
        """Big blinds of each position at this node, over all hands that come there; NaN if no two hands meet there."""
        found = []
        for p in (0, 1):
            joint = self.reach[p] * met(self.reach[1 - p])
            total = float(joint.sum())
            found.append(float(joint @ self.values[p]) / total if total > 0 else np.nan)
        return found[0], found[1]


class VectorSolver:
    """A solve in progress, or done: it can be asked for its answer at any time, and run on.

    Results do not depend on the number of threads, bit for bit.
    """

    def __init__(
        self,
        tree: BettingTree,
        board: Sequence[int],
        ranges: NDArray[np.floating] | Sequence[NDArray[np.floating]],
        *,
        algorithm: Algorithm | None = None,
        merge: Merge = "isomorphic",
        storage: Storage = "float32",
        threads: int = 1,
        groups: HandGroups | None = None,
        sample_seed: int | None = None,
        most_memory: int | None = None,
    ) -> None:
        """Lay out and allocate.

        Args:
            tree: rooted on the street of `board`; its actions are the only ones there are.
            ranges: ``[2, 1326]`` weights of the hands of position 0 and 1.
            merge: which next cards share a subtree (`cards.board_groups`); ``isomorphic`` loses nothing.
            storage: ``int16`` halves the memory of tables, at some cost in time and in the last digits.
            threads: share the next cards of the root's street among them.
            groups: a card abstraction; regrets and best responses are then those of the abstract game.
            sample_seed: public chance sampling: each iteration follows one random board instead of all.
            most_memory: bytes; by default what the machine has free.

        Raises `ValueError` if tree, board and ranges do not fit together, and `MemoryError` with the numbers if the
        solve does not fit.
        """
        self.algorithm = algorithm or Algorithm()
        self.storage = storage
        self.threads = threads
        self.tree = tree
        self.board = tuple(board)
        if tree.root.board != self.board:
            raise ValueError(f"the tree starts on the board {tree.root.board}, not on {self.board}")
        wanted = np.asarray(ranges, np.float32)
        if wanted.shape != (2, 1326) or not np.isfinite(wanted).all() or (wanted < 0).any():
            raise ValueError("ranges are two rows of 1,326 weights, not negative")
        blocked = hand_space().blocked(self.board)
        self.ranges = np.where(blocked, np.float32(0), wanted)
        self.mass = float(hand_space().apart(self.ranges[1]) @ self.ranges[0].astype(np.float64))
        if self.mass <= 0:
            raise ValueError("the two ranges have no pair of hands without a common card; widen them")
        if sample_seed is not None and (self.algorithm.name not in ("cfr", "lcfr") or storage != "float32"):
            raise ValueError("public chance sampling needs cfr or lcfr, and float32 storage")
        if storage == "int16" and self.algorithm.name in ("pcfr+", "cgh", "cfr-return-new"):
            raise ValueError(f"{self.algorithm.name} needs float32 storage")
        self.unit = tree.game.big_blind
        self.forest, self.boards = self._lay_out(merge)
        self.sample_seed = sample_seed
        self.memory = MemoryEstimate.of(
            ForestSize.of(self.forest.arrays), self.boards, storage, threads, tables=1 + (self.algorithm.name == "pcfr+"),
            average=self.algorithm.averages,
        )  # fmt: skip
        require_memory(self.memory, most_memory)
        self.iteration = 0
        self._locks_open = False
        self._allocate(groups)

    def _lay_out(self, merge: Merge) -> tuple[StreetForest, BoardTree]:
        return street_forest(self.tree, self.unit), board_tree(self.board, self.ranges, merge)

    def _allocate(self, groups: HandGroups | None) -> None:
        forest, boards = self.forest.arrays, self.boards.arrays
        street = boards.street
        base = starts(forest.slots[street] * boards.stride[street])
        decisions = np.diff(forest.decision_start)
        decision_base = starts(decisions[street])
        entries, count = int(base[-1]), int(decision_base[-1])
        dtype: Any = np.int16 if self.storage == "int16" else np.float32
        regret = np.zeros(entries, dtype)
        self._tables = kernels.Tables(
            base=base,
            play=np.zeros(entries, dtype) if self.algorithm.name == "pcfr+" else regret,
            regret=regret,
            average=np.zeros(entries if self.algorithm.averages else 0, dtype),
            decision_base=decision_base,
            regret_scale=np.zeros(count, np.float32),
            average_scale=np.zeros(count, np.float32),
            locked=np.zeros(count, np.bool_),
        )
        nodes, leaves, stride = np.diff(forest.node_start), np.diff(forest.leaf_start), boards.stride
        self._offset = starts([0, *(nodes * stride)[1:]])[: len(stride)]
        self._below_offset = starts([0, *(leaves * stride)[1:]])[: len(stride)]
        self._spaces = [self._space() for _ in range(self.threads)]
        self._chunk_start = self.boards.chunk_start - 1
        self._visited = np.arange(1, len(street), dtype=np.int64)
        self._weights = np.ones(len(street) - 1, np.float32)
        self._chunks = np.zeros(max(1, len(self._chunk_start) - 1) * int(leaves[0] * stride[0]), np.float32)
        self._reach = np.zeros(int(nodes[0] * stride[0]), np.float32)
        self._value = np.zeros(int(nodes[0] * stride[0]), np.float32)
        self._ranges = np.zeros(2 * int(stride[0]), np.float32)
        self._ranges.reshape(2, -1)[:, : len(self.boards.hands[0])] = self.ranges[:, self.boards.hands[0]]
        self._nowhere = kernels.Capture(-1, np.zeros(0, np.float32), np.zeros(0, np.float32))
        self._groups = _group_arrays(self.boards, self.ranges, groups)
        self.grouped = groups is not None
        shared = self.threads > 1 and len(self._chunk_start) > 2
        self._pool = ThreadPoolExecutor(self.threads) if shared else None

    def _space(self) -> kernels.Space:
        forest, boards = self.forest.arrays, self.boards.arrays
        nodes, leaves, stride = np.diff(forest.node_start), np.diff(forest.leaf_start), boards.stride
        longest = int(stride.max())
        rows = int((nodes * stride)[1:].sum())
        return kernels.Space(
            reach=np.zeros(rows, np.float32),
            value=np.zeros(rows, np.float32),
            offset=self._offset,
            below=np.zeros(int((leaves * stride)[1:].sum()), np.float32),
            below_offset=self._below_offset,
            mixed=np.zeros(longest * 8, np.float32),
            shown=np.zeros(longest * 8, np.float32),
            apart=np.zeros(longest * 16, np.float32),
            cards=np.zeros(54 * 8, np.float32),
            group_sum=np.zeros(1326, np.float32),
            fresh=np.zeros(int(forest.actions.max()) * longest, np.float32),
        )

    # --- solving

    def run(self, iterations: int, stop: Callable[[], bool] | None = None) -> int:
        """Play up to `iterations` more, until `stop` says so between two of them; returns how many were played."""
        each = iterations if stop is None and self.sample_seed is None else 1
        for done in range(0, iterations, max(1, each)):
            if stop is not None and stop():
                return done
            if self.sample_seed is not None:
                self._sample_board()
            self._iterate(each)
        return iterations

    def _iterate(self, count: int) -> None:
        """Iterations: a pass for each player in turn, each seeing what the other has just learnt."""
        schedule = np.stack([self._weights_of(t) for t in range(self.iteration + 1, self.iteration + count + 1)])
        kind = _KINDS.get(self.algorithm.name, kernels.REGRET)
        rule = self._rule(kind, self.grouped)
        if self._chunks_shared():
            for row in schedule:
                for p in (0, 1):
                    self._pass(p, row.reshape(1, -1), self._tables, rule)
        else:
            everything = kernels.DESCEND | kernels.VISIT | kernels.RISE
            self._run(
                everything, (0, len(self._chunk_start) - 1), (0, 2), schedule, self._tables, rule, self._spaces[0]
            )
        self.iteration += count
        self._locks_open |= bool(schedule[:, 5].any())

    def run_against(self, position: int, entry: Entry, iterations: int, stop: Callable[[], bool] | None = None) -> int:
        """As `run`, in a game that begins with a choice of `position`: with which hands to enter this one.

        The other's range stands. In every iteration `entry` is told what entering is worth to each hand, and says how
        much of each hand enters. All measures of the answer stay those of the ranges the solver was made with.
        """
        given = self._ranges.copy()
        mine = self._ranges.reshape(2, -1)[position]
        hands = self.boards.hands[0]
        rule = self._rule(_KINDS.get(self.algorithm.name, kernels.REGRET), self.grouped)
        values = np.zeros(1326, np.float32)
        try:
            for done in range(iterations):
                if stop is not None and stop():
                    return done
                row = self._weights_of(self.iteration + 1).reshape(1, -1)
                if row[0, 5]:  # the kernel restarts with position 0's pass, which may be the second
                    self._tables.average[:] = 0
                    self._locks_open, row[0, 5] = True, 0
                mine[: len(hands)] = entry.weights()[hands]
                self._pass(1 - position, row, self._tables, rule)
                self._pass(position, row, self._tables, rule)
                values[hands] = self._value[: len(hands)]
                entry.learn(values)
                self.iteration += 1
        finally:
            self._ranges[:] = given
        return iterations

    def _weights_of(self, t: int) -> NDArray[np.float32]:
        """A row of a schedule, see `vector_kernels.run_passes`."""
        weights = self.algorithm.weights(t)
        keep_positive, keep_negative, gain = weights.keep_positive, weights.keep_negative, 1.0
        if self.sample_seed is not None:  # a discount would hit only the boards that are visited
            keep_positive, keep_negative, gain = 1.0, 1.0, t if self.algorithm.name == "lcfr" else 1.0
        # The scale of an average is free; a smaller one keeps late sums within float32.
        average = weights.average * 1e-3 if self.algorithm.averages else 0.0
        return np.array([keep_positive, keep_negative, gain, average, t, weights.restart], np.float32)

    def _rule(self, kind: int, grouped: bool) -> kernels.Rule:
        one, by_reach = np.float32(1), self.algorithm.averaging == "reach"
        constant = np.float32(self.algorithm.constant)
        return kernels.Rule(
            kind,
            one,
            one,
            one,
            np.float32(0),
            by_reach,
            one,
            constant,
            self.algorithm.ties == "keep",
            self.algorithm.returns == "new",
            grouped,
        )

    def _chunks_shared(self) -> bool:
        return self._pool is not None and len(self._chunk_start) > 2

    def _pass(
        self, p: int, schedule: NDArray[np.float32], tables: kernels.Tables, rule: kernels.Rule,
        capture: kernels.Capture | None = None,
    ) -> None:  # fmt: skip
        """One pass for player p over all boards, on all threads."""
        count, players = len(self._chunk_start) - 1, (p, p + 1)
        if not self._chunks_shared():
            everything = kernels.DESCEND | kernels.VISIT | kernels.RISE
            self._run(everything, (0, count), players, schedule, tables, rule, self._spaces[0], capture)
            return
        assert self._pool is not None
        todo = iter(range(count))
        lock = threading.Lock()

        def work(space: kernels.Space) -> None:
            while True:
                with lock:
                    c = next(todo, None)
                if c is None:
                    return
                self._run(kernels.VISIT, (c, c + 1), players, schedule, tables, rule, space, capture)

        self._run(kernels.DESCEND, (0, 0), players, schedule, tables, rule, self._spaces[0], capture)
        for future in [self._pool.submit(work, space) for space in self._spaces]:
            future.result()
        self._run(kernels.RISE, (0, 0), players, schedule, tables, rule, self._spaces[0], capture)

    def _run(
        self, stages: int, chunks: tuple[int, int], players: tuple[int, int], schedule: NDArray[np.float32],
        tables: kernels.Tables, rule: kernels.Rule, space: kernels.Space, capture: kernels.Capture | None = None,
    ) -> None:  # fmt: skip
        _kernels.run_passes(
            stages, *chunks, *players, schedule, self.forest.arrays, self.boards.arrays, self._visited, self._weights,
            self._chunk_start, tables, rule, self._groups, self._ranges, self._chunks, self._reach, self._value,
            space, capture or self._nowhere,
        )  # fmt: skip

    def _sample_board(self) -> None:
        """Choose one run-out, cards as likely as they are, and weigh what is seen by what is not."""
        assert self.sample_seed is not None
        draw = np.random.Generator(np.random.Philox(key=[self.sample_seed, self.iteration]))
        visited, weights, at = [], [], 0
        for _ in range(1, self.boards.streets):
            below = np.flatnonzero(self.boards.arrays.parent == at)
            members = np.array([len(self.boards.members[b]) for b in below])
            at = int(draw.choice(below, p=members / members.sum()))
            visited.append(at)
            weights.append(members.sum() / len(self.boards.members[at]))
        self._visited = np.array(visited, np.int64)
        self._weights = np.array(weights, np.float32)
        self._chunk_start = np.array([0, len(visited)] if visited else [0], np.int64)

    def _all_boards(self) -> None:
        count = len(self.boards.cards)
        self._visited = np.arange(1, count, dtype=np.int64)
        self._weights = np.ones(count - 1, np.float32)
        self._chunk_start = self.boards.chunk_start - 1

    def _answer(self) -> kernels.Tables:
        """Tables whose `play` is the answer: the average, or the last strategy where that is the answer."""
        self._keep_locks()
        if not self.algorithm.averages:
            return self._tables
        if self.sample_seed is not None:
            self._all_boards()
        return self._tables._replace(play=self._tables.average)

    # --- the answer

    def best_responses(self, abstract: bool | None = None) -> tuple[float, float]:
        """Big blinds that a best response of each position wins against the answer of the other.

        abstract: whether it must treat hands of a group alike; by default if there are groups.
        """
        return self._values(kernels.BEST, abstract)

    def hand_values(self, position: int, best: bool = False) -> NDArray[np.float32]:
        """float32 ``[1326]``: big blinds that each hand of a position wins from the other's answer, at the root.

        best: with a best response of its own instead of its answer. 0 for hands that meet nothing.
        """
        kind = kernels.BEST if best else kernels.VALUE
        self._pass(position, _UNCHANGED, self._answer(), self._rule(kind, self.grouped and not best))
        hands = self.boards.hands[0]
        mass = met(self.ranges[1 - position])
        found = np.zeros(1326, np.float32)
        found[hands] = self._value[: len(hands)]
        return np.divide(found, mass, out=np.zeros(1326, np.float32), where=mass > 0).astype(np.float32)

    def values(self, abstract: bool | None = None) -> tuple[float, float]:
        """Expected big blinds of each position when both play the answer."""
        return self._values(kernels.VALUE, abstract)

    def _values(self, kind: int, abstract: bool | None) -> tuple[float, float]:
        tables = self._answer()
        rule = self._rule(kind, self.grouped and abstract is not False)
        found = []
        for p in (0, 1):
            self._pass(p, _UNCHANGED, tables, rule)
            hands = len(self.boards.hands[0])
            found.append(
                float(self._value[:hands].astype(np.float64) @ self._ranges.reshape(2, -1)[p, :hands]) / self.mass
            )
        return found[0], found[1]

    def exploitability(self, abstract: bool | None = None) -> Exploitability:
        """How much best responses win, exactly, on this tree. Costs one iteration."""
        best = self.best_responses(abstract)
        pot = float(self.tree.spent[0].sum()) / self.unit
        return Exploitability(best, 50 * sum(best) / pot, 1000 * sum(best))

    def strategy(self, node: int, board: Sequence[int], learnt: bool = False) -> NDArray[np.float32]:
        """float32 ``[actions, 1326]`` of a decision on a board of its street; 0 for hands that nobody holds there.

        Hands that their own player never brings there weigh nothing in an average: all actions alike, or with `learnt`
        as their regrets say.
        """
        street, local = self.forest.locate(node)
        at, place = self._find(street, board)
        rows = self._rows(self._answer().play, at, street, local)
        played = _normalised(rows)
        if learnt and self.algorithm.averages:
            absent = ~(rows > 0).any(axis=0)
            played[:, absent] = _normalised(self._rows(self._tables.play, at, street, local)[:, absent])
        found = played[:, place]
        found[:, place < 0] = 0
        return found

    def node_values(self, node: int, board: Sequence[int], best: bool = False) -> NodeValues:
        """Ranges, values and strategy at a decision on a board of its street. Costs one iteration.

        best: values are those of best responses from there on, of each position to the other's answer. A hand that the
        answer never brings here has no answer worth anything; its best response is.
        """
        street, local = self.forest.locate(node)
        at, place = self._find(street, board)
        tables = self._answer()
        stride = int(self.boards.arrays.stride[street])
        forest = self.forest.arrays
        size = int(forest.node_start[street + 1] - forest.node_start[street]) * stride
        actions = int(forest.actions[forest.node_start[street] + local])
        actor = int(forest.kind[forest.node_start[street] + local])
        child = int(forest.child[forest.node_start[street] + local])
        reach = np.zeros((2, 1326), np.float32)
        values = np.zeros((2, 1326), np.float32)
        of_actions = np.zeros((actions, 1326), np.float32)
        here = place >= 0
        rows: list[NDArray[np.float32]] = []
        for p in (0, 1):
            capture = kernels.Capture(at, np.zeros(size, np.float32), np.zeros(size, np.float32))
            self._pass(p, _UNCHANGED, tables, self._rule(kernels.BEST if best else kernels.VALUE, False), capture)
            if at == 0:
                capture = kernels.Capture(0, self._reach, self._value)
            row = int(forest.reach_row[p, forest.node_start[street] + local])
            reach[1 - p, here] = capture.reach[row * stride :][place[here]]
            values[p, here] = capture.value[local * stride :][place[here]]
            if p == actor:
                rows = [capture.value[(child + a) * stride :][place[here]].copy() for a in range(actions)]
        for a, row_values in enumerate(rows):
            of_actions[a, here] = row_values
        for p in (0, 1):
            mass = met(reach[1 - p])
            scale = np.divide(1, mass, out=np.zeros(1326), where=mass > 0)
            values[p] *= scale
            if p == actor:
                of_actions *= scale
        return NodeValues(reach, values, of_actions, self.strategy(node, board))

    def unmerged(self) -> "VectorSolver":
        """The same answer on a tree where every board stands for itself, to measure what merging has cost.

        Only its answer is of use: it has no regrets to go on with.
        """
        whole = VectorSolver(
            self.tree, self.board, self.ranges, algorithm=self.algorithm, merge="none", threads=self.threads
        )
        source, target = self._answer().play, whole._answer().play
        slots, stride = self.forest.arrays.slots, self.boards.arrays.stride
        for at, cards in enumerate(whole.boards.cards):
            street = int(whole.boards.arrays.street[at])
            there, place = self.boards.find(cards)
            size = int(slots[street])
            from_rows = source[int(self._tables.base[there]) :][: size * int(stride[street])].reshape(size, -1)
            width = int(whole.boards.arrays.stride[street])
            to_rows = target[int(whole._tables.base[at]) :][: size * width].reshape(size, -1)
            hands = whole.boards.hands[at]
            to_rows[:, : len(hands)] = from_rows[:, place[hands]]
        whole.iteration = self.iteration
        return whole

    # --- locks

    def lock(self, node: int, board: Sequence[int], strategy: NDArray[np.floating]) -> None:
        """Fix a decision's strategy on a board (and those merged with it): ``[actions, 1326]``, columns summing to 1.

        Best responses of its player keep to it as well. Raises `ValueError` for a wrong shape or columns that are no
        probabilities.
        """
        street, at, local = self._write((self._tables.play, self._tables.regret), node, board, strategy)
        forest = self.forest.arrays
        first = int(forest.decision_start[street])
        index = int(np.flatnonzero(forest.decision[first : int(forest.decision_start[street + 1])] == local)[0])
        self._tables.locked[int(self._tables.decision_base[at]) + index] = True
        self._locks_open = True

    def answer_with(self, node: int, board: Sequence[int], strategy: NDArray[np.floating]) -> None:
        """Put a decision's strategy on a board (and those merged with it) into the answer; arguments and errors as of
        `lock`, but best responses of its player are free. What runs after it goes on from there as if it were its own.
        """
        self._write((self._answer().play,), node, board, strategy)

    def _write(
        self, tables: Iterable[NDArray[Any]], node: int, board: Sequence[int], strategy: NDArray[np.floating]
    ) -> tuple[int, int, int]:
        """A strategy into some tables, a hand's 1 as large as it gets; returns where: (street, board, local node)."""
        street, local = self.forest.locate(node)
        at, place = self._find(street, board)
        rows = self._rows(self._tables.play, at, street, local)
        if strategy.shape != (len(rows), 1326):
            raise ValueError(f"this decision has {len(rows)} actions for 1,326 hands, not the shape {strategy.shape}")
        held = np.flatnonzero(place >= 0)
        if (strategy[:, held] < 0).any() or not np.allclose(strategy[:, held].sum(axis=0), 1, atol=1e-4):
            raise ValueError("a fixed strategy is probabilities that add up to 1 for every hand")
        full = np.zeros_like(rows)
        full[:, place[held]] = strategy[:, held] if self.storage == "float32" else np.rint(32767 * strategy[:, held])
        for table in {id(table): table for table in tables}.values():
            self._rows(table, at, street, local)[:] = full
        return street, at, local

    def _keep_locks(self) -> None:
        """Passes leave the averages of locked decisions alone; put the locked strategies there."""
        if not self._locks_open:
            return
        self._locks_open = False
        if not self.algorithm.averages:
            return
        forest = self.forest.arrays
        for index in np.flatnonzero(self._tables.locked):
            at = int(np.searchsorted(self._tables.decision_base, index, side="right")) - 1
            street = int(self.boards.arrays.street[at])
            first = int(forest.decision_start[street])
            local = int(forest.decision[first + int(index - self._tables.decision_base[at])])
            self._rows(self._tables.average, at, street, local)[:] = self._rows(self._tables.play, at, street, local)

    # --- keeping

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything a later run needs to go on, bit for bit."""
        self._keep_locks()
        t = self._tables
        arrays = {"iteration": np.array(self.iteration), "regret": t.regret, "average": t.average, "locked": t.locked}
        if self.storage == "int16":
            arrays |= {"regret_scale": t.regret_scale, "average_scale": t.average_scale}
        if t.play is not t.regret:
            arrays["play"] = t.play
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from `state_arrays`. Raises `ValueError` if they are of another solve."""
        mine = self.state_arrays()
        if set(arrays) != set(mine) or any(arrays[k].shape != mine[k].shape for k in mine):
            raise ValueError("the saved tables are of another tree, board, storage or algorithm")
        for key, array in mine.items():
            if key == "iteration":
                self.iteration = int(arrays[key])
            else:
                array[:] = arrays[key]

    # --- inside

    def _find(self, street: int, board: Sequence[int]) -> tuple[int, NDArray[np.int16]]:
        if len(board) != len(self.board) + street:
            raise ValueError(f"this decision stands on a board of {len(self.board) + street} cards, not {len(board)}")
        return self.boards.find(tuple(board))

    def _rows(self, table: NDArray[Any], board: int, street: int, local: int) -> NDArray[Any]:
        """A decision's rows in a table, ``[actions, stride]``, as a view."""
        forest, stride = self.forest.arrays, int(self.boards.arrays.stride[street])
        node = int(forest.node_start[street]) + local
        first = int(self._tables.base[board]) + int(forest.slot[node]) * stride
        actions = int(forest.actions[node])
        return table[first : first + actions * stride].reshape(actions, stride)


def _normalised(rows: NDArray[Any]) -> NDArray[np.float32]:
    weights = np.maximum(rows.astype(np.float32), 0)
    total = weights.sum(axis=0)
    even = np.float32(1 / len(rows))
    found: NDArray[np.float32] = np.divide(weights, total, out=np.full_like(weights, even), where=total > kernels.TINY)
    return found


def _group_arrays(boards: BoardTree, ranges: NDArray[np.float32], groups: HandGroups | None) -> kernels.Groups:
    """Groups numbered densely on each board, in its order of hands; where nobody holds a group its hands count alike."""
    if groups is None:
        zeros = np.zeros(len(boards.cards), np.int64)
        return kernels.Groups(zeros, np.zeros(0, np.int16), zeros, np.zeros((2, 0), np.float32))
    of_boards, counts, shares = [], [], []
    for cards, hands in zip(boards.cards, boards.hands, strict=True):
        labels, dense = np.unique(groups(cards)[hands], return_inverse=True)
        of_boards.append(dense.astype(np.int16))
        counts.append(len(labels))
        share = np.empty((2, len(hands)))
        for p, weights in enumerate(ranges[:, hands].astype(np.float64)):
            held = np.bincount(dense, weights)[dense]
            share[p] = np.where(held > 0, weights, 1) / np.where(held > 0, held, np.bincount(dense)[dense])
        shares.append(share)
    return kernels.Groups(
        start=starts([len(group) for group in of_boards])[:-1],
        group=np.concatenate(of_boards),
        number=np.array(counts, np.int64),
        share=np.concatenate(shares, axis=1).astype(np.float32),
    )
