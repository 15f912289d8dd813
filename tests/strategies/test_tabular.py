"""Full-width solvers against published exploitabilities, known equilibria, and a plain textbook twin."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.settlement import settle
from limpet.protocol.state import State
from limpet.strategies.abstraction.lossless import LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu, abstract_actions
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solving import tabular
from limpet.strategies.solving.deals import enumerate_deals
from limpet.strategies.solving.exploitability import exploitability, nash_conv, values
from limpet.strategies.solving.tabular import ALGORITHMS, Discounts, TabularSolver
from limpet.strategies.trees.betting import build_tree
from tests.strategies.small_games import ALL_IN, POT_AND_ALL_IN, no_limit

Deal = tuple[tuple[int, ...], ...]
View = tuple[object, ...]

# None has actions that tie exactly after a few uniform iterations: rounding would then decide which is played.
GAMES = {
    "kuhn": (load_game("kuhn.limit.2p"), None),
    "kuhn3p": (load_game("kuhn.limit.3p"), None),
    "side pots": (no_limit("3 17 10", "1 2 0", 1, 4, 1, "0"), ALL_IN),
    "two streets": (no_limit("5 9", "1 2", 2, 2, 1, "0 1"), POT_AND_ALL_IN),
}


def solver(name: str, algorithm: str | Discounts, alternating: bool = True) -> TabularSolver:
    game, menu = GAMES.get(name) or (load_game(name), None)
    return TabularSolver(build_tree(game, menu), enumerate_deals(game), algorithm, alternating)


@pytest.mark.parametrize(
    ("name", "algorithm", "expected"),
    [
        ("kuhn.limit.2p", "cfr", (0.4583, 0.0687, 0.00823, 0.000938)),
        ("kuhn.limit.2p", "cfr+", (0.4583, 0.0327, 0.00119, 0.000087)),
        ("leduc.limit.2p", "cfr", (2.3736, 0.8886, 0.0957, 0.0118)),
        ("leduc.limit.2p", "cfr+", (2.3736, 0.6104, 0.0134, 0.000257)),
    ],
)
def test_published_exploitability_after_1_10_100_1000(name: str, algorithm: str, expected: tuple[float, ...]) -> None:
    run = solver(name, algorithm)
    for iterations, published in zip((1, 10, 100, 1000), expected, strict=True):
        run.run(iterations - run.iteration)
        # To the digits given, except Leduc CFR+ after 1000: where a regret is zero but for rounding, the order of the
        # additions decides between a pure and a uniform row, and results from 0.000254 to 0.000261 are all right.
        rounding = 4e-6 if published < 0.001 else 0.006 * published
        assert exploitability(run.tree, run.deals, run.average()) == pytest.approx(published, abs=min(rounding, 1e-4))


class Plain:
    """Counterfactual regret minimisation as in a textbook: recursion over `State`, a deal at a time, dictionaries."""

    def __init__(self, game: GameDef, menu: BetMenu | None, alternating: bool) -> None:
        self.game, self.menu, self.alternating = game, menu, alternating
        self.deals = list(self._deal(game.deck, (game.num_hole_cards,) * game.num_players + game.num_board_cards))
        self.regret: dict[View, list[float]] = {}
        self.average: dict[View, list[float]] = {}
        self.policy: dict[View, list[float]] = {}
        self.done = 0

    def _deal(self, left: tuple[int, ...], sizes: tuple[int, ...]) -> Iterator[Deal]:
        if not sizes:
            yield ()
            return
        for cards in combinations(left, sizes[0]):
            for rest in self._deal(tuple(card for card in left if card not in cards), sizes[1:]):
                yield (cards, *rest)

    def view(self, state: State, deal: Deal) -> View:
        players = self.game.num_players
        return (state.actor, state.betting, deal[state.actor], deal[players : players + state.round + 1])

    def row(self, view: View, count: int) -> list[float]:
        return self.policy.setdefault(view, [1.0 / count] * count)

    def iterate(self, algorithm: str) -> None:
        t = self.done
        for position in range(self.game.num_players):
            instant: dict[View, list[float]] = {}
            played: dict[View, list[float]] = {}
            for deal in self.deals:
                self.walk(State.start(self.game), deal, position, 1.0 / len(self.deals), 1.0, instant, played)
            for view, gains in instant.items():
                regret = self.regret.setdefault(view, [0.0] * len(gains))
                average = self.average.setdefault(view, [0.0] * len(gains))
                for i, gain in enumerate(gains):
                    if algorithm == "cfr":
                        regret[i] += gain
                        average[i] += played[view][i]
                    elif algorithm == "cfr+":
                        regret[i] = max(regret[i] + gain, 0.0)
                        average[i] += (t + 1) * played[view][i]
                    elif algorithm == "lcfr":  # weights, where the solver discounts
                        regret[i] += (t + 1) * gain
                        average[i] += (t + 1) * played[view][i]
                    elif algorithm == "dcfr":
                        regret[i] = regret[i] * (t**1.5 / (t**1.5 + 1) if regret[i] > 0 else 0.5) + gain
                        average[i] += (t + 1) ** 2 * played[view][i]
            if self.alternating:
                self.match(instant)
        self.match(self.regret)
        self.done += 1

    def match(self, views: dict[View, list[float]]) -> None:
        for view in views:
            positive = [max(regret, 0.0) for regret in self.regret[view]]
            total = sum(positive)
            self.policy[view] = [r / total if total > 0 else 1.0 / len(positive) for r in positive]

    def walk(
        self,
        state: State,
        deal: Deal,
        position: int,
        others: float,
        own: float,
        instant: dict[View, list[float]],
        played: dict[View, list[float]],
    ) -> float:
        """Value for `position`; `others` is the reach of chance and the others, `own` that of `position`."""
        if state.finished:
            players = self.game.num_players
            return settle(state.with_board(sum(deal[players:], ())), deal[:players])[position]
        actions = abstract_actions(state, self.menu)
        view = self.view(state, deal)
        row = self.row(view, len(actions))
        if state.actor != position:
            return sum(
                p * self.walk(state.apply(action), deal, position, others * p, own, instant, played)
                for action, p in zip(actions, row, strict=True)
            )
        results = [
            self.walk(state.apply(action), deal, position, others, own * p, instant, played)
            for action, p in zip(actions, row, strict=True)
        ]
        value = sum(p * result for p, result in zip(row, results, strict=True))
        gains = instant.setdefault(view, [0.0] * len(actions))
        for i, result in enumerate(results):
            gains[i] += others * (result - value)
        played[view] = [own * p for p in row]
        return value


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("alternating", [True, False])
def test_against_a_plain_twin(name: str, algorithm: str, alternating: bool) -> None:
    game, menu = GAMES[name]
    run = solver(name, algorithm, alternating)
    plain = Plain(game, menu, alternating)
    for iterations in (1, 2, 3):
        run.run(iterations - run.iteration)
        plain.iterate(algorithm)
        average = run.average()
        for view, first, k in rows_of(run, plain):
            weights = plain.average[view]
            assert run.policy[first : first + k] == pytest.approx(plain.policy[view], abs=1e-9)
            assert average[first : first + k] == pytest.approx([w / sum(weights) for w in weights], abs=1e-9)


def rows_of(run: TabularSolver, plain: Plain) -> Iterator[tuple[View, int, int]]:
    """What a player sees, where its row starts in the solver's tables, and how many actions it has."""
    game, tree = plain.game, run.tree
    offset = tree.row_offset(run.deals.num_buckets)
    space, lossless = hand_space(tuple(sorted(game.deck)), game.num_hole_cards), LosslessBuckets(game)
    nodes = [(State.start(game), 0)]
    found: set[View] = set()
    while nodes:
        state, node = nodes.pop()
        if state.finished:
            continue
        actions = tree.actions(node)
        assert actions == abstract_actions(state, plain.menu)
        for deal in plain.deals:
            view = plain.view(state, deal)
            if view not in found:
                found.add(view)
                board = sum(deal[game.num_players :], ())[: game.board_sizes[state.round]]
                bucket = lossless.bucket_vector(state.round, board)[space.index(deal[state.actor])]
                yield view, int(offset[node]) + int(bucket) * len(actions), len(actions)
        nodes += [(state.apply(action), tree.child(node, i)) for i, action in enumerate(actions)]
    assert found == set(plain.regret)


def test_the_equilibrium_of_kuhn() -> None:
    run = solver("kuhn.limit.2p", "dcfr")
    run.run(5000)
    average, offset = run.average(), run.tree.row_offset(run.deals.num_buckets)
    node = {sequence: find(run, sequence) for sequence in ((), ("c",), ("r",), ("c", "r"))}
    # float[bucket, action]: buckets Q K A, actions call (check) raise, or fold call
    first, checked, faced_bet, check_faced_bet = (
        average[offset[node[s]] : offset[node[s] + 1]].reshape(3, 2) for s in node
    )
    alpha = first[0, 1]
    assert 0.0 <= alpha <= 1 / 3 + 0.001
    assert first[1, 1] == pytest.approx(0.0, abs=0.001)
    assert first[2, 1] == pytest.approx(3 * alpha, abs=0.005)
    assert check_faced_bet[:, 1] == pytest.approx([0.0, alpha + 1 / 3, 1.0], abs=0.005)
    assert checked[:, 1] == pytest.approx([1 / 3, 0.0, 1.0], abs=0.005)
    assert faced_bet[:, 1] == pytest.approx([0.0, 1 / 3, 1.0], abs=0.005)


def find(run: TabularSolver, kinds: tuple[str, ...]) -> int:
    node = 0
    for kind in kinds:
        node = run.tree.child(node, [action.kind for action in run.tree.actions(node)].index(kind))
    return node


@pytest.mark.parametrize(
    ("name", "iterations", "value"), [("kuhn.limit.2p", 20_000, -1 / 18), ("leduc.limit.2p", 10_000, -0.0856064241)]
)
@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr"])
def test_game_values(name: str, iterations: int, value: float, algorithm: str) -> None:
    run = solver(name, algorithm)
    run.run(iterations)
    average = run.average()
    gap = nash_conv(run.tree, run.deals, average)
    assert gap < 3e-5
    assert values(run.tree, run.deals, average) == pytest.approx([value, -value], abs=gap)


@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr"])
def test_three_player_kuhn(algorithm: str) -> None:
    """Regret minimisation need not find an equilibrium among three, but here it does.

    In the known family (Szafron et al. 2013) the second player always gets -1/48, and the first gives to the third.
    """
    run = solver("kuhn3p", algorithm)
    run.run(20_000)
    average = run.average()
    assert nash_conv(run.tree, run.deals, average) < 1e-5
    first, second, third = values(run.tree, run.deals, average)
    assert second == pytest.approx(-1 / 48, abs=1e-5)
    assert -1 / 32 <= first <= -1 / 48
    assert first + third == pytest.approx(1 / 48, abs=1e-5)


@pytest.mark.parametrize("name", ["side pots", "two streets"])
def test_no_limit_games_converge(name: str) -> None:
    run = solver(name, "cfr+")
    run.run(10)
    early = nash_conv(run.tree, run.deals, run.average())
    run.run(4990)
    assert nash_conv(run.tree, run.deals, run.average()) < min(0.01, early / 10)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_resumed_run_is_the_same_bit_for_bit(algorithm: str) -> None:
    whole, first, second = (solver("leduc.limit.2p", algorithm) for _ in range(3))
    whole.run(50)
    first.run(17)
    saved = {name: array.copy() for name, array in first.state_arrays().items()}
    first.run(3)
    second.restore(saved)
    assert second.iteration == 17
    second.run(33)
    assert second.iteration == 50
    assert np.array_equal(second.policy, whole.policy)
    assert np.array_equal(second.average(), whole.average())
    for name, array in whole.state_arrays().items():
        assert np.array_equal(second.state_arrays()[name], array)


def test_chunks_do_not_matter_and_a_callback_may_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = solver("kuhn.limit.2p", "dcfr")
    whole.run(20)
    monkeypatch.setattr(tabular, "CHUNK_VISITS", 7 * whole.tree.num_nodes * len(whole.deals) * 2)
    cut = solver("kuhn.limit.2p", "dcfr")
    seen: list[int] = []
    cut.run(20, seen.append)
    assert seen == [7, 14, 20]
    assert np.array_equal(cut.average(), whole.average())
    cut.run(1000, lambda iteration: iteration >= 30)
    assert cut.iteration == 34


def test_a_foreign_checkpoint_is_refused() -> None:
    run = solver("kuhn.limit.2p", "cfr")
    with pytest.raises(ValueError, match="'regret' has .* entries, this game 24"):
        run.restore(solver("leduc.limit.2p", "cfr").state_arrays())
    with pytest.raises(ValueError, match="lacks the array 'average'"):
        run.restore({"regret": np.zeros(24), "iteration": np.array(1)})


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'sarsa' is not one of cfr, cfr\+, lcfr, dcfr"):
        solver("kuhn.limit.2p", "sarsa")


def test_the_schedule_of_discounts() -> None:
    schedule = Discounts(alpha=1.5, beta=0.0, gamma=2.0).schedule(3, 2)
    assert schedule[0] == pytest.approx([3**1.5 / (3**1.5 + 1), 0.5, (3 / 4) ** 2])
    assert schedule[1] == pytest.approx([4**1.5 / (4**1.5 + 1), 0.5, (4 / 5) ** 2])
    assert np.isfinite(Discounts(alpha=2.0, beta=-2.0, gamma=3.0).schedule(0, 3)).all()


def test_a_tree_too_large_for_memory_is_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    from limpet.strategies.solving import dealt_tree

    monkeypatch.setattr(dealt_tree, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"9 levels of 3 actions times 120 deals"):
        solver("leduc.limit.2p", "cfr")
