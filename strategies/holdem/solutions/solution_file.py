"""Solution files: a solved spot as a folder that a bot plays, with quantised probabilities, a manifest and a card."""

import hashlib
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.artifact import MANIFEST, card_text, finish, open_tensors
from limpet.common.provenance import versions
from limpet.common.safetensors import write_tensors
from limpet.common.verified import file_digest, verify
from limpet.configs.loading import Document, load_yaml
from limpet.protocol.cards import cards_text
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import starts
from limpet.strategies.cards.boards import SuitPermutation
from limpet.strategies.cards.isomorphism import hand_permutation, permute_cards
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.solutions.solve import Solve, real_game
from limpet.strategies.holdem.solutions.spot import Spot
from limpet.strategies.solvers.vector.board_tree import BoardTree, board_tree
from limpet.strategies.solvers.vector.decision_kernels import TINY
from limpet.strategies.solvers.vector.street_forest import StreetForest, street_forest
from limpet.strategies.solvers.vector.vector_solver import VectorSolver

FORMAT = "limpet-solution/1"
TENSORS = "solution.safetensors"
STREETS = ("flop", "turn", "river")
MOST_BYTES = 256 * 2**20
"""Largest size of the exported probabilities in bytes; as many streets are exported as fit, unless the user says how many."""


class SolutionManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts about a solution: the spot, how it was solved, how well, and the table's layout.

    Exploitability is measured before rounding to eight bits, and within the abstraction, if there is one; the real one, set
    only with an abstraction, is with all hands told apart.

    Attributes:
        streets: number of streets exported, the spot's own first.
        rows: number of (decision, board, hand) triples exported.
        unreached_rows: number of those rows that have no answer.
        ev_net_bb: expected net of both positions.
        layout: SHA-256 of the boards and hands that the table is laid out by.
        sha256, size: SHA-256 and bytes of `solution.safetensors`.
        code: revision of the code that solved the spot (`provenance`); empty in older files.
    """

    format: str
    name: str
    spot: Spot
    rules_hash: str
    streets: int
    rows: int
    unreached_rows: int
    bits: int
    algorithm: str
    iterations: int
    solving_seconds: float
    exploitability_percent: float
    exploitability_mbb: float
    ev_net_bb: tuple[float, float]
    versions: dict[str, str]
    layout: str
    sha256: str
    size: int
    code: str = ""
    real_exploitability_percent: float | msgspec.UnsetType = msgspec.UNSET
    real_exploitability_mbb: float | msgspec.UnsetType = msgspec.UNSET


def solution_card(manifest: SolutionManifest) -> str:
    """Return Markdown that says what was solved, how, how well, and where it ends."""
    spot, root = manifest.spot, manifest.spot.root
    unit = root.game.big_blind
    behind = min(root.game.stack) - root.max_spent
    first = len(spot.cards) - 3
    kept = STREETS[first : first + manifest.streets]
    what = (
        "An approximate equilibrium of one spot of heads-up no-limit hold'em, made by `limpet solve`: "
        f"{cards_text(spot.cards)}, a pot of {root.pot / unit:g} big blinds, {behind / unit:g} behind."
    )
    limits = (
        "It holds for these ranges, this pot and these stacks, and knows only the bet sizes of its menu (other bets are "
        "translated). The exploitability is that before rounding, within the menu."
    )
    exploitable = f"{manifest.exploitability_percent:.4f} % of the pot, {manifest.exploitability_mbb:.3f} mbb/g"
    facts = {
        "algorithm": f"{manifest.algorithm}, {manifest.iterations:,} iterations, {manifest.solving_seconds:,.1f} s",
        "exploitability": exploitable,
    }
    if not isinstance(manifest.real_exploitability_percent, msgspec.UnsetType):
        percent, mbb = manifest.real_exploitability_percent, manifest.real_exploitability_mbb
        facts["exploitability with all hands told apart"] = f"{percent:.4f} % of the pot, {mbb:.3f} mbb/g"
    facts |= {
        "EV (net, out of position / in position)": "{:+.4f} / {:+.4f} bb".format(*manifest.ev_net_bb),
        "range out of position": f"`{spot.ranges[0]}`",
        "range in position": f"`{spot.ranges[1]}`",
        "streets kept": ", ".join(kept),
        "rows": f"{manifest.rows:,}, of which {manifest.unreached_rows:,} have no answer: hands never there",
        "storage": f"{manifest.bits} bits a probability",
    }
    ends = f"It ends with the {kept[-1]}: later streets were solved and left out."
    rest = ["", "## Limits", "", limits, *([ends] if first + manifest.streets < len(STREETS) else [])]
    return card_text(manifest.name, what, facts, *rest)


@dataclass(frozen=True, eq=False)
class SolutionLayout:
    """The layout of a solution's rows: the exported boards in order, on each its street's actions by the board's hands.

    The boards are those of `Spot.merge_by_suits`: a solve may have merged more boards than a file.

    Board b has the entries ``start[b]:start[b + 1]`` of the table, as ``[slots of its street, its hands]``; a decision's actions
    are neighbouring rows, see `street_forest.Forest`. `start` has all boards by number, and last the table's size; `numbers`
    are those of the exported boards, which are the boards of the first streets.
    """

    forest: StreetForest
    boards: BoardTree
    numbers: NDArray[np.intp]
    start: NDArray[np.int64]

    @staticmethod
    def of(spot: Spot, forest: StreetForest, streets: int) -> "SolutionLayout":
        """Return the layout of a spot's first streets. Players' hands do not stand apart in a file."""
        boards = board_tree(spot.cards, spot.weights, spot.merge_by_suits)
        street = boards.arrays.street
        sizes = np.where(street < streets, forest.arrays.slots[street] * boards.arrays.hands, 0)
        return SolutionLayout(forest, boards, np.flatnonzero(street < streets), starts(sizes))

    def of_board(self, table: NDArray[np.uint8], number: int) -> NDArray[np.uint8]:
        """Return a board's rows in a table, ``[slots, hands]``, as a view."""
        boards = self.boards.arrays
        shape = int(self.forest.arrays.slots[boards.street[number]]), int(boards.hands[number])
        return table[self.start[number] : self.start[number + 1]].reshape(shape)

    def digest(self) -> str:
        """Return the SHA-256 of the exported boards and their hands."""
        content = hashlib.sha256()
        for number in self.numbers.tolist():
            content.update(bytes(self.boards.cards[number]))
            content.update(np.ascontiguousarray(self.boards.hands[number], dtype="<i2").tobytes())
        return content.hexdigest()


def fitting_streets(solve: Solve, most: int = MOST_BYTES) -> int:
    """Return how many streets can be exported in `most` bytes; at least one."""
    streets = range(2, solve.solver.boards.streets + 1)
    return 1 + bisect_right([SolutionLayout.of(solve.spot, solve.solver.forest, n).start[-1] for n in streets], most)


def export_solution(folder: Path, solve: Solve, streets: int | None = None) -> SolutionManifest:
    """Write a solve as a solution. The manifest, which makes the folder a solution, comes last.

    streets: number of streets to export; by default as many as fit into 256 MiB. Raises ValueError for more than there are.
    """
    solver, spot = solve.solver, solve.spot
    if streets is not None and not 1 <= streets <= solver.boards.streets:
        raise ValueError(f"{streets} streets cannot be exported: from this board on there are {solver.boards.streets}")
    layout = SolutionLayout.of(spot, solver.forest, streets or fitting_streets(solve))
    table, rows, unreached = quantised(solver, layout)
    (folder / MANIFEST).unlink(missing_ok=True)
    write_tensors(folder / TENSORS, {"probabilities": table}, {"format": FORMAT})
    measured, net = solve.checks[-1].exploitability, solver.values()
    manifest = SolutionManifest(
        format=FORMAT,
        name=folder.resolve().name,
        spot=spot,
        rules_hash=spot.root.game.rules_hash,
        streets=int(layout.boards.arrays.street[layout.numbers[-1]]) + 1,
        rows=rows,
        unreached_rows=unreached,
        bits=8,
        algorithm=spot.algorithm,
        iterations=solver.iteration,
        solving_seconds=round(solve.seconds, 2),
        exploitability_percent=round(measured.percent, 6),
        exploitability_mbb=round(measured.mbb, 6),
        ev_net_bb=(round(net[0], 6), round(net[1], 6)),
        versions=versions(),
        code=solve.code,
        layout=layout.digest(),
        sha256=file_digest(folder / TENSORS),
        size=(folder / TENSORS).stat().st_size,
    )
    if spot.abstracts:
        real = real_game(solver, on_all_boards=False).real
        manifest = msgspec.structs.replace(
            manifest, real_exploitability_percent=round(real.percent, 6), real_exploitability_mbb=round(real.mbb, 6)
        )
    finish(folder, manifest, solution_card(manifest))
    return manifest


def quantised(solver: VectorSolver, layout: SolutionLayout) -> tuple[NDArray[np.uint8], int, int]:
    """Return the answer in steps of 1/255, the number of rows, and the number of rows that are all zero.

    A row is all zero where the hand never reaches the decision, so that it counts as a miss and not as a uniform choice.
    """
    forest, boards = solver.forest.arrays, layout.boards
    answer = solver.tables.answer().play
    table = np.zeros(int(layout.start[-1]), np.uint8)
    rows = unreached = 0
    for number in layout.numbers.tolist():
        street = int(boards.arrays.street[number])
        solved, column = solver.boards.find(boards.cards[number])
        rows_there = solver.tables.of_board(answer, solved)[:, column[boards.hands[number]]]
        weights = np.maximum(rows_there.astype(np.float32), 0)
        nodes = slice(int(forest.node_start[street]), int(forest.node_start[street + 1]))
        decides = forest.actions[nodes] > 0
        first, actions = forest.slot[nodes][decides], forest.actions[nodes][decides]
        if not len(first):
            continue
        total = np.add.reduceat(weights, first, axis=0)
        reached = total > TINY
        rows, unreached = rows + total.size, unreached + int((~reached).sum())
        scale = np.divide(1, total, out=np.zeros(total.shape), where=reached)
        # Differences of rounded running sums: each row sums to exactly 255, and no entry is off by as much as 1.
        sums = np.rint(255 * np.cumsum(weights * np.repeat(scale, actions, axis=0), axis=0))
        layout.of_board(table, number)[:] = np.diff(sums, axis=0, prepend=0).astype(np.uint8)
    return table, rows, unreached


@dataclass(frozen=True, eq=False)
class SolutionFile:
    """An opened solution. The probabilities stay in the file and are mapped into memory."""

    folder: Path
    manifest: SolutionManifest
    table: NDArray[np.uint8]
    layout: SolutionLayout

    @property
    def spot(self) -> Spot:
        return self.manifest.spot

    @staticmethod
    def open(folder: Path) -> "SolutionFile":
        """Open and check a solution. Raises `ValueError` saying which file is damaged or differs from the manifest."""
        layout = Document.read(folder / MANIFEST).decode(str, ("format",))
        if layout != FORMAT:
            made = "limpet train" if "strategy" in layout else "another version"
            raise ValueError(f"{folder / MANIFEST}: format {layout!r} is from {made}; a solution is {FORMAT!r}")
        return _opened(folder.resolve(), file_digest(folder / MANIFEST))

    def rows(self, node: int, board: tuple[int, ...]) -> NDArray[np.float32]:
        """Return a decision's strategy on a board, float32 ``[actions, 1326]``; 0 for hands without an answer.

        Raises ValueError for a node that is no decision, a street that is not in the file, or a board of another spot.
        """
        street, local = self.layout.forest.locate(node)
        if street >= self.manifest.streets:
            raise ValueError(f"{self.folder} keeps {self.manifest.streets} streets, not the one of node {node}")
        number, column = _find(self.layout.boards, board)
        stored = self.layout.of_board(self.table, number)[self.layout.forest.slots(street, local)].astype(np.float32)
        strategy = np.zeros((len(stored), len(column)), np.float32)
        held = column >= 0
        strategy[:, held] = stored[:, column[held]]
        strategy /= np.maximum(strategy.sum(axis=0), 1)
        return strategy


@lru_cache(maxsize=64)
def _opened(folder: Path, _manifest_digest: str) -> SolutionFile:
    manifest = load_yaml(folder / MANIFEST, SolutionManifest)
    path = folder / TENSORS
    tensors, _ = open_tensors(path, manifest, verify)
    spot = manifest.spot
    forest = street_forest(spot.tree, spot.root.game.big_blind, spot.house)
    layout = SolutionLayout.of(spot, forest, manifest.streets)
    table: NDArray[Any] = tensors["probabilities"]
    if layout.digest() != manifest.layout or len(table) != layout.start[-1]:
        raise ValueError(f"{path}: laid out by another version; export the solution again")
    return SolutionFile(folder, manifest, table, layout)


_find = lru_cache(maxsize=4096)(BoardTree.find)


# --- Recognises real hands that are in a spot: equal pot and stacks in big blinds, a board equal but for suits.


class InSpot(NamedTuple):
    """The translation of a real hand into a spot.

    `start` is the real state at the start of the spot's street; `suits` maps real suits to the spot's; `chips` is the number
    of real chips in one chip of the spot.
    """

    start: State
    suits: SuitPermutation
    chips: float


def in_spot(spot: Spot, state: State) -> InSpot | None:
    """Return the translation of a hand at `state` into the spot, or None if the hand did not come through it.

    Pot and effective stack may differ by a chip of the coarser game. The board may differ by a suit permutation that
    leaves both ranges unchanged. How the pot was made does not matter.
    """
    root = spot.root
    # Boards are dealt after an action: an ancestor may not show the cards that its round has.
    start = next((past.with_board(state.board) for past in state.path() if past.round == root.round), None)
    if start is None or _shape(start) != _shape(root) or start.spent[0] != start.spent[1]:
        return None
    real_unit, unit = start.game.big_blind, root.game.big_blind
    chip = 1 / min(real_unit, unit)
    pots = start.pot / real_unit, root.pot / unit
    behind = ((min(state.game.stack) - state.max_spent) / state.game.big_blind for state in (start, root))
    if start.actor != root.actor or max(abs(a - b) for a, b in (pots, behind)) > chip + 1e-9:
        return None
    suits = _suits(spot.ranges, tuple(sorted(start.board)), tuple(sorted(spot.cards)))
    return InSpot(start, suits, real_unit / unit) if suits is not None else None


def _shape(state: State) -> tuple[object, ...]:
    """Return what a real game must have in common with the spot's."""
    game = state.game
    return game.no_limit, game.num_suits, game.num_ranks, game.num_hole_cards, game.num_players, game.num_board_cards


@lru_cache(maxsize=4096)
def _suits(ranges: tuple[str, str], real: tuple[int, ...], spot_board: tuple[int, ...]) -> SuitPermutation | None:
    weights = [parse_range(text) for text in ranges]
    for suits in permutations(range(4)):  # the identity comes first
        if tuple(sorted(permute_cards(real, suits))) == spot_board and all(
            np.array_equal(of_range[hand_permutation(suits)], of_range) for of_range in weights
        ):
            return suits
    return None
