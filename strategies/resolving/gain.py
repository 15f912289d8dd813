"""What solving subgames again wins, with little noise: a resolving player against its blueprint, all hands at once.

Public states are drawn where a street begins, as often as the blueprint comes there against itself. In each the resolving
player sits down in either seat against the blueprint. Every pair of hands is played at once along every line of betting,
with whatever is solved on the way, so that nothing but the state is left to chance (and the river cards, where a turn's
are sampled). What the blueprint wins there from itself is taken off.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.resolving.beliefs import Ranges
from limpet.strategies.solving.simulation import Estimate, mean_of
from limpet.strategies.strategy import HandKey, HandStrategy, Strategy

BOARD_CARDS = 5
LIVE_RIVERS = 44
"""Cards that may come on the river for two hands that are known."""
RARE = 1e-9
"""Lines that come up less often than this, for either player's whole range, are left out."""


class Spot(NamedTuple):
    """A public state where a street begins.

    Attributes:
        hand: which of the hands dealt it is from.
        state: somebody acts; its street's board is dealt.
        reach: ``[2, 1326]`` how likely each hand of each position plays so as to come here; 0 for blocked hands.
    """

    hand: int
    state: State
    reach: Ranges


class SpotGain(NamedTuple):
    """Big blinds that a player wins on the mean of one spot's pairs of hands, by the position it sits in.

    Attributes:
        gain: from the blueprint, more than the blueprint wins there from itself.
        best: what the blueprint's seat would win by a best response to the player, within the blueprint's bets and more
            than by one to the blueprint; below 0 the player is harder to exploit there. 0 where it was not asked for.
        subgames: solved in both seats.
        seconds: of processor time.
    """

    spot: Spot
    gain: tuple[float, float]
    best: tuple[float, float]
    subgames: int
    seconds: float


class Gain(NamedTuple):
    """Big blinds a hand, means of both seats.

    Attributes:
        reached: how many of the `dealt` hands came to the street.
        there: gain at spots of the street; hand: gain over all hands dealt. Both have 95 % intervals over spots.
        positions: `there`, by the player's position.
        best: see `SpotGain.best`, mean of both seats.
    """

    dealt: int
    reached: int
    there: Estimate
    hand: Estimate
    positions: tuple[Estimate, Estimate]
    best: Estimate
    subgames: int
    seconds: float


def without_clock(options: Resolve.Options, threads: int = 1, iterations: int | None = None) -> Resolve.Options:
    """Options with no bank and no journal: solves end by iterations and target, so that measures repeat.

    iterations: of every solve, in place of the options' own.
    """
    streets = {
        street: msgspec.structs.replace(plan, seconds=None, iterations=iterations or plan.iterations)
        for street, plan in options.streets.items()
    }
    return msgspec.structs.replace(options, streets=streets, bank=None, log=None, rows=None, threads=threads)


def sampled_spots(strategy: Strategy, round_: int, seed: int) -> Iterator[Spot | None]:
    """What becomes of hand after hand that a strategy plays against itself: the spot where it came to `round_` with
    somebody left to act, or None. Of hold'em; a hand is fixed by the seed and its number."""
    hand = -1
    while True:
        hand += 1
        random = np.random.Generator(np.random.Philox(key=[seed, hand]))
        cards = [int(card) for card in random.permutation(52)[:9]]
        board, holes = tuple(cards[:5]), [hand_space().index(cards[5:7]), hand_space().index(cards[7:])]
        seats = [strategy.start_hand(HandKey(seed, hand, position)) for position in (0, 1)]
        state, reach = State.start(strategy.game), np.ones((2, 1326))
        while not state.finished and state.round < round_:
            rows = seats[state.actor].rows(state)
            column = rows.column(holes[state.actor]).astype(np.float64)
            taken = int(random.choice(len(column), p=column / column.sum()))
            reach[state.actor] *= rows.dense(hand_space().blocked(state.board))[taken]
            state = state.apply(rows.actions[taken]).with_board(board)
        yield None if state.finished else Spot(hand, state, reach * ~hand_space().blocked(state.board))


def gain(
    player: Resolve, round_: int, spots: int, seed: int, rivers: int = 4, best: bool = False,
    report: Callable[[int, int], None] = lambda done, total: None, deals: int = 1_000_000,
) -> Gain:  # fmt: skip
    """Sit a player down in both seats of so many spots of a street.

    rivers: how many river cards are dealt after a turn spot; those of a spot are the same for everything compared, 48
    are all; best: measure best responses as well, which takes longer. `report(done, total)` is called in between.

    Raises `ValueError` where hardly any of `deals` hands comes to the street.
    """
    found: list[SpotGain] = []
    dealt = 0
    for spot in sampled_spots(player.blueprint, round_, seed):
        dealt += 1
        if spot is not None:
            found.append(spot_gain(player, spot, seed, rivers, best))
            report(len(found), spots)
        if len(found) == spots:
            break
        if dealt == deals:
            raise ValueError(f"only {len(found)} of {deals:,} hands came to round {round_}; ask for fewer spots")
    return summed(found, dealt)


def summed(found: Sequence[SpotGain], dealt: int) -> Gain:
    """The spots of `dealt` hands put together."""
    gains, bests = np.array([spot.gain for spot in found]), np.array([spot.best for spot in found])
    both = gains.mean(axis=1)
    return Gain(
        dealt=dealt,
        reached=len(found),
        there=mean_of(both),
        hand=mean_of(np.concatenate([both, np.zeros(dealt - len(found))])),
        positions=(mean_of(gains[:, 0]), mean_of(gains[:, 1])),
        best=mean_of(bests.mean(axis=1)),
        subgames=sum(spot.subgames for spot in found),
        seconds=sum(spot.seconds for spot in found),
    )


def spot_gain(player: Resolve, spot: Spot, seed: int, rivers: int = 4, best: bool = False) -> SpotGain:
    """One spot in both seats. Nothing in it is random but the river cards and the coins that translate bets."""
    began, solved = time.process_time(), player.solved
    cards = _river_cards(spot, seed, rivers)
    unit = spot.state.game.big_blind * float(hand_space().apart(spot.reach[0]) @ spot.reach[1])
    gains, bests = [], []
    for position in (0, 1):
        worth = []
        for strategy in (player, player.blueprint):
            mine = strategy.start_hand(HandKey(seed, spot.hand, position))
            other = player.blueprint.start_hand(HandKey(seed, spot.hand, 1 - position))
            worth.append(Opposed(position, cards, best).values(spot.state, mine, other, spot.reach))
        less = (worth[1] - worth[0]) @ spot.reach[1 - position] / unit
        gains.append(float(less[0]))
        bests.append(-float(less[1]) if best else 0.0)
    took = time.process_time() - began
    return SpotGain(spot, (gains[0], gains[1]), (bests[0], bests[1]), player.solved - solved, took)


class Opposed:
    """Values of the other's hands against a player: all lines of betting walked by what both really answer."""

    def __init__(self, position: int, rivers: Sequence[int], best: bool) -> None:
        """position: the player's; rivers: cards dealt where one is missing, each for as many as it stands for."""
        self._position = position
        self._rivers = rivers
        self._rows = 2 if best else 1

    def values(self, state: State, mine: HandStrategy, other: HandStrategy, reach: Ranges) -> NDArray[np.float64]:
        """``[1 or 2, 1326]``: net chips of the other's hands, summed over the player's hands that they can meet, by the
        other's own play and by its best response.

        reach: ``[2, 1326]`` at `state`.
        """
        us = self._position
        if len(state.board) < state.game.board_sizes[state.round]:
            return self._over_rivers(state, mine, other, reach)
        if state.finished:
            return self._ended(state, reach[us])
        if state.actor == us:
            rows = mine.rows(state)
            dense = rows.dense(hand_space().blocked(state.board))
            total = np.zeros((self._rows, 1326))
            for action, row in zip(rows.actions, dense, strict=True):
                below = _moved(reach, us, row)
                if below[us].max() > RARE:
                    total += self.values(state.apply(action), mine, other, below)
            return total
        rows = other.rows(state)
        dense = rows.dense(hand_space().blocked(state.board)).astype(np.float64)
        played, most = np.zeros(1326), np.full(1326, -np.inf)
        for action, row in zip(rows.actions, dense, strict=True):
            below = _moved(reach, 1 - us, row)
            if self._rows == 2 or below[1 - us].max() > RARE:
                found = self.values(state.apply(action), mine.fork(), other, below)
                played += row * found[0]
                most = np.maximum(most, found[-1])
        return np.stack([played, most][: self._rows])

    def _over_rivers(self, state: State, mine: HandStrategy, other: HandStrategy, reach: Ranges) -> NDArray[np.float64]:
        """Mean over the river cards that the hands leave."""
        total = np.zeros((self._rows, 1326))
        left = len(state.game.deck) - len(state.board)
        for card in self._rivers:
            dealt = state.with_board((*state.board, card))
            live = ~hand_space().blocked((card,))
            total += self.values(dealt, mine, other, reach * live) * live
        return total * left / (len(self._rivers) * LIVE_RIVERS)

    def _ended(self, state: State, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        us = self._position
        if state.has_folded(us):
            chips = hand_space().apart(reach) * state.spent[us]
        elif state.has_folded(1 - us):
            chips = -hand_space().apart(reach) * state.spent[1 - us]
        else:
            scores = versus_range(reach, state.board)
            chips = (scores.win - scores.lose) * min(state.spent)
        return np.tile(chips, (self._rows, 1))


def _moved(reach: Ranges, actor: int, row: NDArray[np.floating]) -> Ranges:
    below = reach.copy()
    below[actor] *= row
    return below


def _river_cards(spot: Spot, seed: int, rivers: int) -> list[int]:
    """Different cards that may come next; none on the river."""
    if len(spot.state.board) >= BOARD_CARDS:
        return []
    left = [card for card in spot.state.game.deck if card not in spot.state.board]
    random = np.random.Generator(np.random.Philox(key=[seed, spot.hand], counter=1 << 32))
    return [int(card) for card in random.permutation(left)[:rivers]]
