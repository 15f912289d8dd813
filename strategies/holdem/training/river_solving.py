"""Solves the rivers of a trained strategy again: each as a game between buckets, for the ranges that come there.

Public chance sampling learns from one board at a time, and its average holds all that it played before it knew better.
Where the play before a river is held, the river is a small game of its own: which pairs of buckets come there, and who wins,
are sums over boards that need no strategy for the river. Solved afterwards, they use every board that was summed.
"""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from limpet.common.folders import data_folder, whole_file
from limpet.common.jit import Floats
from limpet.strategies.abstraction.card_tables import load_or_build, table_vector
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.cards.boards import sampled_boards
from limpet.strategies.holdem.blueprint.model_card import CURVE, model_card, read_curve, write_curve
from limpet.strategies.holdem.blueprint.quantise import quantise
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile, save_strategy
from limpet.strategies.holdem.training.joint_ranges import JointRanges, board_buckets, paths_to
from limpet.strategies.holdem.training.run import Run
from limpet.strategies.solvers.round_solver import Joint, RoundSolver
from limpet.strategies.solvers.round_tree import last_round
from limpet.strategies.solvers.sampled.seen_boards import Vector
from limpet.strategies.solvers.streets import street_roots

BATCH = 64
"""Rivers whose boards are summed together. With 500 buckets their sums take 128 MiB."""
BLOCK = 16
"""Boards that are summed between two looks at the clock."""
LOOK = 400
"""Boards on which it is measured how often rivers are reached."""
FEWEST = 0.1
"""Least share of the boards that a batch of rarely reached rivers gets."""
TARGET = 0.05
"""Exploitability within the buckets, in % of the pot, at which a solve ends."""
MOST_ITERATIONS = 2000
"""Iterations at which a solve ends in any case."""
CHECK_EVERY = 100
"""Iterations between two measures of a solve."""
KEEP_SECONDS = 120.0
"""Seconds between two saves of sums, the most work that a power cut costs."""


@dataclass(frozen=True)
class Effort:
    """How well rivers are solved: over so many boards where they are reached most, by a seed.

    Others get fewer, in proportion to the square root of their reach. reach: least share of hands that come to a river that is
    solved again; the others stay as they are.
    """

    boards: int
    reach: float
    seed: int = 1


class RiverBatch(NamedTuple):
    """Rivers that begin with the decisions `roots`, intp ``[R]``, and whose boards, so many, are summed together."""

    number: int
    roots: NDArray[np.intp]
    boards: int


@dataclass(eq=False)
class RiverSolving(Run[Manifest]):
    """A run that solves the rivers of a strategy file; it goes on where one of the same strategy and effort stopped.

    The number of threads does not change the result.
    """

    config: Effort
    file: StrategyFile = field(kw_only=True)
    threads: int = 1

    def __post_init__(self) -> None:
        """Raise `ValueError` for games that have no two players or no play before the last round."""
        game = self.file.game
        if game.num_players != 2 or game.num_rounds < 2 or game.num_hole_cards > 2:
            raise ValueError(
                f"strategy {self.file.manifest.name} ({self.file.folder}): rivers are solved again for two players with one or "
                "two cards each, in games of at least two rounds; leave this strategy as it is"
            )

    @property
    def name(self) -> str:
        mark = hashlib.sha256(f"{self.file.manifest.sha256} {self.config}".encode()).hexdigest()[:16]
        return f"rivers-{mark}"

    @cached_property
    def vector(self) -> Vector:
        """The strategy's buckets of all hands; card tables are read, or built. Raises `ValueError` for a damaged table."""
        cards = self.file.manifest.cards
        if isinstance(cards, Lossless):
            return self.file.cards.bucket_vector
        show = partial(self._timed(), "card tables")
        return table_vector(load_or_build(cards, data_folder() / "tables", self.threads, show, self.file.cards))

    @cached_property
    def table(self) -> Floats:
        """The strategy's probabilities in the layout of whole rows; zeros in rows that were never trained."""
        return self.file.table()

    @cached_property
    def batches(self) -> list[RiverBatch]:
        """The rivers that are solved, most reached first. Raises `ValueError` if none is reached often enough."""
        file = self.file
        roots = street_roots(file.tree, file.game.num_rounds - 1)
        ranges = JointRanges(paths_to(file.tree, file.offset, roots), self.table, 1)
        shares = np.zeros(len(roots))
        show = self._timed()
        for number, board in enumerate(sampled_boards(file.game, LOOK, self.config.seed)):
            reach = ranges.reach(board_buckets(file.game, board, self.vector)).mean(axis=2, dtype=np.float64)
            shares += np.prod(reach[:, ranges.paths.ends], axis=0) / LOOK
            show("looking for rivers", number + 1, LOOK)
        order = np.argsort(-shares, kind="stable")
        if not shares[order[0]] >= self.config.reach:
            raise ValueError(
                f"strategy {file.manifest.name} ({file.folder}): at most {shares[order[0]]:.2g} of all hands come to a river, "
                f"less than the reach of {self.config.reach:g} that is asked for; ask for less"
            )
        order = order[shares[order] >= self.config.reach]
        parts = [order[first : first + BATCH] for first in range(0, len(order), BATCH)]
        least = [max(FEWEST, sqrt(shares[part].sum() / shares[parts[0]].sum())) for part in parts]
        boards = [round(self.config.boards * share) for share in least]
        return [RiverBatch(n, roots[part], count) for n, (part, count) in enumerate(zip(parts, boards, strict=True))]

    def run(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Solve batch by batch until `stop` returns true; return whether all are solved."""
        show = self._timed()
        total = sum(len(batch.roots) for batch in self.batches)
        with ThreadPoolExecutor(self.threads) as pool:
            for batch in self.batches:
                if self._path(batch).is_file():
                    continue
                ranges = self._summed(batch, pool, stop)
                if ranges.boards < batch.boards:
                    return False
                rivers = [(int(root), *ranges.of_node(index)) for index, root in enumerate(batch.roots)]
                solved: dict[str, Floats] = {}
                answers = pool.map(lambda river: self._solve(*river), rivers)
                for number in range(len(rivers)):
                    if stop():
                        return False
                    solved |= {str(node): rows for node, rows in next(answers).items()}
                    show("solving rivers", batch.number * BATCH + number + 1, total)
                with whole_file(self._path(batch)) as file:
                    np.savez(file, allow_pickle=False, **solved)
                self._sums(batch).unlink()
        return True

    def _write(self, folder: Path) -> Manifest:
        file, rivers = self.file, sum(len(batch.roots) for batch in self.batches)
        for batch in self.batches:
            with np.load(self._path(batch), allow_pickle=False) as solved:
                for node in solved.files:
                    self.table[self._rows(int(node))] = solved[node].ravel()
        stored, untrained = quantise(self.table, file.tree, file.offset, file.manifest.bits)
        effort = self.config
        how = (
            f"{rivers:,} rivers, which at least {effort.reach:g} of all hands come to, solved again over up to "
            f"{effort.boards:,} boards, seed {effort.seed}"
        )
        draft = replace(
            file.manifest, name=folder.name, untrained_rows=untrained, quality={}, measured_by={}, rivers=how
        )
        curve = read_curve(file.folder / CURVE)
        manifest = save_strategy(folder, draft, stored, file.tree, file.cards, model_card(draft, file.game, curve))
        write_curve(folder / CURVE, curve)
        return manifest

    def _rows(self, node: int) -> slice:
        return slice(int(self.file.offset[node]), int(self.file.offset[node + 1]))

    def _path(self, batch: RiverBatch) -> Path:
        return self.folder / f"rivers-{batch.number}.npz"

    def _sums(self, batch: RiverBatch) -> Path:
        return self.folder / f"sums-{batch.number}.npz"

    def _summed(self, batch: RiverBatch, pool: ThreadPoolExecutor, stop: Callable[[], bool]) -> JointRanges:
        """Return the sums over a batch's boards, or over fewer if `stop` returned true; they are kept on disk."""
        file = self.file
        buckets = file.cards.num_buckets(file.game.num_rounds - 1)
        ranges = JointRanges(paths_to(file.tree, file.offset, batch.roots), self.table, buckets)
        kept = self._sums(batch)
        if kept.is_file():
            ranges.restore(kept)
        boards = sampled_boards(file.game, batch.boards, self.config.seed)
        self._saved = self.clock()
        show = self._timed()
        before = sum(earlier.boards for earlier in self.batches[: batch.number])
        total = sum(each.boards for each in self.batches)
        while ranges.boards < batch.boards and not stop():
            block = boards[ranges.boards : ranges.boards + BLOCK]
            ranges.add(list(pool.map(lambda board: board_buckets(file.game, board, self.vector), block)), pool)
            show("summing boards", before + ranges.boards, total)
            self._save_after(KEEP_SECONDS, partial(ranges.save, kept))
        ranges.save(kept)
        return ranges

    def _solve(self, root: int, joint: Floats, net_wins: Floats) -> dict[int, Floats]:
        """Return the rows ``[bucket, action]`` of all decisions of a river. Buckets that never come there keep theirs."""
        if not joint.any():
            return {}
        tree, origin = last_round(self.file.tree, root)
        solver = RoundSolver(tree, Joint(tree, joint / joint.sum(), net_wins / joint.sum()), np.ones((2, len(joint))))
        while solver.iteration < MOST_ITERATIONS:
            solver.run(CHECK_EVERY)
            if sum(float(solver.values(p, best=True).sum()) for p in (0, 1)) * 50 < TARGET * tree.pot:
                break
        reached = joint.sum(axis=1) > 0, joint.sum(axis=0) > 0
        answer = {}
        for node in tree.decisions.tolist():
            below = int(origin[node])
            old = self.table[self._rows(below)].reshape(len(joint), -1)
            answer[below] = np.where(reached[tree.player[node]][:, None], solver.strategy(node).T, old)
        return answer
