"""Head-to-head with full ranges: exact in small games, and its kernel against sums over pairs of hands."""

from pathlib import Path

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, State
from limpet.strategies.abstraction.menu import BetMenu, Translation
from limpet.strategies.cards.boards import all_boards, board_hands, count_boards, num_cards, sampled_boards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat, Passive
from limpet.strategies.holdem.blueprint.walk import START, WeightedNodes
from limpet.strategies.holdem.measures.duel import duel
from limpet.strategies.holdem.measures.joint_betting import whole_betting
from limpet.strategies.holdem.measures.joint_kernels import showdown, sum_up
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.tabular import values
from tests.strategies.base.strategy_files import MANY, POT, deals, random_strategy


@pytest.mark.parametrize("game", ["kuhn.limit.2p", "leduc.limit.2p"])
def test_on_one_tree_it_is_the_exact_value(game: str, tmp_path: Path) -> None:
    """Against the tabular solver's expected values, each position with the rows of its own strategy."""
    one, two = (random_strategy(tmp_path / str(seed), game, seed) for seed in (1, 2))
    dealt = enumerate_deals(one.game)
    found = duel(one.game, (BlueprintSeat(one),) * 2, (BlueprintSeat(two),) * 2, 1000, 1)
    assert found.exact
    assert found.off_tree == 0
    expected = []
    for position, (zero, other) in enumerate(((one, two), (two, one))):
        table = zero.probabilities()
        for node in zero.tree.decisions.tolist():
            if zero.tree.player[node] == 1:
                begin, end = zero.offset[node], zero.offset[node + 1]
                table[begin:end] = other.probabilities()[begin:end]
        expected.append(values(one.tree, dealt, table)[position])
    assert [seat.mean for seat in found.seats] == pytest.approx(expected, abs=1e-6)
    assert found.both.mean == pytest.approx(sum(expected) / 2, abs=1e-6)
    assert abs(expected[0]) > 0.01


def plain(game_seats: tuple[BlueprintSeat, BlueprintSeat]) -> float:
    """Chips of position 0 in plain recursion, deal by deal, with the coins of both sides weighed."""
    game = game_seats[0].file.game
    total, count = 0.0, 0
    for board in all_boards(game):
        for a, b, wins in deals(game, board):
            hands = (a, b)

            def value(state: State, places: tuple[WeightedNodes, WeightedNodes], hands: tuple[int, int] = hands, wins: int = wins,
                      board: tuple[int, ...] = board) -> float:  # fmt: skip
                if state.finished:
                    matched = min(state.spent)
                    if not state.showdown:
                        return float(-matched if state.has_folded(0) else matched)
                    return float(wins * matched)
                seat, here = game_seats[state.actor], places[state.actor]
                buckets = seat.file.cards.bucket_vector(state.round, board[: game.board_sizes[state.round]])
                result = 0.0
                bucket = int(buckets[hands[state.actor]])
                likelihoods = dict.fromkeys((CALL,) if not here else (), 1.0)
                for place in here:
                    row = seat.rows.node(place.node)[0][:, bucket].tolist()
                    for action, share in zip(seat.walk.real_actions(place, state), row, strict=True):
                        likelihoods[action] = likelihoods.get(action, 0.0) + place.weight * share
                for action, likely in likelihoods.items():
                    if likely == 0:
                        continue
                    after = state.apply(action)
                    for zero in game_seats[0].follow(places[0], state, after):
                        for one in game_seats[1].follow(places[1], state, after):
                            coins = zero.probability * one.probability
                            result += likely * coins * value(after, (zero.nodes, one.nodes))
                return result

            total += value(State.start(game), (START, START))
            count += 1
    return total / count


@pytest.mark.parametrize("translation", ["pseudo-harmonic", "mixed", "nearest"])
def test_two_trees_with_translation_agree_with_plain_recursion(translation: Translation, tmp_path: Path) -> None:
    one = BlueprintSeat(random_strategy(tmp_path / "one", "leduc.nolimit.2p", 1, POT), translation)
    two = BlueprintSeat(random_strategy(tmp_path / "two", "leduc.nolimit.2p", 2, MANY, trained=0.9), translation, 0.1)
    found = duel(one.file.game, (one, one), (two, two), 100, 1)
    assert found.seats[0].mean == pytest.approx(plain((one, two)), abs=1e-3)
    assert found.seats[1].mean == pytest.approx(-plain((two, one)), abs=1e-3)
    assert abs(found.seats[0].mean) > 1


def test_coins_fork_the_betting_of_different_trees(tmp_path: Path) -> None:
    one = BlueprintSeat(random_strategy(tmp_path / "one", "leduc.nolimit.2p", 1, POT))
    two = BlueprintSeat(random_strategy(tmp_path / "two", "leduc.nolimit.2p", 2, MANY))
    tree = whole_betting(one.file.game, (one, two))
    alone = whole_betting(one.file.game, (one, one))
    assert len(alone.node) == one.file.tree.num_nodes
    assert np.bincount(alone.node["edges"]).tolist() == np.bincount(one.file.tree.num_actions).tolist()
    assert np.bincount(alone.node["acted"]).tolist() == np.bincount(one.file.tree.depth).tolist()
    assert len(alone.coin) == 0 < len(tree.coin)
    assert ((tree.coin["chance"] > 0) & (tree.coin["chance"] < 1)).all()


def test_a_strategy_off_its_tree_is_counted(tmp_path: Path) -> None:
    """It knows the pot and all-in: bets of four times the pot are read as all-in, and after a call it is lost."""
    one = BlueprintSeat(random_strategy(tmp_path / "one", "leduc.nolimit.2p", 1, POT), "nearest")
    large = BetMenu(sizes=(((4.0,), ()),), all_in_share=1.0)
    two = BlueprintSeat(random_strategy(tmp_path / "two", "leduc.nolimit.2p", 2, large))
    found = duel(one.file.game, (one, one), (two, two), 100, 1)
    assert 0 < found.off_tree < 1


def test_threads_and_seats_do_not_matter(tmp_path: Path) -> None:
    one, two = (BlueprintSeat(random_strategy(tmp_path / name, "leduc.limit.2p", len(name))) for name in ("a", "bb"))
    there = duel(one.file.game, (one, one), (two, two), 100, 1)
    back = duel(one.file.game, (two, two), (one, one), 100, 1, threads=2)
    assert back.both.mean == pytest.approx(-there.both.mean)
    assert back.seats[0].mean == pytest.approx(-there.seats[1].mean)


def test_boards_are_dealt_alike() -> None:
    """Every card as often in every place, and equal seeds deal equal boards."""
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    boards = np.array(sampled_boards(game, 20_000, 3))
    assert boards.shape == (20_000, 5)
    assert (np.diff(np.sort(boards, axis=1), axis=1) > 0).all()
    for place in range(5):
        counts = np.bincount(boards[:, place], minlength=52)
        assert ((counts - 20_000 / 52) ** 2 / (20_000 / 52)).sum() < 90  # chi-squared, 51 degrees, p = 0.0006
    assert sampled_boards(game, 3, 3) == [tuple(board) for board in boards[:3].tolist()]
    assert sampled_boards(game, 3, 4) != sampled_boards(game, 3, 3)
    assert count_boards(game) == 22_100 * 49 * 48
    leduc = load_game("leduc.limit.2p")
    assert sorted(all_boards(leduc)) == [(card,) for card in sorted(leduc.deck)]
    assert count_boards(load_game("kuhn.limit.2p")) == 1


@pytest.mark.parametrize("board", [(0, 5, 10, 20, 30), (32, 36, 40, 44, 48)])
def test_showdowns_are_sums_over_pairs(board: tuple[int, ...]) -> None:
    """All 1,081² pairs of hold'em hands, one by one; on the second board, a royal flush, everybody ties."""
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    live = board_hands(game, board)
    assert len(live.hands) == 1081
    rng = np.random.default_rng(1)
    mine, theirs = rng.random((2, 1081)).astype(np.float32)
    holes = hand_space().holes[live.hands]
    apart = ~(holes[:, None, :, None] == holes[None, :, None, :]).any(axis=(2, 3))
    run = live.run_end
    sign = np.sign(run[:, None].astype(np.int64) - run[None, :])
    expected = float((mine[:, None] * theirs[None, :] * apart * sign).sum())
    held = np.empty(num_cards(game) + 1)
    sum_up(theirs, live.cards, held)
    found = showdown(mine, theirs, held, live.cards, run, np.empty_like(held))
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-3)
    if board[0] == 32:
        assert found == pytest.approx(0, abs=1e-3)
    else:
        assert abs(expected) > 100


@pytest.fixture(scope="module")
def hunl() -> BlueprintSeat:
    from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile

    return BlueprintSeat(StrategyFile.open(shipped_strategies() / "hunl-200bb"))


def test_the_yardsticks_on_holdem() -> None:
    """A player who always calls wins the small blind of one who always folds, and nothing where nobody bets."""
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    call, fold = (Passive("call"),) * 2, (Passive("fold"),) * 2
    found = duel(game, call, fold, 3, 1)
    assert [seat.mean for seat in found.seats] == pytest.approx([50, 0], abs=1e-4)
    assert duel(game, call, call, 3, 1).both.mean == pytest.approx(0, abs=1e-3)


def test_a_strategy_against_itself_wins_nothing() -> None:
    from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile

    hulh, again = (BlueprintSeat(StrategyFile.open(shipped_strategies() / "hulh")) for _ in range(2))
    found = duel(hulh.file.game, (hulh, hulh), (again, again), 2, 1)
    assert found == duel(hulh.file.game, (hulh, hulh), (hulh, hulh), 2, 1)
    assert found.both.mean == 0
    assert found.seats[0].mean == -found.seats[1].mean != 0
    assert found.off_tree == 0
    assert not found.exact


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_it_agrees_with_dealt_hands(hunl: BlueprintSeat) -> None:
    """The simulator plays concrete deals and shares no formula with the sums here."""
    from limpet.common.folders import data_folder
    from limpet.strategies.abstraction.card_tables import TableDeals, load_or_build
    from limpet.strategies.abstraction.cards import Clustered
    from limpet.strategies.holdem.measures.duel import Simulator

    file = hunl.file
    pure = BlueprintSeat(file, purify=True)
    config = file.manifest.cards
    assert isinstance(config, Clustered)
    tables = load_or_build(config, data_folder() / "tables", 2, stored=file.cards)
    orders = (hunl.table(), pure.table()), (pure.table(), hunl.table())
    dealt = [
        Simulator(file.tree, TableDeals(tables, 2), order).play(4_000_000, 2, 2).value(seat)
        for seat, order in enumerate(orders)
    ]
    found = duel(file.game, (hunl, hunl), (pure, pure), 400, 1, threads=2)
    for ours, theirs in zip(found.seats, dealt, strict=True):
        assert abs(ours.mean - theirs.mean) < 1.5 * (ours.half_width + theirs.half_width)
        assert ours.half_width < theirs.half_width
