"""A flop solved up to the turn: at each leaf the opponent chooses among ways in which the blueprint may be played on.

Brown, Sandholm & Amos 2018 (Modicum): with one value for each leaf the opponent could not answer the flop's strategy, so
that any strategy may seem good; with a choice, ours must be good against all of the opponent's choices. The opponent
knows its own hand but not ours, so the choice is one of its decisions in the tree. On turn and river we play the
blueprint as it is.
"""

from collections.abc import Callable, Container, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking_kernels import hand_strengths
from limpet.protocol.state import State
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.blueprint.walk import Places
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.resolving.beliefs import Ranges, as_weights, starting_ranges
from limpet.strategies.resolving.gadgets import Gadget
from limpet.strategies.resolving.leaves.all_in import all_in_matrix
from limpet.strategies.resolving.leaves.hand_classes import hand_classes, share_beaten
from limpet.strategies.resolving.leaves.leaf_matrices import LeafMatrices, group_hands
from limpet.strategies.resolving.leaves.leaf_play import MOST_ROUNDS, LeafPlay, LeafRules, leaf_play
from limpet.strategies.resolving.leaves.street_solver import LeafValues, StreetSolver
from limpet.strategies.resolving.search import OutOfTime
from limpet.strategies.resolving.street_tree import Leaf, street_tree, with_choices
from limpet.strategies.resolving.subgame import OFF_TREE, Promise, Subgame
from limpet.strategies.trees.menu import BetMenu

FEWEST_RUN_OUTS = 24
"""Fewest runouts that leaves are valued by, half of the cards as the turn: with fewer some draws come much too often."""
TIMED_RUN_OUTS = 6
"""Number of runouts after which the mean time of one is taken for that of the others."""
LEAVES_SHARE = 0.6
"""Largest share of a solve's time that goes into its leaves."""


class Continuation(NamedTuple):
    """The blueprint that is played on below the leaves.

    Attributes:
        rows: the blueprint's rows as played.
        places: returns the nodes of the blueprint's tree that stand for a state; none where it has no answer.
        us: our position; the other position chooses at the leaves.
    """

    rows: PlayedRows
    places: Callable[[State], Places]
    us: int

    def node(self, state: State) -> int | None:
        """Return the node of the blueprint's tree most like `state`; None without one, or with nothing to decide."""
        if state.finished:
            return None
        places = [place for place in self.places(state) if not place.waiting]
        return max(places, key=lambda place: place.weight).node if places else None


class DepthLimited(Subgame):
    """A subgame that ends with the flop's betting. Not thread-safe."""

    def __init__(
        self, root: State, menu: BetMenu, ranges: Ranges, continuation: Continuation, rules: LeafRules,
        threads: int = 1, promise: Promise | None = None, enough: Callable[[int], bool] = lambda run_outs: False,
    ) -> None:  # fmt: skip
        """As `Subgame`; enough: says, given the number of runouts seen, that there is no time for more.

        Raises `OutOfTime` where there was none for `FEWEST_RUN_OUTS`, and `ValueError` where the blueprint has no answer
        below any leaf.
        """
        self.root = root
        self.run_outs = 0
        """Number of runouts that the leaves were valued by."""
        tree, leaves = street_tree(root, menu)
        played_on = {leaf.node: node for leaf in leaves if (node := continuation.node(leaf.state)) is not None}
        # The other leaves are run out: all chips are in, or the blueprint has no answer.
        if not played_on and not all(leaf.state.finished for leaf in leaves):
            raise ValueError("the blueprint has no answer to any betting on the turn")
        self.tree = with_choices(tree, 1 - continuation.us, len(rules.ways), list(played_on))
        weights = as_weights(ranges)
        held = np.flatnonzero((weights > 0).any(axis=0) & ~hand_space().blocked(root.board)).astype(np.int16)
        plays = [
            leaf_play(continuation.rows, played_on[leaf.node], leaf.state, continuation.us, rules.ways, rules.bias)
            for leaf in leaves
            if leaf.node in played_on
        ]
        classes, matrices = self._value(plays, held, continuation, rules, threads, enough)
        of_leaf = _numbered(leaves, played_on, len(rules.ways))
        self.solver = StreetSolver(self.tree, weights, held, LeafValues(classes, matrices, of_leaf))
        self._keep(promise)

    def _value(
        self, plays: list[LeafPlay], held: NDArray[np.int16], continuation: Continuation, rules: LeafRules,
        threads: int, enough: Callable[[int], bool],
    ) -> tuple[NDArray[np.int16], NDArray[np.float32]]:  # fmt: skip
        """Return the class of each hand held, and matrices of position 0 against position 1 by class.

        First those of each leaf in `plays` in all ways, in big blinds; last one of chances to win for leaves run out.
        """
        board, cards = self.root.board, continuation.rows.file.cards
        dealt = [(*board, *later) for later in run_outs(board, rules.rounds, seed=0)]
        strengths = np.stack([hand_strengths(np.array(cards_, np.int8), hand_space().holes) for cards_ in dealt])
        classes = hand_classes(share_beaten(strengths, held), rules.classes)
        sums = LeafMatrices(plays, int(classes.max()) + 1, len(rules.ways))
        with ThreadPoolExecutor(threads) as pool:
            for seen, whole_board in enumerate(dealt):
                if enough(seen):
                    if seen < FEWEST_RUN_OUTS:
                        raise OutOfTime(f"there is no time to look at {FEWEST_RUN_OUTS} turns and rivers")
                    break
                sums.add(group_hands(cards, whole_board, held, classes, strengths[seen]), pool)
        self.run_outs = sums.run_outs
        means = sums.means()
        means = means.reshape(-1, *means.shape[2:])
        if continuation.us == 1:
            means = -means.swapaxes(1, 2)
        return classes, np.concatenate([means, all_in_matrix(board, held, classes, threads)[None]])

    def node(self, state: State) -> int:
        return OFF_TREE if state.round > self.root.round else super().node(state)

    def promise(self, root: State, opponent: int, gadget: Gadget) -> Promise | None:
        """As `Subgame.promise`, but None for later streets: leaves do not tell turn cards apart."""
        return None if root.round > self.root.round else super().promise(root, opponent, gadget)


def _numbered(leaves: list[Leaf], played_on: Container[int], ways: int) -> dict[int, tuple[int, float]]:
    """Return the matrix of each leaf and the stake to multiply it by, by its node in the tree with choices.

    A leaf that is played on is worth its own matrices, one for each way. One that is run out is worth the last matrix, of
    chances to win, times the big blinds that the loser has put in.
    """
    of_leaf: dict[int, tuple[int, float]] = {}
    added = 0
    for leaf in leaves:
        at = leaf.node + added
        if leaf.node in played_on:
            of_leaf |= {at + 1 + way: (added + way, 1.0) for way in range(ways)}
            added += ways
        else:
            of_leaf[at] = -1, min(leaf.state.spent) / leaf.state.game.big_blind
    return of_leaf


def run_outs(flop: tuple[int, ...], rounds: int, seed: int) -> Iterator[tuple[int, int]]:
    """Yield (turn, river) pairs: `rounds` times 49, in each round every card once as the turn and once as the river.

    The cards lie in a circle, in an order drawn by the seed; in a round the river lies a fixed number of steps after the
    turn. No pair comes twice, and there are 48 rounds in all. Independent draws would complete a flush draw of nine outs
    2.2 ± 1.3 times in twelve turns, which is an error of all its hands at once. Raises `ValueError` for more rounds.
    """
    if rounds > MOST_ROUNDS:
        raise ValueError(
            f"after a flop there are {MOST_ROUNDS} rounds of {MOST_ROUNDS + 1} run-outs, not {rounds}; ask for fewer"
        )
    draw = np.random.Generator(np.random.Philox(key=[seed, sum(card * 52**place for place, card in enumerate(flop))]))
    circle = draw.permutation([card for card in range(52) if card not in flop]).tolist()
    for step in draw.permutation(MOST_ROUNDS)[:rounds].tolist():
        yield from zip(circle, circle[step + 1 :] + circle[: step + 1], strict=True)


def runout_budget(clock: Callable[[], float] | None, seconds: float) -> Callable[[int], bool]:
    """Return a predicate that says, given the number of runouts seen, whether to stop valuing leaves by more of them.

    It stops when the leaves have used their share of `seconds`, the time for the whole solve, and early if the fewest
    runouts that are needed would overrun it. Without a clock it never stops.
    """
    if clock is None:
        return lambda run_outs: False
    start, most, prepared = clock(), LEAVES_SHARE * seconds, 0.0

    def enough(run_outs: int) -> bool:
        nonlocal prepared
        used = clock() - start
        if run_outs == 0:
            prepared = used
        each = (used - prepared) / run_outs if run_outs >= TIMED_RUN_OUTS else 0.0
        return used + each * max(1, FEWEST_RUN_OUTS - run_outs) > most

    return enough


def warm_up_leaves(continuation: Continuation, state: State) -> None:
    """Compile and touch everything on the flop of `state`, in a small subgame."""
    flop = state.round_start()
    while flop.round > 1 and flop.parent is not None:
        flop = flop.parent.round_start()
    ranges = starting_ranges(flop.board)
    rules = LeafRules(ways=("blueprint",), classes=8)
    bets = BetMenu(sizes=(((1.0,), ()),))
    subgame = DepthLimited(flop, bets, ranges, continuation, rules, enough=lambda run_outs: run_outs >= FEWEST_RUN_OUTS)
    subgame.solve(2, 1e-9, 2, lambda: False)
    subgame.rows(flop)
