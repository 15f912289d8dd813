"""Values of flops to starting hands: counted by self-play of a strategy, and made anew from solved flops.

What solved play is worth more than the blueprint's is measured on few flops, and added to what the blueprint's play is worth on
all of them: on the same flop and runouts both differ far less than one flop does from another. The betting before the
flop is then solved with the new values, so that other ranges come to the flops, and so on.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.safetensors import map_tensors, write_tensors
from limpet.common.statistics import NORMAL, Estimate, estimate
from limpet.common.workers import Report, silent
from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import BetMenu, ByStreet
from limpet.strategies.base.sampling import mix
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space, is_heads_up_holdem
from limpet.strategies.cards.isomorphism import NUM_CLASSES, canonical_boards, preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities, class_matrix
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand, BlueprintSeat
from limpet.strategies.holdem.blueprint.flop_values import UNITS, FlopValues, flop_nodes
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.measures.joint_betting import own_betting
from limpet.strategies.holdem.measures.match_engine import DealtBatch, bucket_source, hand_indices
from limpet.strategies.holdem.measures.match_kernels import play
from limpet.strategies.holdem.resolving.before_flop import BeforeFlop, BeforeFlopHand, preflop_values
from limpet.strategies.holdem.resolving.beliefs import on_board, starting_ranges
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.solvers.sampled.public_sampling import Runouts

# --- How hands come to flops.

BEFORE = 1000
"""Iterations of a solve before the flop."""
SLIP, HASTE = 0.02, 0.1
"""Share of the play before the flop that is in haste, so that hands come to every flop: an action that loses `HASTE` big blinds
more is less likely by a factor e."""
FLOOR = 3e-4
"""Least weight of a class in a range, of the largest: hardly any to the others, enough to learn how it plays a flop."""


class Arrival(NamedTuple):
    """How hands come to the flops of a tree, L of them.

    Attributes:
        flops: the states that begin them.
        ranges: float64 ``[L, 2, 169]``: how often each position's classes come to each flop, the likeliest at 1.
        stakes: float64 ``[L]``: pot of each flop times how often a hand comes there, the most at 1, which is `most` big blinds.
        button: big blinds that the button wins where both play the solution before the flop.
    """

    flops: tuple[State, ...]
    ranges: NDArray[np.float64]
    stakes: NDArray[np.float64]
    most: float
    button: float


def solve_before_flop(root: State, menu: BetMenu, values: FlopValues) -> BeforeFlop:
    """Return the betting before the flop from the start of a hand, solved."""
    solved = BeforeFlop(root, menu, starting_ranges(), values)
    solved.solve(BEFORE)
    return solved


def arrival(root: State, menu: BetMenu, values: FlopValues, least: float = 0.0) -> Arrival:
    """Return how hands come to each flop of a tree of these bets, where the betting before it is solved with `values`.

    least: least stake of a flop that is returned.
    """
    classes = preflop_classes()
    solved = solve_before_flop(root, menu, values)
    hand, firsts = BeforeFlopHand(solved), np.unique(classes, return_index=True)[1]
    came: list[tuple[State, NDArray[np.float64]]] = []

    def walk(state: State, ranges: NDArray[np.float64]) -> None:
        if state.round > 0 or state.finished:
            if not state.finished and state.max_spent < min(state.game.stack):
                came.append((state, ranges))
            return
        at = preflop_values(hand, state, _floored(ranges)[:, classes], values)[0]
        worth = at.actions[:, firsts].astype(np.float64)
        haste = np.exp((worth - worth.max(axis=0)) / HASTE)
        played = (1 - SLIP) * at.strategy[:, firsts] + SLIP * haste / haste.sum(axis=0)
        for action, row in zip(hand.rows(state).actions, played, strict=True):
            below = ranges.copy()
            below[state.actor] *= row
            walk(state.apply(action), below)

    walk(root, np.ones((2, NUM_CLASSES)))
    by_flop = np.stack([own for _, own in came])
    dealt = class_matrix().pairs / class_matrix().pairs.sum()
    pots = np.array([flop.pot for flop, _ in came]) / root.game.big_blind
    stakes = np.einsum("li,ij,lj->l", by_flop[:, 0], dealt, by_flop[:, 1]) * pots
    most, button = float(stakes.max()), float(solved.rounds.game_values()[1])
    kept = np.flatnonzero(stakes >= least * most)
    flops = tuple(came[index][0] for index in kept)
    return Arrival(flops, _floored(by_flop[kept]), stakes[kept] / most, most, button)


def _floored(ranges: NDArray[np.float64]) -> NDArray[np.float64]:
    floored: NDArray[np.float64] = np.maximum(ranges / ranges.max(axis=-1, keepdims=True), FLOOR)
    return floored


# --- What a flop's solve gains.

MENU = BetMenu(
    sizes=ByStreet(flop=((0.33, 0.75, 1.5), (1.0,), ()), turn=((1.0,), ()), river=((1.0,), ())), all_in_spr=6
)
"""Bets of the solved flops, as `limpet` solves them."""
ITERATIONS = 1000
"""Iterations of a flop's solve. After 300 its average still favours the big blind, by half a percent of the pot."""
RUNOUTS = 49
"""Runouts that both plays are valued on: every card comes as the turn and as the river."""


class Solves(NamedTuple):
    """Gains of S solved flops, in their order.

    Attributes:
        lines: int32 ``[S]``: index of the line to each flop, as in `FlopValues.nodes`.
        gains: float32 ``[S, 2, 169]``: what each class of each position wins more than by the blueprint's play, in pots.
        weights: float32 ``[S, 2, 169]``: number of pairs of hands that each is a mean over, by the opponent's range.
        ranges: float32 ``[S, 2, 169]``: the ranges at each flop.
        stakes: float32 ``[S]``: what was at stake there, as in `Arrival`.
    """

    lines: NDArray[np.int32]
    gains: NDArray[np.float32]
    weights: NDArray[np.float32]
    ranges: NDArray[np.float32]
    stakes: NDArray[np.float32]


def solve_flop(
    state: State, ranges: NDArray[np.float64], hand: BlueprintHand, menu: BetMenu
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Solve a flop; return its gains and weights, as in `Solves`. ranges: ``[2, 169]``; menu: the blueprint's."""
    classes = preflop_classes()
    by_hand = on_board(ranges[:, classes], state.board)
    played = SampledSubgame(state, menu, by_hand, hand).node_values(state, RUNOUTS).values
    subgame = SampledSubgame(state, MENU, by_hand, hand)
    subgame.solve(ITERATIONS)
    gained = (subgame.node_values(state, RUNOUTS).values - played) * (state.game.big_blind / state.pot)
    met = opponents(subgame.runouts)
    weights = np.stack([np.bincount(classes, own, NUM_CLASSES) for own in met])
    sums = np.stack([np.bincount(classes, own * won, NUM_CLASSES) for own, won in zip(met, gained, strict=True)])
    gains = np.divide(sums, weights, out=np.zeros_like(sums), where=weights > 0)
    return gains.astype(np.float32), weights.astype(np.float32)


def opponents(runouts: Runouts) -> NDArray[np.float64]:
    """Return float64 ``[2, 1326]``: how many hands of the opponent's range each hand of a flop meets, 0 for a blocked hand."""
    live = ~hand_space().blocked(runouts.flop)
    return np.stack([hand_space().compatible(held) * live for held in runouts.ranges[::-1]])


# --- What all flops gain: a function of how rarely a class and a flop come up, fitted to the flops that were solved.

NOTHING = 1e-9
"""What is added to sums of squares, so that no flops gain nothing."""


def features(ranges: NDArray[np.floating], stakes: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return ``[..., 2, 169, 4]``, of which gains are a sum, for ranges ``[..., 2, 169]`` and stakes ``[...]``, the most at 1.

    A blueprint plays hands badly that it hardly ever brings to a flop: what is gained is in proportion to how rare a class is
    in its range (the logarithm of its weight), and to that times its equity, times how rare the flop is, or times both.
    What the classes of a range gain besides is too small to be measured.
    """
    rarity, equity = np.log(ranges) / log(FLOOR), class_equities()
    flop = np.log(stakes)[..., None, None] / log(FLOOR)
    good = (equity - equity.mean()) / equity.std()
    return np.stack([rarity, rarity * good, rarity * flop, rarity * good * flop], axis=-1)


def fitted(solves: Solves) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the factors of the features, ``[4]``, that fit the solves best, and those without each of them, ``[S, 4]``."""
    known = features(solves.ranges, solves.stakes)
    weighed = known * (solves.weights / solves.weights.sum(axis=-1, keepdims=True))[..., None]
    squares, products = np.einsum("spif,spig->sfg", weighed, known), np.einsum("spif,spi->sf", weighed, solves.gains)
    total, gained = squares.sum(axis=0) + NOTHING * np.eye(known.shape[-1]), products.sum(axis=0)
    return np.linalg.solve(total, gained), np.linalg.solve(total - squares, (gained - products)[..., None])[..., 0]


def nearer(solves: Solves, without: NDArray[np.float64]) -> Estimate:
    """Return by how much squared errors of gains, in (% of the pot)², fall on each flop with the factors `without` it."""
    known = np.einsum("spif,sf->spi", features(solves.ranges, solves.stakes), without)
    falls = solves.gains**2 - (solves.gains - known) ** 2
    return estimate(1e4 * np.average(falls, axis=-1, weights=solves.weights).mean(axis=1))


# --- Values that add both up, and the rounds.

FIRST = 64
"""Solves of the first round. Each later round doubles their number, with the ranges that the values before it bring."""
STEPS = 12
"""Solves before the flop in the end. After each the gains are the means of all so far: without, ranges would go to and fro."""
PLASTIC = 1.324717957244746
"""Its powers spread points over a square more evenly than chance does, however many there are (Roberts 2018)."""


class Round(NamedTuple):
    """The betting before the flop after a number of solves.

    Attributes:
        solves: number of flops solved.
        button: big blinds that the button wins by the solution.
        half_width: half the 95 % interval of what solved flops added to it, in big blinds.
        nearer: by how much the squared error of a class's value falls on flops that are held out, in (% of the pot)².
    """

    solves: int
    button: float
    half_width: float
    nearer: Estimate


def pairwise(ranges: NDArray[np.float64], gained: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``[169, 169]``: gains of position 0 for its class (row) against that of position 1, a sum of a part for each.

    The mean of a row over the classes that position 1 holds is what position 0's class gains, that of a column what position
    1's class loses: `gained`, ``[2, 169]``, where half of what both positions together seem to gain is taken off each.
    ranges: ``[2, 169]``, all above 0.
    """
    pairs = class_matrix().pairs
    rows, columns = pairs * ranges[1], pairs.T * ranges[0]
    reach = ranges[0] * rows.sum(axis=1)
    first, second = gained - (_mean(ranges, 0, gained[0]) + _mean(ranges, 1, gained[1])) / 2
    rows, columns = (met / met.sum(axis=1, keepdims=True) for met in (rows, columns))
    # A pair gains own - other: own - rows @ other = first, and other - columns @ own = second. The mean of `own` is free: 0.
    own = np.linalg.solve(np.eye(NUM_CLASSES) - rows @ columns + reach / reach.sum(), first + rows @ second)
    return np.asarray(own[:, None] - (columns @ own + second))


def _mean(ranges: NDArray[np.float64], position: int, gained: NDArray[np.float64]) -> float:
    """Return the mean of what a position's classes gain, over all pairs of hands of both ranges."""
    return float(np.average(gained, weights=ranges[position] * (class_matrix().pairs @ ranges[1 - position])))


def pair_gains(came: Arrival, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the gains of pairs of classes at all flops, ``[L, 169, 169]``, as `pairwise`."""
    gained = features(came.ranges, came.stakes) @ factors
    return np.stack([pairwise(held, won) for held, won in zip(came.ranges, gained, strict=True)])


def blended(counted: FlopValues, gained: NDArray[np.float64], solves: int) -> FlopValues:
    """Return counted values and what pairs of classes gain above them, ``[L, 169, 169]`` in pots, from so many solves."""
    shares = np.rint(counted.shares + UNITS * gained).astype(np.int16)
    return FlopValues(counted.tree, counted.nodes, shares, counted.deals, solves)


def solve_flop_values(
    file: StrategyFile, counted: FlopValues, solves: int, seed: int, kept: Path, progress: Report = silent
) -> tuple[FlopValues, list[Round]]:
    """Return the values from so many solved flops, with the rounds that they were made in.

    counted: the values of the strategy's own play. kept: file of the solves so far, from which a later run goes on.

    Raises `ValueError` for a game with a limit, and for a damaged file of solves.
    """
    menu = file.manifest.menu
    if menu is None:
        raise ValueError("flops are solved in no-limit hold'em; count their values alone")
    player = Blueprint(file.game, Blueprint.Options(strategy=str(file.folder)), file.folder)
    done, values, came = _opened(kept, len(counted.nodes)), counted, arrival(counted.tree.root, menu, counted)
    rounds = [Round(0, came.button, 0.0, Estimate(0.0, 0.0, 0))]
    progress(min(len(done.lines), solves), solves)
    for number in range(solves + 1):
        if number == solves or begins_round(number, FIRST):
            so_far = Solves._make(column[:number] for column in done)
            factors, without = fitted(so_far)
            gained = np.zeros_like(counted.shares, np.float64)
            for step in range(STEPS if number == solves else 1):
                wins = [_button(came, features(came.ranges, came.stakes) @ others) for others in without]
                gained += (pair_gains(came, factors) - gained) / (step + 1)
                values = blended(counted, gained, number)
                came = arrival(values.tree.root, menu, values)
                half_width = NORMAL * float(np.std(wins)) * sqrt(number - 1)
                rounds.append(Round(number, came.button, half_width, nearer(so_far, without)))
        if len(done.lines) <= number < solves:
            line, board = drawn(came.stakes, (seed - 1 << 20) + number + 1)
            gains, weights = solve_flop(
                came.flops[line].with_board(board), came.ranges[line], player.start_hand(HandKey(0, 0, 0)), menu
            )
            new = zip(done, (line, gains, weights, came.ranges[line], came.stakes[line]), strict=True)
            done = Solves._make(np.append(column, np.array([own], column.dtype), axis=0) for column, own in new)
            write_tensors(kept, done._asdict(), {})
            progress(number + 1, solves)
    return values, rounds


def begins_round(number: int, first: int) -> bool:
    """Return whether a round begins after so many solves: after `first`, and each time that their number has doubled."""
    rounds, rest = divmod(number, first)
    return rest == 0 and rounds.bit_count() == 1


def drawn(stakes: NDArray[np.float64], number: int) -> tuple[int, tuple[int, ...]]:
    """Return the line and the board of a solve: half of them by what is at stake there, half alike for all lines."""
    first, second = ((0.5 + number / PLASTIC**power) % 1 for power in (1, 2))
    boards, lines = canonical_boards(3), np.cumsum(stakes / stakes.sum() + 1 / len(stakes))
    order = np.lexsort(boards.boards.T)
    by_rank = np.cumsum(boards.orbit[order]) / boards.orbit.sum()
    board = boards.boards[order[np.searchsorted(by_rank, second)]]
    return int(np.searchsorted(lines / lines[-1], first)), tuple(board.tolist())


def _button(came: Arrival, gained: NDArray[np.float64]) -> float:
    """Return the big blinds that the button gains, if hands come to the flops as before."""
    pairs = zip(came.ranges, gained, strict=True)
    return came.most * float(
        came.stakes @ [(_mean(held, 1, own[1]) - _mean(held, 0, own[0])) / 2 for held, own in pairs]
    )


def _opened(kept: Path, lines: int) -> Solves:
    """Open the solves of earlier runs. Raises `ValueError` for a damaged file."""
    if not kept.is_file():
        by_class = np.zeros((0, 2, NUM_CLASSES), np.float32)
        return Solves(np.zeros(0, np.int32), by_class, by_class, by_class, np.zeros(0, np.float32))
    done = Solves(**map_tensors(kept)[0])
    if not (done.lines < lines).all():
        raise ValueError(f"{kept} is of another betting tree")
    return done


CHUNK = 1 << 17
"""Deals that are played together."""


def count_flop_values(
    file: StrategyFile, deals: int, seed: int, cache: Path, threads: int = 1, progress: Report = silent
) -> FlopValues:
    """Return the values of all flops of a strategy: the mean over dealt hands, each played once from each flop.

    deals: number of deals of two hands and a board; results do not depend on the threads. cache: folder of card tables.
    progress: called with (done, total) deals.

    Raises `ValueError` for other games than heads-up hold'em.
    """
    game, tree = file.game, file.tree
    if not is_heads_up_holdem(game):
        raise ValueError("flop values are for heads-up hold'em")
    source = bucket_source(file, deals, cache, threads)
    betting, nodes, table = own_betting(tree, file.offset), flop_nodes(tree), BlueprintSeat(file).table()
    none, keys = np.zeros(2, np.int64), np.array([mix(seed)] * 2, np.uint64)
    sums = np.zeros((len(nodes), NUM_CLASSES**2))
    counts = np.zeros(NUM_CLASSES**2, np.int64)

    def play_chunk(first: int, dealt: DealtBatch, pool: ThreadPoolExecutor) -> None:
        """Add what position 0 wins with each deal from each flop."""
        deals = np.arange(len(dealt.holes))
        parts = np.array_split(deals, threads)
        buckets = np.full((1, len(deals), 2, game.num_rounds), -1, np.int32)
        for round_ in range(1, game.num_rounds):
            list(pool.map(partial(source.fill, round_, dealt=dealt, buckets=buckets[0]), parts))
        pairs = _pairs(dealt)
        counts[:] += np.bincount(pairs, minlength=NUM_CLASSES**2)
        for index, node in enumerate(nodes):
            numbers = (first + deals) * len(nodes) + index
            at, net = np.full(len(deals), node, np.int32), np.zeros((len(deals), 2))
            tally = np.zeros((len(deals), 2, 2), np.int32)
            fixed = map(repeat, (betting, table, none, none, keys, *dealt, buckets, deals, numbers))
            list(pool.map(play, *fixed, parts, repeat(at), repeat(net), repeat(tally)))
            sums[index] += np.bincount(pairs, net[:, 0], NUM_CLASSES**2)

    random = np.random.Generator(np.random.Philox(key=seed))
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, deals, CHUNK):
            size = min(CHUNK, deals - first)
            play_chunk(first, _deal(random, size), pool)
            progress(first + size, deals)
    spent = tree.spent[nodes, 0].astype(np.float64)[:, None]
    shares = (sums / np.maximum(counts, 1) + spent) / tree.spent[nodes].sum(axis=1)[:, None]
    units = np.rint(UNITS * np.where(counts > 0, shares, 0.5)).astype(np.int16)
    return FlopValues(tree, np.array(nodes, np.int32), units.reshape(-1, NUM_CLASSES, NUM_CLASSES), deals)


def _deal(random: np.random.Generator, size: int) -> DealtBatch:
    cards = np.argpartition(random.random((size, 52), np.float32), 9, axis=1)[:, :9]
    cards = np.take_along_axis(cards, np.argsort(random.random((size, 9), np.float32), axis=1), axis=1).astype(np.int8)
    return DealtBatch(np.ascontiguousarray(cards[:, :4].reshape(size, 2, 2)), np.ascontiguousarray(cards[:, 4:]))


def _pairs(dealt: DealtBatch) -> NDArray[np.int64]:
    """Return the classes of each deal's two hands as one number."""
    classes = preflop_classes()[hand_indices(hand_space(), dealt.holes)].astype(np.int64)
    return np.asarray(classes[:, 0] * NUM_CLASSES + classes[:, 1])
