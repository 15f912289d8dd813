"""Best answers with real cards: exact in small games, and bounds that hold on sampled boards."""

from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat, Passive
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, StrategyFile
from limpet.strategies.holdem.measures import real_response as module
from limpet.strategies.holdem.measures.board_samples import BoardSamples
from limpet.strategies.holdem.measures.duel import duel
from limpet.strategies.holdem.measures.real_response import deals_taken, real_response, require_room
from limpet.strategies.holdem.measures.real_response_kernels import tree_streets
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.tabular import best_responses
from tests.strategies.base.holdem_strategies import (
    Classes,
    Rule,
    calls,
    folds,
    raises,
    rule_strategy,
    rule_table,
    uniform,
)
from tests.strategies.base.strategy_files import MANY, random_strategy

TINY = BetMenu(sizes=(((1.0,), ()),), raise_cap=1)
CLASSES: Any = Classes()


@pytest.mark.parametrize(
    ("game", "menu"), [("kuhn.limit.2p", None), ("leduc.limit.2p", None), ("leduc.nolimit.2p", MANY)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_exact_in_small_games(game: str, menu: BetMenu | None, seed: int, tmp_path: Path) -> None:
    """Against the tabular best response, which goes through all deals one by one."""
    file = random_strategy(tmp_path / "x", game, seed, menu)
    found = real_response(file.tree, file.cards, PlayedRows(file).table(), (), 1)
    expected = best_responses(file.tree, enumerate_deals(file.game), file.probabilities())
    assert found.exact
    scale = file.game.big_blind
    assert [answer.below.mean for answer in found.positions] == pytest.approx(expected, abs=2e-5 * scale)
    assert found.below == found.above == pytest.approx(expected.mean(), abs=2e-5 * scale)
    assert expected.min() > 0.05 * scale


def test_with_every_deal_sampled_the_upper_bound_is_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leduc's six boards drawn without replacement; the lower one chooses by others than it is valued on."""
    monkeypatch.setattr(module, "MOST_EXACT", 0)
    file = random_strategy(tmp_path / "x", "leduc.limit.2p", 3)
    table = PlayedRows(file).table()
    found = real_response(file.tree, file.cards, table, (6,), 1)
    expected = best_responses(file.tree, enumerate_deals(file.game), file.probabilities())
    assert not found.exact
    for answer, exact in zip(found.positions, expected, strict=True):
        assert answer.above.mean == pytest.approx(exact, abs=1e-5)
        assert answer.below.mean < exact
        assert answer.below.mean > 0
        assert answer.above.samples == 6
    with pytest.raises(ValueError, match="1 numbers of at least 4"):
        real_response(file.tree, file.cards, table, (3,), 1)


def test_what_ends_the_wait_for_boards_ends_the_threads_at_their_next_step(tmp_path: Path) -> None:
    """So does Ctrl-C: each thread would else go on with a whole flop."""
    file, halt = random_strategy(tmp_path / "x", "leduc.limit.2p", 3), Event()
    boards = BoardSamples(file.game, file.cards, (6,), 1, False)
    offset = file.tree.row_offset([file.cards.num_buckets(round_) for round_ in range(file.game.num_rounds)])

    def step() -> None:
        raise KeyboardInterrupt

    answer = module._Answer(tree_streets(file.tree, offset, 0), boards, table_of(file), step, halt)
    with pytest.raises(KeyboardInterrupt):
        answer.response(2)
    assert halt.is_set()


def table_of(file: StrategyFile) -> NDArray[np.float32]:
    return PlayedRows(file).table()


def test_always_folding_costs_750() -> None:
    """The small blind loses 500 mbb/g, the big blind 1,000, whatever the boards are."""
    file = rule_strategy(TINY, folds)
    found = real_response(file.tree, file.cards, table_of(file), (4, 4, 4), 1)
    for answer, chips in zip(found.positions, (50, 100), strict=True):
        for bound in answer:
            assert bound.mean == pytest.approx(chips, rel=1e-4)
            assert bound.half_width < 0.01
    assert found.below * 10 == pytest.approx(750, rel=1e-4)
    assert [bound.mean for bound in found.both] == [found.below, found.above]


@pytest.mark.parametrize(
    ("rule", "published"),
    [(calls, 1163.5), pytest.param(raises, 3697.7, marks=pytest.mark.slow)],
    ids=["calls", "raises"],
)
def test_limit_holdem_as_published(rule: Rule, published: float) -> None:
    """Exploitability in mbb/g of players who always call and always raise, Johanson et al. 2011."""
    file = rule_strategy(None, rule, "holdem.limit.2p.reverse_blinds")
    found = real_response(file.tree, file.cards, table_of(file), (16, 4, 4), 1)
    below, above = found.both
    unit = 1000 / file.game.big_blind
    assert unit * (below.mean - below.half_width) < published < unit * (above.mean + above.half_width)
    assert 0.8 * published < unit * below.mean < unit * above.mean < 1.15 * published


def test_an_answer_to_chance_wins_no_less_than_calling() -> None:
    """A player who always checks and calls is a possible answer, and wins only what the small blind folds at once."""
    file = rule_strategy(TINY, uniform)
    found = real_response(file.tree, file.cards, table_of(file), (8, 4, 4), 1)
    won = duel(file.game, (Passive("call"),) * 2, (BlueprintSeat(file),) * 2, 4, 1)
    assert [value.mean for value in won.seats] == pytest.approx([50 / 4, 0], abs=1e-3)
    for answer, value in zip(found.positions, won.seats, strict=True):
        assert answer.below.mean - answer.below.half_width > value.mean


def test_always_calling_costs_what_equities_say() -> None:
    """Jam or check, before the flop only: hands with more than half the equity jam, the others see the cards for free.

    The expectation is a sum over the 169 classes; no hand is so weak that it should fold rather than call half a blind.
    """
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    text = str(game).replace("stack = 20000 20000", "stack = 1000 1000")
    jam = build_tree(type(game).parse(text), BetMenu(sizes=(((),),), raise_cap=(1, 0, 0, 0)))
    equity = class_equities()[preflop_classes()]
    expected = float(((2 * equity - 1) * np.where(equity > 0.5, 1000, 100)).mean())
    found = real_response(jam, CLASSES, rule_table(jam, calls).astype(np.float32), (48, 4, 4), 1)
    for answer in found.positions:
        assert answer.below.mean - answer.below.half_width < expected < answer.above.mean + answer.above.half_width
        assert answer.below.half_width < 15
        assert answer.above.mean < 1.2 * expected
        assert answer.below.mean > 0.8 * expected


def test_the_lower_bound_lies_below() -> None:
    """On a small tree, and a best answer wins more than the strategy wins from itself."""
    file = rule_strategy(TINY, uniform)
    table = table_of(file)
    once = real_response(file.tree, file.cards, table, (5, 4, 4), 1, threads=2)
    again = real_response(file.tree, file.cards, table, (5, 4, 4), 1)
    assert once == again
    assert once != real_response(file.tree, file.cards, table, (5, 4, 4), 2)
    for answer in once.positions:
        assert 0 < answer.below.mean < answer.above.mean


def test_wrong_tables_and_numbers_are_refused() -> None:
    file = rule_strategy(TINY, uniform)
    with pytest.raises(ValueError, match=f"need \\[{file.offset[-1]}\\]"):
        real_response(file.tree, file.cards, np.zeros(3, np.float32), (4, 4, 4), 1)
    with pytest.raises(ValueError, match="3 numbers of at least 4 .* not \\(4, 4\\)"):
        real_response(file.tree, file.cards, np.zeros(int(file.offset[-1]), np.float32), (4, 4), 1)


def test_more_deals_than_there_are_are_all_of_them() -> None:
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    assert deals_taken(game, (99_999_999, 8, 100)) == (False, (22_100, 8, 48))
    assert deals_taken(load_game("leduc.limit.2p"), ()) == (True, (6,))
    assert deals_taken(load_game("kuhn.limit.2p"), ()) == (True, ())
    root = BoardSamples(game, CLASSES, (10**12, 4, 4), 1, False).root()
    flops = [child.board for child in root.children]
    assert len(flops) == len(set(flops)) == 22_100
    assert flops != sorted(flops)  # parts of them are samples, which neighbours would not be


def test_boards_that_do_not_fit_into_memory_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "free_memory", lambda: 100 * 2**20)
    file = rule_strategy(TINY, uniform)
    leaves = len(tree_streets(file.tree, file.offset, 0)[0].leaf_owner)
    most = 100 * 2**20 // (8 * leaves * 1326 * 4)
    with pytest.raises(
        MemoryError, match="22,100 boards of the first deal need .* GiB .*100.0 MiB are free; take at most"
    ):
        real_response(file.tree, file.cards, table_of(file), (99_999_999, 8, 8), 1)
    with pytest.raises(MemoryError, match=f"{most + 1:,} boards"):
        require_room(file.tree, (most + 1, 8, 8))
    require_room(file.tree, (most, 8, 8))


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_counts_up_to_its_end(threads: int) -> None:
    file = rule_strategy(TINY, folds)
    told: list[tuple[int, int]] = []
    real_response(file.tree, file.cards, table_of(file), (5, 4, 4), 1, threads, lambda *of: told.append(of))
    total = told[0][1]
    assert told == [(done, total) for done in range(total + 1)]
    assert total % 5 == 0 < total
