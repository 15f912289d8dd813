"""Play of two strategies by full ranges: all hands of both at once, from public states that a deal leads to.

Hands are dealt and played as in a match up to a street. From there on the winnings of all pairs of hands are summed, along
every line of betting that both really play. Only the public state is left to chance, and the river cards where a turn's are
sampled. That is a small part of what cards decide, so a few dozen deals say as much as a hundred thousand hands.

The gain from solving subgames again is measured so: a resolving player sits down in either seat against its own blueprint, and
everything that it would solve on the way is solved. What the blueprint wins there from itself is taken off.
"""

import time
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Estimate, estimate
from limpet.common.workers import Report, silent
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import Bot
from limpet.strategies.base.records import silenced
from limpet.strategies.base.strategy import HandKey, HandStrategy, Strategy
from limpet.strategies.cards.equity import all_in_chances, versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.preflop_tables import BOARDS, hand_matrix
from limpet.strategies.players.resolve import Resolve

# --- Chances of all hands against ranges if nobody bets again: to win less to lose, on any board of hold'em.

LIVE_RIVERS = 44
"""Number of river cards that may come for two hands that are known."""
FLOPS_KEPT = 4

Vectors = NDArray[np.float64]
Matrix = NDArray[np.float32]


def chances_ahead(board: tuple[int, ...], weights: Vectors) -> Vectors:
    """Return float64 ``[range, 1326]``: P(win) - P(lose) of each hand, summed over a range's hands that share no card.

    weights: float64 ``[range, 1326]``, not negative; what the board blocks counts for nothing. Hands that the board
    blocks have 0.
    """
    live = ~hand_space().blocked(board)
    held = weights * live
    if len(board) < 4:
        matrix = _on_flop(tuple(sorted(board))) if board else _before_flop()
        return np.asarray((held.astype(np.float32) @ matrix.T) * live, np.float64)
    scores = [versus_range(row, board) for row in held]
    return np.array([each.win - each.lose for each in scores]) / (LIVE_RIVERS if len(board) == 4 else 1)


def equities(board: tuple[int, ...], weights: Vectors) -> Vectors:
    """Return P(win) + P(tie) / 2 of each hand, ``[range, 1326]``; 0 where a range has no hand against it."""
    live = ~hand_space().blocked(board)
    total = np.array([hand_space().compatible(row * live) for row in weights]) * live
    is_opposed = total > 1e-12 * np.maximum(weights.max(axis=1, keepdims=True), 1e-300)
    share = np.divide(chances_ahead(board, weights), total, out=np.full(total.shape, -1.0), where=is_opposed)
    return np.asarray((1 + share) / 2)


@lru_cache(maxsize=FLOPS_KEPT)
def _on_flop(flop: tuple[int, ...]) -> Matrix:
    """Return float32 ``[1326, 1326]``: the row hand's chance to win less its chance to lose on a flop."""
    held = np.flatnonzero(~hand_space().blocked(flop))
    matrix = np.zeros((1326, 1326), np.float32)
    matrix[np.ix_(held, held)] = all_in_chances(flop, held)
    return matrix


@cache
def _before_flop() -> Matrix:
    """Return float32 ``[1326, 1326]``: the row hand's chance to win less its chance to lose before the flop."""
    wins, _ = hand_matrix()
    return np.asarray((wins - wins.T) / BOARDS, np.float32)


BOARD_CARDS = 5
RARE = 1e-9
"""Lines that each hand of a player takes with less than this probability are left out."""


class PublicSpot(NamedTuple):
    """A public state where a street begins, or where the hand was over before.

    Attributes:
        hand: number of the hand among those dealt.
        state: a state with its street's board in which somebody acts, or a finished one with the whole board.
        reach: float64 ``[2, 1326]``: probability that a position with each hand takes its actions so far; 0 for hands that
            the board blocks.
    """

    hand: int
    state: State
    reach: Vectors

    @property
    def unit(self) -> float:
        """Return the divisor that turns chips summed over all pairs of hands into big blinds a hand."""
        return self.state.game.big_blind * float(hand_space().compatible(self.reach[0]) @ self.reach[1])


class RangeSet(NamedTuple):
    """The two hands of a duplicate set, by the position of the first strategy.

    `won` has the big blinds that it won, `reached` whether the hand came to the street from which full ranges play.
    """

    won: tuple[float, float]
    reached: tuple[bool, bool]


def sampled_spots(seats: tuple[Strategy, Strategy], round_: int, seed: int) -> Iterator[PublicSpot]:
    """Deal hand after hand of heads-up hold'em to two strategies, by position, and yield each at the start of `round_`.

    A hand is fixed by the seed and its number.
    """
    game = seats[0].game
    hand = -1
    while True:
        hand += 1
        random = np.random.Generator(np.random.Philox(key=[seed, hand]))
        cards = [int(card) for card in random.permutation(52)[:9]]
        board, holes = tuple(cards[:5]), [hand_space().index(cards[5:7]), hand_space().index(cards[7:])]
        players = [strategy.start_hand(HandKey(seed, hand, position)) for position, strategy in enumerate(seats)]
        state, reach = State.start(game), np.ones((2, 1326))
        while not state.finished and state.round < round_:
            rows = players[state.actor].rows(state)
            column = rows.column(holes[state.actor]).astype(np.float64)
            taken = int(random.choice(len(column), p=column / column.sum()))
            reach = reach_after(reach, state.actor, rows.dense(hand_space().blocked(state.board))[taken])
            state = state.apply(rows.actions[taken]).with_board(board)
        yield PublicSpot(hand, state, reach * ~hand_space().blocked(state.board))


def river_cards(spot: PublicSpot, seed: int, rivers: int) -> list[int]:
    """Return up to `rivers` different cards that may come next; none on the river."""
    if len(spot.state.board) >= BOARD_CARDS:
        return []
    left = [card for card in spot.state.game.deck if card not in spot.state.board]
    random = np.random.Generator(np.random.Philox(key=[seed, spot.hand], counter=1 << 32))
    return [int(card) for card in random.permutation(left)[:rivers]]


class RangePlay:
    """All hands of a player against all hands of an opponent, along every line of betting that both really play."""

    def __init__(self, position: int, rivers: Sequence[int], best: bool = False) -> None:
        """Prepare play from the player's `position`. best: whether the opponent's best response is worked out as well.

        rivers: cards dealt where the river is missing, each for as many as it stands for.
        """
        self._position = position
        self._rivers = rivers
        self._rows = 2 if best else 1

    def opponent_values(self, state: State, player: HandStrategy, opponent: HandStrategy, reach: Vectors) -> Vectors:
        """Return net chips of the opponent's hands, summed over the player's hands that share no card with them.

        float64 ``[1 or 2, 1326]``: by the opponent's own play, and by its best response. reach: ``[2, 1326]`` at `state`.
        """
        if len(state.board) < state.game.board_sizes[state.round]:
            return self._over_rivers(state, player, opponent, reach)
        if state.finished:
            return self._at_the_end(state, reach[self._position])
        acts = state.actor == self._position
        rows = (player if acts else opponent).rows(state)
        dense = rows.dense(hand_space().blocked(state.board))
        if acts:
            total = np.zeros((self._rows, 1326))
            for action, row in zip(rows.actions, dense, strict=True):
                below = reach_after(reach, state.actor, row)
                if below[state.actor].max() > RARE:
                    total += self.opponent_values(state.apply(action), player, opponent, below)
            return total
        played, most = np.zeros(1326), np.full(1326, -np.inf)
        for action, row in zip(rows.actions, dense.astype(np.float64), strict=True):
            below = reach_after(reach, state.actor, row)
            if self._rows == 2 or below[state.actor].max() > RARE:
                values = self.opponent_values(state.apply(action), player.fork(), opponent.fork(), below)
                played += row * values[0]
                most = np.maximum(most, values[-1])
        return np.stack([played, most][: self._rows])

    def _over_rivers(self, state: State, player: HandStrategy, opponent: HandStrategy, reach: Vectors) -> Vectors:
        """Return the mean over the river cards that the hands leave."""
        total = np.zeros((self._rows, 1326))
        left = len(state.game.deck) - len(state.board)
        for card in self._rivers:
            dealt = state.with_board((*state.board, card))
            live = ~hand_space().blocked((card,))
            total += self.opponent_values(dealt, player, opponent, reach * live) * live
        return total * left / (len(self._rivers) * LIVE_RIVERS)

    def _at_the_end(self, state: State, players: Vectors) -> Vectors:
        """Return the opponent's values where the hand is finished. players: the player's reach."""
        position = self._position
        if state.has_folded(position):
            chips = hand_space().compatible(players) * state.spent[position]
        elif state.has_folded(1 - position):
            chips = -hand_space().compatible(players) * state.spent[1 - position]
        else:
            scores = versus_range(players, state.board)
            chips = (scores.win - scores.lose) * min(state.spent)
        return np.tile(chips, (self._rows, 1))


def reach_after(reach: Vectors, actor: int, row: NDArray[np.floating]) -> Vectors:
    """Return the reach after an action that `actor` takes with the probabilities `row`, ``[hand]``."""
    below = reach.copy()
    below[actor] *= np.minimum(row, 1.0)  # merged actions may add up to 1 + 2^-23
    return below


def range_sets(
    first: Strategy, second: Strategy, round_: int, seed: int, rivers: int = 4, skip: int = 0
) -> Iterator[RangeSet]:
    """Yield duplicate sets of two players of heads-up hold'em without end; each is fixed by the seed and its number.

    round_: the round from which full ranges play: 2, the turn, or 3, the river. rivers: number of river cards dealt after a
    turn; 48 are all. skip: number of sets to leave out at the beginning.
    """

    def won(spot: PublicSpot, position: int) -> float:
        mine = first.start_hand(HandKey(seed, spot.hand, position))
        other = second.start_hand(HandKey(seed, spot.hand, 1 - position))
        play = RangePlay(1 - position, river_cards(spot, seed, rivers))
        return float(play.opponent_values(spot.state, other, mine, spot.reach)[0] @ spot.reach[position]) / spot.unit

    drawn = (sampled_spots(seats, round_, seed) for seats in ((first, second), (second, first)))
    for zero, one in islice(zip(*drawn, strict=True), skip, None):
        yield RangeSet((won(zero, 0), won(one, 1)), (not zero.state.finished, not one.state.finished))


def without_clock(options: Resolve.Options, threads: int = 1, iterations: int | None = None) -> Resolve.Options:
    """Return options whose solves end by iterations and target, so that measures repeat: no bank, pondering or journal.

    iterations: of every solve, in place of the options' own.
    """
    streets = {
        street: msgspec.structs.replace(plan, seconds=None, iterations=iterations or plan.iterations)
        for street, plan in options.streets.items()
    }
    unused: dict[str, Any] = {"bank": None, "ponder": False, "log": None, "rows": None}
    return msgspec.structs.replace(options, streets=streets, threads=threads, **unused)


def build_without_clock(bot: Bot, iterations: int | None = None) -> Strategy:
    """Build a bot that keeps no journal and whose solves do not look at the clock, see `without_clock`."""
    options = bot.options()
    if isinstance(options, Resolve.Options):
        return Resolve(bot.game, without_clock(options, iterations=iterations), bot.path.parent)
    return silenced(bot.build())


MOST_DEALS = 1_000_000
"""Number of hands after which no more spots are looked for."""


class SpotGain(NamedTuple):
    """Big blinds that a player wins at one spot, the mean over all pairs of hands, by the position that it sits in.

    Attributes:
        gain: winnings from the blueprint, less what the blueprint wins there from itself.
        best: what a best response within the blueprint's bets wins from the player, less what one wins from the blueprint.
            Below 0 the player is harder to exploit. 0 where it was not asked for.
        subgames: number of subgames solved in both seats.
        seconds: processor time.
    """

    gain: tuple[float, float]
    best: tuple[float, float]
    subgames: int
    seconds: float


class Gain(NamedTuple):
    """Big blinds a hand, means of both seats with 95 % intervals over spots.

    Attributes:
        dealt, reached: numbers of hands dealt, and of those that came to the street.
        there, positions, hand: gain at spots of the street, the same by the player's position, and over all hands dealt.
        best: see `SpotGain.best`.
        subgames, seconds: number of subgames solved, and processor time.
    """

    dealt: int
    reached: int
    there: Estimate
    hand: Estimate
    positions: tuple[Estimate, Estimate]
    best: Estimate
    subgames: int
    seconds: float


def gain(
    player: Resolve, round_: int, spots: int, seed: int, rivers: int = 4, best: bool = False, report: Report = silent
) -> Gain:
    """Measure a player in both seats of so many spots of a street.

    rivers: number of river cards dealt after a turn spot, 48 being all; those of a spot are the same for everything
    compared. best: whether to measure best responses as well, which takes longer. `report(done, total)` is called in
    between.

    Raises `ValueError` where the stacks allow no betting on the street, and where hardly any of `MOST_DEALS` hands comes there.
    """
    if all(state.round != round_ for state in State.start(player.game).called_down()):
        fault = f"with stacks of {player.game.stack} every hand is all in before round {round_}"
        raise ValueError(f"{fault}; measure with larger stacks")
    gains: list[SpotGain] = []
    for dealt, spot in enumerate(sampled_spots((player.blueprint, player.blueprint), round_, seed), 1):
        if not spot.state.finished:
            gains.append(spot_gain(player, spot, seed, rivers, best))
            report(len(gains), spots)
        if len(gains) == spots:
            break
        if dealt == MOST_DEALS:
            raise ValueError(f"only {len(gains)} of {MOST_DEALS:,} hands came to round {round_}; ask for fewer spots")
    return mean_gain(gains, dealt)


def mean_gain(gains: Sequence[SpotGain], dealt: int) -> Gain:
    """Return the mean gain of the spots that `dealt` hands came to."""
    by_position = np.array([spot.gain for spot in gains])
    both = by_position.mean(axis=1)
    return Gain(
        dealt=dealt,
        reached=len(gains),
        there=estimate(both),
        hand=estimate(np.concatenate([both, np.zeros(dealt - len(gains))])),
        positions=(estimate(by_position[:, 0]), estimate(by_position[:, 1])),
        best=estimate(np.mean([spot.best for spot in gains], axis=1)),
        subgames=sum(spot.subgames for spot in gains),
        seconds=sum(spot.seconds for spot in gains),
    )


def spot_gain(player: Resolve, spot: PublicSpot, seed: int, rivers: int = 4, best: bool = False) -> SpotGain:
    """Measure one spot in both seats. Nothing is random but the river cards and the coins that translate bets."""
    began, solved = time.process_time(), player.resolver.solved
    cards = river_cards(spot, seed, rivers)
    gains, bests = [], []
    for position in (0, 1):
        values = []
        for strategy in (player, player.blueprint):
            hand = strategy.start_hand(HandKey(seed, spot.hand, position))
            opponent = player.blueprint.start_hand(HandKey(seed, spot.hand, 1 - position))
            values.append(RangePlay(position, cards, best).opponent_values(spot.state, hand, opponent, spot.reach))
        lost = (values[1] - values[0]) @ spot.reach[1 - position] / spot.unit
        gains.append(float(lost[0]))
        bests.append(-float(lost[1]) if best else 0.0)
    took = time.process_time() - began
    return SpotGain((gains[0], gains[1]), (bests[0], bests[1]), player.resolver.solved - solved, took)
