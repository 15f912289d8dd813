"""Vector CFR once more, slowly: float64, recursion over the betting tree and every board, hands against hands in matrices.

Written from the papers, not from the solver: only trees, the evaluator and the hand space are shared with it. One thing
is the same by agreement: players learn in turn, and a player's strategy enters its average when the other one learns.

Where a strategy is undetermined the two may part: rounding in float32 leaves 1e-8 where float64 finds a regret of zero,
and regret matching makes a pure strategy of the one and a uniform one of the other. That happens to hands that block
everything the other player still has, and where two actions come to the same (against a player who folds to every bet).
So runs over several streets are compared from regrets well above zero, where all play stays mixed.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.holdem.solutions.spot import spot_root

Array = NDArray[np.float64]
Board = tuple[int, ...]
Key = tuple[int, Board]
"""A node of the betting tree and the cards that are out. A node whose street has not been dealt is a chance node."""


def spot_tree(
    board: str, pot: int, stack: int | tuple[int, int], sizes: object = ((0.5, 1.0),), blind: int = 100, **menu: object
) -> BettingTree:
    """The tree of a spot, in chips; `sizes` by number of raises, the same on every street."""
    root = spot_root(parse_cards(board), pot, stack, blind)
    return build_tree(root, BetMenu(sizes=(sizes,), **menu))  # type: ignore[arg-type]


def random_ranges(board: str, seed: int, count: int, cards: int = 52) -> NDArray[np.float32]:
    """Two ranges ``[2, 1326]`` of `count` random hands each, of random weights, out of the first `cards` of the deck."""
    rng = np.random.default_rng(seed)
    space = hand_space()
    free = np.flatnonzero(~space.blocked(parse_cards(board)) & (space.holes < cards).all(axis=1))
    ranges = np.zeros((2, 1326), np.float32)
    for weights in ranges:
        weights[rng.choice(free, count, replace=False)] = rng.uniform(0.1, 1, count)
    return ranges


def unblocked_ranges(board: str, seed: int, count: int) -> NDArray[np.float32]:
    """Random ranges; position 0 holds clubs and diamonds, position 1 hearts and spades."""
    rng, space = np.random.default_rng(seed), hand_space()
    ranges = np.zeros((2, 1326), np.float32)
    for seat, weights in enumerate(ranges):
        own = (space.holes % 4 // 2 == seat).all(axis=1) & ~space.blocked(parse_cards(board))
        weights[rng.choice(np.flatnonzero(own), count, replace=False)] = rng.uniform(0.1, 1, count)
    return ranges


def symmetric_ranges(board: str, seed: int, count: int, suits: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Random ranges that a group of suit permutations (all of it, the identity too) leaves as they are."""
    ranges, space = random_ranges(board, seed, count), hand_space()
    for hand in np.flatnonzero(ranges.any(axis=0)).tolist():
        orbit = [space.index([card - card % 4 + by[card % 4] for card in space.cards(hand)]) for by in suits]
        ranges[:, orbit] = ranges[:, orbit].max(axis=1, keepdims=True)
    return ranges


class Twin:
    """Attributes: hands: int ``[n]``, all that either player may hold; ranges: ``[2, n]``; tables by `Key`, ``[actions, n]``."""

    def __init__(
        self,
        tree: BettingTree,
        board: Sequence[int],
        ranges: NDArray[np.floating],
        algorithm: str = "dcfr",
        averaging: str = "reach",
        groups: Callable[[Board], NDArray[np.integer]] | None = None,
        c: float = 0.175,
        rake: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """rake: share that the house takes of every pot, and the most chips that it takes."""
        self.rounds = 1
        self.round_of: Callable[[int, Board], int] = lambda t, river: 0
        self.round: int | None = None
        self.tree, self.board, self.algorithm, self.averaging = tree, tuple(board), algorithm, averaging
        self.groups, self.c = groups, c
        self.share, self.cap = rake
        live = np.where(hand_space().blocked(board), 0, np.asarray(ranges, np.float64))
        self.hands = np.flatnonzero(live.any(axis=0))
        self.ranges: Array = live[:, self.hands]
        holes = hand_space().holes[self.hands]
        self.compatible = ~(holes[:, None, :, None] == holes[None, :, None, :]).any(axis=(2, 3))
        self.mass = float(self.ranges[0] @ self.compatible @ self.ranges[1])
        self.unit = tree.game.big_blind
        self.regret: dict[Key, Array] = {}
        self.predicted: dict[Key, Array] = {}
        self.last: dict[Key, Array] = {}
        self.average: dict[Key, Array] = {}
        self.fixed: dict[Key, Array] = {}
        self.t = 0
        self._matrices: dict[Board, tuple[Array, Array]] = {}
        self._live: dict[Board, NDArray[np.bool_]] = {}

    # --- the game

    def deals(self, node: int, board: Board) -> bool:
        """Whether a card comes before anything else happens."""
        if self.tree.folded[node]:
            return False
        return len(board) < 5 if self.tree.player[node] < 0 else len(board) < int(self.tree.round[node]) + 2

    def live(self, board: Board) -> NDArray[np.bool_]:
        if board not in self._live:
            self._live[board] = ~hand_space().blocked(board)[self.hands]
        return self._live[board]

    def cards(self, board: Board) -> list[int]:
        """Return the cards that may come next: on the river only those of the round that is being played."""
        left = [card for card in range(52) if card not in board]
        if self.round is None or len(board) < 4:
            return left
        return [card for card in left if self.round_of(self.t, (*board, card)) == self.round]

    def stand_for(self, board: Board) -> int:
        """Return how many next cards each of `cards` stands for."""
        return self.rounds if self.round is not None and len(board) == 4 else 1

    def clock(self, board: Board) -> int:
        """Return how often a board has been visited: rivers once an iteration, others once a round."""
        return self.t if len(board) == 5 else self.rounds * (self.t - 1) + (self.round or 0) + 1

    def matrices(self, board: Board) -> tuple[Array, Array]:
        """(who meets whom, who wins) ``[n, n]`` on a board; the second is zero before the river."""
        board = tuple(sorted(board))
        if board not in self._matrices:
            live = self.live(board)
            meets = (self.compatible & live & live[:, None]).astype(np.float64)
            wins = np.zeros_like(meets)
            if len(board) == 5:
                strength = hand_strengths(np.array(board, np.int8), hand_space().holes[self.hands]).astype(np.int64)
                wins = np.sign(strength[:, None] - strength[None, :]) * meets
            self._matrices[board] = meets, wins
        return self._matrices[board]

    def stake(self, node: int) -> float:
        """Big blinds that each player has put in and the other has matched."""
        return float(self.tree.spent[node].min()) / self.unit

    def house(self, node: int) -> float:
        """Big blinds that the house takes of a terminal's pot, which its winner does not get."""
        return min(self.share * 2 * self.stake(node), self.cap / self.unit)

    def payoff(self, node: int, board: Board, p: int) -> Array:
        """``[n, n]``: big blinds that p's hands win of the other's at a terminal."""
        meets, wins = self.matrices(board)
        stake, house, folded = self.stake(node), self.house(node), int(self.tree.folded[node])
        if not folded:
            ties = meets * (wins == 0)
            won: Array = (stake - house) * (wins > 0) - stake * (wins < 0) - house / 2 * ties
            return won
        return -stake * meets if folded == 1 << p else (stake - house) * meets

    def actions(self, node: int) -> range:
        return range(int(self.tree.num_actions[node]))

    # --- one pass

    def reach(self, p: int, strategy: Callable[[Key], Array]) -> dict[Key, Array]:
        """Reach of the other player at every node and board."""
        found: dict[Key, Array] = {}

        def spread(node: int, board: Board, reach: Array) -> None:
            found[node, board] = reach
            if self.deals(node, board):
                for card in self.cards(board):
                    spread(node, (*board, card), reach * self.live((*board, card)))
            elif self.tree.player[node] >= 0:
                other = self.tree.player[node] != p
                sigma = strategy((node, board)) if other else None
                for a in self.actions(node):
                    spread(self.tree.child(node, a), board, reach if sigma is None else reach * sigma[a])

        spread(0, self.board, self.ranges[1 - p])
        return found

    def values(self, p: int, reach: dict[Key, Array], own: Callable[[Key, Array], Array]) -> dict[Key, Array]:
        """Counterfactual values of p's hands; `own` makes those of a decision of p out of those of its actions."""
        found = self._ends(p, reach)

        def value(node: int, board: Board) -> Array:
            if self.deals(node, board):
                of_cards = [value(node, (*board, card)) for card in self.cards(board)]
                share = self.stand_for(board) / (52 - len(board) - 4)
                found[node, board] = self.smooth(p, board, np.sum(of_cards, axis=0) * share)
            elif self.tree.player[node] >= 0:
                of_actions = np.array([value(self.tree.child(node, a), board) for a in self.actions(node)])
                mine = self.tree.player[node] == p
                found[node, board] = own((node, board), of_actions) if mine else of_actions.sum(axis=0)
            return found[node, board]

        value(0, self.board)
        return found

    def _ends(self, p: int, reach: dict[Key, Array]) -> dict[Key, Array]:
        """All terminals; those of a board together, as one product of matrices."""
        ends: dict[Board, list[int]] = {}
        for node, board in reach:
            if self.tree.player[node] < 0 and not self.deals(node, board):
                ends.setdefault(board, []).append(node)
        found: dict[Key, Array] = {}
        for board, nodes in ends.items():
            meets, wins = self.matrices(board)
            reached = np.array([reach[node, board] for node in nodes])
            # Won less lost, and won or lost: a product of numbers with truth values would take many times as long.
            met, margin, decided = reached @ meets.T, reached @ wins.T, reached @ np.abs(wins).T
            beaten, better = (decided + margin) / 2, (decided - margin) / 2
            for node, all_, won, lost in zip(nodes, met, beaten, better, strict=True):
                stake, house, folded = self.stake(node), self.house(node), int(self.tree.folded[node])
                if not folded:
                    value = (stake - house) * won - stake * lost - house / 2 * (all_ - won - lost)
                else:
                    value = -stake * all_ if folded == 1 << p else (stake - house) * all_
                found[node, board] = self.smooth(p, board, value)
        return found

    def smooth(self, p: int, board: Board, values: Array) -> Array:
        """Mean over the hands of a group, as often as p holds them (alike if p holds none); blocked ones apart."""
        if self.groups is None:
            return values
        labels = self.groups(board)[self.hands]
        found = np.zeros_like(values)
        for label in np.unique(labels[self.live(board)]):
            members = (labels == label) & self.live(board)
            weights = self.ranges[p, members]
            found[members] = np.average(values[members], weights=weights if weights.any() else None)
        return found

    # --- learning

    def current(self, key: Key) -> Array:
        """The strategy to be played next: regret matching, or the last of counterfactual greedy hedging."""
        if key in self.fixed:
            return self.fixed[key]
        shape = (int(self.tree.num_actions[key[0]]), len(self.hands))
        if self.algorithm == "cgh":
            return self.last.get(key, np.full(shape, 1 / shape[0]))
        table = self.predicted if self.algorithm == "pcfr+" else self.regret
        return matched(table.get(key, np.zeros(shape)))

    def answer(self, key: Key) -> Array:
        """The strategy that is the result."""
        if self.algorithm == "cgh" or key in self.fixed:
            return self.current(key)
        return matched(self.average[key])

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.t += 1
            for played in range(self.rounds):
                self.round = played
                for p in (0, 1):
                    reach = self.reach(p, self.current)
                    self._add_averages(p, reach)
                    self.values(p, reach, self.learn)
            self.round = None

    def _add_averages(self, p: int, reach: dict[Key, Array]) -> None:
        for (node, board), arriving in reach.items():
            t = self.clock(board) / (1 if len(board) == 5 else self.rounds)
            weight = {"cfr+": t, "lcfr": t, "dcfr": t**4, "pcfr+": t**2}.get(self.algorithm, 1)
            if self.tree.player[node] == 1 - p and not self.deals(node, board):
                sigma = self.current((node, board))
                seen = sigma * arriving if self.averaging == "reach" else sigma
                self.average[node, board] = self.average.get((node, board), 0) + weight * seen

    def learn(self, key: Key, values: Array) -> Array:
        """Update a decision and return its value."""
        sigma = self.current(key)
        node_value: Array = (sigma * values).sum(axis=0)
        if key in self.fixed:
            return node_value
        if self.algorithm == "cgh":
            self.last[key] = greedy(sigma, values, self.clock(key[1]), self.c)
            return node_value
        old = self.regret.get(key, np.zeros_like(values))
        t = self.clock(key[1])
        before = t - 1
        if self.algorithm == "lcfr":
            old = old * before / t
        if self.algorithm == "dcfr":
            old = old * np.where(old > 0, before**1.5 / (before**1.5 + 1), 0.5 if before else 0)
        gain = values - node_value
        new = old + gain
        if self.algorithm in ("cfr+", "pcfr+"):
            new = np.maximum(new, 0)
        self.regret[key] = new
        self.predicted[key] = new + gain
        return (matched(new) * values).sum(axis=0) if self.algorithm == "cfr-return-new" else node_value

    # --- the answer

    def best_responses(self, strategy: Callable[[Key], Array] | None = None) -> tuple[float, float]:
        """Big blinds that each player wins by the best reply to a strategy, the answer by default."""
        of_seats = [self.game_value(p, strategy or self.answer, lambda _, v: v.max(axis=0)) for p in (0, 1)]
        return of_seats[0], of_seats[1]

    def expected(self, strategy: Callable[[Key], Array] | None = None) -> tuple[float, float]:
        """Big blinds of each player."""
        plays = strategy or self.answer
        of_seats = [self.game_value(p, plays, lambda k, v: (plays(k) * v).sum(axis=0)) for p in (0, 1)]
        return of_seats[0], of_seats[1]

    def game_value(self, p: int, strategy: Callable[[Key], Array], own: Callable[[Key, Array], Array]) -> float:
        values = self.values(p, self.reach(p, strategy), own)
        return float(self.ranges[p] @ values[0, self.board]) / self.mass

    def percent(self, strategy: Callable[[Key], Array] | None = None) -> float:
        """Exploitability in % of the pot: the mean over both players of what a best reply gains."""
        gains = sum(self.best_responses(strategy)) - sum(self.expected(strategy))
        return 50 * gains * self.unit / float(self.tree.spent[0].sum())

    def decisions(self) -> list[Key]:
        """Every decision on every board."""
        return [
            (node, board)
            for node, board in self.reach(0, self.current)
            if self.tree.player[node] >= 0 and not self.deals(node, board)
        ]


def matched(weights: Array) -> Array:
    """Regret matching: in proportion to what is above zero, evenly if nothing is."""
    above = np.maximum(weights, 0)
    total = above.sum(axis=0)
    return np.where(total > 0, above / np.where(total > 0, total, 1), 1 / len(weights))


def greedy(sigma: Array, values: Array, n: int, c: float) -> Array:
    """Kujath's counterfactual greedy hedging (seed 2014, §5.6), hand by hand; equal values leave a hand as it is."""
    new = sigma.copy()
    for h, (column, before) in enumerate(zip(values.T.tolist(), sigma.T.tolist(), strict=True)):
        if min(column) == max(column):
            continue
        best = max(i for i, value in enumerate(column) if value == max(column))
        after = [max(0, (n - 1) / n * share - c / (n * len(column))) for share in before]
        after[best] = 1 - sum(share for i, share in enumerate(after) if i != best)
        new[:, h] = after
    return new


# --- beside a solver


def follow_rounds(twin: Twin, solver: Any) -> None:
    """Let a twin's iterations visit rivers in the rounds that the solver's do."""
    drawn = cache(lambda t: solver.boards.rounds(solver.rounds, t - 1))
    number = cache(lambda river: solver.boards.find(river)[0])
    twin.rounds = solver.rounds
    twin.round_of = lambda t, river: int(drawn(t)[number(river)])


def table_rows(solver: Any, table: NDArray[Any], key: Key) -> tuple[NDArray[Any], NDArray[np.int16]]:
    """(view ``[actions, stride]`` of a decision's rows in a solver's table, place in them of every hand)."""
    local, board, place = solver.tables.find(*key)
    return solver.tables.rows(table, board, local), place


def read_rows(solver: Any, table: NDArray[Any], key: Key, hands: NDArray[np.intp]) -> Array:
    """float64 ``[actions, n]``; 0 for hands that are not live."""
    rows, place = table_rows(solver, table, key)
    found = np.zeros((len(rows), len(hands)))
    there = place[hands] >= 0
    found[:, there] = rows[:, place[hands][there]]
    return found


def write_rows(solver: Any, table: NDArray[Any], key: Key, hands: NDArray[np.intp], values: Array) -> None:
    rows, place = table_rows(solver, table, key)
    there = place[hands] >= 0
    rows[:, place[hands][there]] = values[:, there]


def random_tables(solver: Any, twin: Twin, seed: int, scale: float = 5.0, shift: float = 0.3) -> None:
    """The same regrets, of this size and mean, and averages in both; for greedy hedging the same strategies."""
    rng, tables = np.random.default_rng(seed), solver.tables.arrays
    for key in twin.decisions():
        live = twin.live(key[1])
        shape = (int(twin.tree.num_actions[key[0]]), len(twin.hands))
        regret = np.where(live, scale * (rng.normal(size=shape) + shift), 0).astype(np.float32).astype(np.float64)
        average = np.where(live, rng.uniform(0, 1, shape), 0).astype(np.float32).astype(np.float64)
        if twin.algorithm == "cgh":
            regret = np.where(rng.random(shape) < 0.2, 0, rng.uniform(0.1, 1, shape))
            regret = np.where(live, regret + (regret.sum(axis=0) == 0), 1)
            regret /= regret.sum(axis=0)
            twin.last[key] = regret
        elif twin.algorithm == "pcfr+":
            # Well above zero: a row whose regrets all fall to zero is played by rounding, as said above.
            twin.predicted[key], regret = regret, 20 * np.abs(regret[::-1])
            write_rows(solver, tables.play, key, twin.hands, twin.predicted[key])
        twin.regret[key] = np.maximum(regret, 0) if twin.algorithm == "cfr+" else regret
        write_rows(solver, tables.regret, key, twin.hands, regret)
        if twin.algorithm != "cgh":
            twin.average[key] = average
            write_rows(solver, tables.average, key, twin.hands, 1e-3 * average)
