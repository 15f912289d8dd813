"""Every way in which a small game can go, with its probability: for expectations without a single random number."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to
from limpet.strategies.base.records import PlayedRow
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.luck.value_function import ValueFunction, Values


def legal(state: State) -> tuple[Action, ...]:
    """Fold, call and two raises at most."""
    bounds = state.raise_bounds()
    raises = [] if bounds is None else [RAISE] if bounds == (0, 0) else [raise_to(size) for size in sorted({*bounds})]
    return (*([FOLD] if state.can_fold else []), CALL, *raises)


Evaluate = Callable[[HandRecord], float]


class RandomRows:
    """A strategy of random numbers, another for each seed; some actions are never taken."""

    def __init__(self, game: GameDef, seed: int) -> None:
        self.space, self.seed = game_hands(game), seed
        self._kept: dict[tuple[str, tuple[int, ...]], NDArray[np.float64]] = {}

    def rows(self, state: State) -> NDArray[np.float64]:
        key = state.betting, state.board
        if key not in self._kept:
            random = np.random.default_rng([self.seed, *state.betting.encode(), 0, *state.board])
            weights = random.random((len(legal(state)), self.space.size)) ** 3 + 1e-9
            weights[random.random(weights.shape) < 0.1] = 0
            weights[0, weights.sum(axis=0) == 0] = 1
            self._kept[key] = weights / weights.sum(axis=0)
        return self._kept[key]

    def played(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        actions = legal(state)
        rows = np.where(self.space.blocked(state.board), 0.0, self.rows(state))
        return PlayedRow(actions, rows, actions.index(action))

    def column(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        actions = legal(state)
        return PlayedRow(actions, self.rows(state)[:, self.space.index(hole)], actions.index(action))

    def answers(self, hand: int, state: State, position: int) -> tuple[tuple[Action, ...], NDArray[np.float64]] | None:
        return legal(state), np.where(self.space.blocked(state.board), 0.0, self.rows(state))


class RandomValues(ValueFunction):
    """A baseline that knows nothing: a random number for every state, hand and other hand."""

    def __init__(self, game: GameDef, seed: int) -> None:
        super().__init__(game)
        self.seed = seed

    def values(self, state: State, position: int, holes: Sequence[Hole]) -> Values:
        cards = [c for p, hole in enumerate(holes) if p != position for c in (99, *sorted(hole))]
        place = mix(self.seed, position, *state.betting.encode(), *state.board, *cards)
        return np.random.Generator(np.random.Philox(key=place)).normal(0, 20, self.space.size)


class Way(NamedTuple):
    """A finished hand with the probability of its cards and of each position's actions."""

    record: HandRecord
    cards: float
    chances: tuple[float, ...]


def ways(game: GameDef, seats: Sequence[RandomRows]) -> Iterator[Way]:
    """All of them. Probabilities multiply to what sums to 1."""
    deals = list(_deals(game, game.deck, game.num_players))
    for holes, board in deals:
        yield from _from(State.start(game), holes, board, seats, 1 / len(deals), (1.0,) * game.num_players)


def expectations(
    game: GameDef, known: RandomRows, position: int, opponents: Sequence[RandomRows], evaluate: Evaluate
) -> list[tuple[float, float]]:
    """For each opponent the true mean of a position's chips, and the mean of what `evaluate` makes of the hands.

    What is evaluated may depend on the opponent's actions but not on its strategy, so it is worked out once.
    """
    # Hands in which all opponents act with some probability: everything that any of them may do.
    everything = RandomRows(game, 0)
    everything.rows = lambda state: np.ones((len(legal(state)), everything.space.size))  # type: ignore[method-assign]
    seats = [known if p == position else everything for p in range(game.num_players)]
    sums: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for way in ways(game, seats):
        chances = [way.cards * way.chances[position] * _likelihood(way.record, position, who) for who in opponents]
        value = evaluate(way.record) if any(chances) else 0.0
        for number, likely in enumerate(chances):
            sums[number][0] += likely * way.record.values[position]
            sums[number][1] += likely * value
    return [(sums[number][0], sums[number][1]) for number in range(len(opponents))]


def _likelihood(record: HandRecord, position: int, opponent: RandomRows) -> float:
    likely = 1.0
    path = list(record.state.path())
    for state, after in pairwise(path):
        if state.actor != position:
            state = state.with_board(record.state.board)
            assert after.action is not None
            index = legal(state).index(after.action)
            likely *= float(opponent.rows(state)[index, opponent.space.index(record.holes[state.actor])])
    return likely


def _deals(game: GameDef, deck: Sequence[int], players: int) -> Iterator[tuple[tuple[Hole, ...], tuple[int, ...]]]:
    if players == 0:
        for board in _boards(tuple(sorted(deck)), game.num_board_cards):
            yield (), board
        return
    for hole in combinations(sorted(deck), game.num_hole_cards):
        for holes, board in _deals(game, [card for card in deck if card not in hole], players - 1):
            yield (hole, *holes), board


def _boards(deck: tuple[int, ...], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        yield ()
        return
    for dealt in combinations(deck, sizes[0]):
        for later in _boards(tuple(card for card in deck if card not in dealt), sizes[1:]):
            yield dealt + later


def _from(
    state: State,
    holes: tuple[Hole, ...],
    board: tuple[int, ...],
    seats: Sequence[RandomRows],
    cards: float,
    chances: tuple[float, ...],
) -> Iterator[Way]:
    state = state.with_board(board)
    if state.finished:
        names = tuple(map(str, range(len(holes))))
        yield Way(HandRecord(0, state, holes, settle(state, holes), names), cards, chances)
        return
    p = state.actor
    column = seats[p].rows(state)[:, seats[p].space.index(holes[p])]
    for action, likely in zip(legal(state), column.tolist(), strict=True):
        if likely > 0:
            onward = (*chances[:p], chances[p] * likely, *chances[p + 1 :])
            yield from _from(state.apply(action), holes, board, seats, cards, onward)
