"""Vector CFR on a public tree: one number for every hand at every node, one pass over all boards for each player.

A pass for player p goes down each street with the other player's reach, values its terminals in O(hands), and comes
back up with the counterfactual values of p's hands, changing p's tables on the way:

    v(h) at a terminal   Σ_i reach(i) · payoff(h, i)   over the other's hands i that share no card with h
    v(h) above           Σ_a σ(h, a) v(h, a) at p's nodes, Σ_a v(h, a) at the other's, Σ_cards v(h) / cards at chance

The other's strategy and the ranges are in the reach; the chance of cards is applied on the way up. This file walks over
boards and streets; terminals and decisions have files of their own.
"""

import numpy as np

from limpet.common.jit import Floats, njit
from limpet.strategies.solvers.lanes_kernels import WIDTH, load, spread, store, take
from limpet.strategies.solvers.vector.board_tree import Boards
from limpet.strategies.solvers.vector.decision_kernels import go_down, go_up
from limpet.strategies.solvers.vector.pass_arrays import (
    BoardTables,
    Capture,
    IterationWeights,
    PassRule,
    PassSpace,
    Root,
    Step,
    Visit,
)
from limpet.strategies.solvers.vector.street_forest import Forest
from limpet.strategies.solvers.vector.terminal_kernels import fill, terminals

F0 = np.float32(0)
F1 = np.float32(1)
DESCEND, VISIT, RISE = 1, 2, 4
"""Stages of a pass, as bits: down the root's street, over the boards below it, and up again."""

U = np.uint64  # unsigned indices need no look at whether they count from the end


@njit(cache=True, nogil=True, error_model="numpy")
def run_passes(
    stages: int, first_player: int, end_player: int, schedule: Floats,
    forest: Forest, boards: Boards, tables: BoardTables, rule: PassRule, root: Root, space: PassSpace, capture: Capture,
) -> None:  # fmt: skip
    """Run passes for the players in turn, iteration by iteration; or some `stages` of one pass, which threads share out.

    There is one entry for all of it, because each compiled entry holds its own copy of everything it calls. Threads that visit
    the same boards take one of the root's chunks after the other.

    schedule: float32 ``[round, 10]``: the numbers of a `Step`.
    """
    chunks = len(root.chunk_start) - 1
    for t in range(len(schedule)):
        row = schedule[t]
        early, late = IterationWeights(row[0], row[1], row[2], row[3]), IterationWeights(row[4], row[5], row[6], row[7])
        step = Step(early, late, row[8], row[9])
        for p in range(first_player, end_player):
            top, start = visit_to(boards, p, 0), int(space.offset[0])
            if stages & DESCEND:
                other = (1 - p) * (len(root.ranges) // 2) + top.seen_begin
                for h in range(0, top.seen_lanes, WIDTH):
                    store(root.reach, h, load(root.ranges, other + h))
                go_down(rule, forest, top, tables, step.early, root.reach, start, space)
                fill(root.chunks, 0, len(root.chunks))
                root.next_chunk[0] = 0
            if stages & VISIT:
                c = take(root.next_chunk)
                while c < chunks:
                    visit_boards(forest, boards, p, tables, rule, step, root, c, space, capture)
                    c = take(root.next_chunk)
            if stages & RISE:
                add_chunks(root.chunks, max(1, chunks))
                # As on every other board, by the types too: a number written out would be compiled as a type of its own.
                below = int(space.below_offset[0])
                rise(forest, boards, top, tables, rule, step, root.chunks, below, root.reach, root.value, start, space)


@njit(cache=True, nogil=True, error_model="numpy")
def visit_to(boards: Boards, p: int, board: int) -> Visit:
    """Return the visit of a pass for player p to a board."""
    street, hands, o = int(boards.street[board]), int(boards.hands[board]), 1 - p
    begin, lanes, stride = int(boards.begin[p, board]), int(boards.lanes[p, board]), int(boards.stride[p, street])
    seen = int(boards.begin[o, board]), int(boards.lanes[o, board]), int(boards.stride[o, street])
    return Visit(p, street, board, hands, begin, lanes, stride, seen[0], seen[1], seen[2])


@njit(cache=True, nogil=True, error_model="numpy")
def weights_on(boards: Boards, street: int, step: Step) -> IterationWeights:
    """Return a step's weights on a street."""
    return step.late if 0 < street == len(boards.weight) - 1 else step.early


@njit(cache=True, nogil=True, error_model="numpy")
def visit_boards(
    forest: Forest, boards: Boards, p: int, tables: BoardTables, rule: PassRule, step: Step, root: Root, chunk: int, space: PassSpace,
    capture: Capture,
) -> None:  # fmt: skip
    """Pass over a chunk of the boards below the root, whole branches in preorder, and sum their values by leaf.

    Of the rivers only those of the step's round count.
    """
    last = len(boards.weight) - 1
    root_offset = chunk * int(forest.leaf_start[1]) * max(int(boards.stride[0, 0]), int(boards.stride[1, 0]))
    end = root.chunk_start[chunk + 1]
    for number in range(root.chunk_start[chunk], end):
        here = visit_to(boards, p, int(number))
        street, offset = here.street, int(space.offset[here.street])
        source, above_offset = root.reach, 0
        if street > 1:
            source, above_offset = space.reach, int(space.offset[street - 1])
        visited = street < last or step.rounds == F1 or root.round[number] == step.round
        if visited:
            gather(forest, boards, here, source, above_offset, space.reach, offset)
            go_down(rule, forest, here, tables, weights_on(boards, street, step), space.reach, offset, space)
        if street < last:
            leaves = forest.leaf_start[street + 1] - forest.leaf_start[street]
            fill(space.below, int(space.below_offset[street]), int(leaves) * here.stride)
            continue
        # A river is finished at once, and then every board whose last branch it was.
        open_street = int(boards.street[number + 1]) - 1 if number + 1 < end else 0
        if not visited:
            here = visit_to(boards, p, int(boards.parent[number]))
        while here.street > open_street:
            street, offset = here.street, int(space.offset[here.street])
            rise(
                forest, boards, here, tables, rule, step, space.below, int(space.below_offset[street]), space.reach,
                space.value, offset, space,
            )  # fmt: skip
            if capture.board == here.board:
                rows = forest.node_start[street + 1] - forest.node_start[street]
                for i in range(rows * here.seen_stride):
                    capture.reach[i] = space.reach[offset + i]
                for i in range(rows * here.stride):
                    capture.value[i] = space.value[offset + i]
            below, below_offset = root.chunks, root_offset
            if street > 1:
                below, below_offset = space.below, int(space.below_offset[street - 1])
            scatter(forest, boards, here, space.value, offset, below, below_offset)
            here = visit_to(boards, p, int(boards.parent[here.board]))


@njit(cache=True, nogil=True, error_model="numpy")
def rise(
    forest: Forest, boards: Boards, visit: Visit, tables: BoardTables, rule: PassRule, step: Step, below: Floats,
    below_offset: int, reach: Floats, value: Floats, offset: int, space: PassSpace,
) -> None:  # fmt: skip
    """Finish a board after its next streets: leaves from the sums over cards, then terminals, then decisions.

    A round's rivers stand for those of all rounds.
    """
    street, lanes, stride = visit.street, visit.lanes, visit.stride
    leaf_start, leaf_end = forest.leaf_start[street], forest.leaf_start[street + 1]
    weight = spread(boards.weight[street] * (step.rounds if street == len(boards.weight) - 2 else F1))
    for j in range(leaf_end - leaf_start):
        source = below_offset + j * stride
        target = offset + forest.leaf[leaf_start + j] * stride
        for h in range(0, lanes, WIDTH):
            store(value, target + h, weight * load(below, source + h))
        for h in range(visit.hands - visit.begin, lanes):  # hands that the board lacks, see `Boards.above`
            value[target + h] = F0
    terminals(forest, boards, visit, reach, value, offset, space)
    go_up(rule, forest, visit, tables, weights_on(boards, street, step), value, offset, space)


@njit(cache=True, nogil=True, error_model="numpy")
def gather(
    forest: Forest, boards: Boards, visit: Visit, source: Floats, source_offset: int, reach: Floats, offset: int
) -> None:
    """Fill the reach of a street's roots from the leaves above, hand by hand."""
    p, street, board, hands, stride = visit.p, visit.street, visit.board, visit.hands, visit.seen_stride
    o, begin, end = 1 - p, visit.seen_begin, visit.seen_begin + visit.seen_lanes
    first, last, begin_above = boards.held[o, board, 0], boards.held[o, board, 1], boards.begin[o, boards.parent[board]]
    above, source_stride = boards.above, int(boards.stride[o, street - 1])
    above_start = boards.above_start[board]
    members = (boards.above_start[board + 1] - above_start) // hands
    for g in range(forest.gather_start[p, street], forest.gather_start[p, street + 1]):
        target = U(offset + forest.gather_row[g] * stride - begin)
        origin = U(source_offset + forest.gather_from[g] * source_stride - begin_above)
        at = U(above_start)
        for h in range(U(first), U(last)):
            reach[target + h] = source[origin + above[at + h]]
        for h in range(U(begin), U(first)):
            reach[target + h] = F0
        for h in range(U(last), U(end)):
            reach[target + h] = F0
        if boards.averaged and members > 1:
            for m in range(1, members):
                at = U(above_start + m * hands)
                for h in range(U(first), U(last)):
                    reach[target + h] += source[origin + above[at + h]]
            for h in range(U(first), U(last)):
                reach[target + h] /= np.float32(members)


@njit(cache=True, nogil=True, error_model="numpy")
def scatter(
    forest: Forest, boards: Boards, visit: Visit, value: Floats, offset: int, below: Floats, below_offset: int
) -> None:
    """Add the values of a street's roots to the sums over cards of the leaves above, for every member of the merge."""
    p, street, board, hands, stride = visit.p, visit.street, visit.board, visit.hands, visit.stride
    first, last, begin_above = boards.held[p, board, 0], boards.held[p, board, 1], boards.begin[p, boards.parent[board]]
    above, below_stride = boards.above, int(boards.stride[p, street - 1])
    above_start = boards.above_start[board]
    members = (boards.above_start[board + 1] - above_start) // hands
    for root in range(forest.leaf_start[street] - forest.leaf_start[street - 1]):
        source = U(offset + root * stride - visit.begin)
        target = U(below_offset + root * below_stride - begin_above)
        for m in range(members):
            at = U(above_start + m * hands)
            for h in range(U(first), U(last)):
                below[target + above[at + h]] += value[source + h]


@njit(cache=True, nogil=True, error_model="numpy")
def add_chunks(chunks: Floats, count: int) -> None:
    """Add up `count` chunks of values into the first, always in the same order."""
    size = len(chunks) // count
    for c in range(1, count):
        for i in range(0, size, WIDTH):
            store(chunks, i, load(chunks, i) + load(chunks, c * size + i))
