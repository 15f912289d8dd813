"""Counter-based randomness: fixed by its counters, uniform, and picked by cumulative sums."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.sampling import mix, pick, uniform
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy


def test_a_draw_depends_on_every_counter_and_on_nothing_else() -> None:
    key = HandKey(seed=3, hand=17, position=1)
    assert uniform(key, 0, 5) == uniform(HandKey(3, 17, 1), 0, 5)
    others = [uniform(HandKey(4, 17, 1), 0, 5), uniform(HandKey(3, 18, 1), 0, 5), uniform(HandKey(3, 17, 0), 0, 5)]
    others += [uniform(key, 1, 5), uniform(key, 0, 6), uniform(key, 5, 0)]
    assert len({uniform(key, 0, 5), *others}) == 7


def test_the_mixer_is_splitmix64() -> None:
    # First output of SplitMix64 seeded with 0 and with 1234567 (the generator's published test values).
    assert mix(0) == 0xE220A8397B1DCDAF
    assert mix(1234567) == 6457827717110365317


def test_draws_are_uniform() -> None:
    draws = np.array([uniform(HandKey(1, hand, hand % 2), 0, 3) for hand in range(20_000)])
    counts, _ = np.histogram(draws, bins=20, range=(0, 1))
    chi_square = ((counts - 1000) ** 2 / 1000).sum()
    assert chi_square < 43.8  # 99.9 % quantile with 19 degrees of freedom


@pytest.mark.parametrize(
    ("probabilities", "u", "index"),
    [
        ([0.25, 0.5, 0.25], 0.0, 0),
        ([0.25, 0.5, 0.25], 0.25, 1),
        ([0.25, 0.5, 0.25], 0.7499, 1),
        ([0.25, 0.5, 0.25], 0.75, 2),
        ([0.0, 1.0, 0.0], 0.0, 1),  # an action of probability zero is never picked
        ([0.5, 0.4999999, 0.0], 0.99999999999, 1),  # rounding must not fall through to it either
    ],
)
def test_pick(probabilities: list[float], u: float, index: int) -> None:
    assert pick(np.array(probabilities, np.float32), u) == index


def coins(seeds: range, hands: range, positions: int, streams: int, decisions: int) -> NDArray[np.float64]:
    """``[seed, hand, position, stream, decision]``: what every key and its counters draw."""
    shape = len(seeds), len(hands), positions, streams, decisions
    drawn = [
        uniform(HandKey(seed, hand, position), stream, decision)
        for seed, hand, position in product(seeds, hands, range(positions))
        for stream, decision in product(range(streams), range(decisions))
    ]
    return np.array(drawn).reshape(shape)


def neighbours(drawn: NDArray[np.float64], step: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All pairs of draws whose counters differ by `step`."""
    here = tuple(slice(max(0, -by), size - max(0, by)) for by, size in zip(step, drawn.shape, strict=True))
    there = tuple(slice(max(0, by), size - max(0, -by)) for by, size in zip(step, drawn.shape, strict=True))
    return drawn[here].ravel(), drawn[there].ravel()


@pytest.mark.parametrize("first_seed", [0, 2**63 - 3, 123_456_789])
def test_coins_of_a_hand_are_independent(first_seed: int) -> None:
    """Of all pairs whose seed, hand, position, stream and decision differ by one at most, or by 2, 3 or 4 decisions.

    For independent coins the correlation of n pairs times √n is nearly normal and the table of both coins' eighths has a χ²
    of 49 degrees of freedom. Either bound is exceeded once in 10⁹ times, and some 250 are looked at.
    """
    drawn = coins(range(first_seed, first_seed + 5), range(40), 3, 2, 10)
    assert len(np.unique(drawn)) == drawn.size  # once in 10⁸ times for 53 random bits
    steps = [step for step in product((-1, 0, 1), repeat=5) if step > (0,) * 5]
    steps += [(0, 0, 0, 0, far) for far in (2, 3, 4)]
    for step in steps:
        here, there = neighbours(drawn, step)
        correlation = np.corrcoef(here, there)[0, 1]
        assert abs(correlation) * len(here) ** 0.5 < 6.1, step
        table, _, _ = np.histogram2d(here, there, bins=8, range=((0, 1), (0, 1)))
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / len(here)
        assert ((table - expected) ** 2 / expected).sum() < 140, step


class Even(Strategy, HandStrategy):
    """Calls or raises the minimum, whatever it holds, one as often as the other."""

    def start_hand(self, key: HandKey) -> HandStrategy:
        return self

    def rows(self, state: State) -> Rows:
        bounds = state.raise_bounds()
        assert bounds is not None
        return Rows((CALL, raise_to(bounds[0])), np.full((2, 1326), 0.5, np.float32))


def test_an_agent_asks_one_object_about_a_whole_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has found out on the way, and the time that each hand pays into a bank, would else be lost or doubled."""
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    agent = Agent(Even(game, Strategy.Options(), Path()), 5)
    begun: list[HandKey] = []

    def start_hand(strategy: Even, key: HandKey) -> Even:
        begun.append(key)
        return strategy

    monkeypatch.setattr(Even, "start_hand", start_hand)
    agent.ponder(lambda: pytest.fail("there is no hand yet to think about"))
    state = State.start(game)
    for position, hand in ((1, 7), (1, 8), (0, 8)):
        for asked in (state, state.apply(raise_to(200)), state.apply(raise_to(200)).apply(raise_to(300))):
            agent.decide(MatchState(position, hand, asked, ((0, 1), (2, 3))))
    assert begun == [HandKey(5, 7, 1), HandKey(5, 8, 1), HandKey(5, 8, 0)]


def test_an_agent_tosses_a_coin_of_its_own_at_each_decision() -> None:
    """Actions of one seed, hand, position and decision say nothing about those of another; bounds as above."""
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    strategy = Even(game, Strategy.Options(), Path())
    states = [State.start(game)]
    for action in (CALL, raise_to(200), raise_to(300), raise_to(400), raise_to(500), raise_to(600)):
        states.append(states[-1].apply(action))
    holes = ((0, 1), (2, 3))

    # Position 1 after a raise, and position 0 on the flop, both after two actions.
    states += [State.start(game).apply(CALL).apply(raise_to(200)), State.start(game).apply(CALL).apply(CALL)]

    def raised(seed: int, hand: int, state: State) -> bool:
        match = MatchState(state.actor, hand, state.with_board((40, 41, 42)[: 3 * state.round]), holes)
        return Agent(strategy, seed).decide(match) != CALL

    taken = np.array([[[raised(seed, hand, state) for state in states] for hand in range(60)] for seed in range(5)])
    assert abs(taken.mean() - 0.5) * 2 * taken.size**0.5 < 6.1
    for step in ((0, 0, 1), (0, 0, 2), (0, 1, 0), (1, 0, 0), (0, 1, 1), (0, 1, -1), (0, 1, -2), (1, -1, 0), (1, 0, -1)):
        here, there = neighbours(taken.astype(np.float64), step)
        assert abs(np.corrcoef(here, there)[0, 1]) * len(here) ** 0.5 < 6.1, step
