"""A flop solved up to the turn: at each leaf the opponent chooses among ways in which the blueprint may be played on.

Brown, Sandholm & Amos 2018 (Modicum): with one value for each leaf he could not answer what is played here, so that any
strategy may seem good; as he can choose, ours must be good against all of his choices. He knows his hand but not ours,
so the choice is a decision of his in the tree. On turn and river we play the blueprint as it is.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking_kernels import hand_strengths
from limpet.protocol.state import State
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.blueprint.walk import Places
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.resolving.all_in import all_in_matrix
from limpet.strategies.resolving.beliefs import Ranges, on_board, starting_ranges
from limpet.strategies.resolving.gadgets import Gadget
from limpet.strategies.resolving.hand_classes import hand_classes, share_beaten
from limpet.strategies.resolving.leaf_matrices import LeafMatrices, run_out
from limpet.strategies.resolving.leaf_play import Way, leaf_play
from limpet.strategies.resolving.run_outs import LEFT, run_outs
from limpet.strategies.resolving.street_solver import Leaves, StreetSolver
from limpet.strategies.resolving.street_tree import street_tree, with_choices
from limpet.strategies.resolving.subgame import OFF_TREE, Promise, Subgame
from limpet.strategies.resolving.thinking import OutOfTime
from limpet.strategies.trees.menu import BetMenu

FEWEST_RUN_OUTS = 24
"""Half of the cards as the turn: with fewer some draws would come much too often."""
TELLING = 6
"""Run-outs after which the time for the others can be told."""
LEAVES_SHARE = 0.6
"""Of the time for a solve, at most this share goes into its leaves."""


class LeafRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the leaves of a flop subgame are valued.

    Attributes:
        ways: that the opponent may choose from: the ``blueprint`` as it is, or with every ``fold``, ``call`` or
            ``raise`` made likelier.
        bias: by this factor, before a row is scaled to sum to 1 again (Pluribus: 5, Modicum: 10).
        rounds: of 49 run-outs each, in which every card comes once as the turn and once as the river.
        classes: of hands, at most, that leaves tell apart.
    """

    ways: tuple[Way, ...] = ("blueprint", "fold", "call", "raise")
    bias: Annotated[float, msgspec.Meta(gt=0)] = 5.0
    rounds: Annotated[int, msgspec.Meta(ge=1, lt=LEFT)] = 1
    classes: Annotated[int, msgspec.Meta(ge=1)] = 150

    def __post_init__(self) -> None:
        if not self.ways or len(set(self.ways)) < len(self.ways):
            raise ValueError(
                "'ways' are different ones, at least one; write for example 'ways: [blueprint, fold, call]'"
            )


class Continued(msgspec.Struct, frozen=True):
    """The blueprint that is played on.

    Attributes:
        places: the nodes of its tree that stand for a state, see `players.blueprint`; none where it has no answer.
        us: our position; the other one chooses.
    """

    rows: PlayedRows
    places: Callable[[State], Places]
    us: int


class DepthLimited(Subgame):
    """A subgame that ends with the flop's betting. Not thread-safe."""

    def __init__(
        self, root: State, menu: BetMenu, ranges: Ranges, continued: Continued, rules: LeafRules, threads: int = 1,
        promise: Promise | None = None, enough: Callable[[int], bool] = lambda run_outs: False,
    ) -> None:  # fmt: skip
        """As `Subgame`; enough: says, after so many run-outs, that there is no time for more.

        Raises `OutOfTime` where there was none for `FEWEST_RUN_OUTS`.
        """
        self.root = root
        tree, leaves = street_tree(root, menu)
        self.continued = [leaf for leaf in leaves if _place(continued, leaf.state) is not None]
        """The leaves below which the blueprint plays on; the others are run out: all chips are in, or it has no answer."""
        if not self.continued and not all(leaf.state.finished for leaf in leaves):
            raise ValueError("the blueprint has no answer to any betting on the turn")
        ways, nodes = len(rules.ways), [leaf.node for leaf in self.continued]
        self.tree = with_choices(tree, 1 - continued.us, ways, nodes)
        weights = (ranges / ranges.max(axis=1, keepdims=True)).astype(np.float32)
        held = np.flatnonzero((weights > 0).any(axis=0) & ~hand_space().blocked(root.board)).astype(np.int16)
        classes, matrices = self._valued(held, continued, rules, threads, enough)
        number: dict[int, int] = {}
        stake: dict[int, float] = {}
        more = 0
        for leaf in leaves:
            if leaf.node in nodes:
                here = range(leaf.node + more + 1, leaf.node + more + 1 + ways)
                number |= {node: more + way for way, node in enumerate(here)}
                stake |= dict.fromkeys(here, 1.0)
                more += ways
            else:
                number[leaf.node + more] = len(matrices) - 1
                stake[leaf.node + more] = min(leaf.state.spent) / root.game.big_blind
        self.solver = StreetSolver(self.tree, weights, held, Leaves(classes, matrices, number, stake))
        self._keep(promise)

    def _valued(
        self,
        held: NDArray[np.int16],
        continued: Continued,
        rules: LeafRules,
        threads: int,
        enough: Callable[[int], bool],
    ) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        """Classes of hands, and matrices of position 0 against position 1: those of each leaf in all ways, in big blinds,
        and one of chances for what is run out."""
        board, cards = self.root.board, continued.rows.file.cards
        dealt = [(*board, *cards) for cards in run_outs(board, rules.rounds, seed=0)]
        strengths = np.stack([hand_strengths(np.array(cards, np.int8), hand_space().holes) for cards in dealt])
        classes = hand_classes(share_beaten(strengths, held), rules.classes)
        plays = []
        for leaf in self.continued:
            place = _place(continued, leaf.state)
            assert place is not None
            plays.append(leaf_play(continued.rows, place, leaf.state, continued.us, rules.ways, rules.bias))
        found = LeafMatrices(plays, classes, len(rules.ways))
        with ThreadPoolExecutor(threads) as pool:
            for number, cards_ in enumerate(dealt):
                if enough(number):
                    if number < FEWEST_RUN_OUTS:
                        raise OutOfTime(f"there is no time to look at {FEWEST_RUN_OUTS} turns and rivers")
                    break
                found.add(run_out(cards, cards_, held, strengths[number]), pool)
        self.run_outs = found.run_outs
        means = found.means()
        means = means.reshape(-1, *means.shape[2:])
        if continued.us == 1:
            means = -means.swapaxes(1, 2)
        return classes, np.concatenate([means, all_in_matrix(board, held, classes, threads)[None]])

    def node(self, state: State) -> int:
        return OFF_TREE if state.round > self.root.round else super().node(state)

    def promise(self, root: State, opponent: int, gadget: Gadget) -> Promise | None:
        """None for later streets as well: what a leaf is worth on one turn card is not known here."""
        return None if root.round > self.root.round else super().promise(root, opponent, gadget)


def _place(continued: Continued, state: State) -> int | None:
    """The node of the blueprint's tree that is most like a state on the turn; None without one, or with nothing to decide."""
    if state.finished:
        return None
    places = [place for place in continued.places(state) if not place.waiting]
    return max(places, key=lambda place: place.weight).node if places else None


def time_for_leaves(clock: Callable[[], float] | None, seconds: float) -> Callable[[int], bool]:
    """For leaves that are begun now, with so much time for the whole solve: says when no run-out more should be seen.

    Once a few were seen, that is also when the fewest that are needed would take too long. Without a clock there is time
    for all.
    """
    if clock is None:
        return lambda run_outs: False
    start, most, prepared = clock(), LEAVES_SHARE * seconds, 0.0

    def enough(run_outs: int) -> bool:
        nonlocal prepared
        used = clock() - start
        if run_outs == 0:
            prepared = used
        each = (used - prepared) / run_outs if run_outs >= TELLING else 0.0
        return used + each * max(1, FEWEST_RUN_OUTS - run_outs) > most

    return enough


def warm_up_leaves(continued: Continued, state: State) -> None:
    """Compile and touch everything on the flop of `state`, in a small subgame."""
    flop = state.round_start()
    while flop.round > 1 and flop.parent is not None:
        flop = flop.parent.round_start()
    ranges = on_board(starting_ranges(), flop.board)
    rules = LeafRules(ways=("blueprint",), classes=8)
    bets = BetMenu(sizes=(((1.0,), ()),))
    subgame = DepthLimited(flop, bets, ranges, continued, rules, enough=lambda run_outs: run_outs >= FEWEST_RUN_OUTS)
    subgame.solve(2, 1e-9, 2, lambda: False)
    subgame.rows(flop)
