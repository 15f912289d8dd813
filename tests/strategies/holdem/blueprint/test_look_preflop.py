"""What is said about starting hands: against counts by hand and against sums over all pairs of hands."""

from collections.abc import Mapping

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.common.statistics import Estimate
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_number, preflop_classes
from limpet.strategies.holdem.blueprint.look import (
    PreflopNode,
    Verdict,
    answers,
    defends,
    folding,
    preflop_nodes,
    verdicts,
)
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from tests.strategies.base.holdem_strategies import calls, rule_strategy, uniform

OPEN = BetMenu(sizes=(((0.5, 1.0), (1.0,), ()),), raise_cap=(2, 0, 0, 0))
PAIRS = 1326 * 1225


def tight(betting: str, actions: tuple[str, ...], hand: str) -> Mapping[str, float]:
    """The button opens aces to 300 and everything but 72o to 200; the big blind re-raises aces, and calls with kings."""
    if betting == "":
        return {"r300": 1.0} if hand == "AA" else {"f": 1.0} if hand == "72o" else {"r200": 1.0}
    if betting in ("r200", "r300"):
        raised = next((action for action in actions if action[0] == "r"), "c")
        return {raised: 1.0} if hand == "AA" else {"c": 1.0} if hand == "KK" else {"f": 1.0}
    return {"f": 1.0} if "f" in actions and hand not in ("AA", "KK") else {"c": 1.0}


@pytest.fixture(scope="module")
def of_tight() -> tuple[PreflopNode, ...]:
    return preflop_nodes(rule_strategy(OPEN, tight))


def test_counts_of_a_tight_strategy(of_tight: tuple[PreflopNode, ...]) -> None:
    """6 hands are aces, 12 are 72o; of 1,225 hands beside two others, aces left over are 6, 3 or 1."""
    button = of_tight[0]
    assert button.position == 1
    assert button.betting == ""
    assert button.folds == pytest.approx(12 / 1326)
    assert dict(zip(button.actions, button.taken, strict=True))["r300"] == pytest.approx(6 / 1326)
    assert [place.betting for place in answers(of_tight)] == ["r200", "r300"]
    to_200, to_300 = answers(of_tight)
    assert to_200.happens == pytest.approx(1308 / 1326)
    # Facing aces: one other hand of aces, six of kings.
    assert to_300.folds == pytest.approx(1 - 7 / 1225)
    raised = [part for action, part in zip(to_300.actions, to_300.taken, strict=True) if action[0] == "r"]
    assert sum(raised) == pytest.approx(1 / 1225)
    kings_and_aces = sum(pairs_with(None, hand) - pairs_with("72o", hand) for hand in ("AA", "KK"))
    assert defends(of_tight) == pytest.approx(kings_and_aces / (1314 * 1225))


def pairs_with(mine: str | None, other: str) -> int:
    """Ordered pairs of hands that share no card, of these classes; None stands for all."""
    space, classes = hand_space(), preflop_classes()
    cards = [set(space.cards(hand)) for hand in range(space.size)]
    own = [hand for hand in range(space.size) if mine is None or classes[hand] == class_number(mine)]
    others = [hand for hand in range(space.size) if classes[hand] == class_number(other)]
    return sum(not cards[a] & cards[b] for a in own for b in others)


def test_what_hands_fold(of_tight: tuple[PreflopNode, ...]) -> None:
    aces = folding(of_tight, "AA")
    assert (aces.folds, aces.worst, aces.worst_betting) == (0, 0, "")
    trash = folding(of_tight, "72o", 2)
    assert trash.happens == 0
    queens = folding(of_tight, "QQ", 2)
    assert queens.folds == 1
    assert queens.happens == pytest.approx(6 / 1225)
    assert (queens.worst, queens.worst_betting) == (1, "r200r600")
    assert folding(of_tight, "72o").folds == 1


def test_every_hand_is_counted_as_often_as_it_comes() -> None:
    """Against the sum over all pairs of hands, for a strategy in which every hand does something else."""
    weights = np.random.default_rng(1).random((1000, 169))

    def mixed(betting: str, actions: tuple[str, ...], hand: str) -> Mapping[str, float]:
        if not hand:
            return {"c": 1.0}
        row = weights[len(betting) * 7 : len(betting) * 7 + len(actions), class_number(hand)] ** 3
        return dict(zip(actions, row.tolist(), strict=True))

    file = rule_strategy(OPEN, mixed)
    found = {place.betting: place for place in preflop_nodes(file)}
    space, classes = hand_space(), preflop_classes()
    masks = (np.int64(1) << space.holes.astype(np.int64)).sum(axis=1)
    apart = (masks[:, None] & masks == 0).astype(np.float64)
    assert apart.sum() == PAIRS
    path = ["", "r200", "r200r600"]
    reach = [np.ones(1326), np.ones(1326)]
    for betting, action in zip(path, ["r200", "r600", ""], strict=True):
        place = found[betting]
        together = reach[0][:, None] * reach[1] * apart
        weights_here = together.sum(axis=1 - place.position)
        assert place.happens == pytest.approx(weights_here.sum() / PAIRS)
        rows = place.rows[:, classes]
        assert place.taken == pytest.approx(rows @ weights_here / weights_here.sum())
        dealt = np.bincount(classes, weights_here, 169) / np.bincount(classes, minlength=169) / 1225
        assert place.reach == pytest.approx(dealt)
        if action:
            reach[place.position] = reach[place.position] * rows[place.actions.index(action)]
    assert found["r200"].raises == 1
    assert found["r200r600"].raises == 2
    assert found["r200"].names[0] == "fold"


def test_verdicts() -> None:
    lost = Estimate(-9.0, 8.0, 2)
    told = {verdict.what: verdict for verdict in verdicts(preflop_nodes(rule_strategy(OPEN, uniform)), lost)}
    assert not told["AA folds"].holds
    assert told["AA folds"].value == pytest.approx(100 / 4, abs=10)
    assert not told["72o folds to a 3-bet"].holds
    assert told["the button wins"].holds is False
    passive = verdicts(preflop_nodes(rule_strategy(OPEN, calls)), None)
    assert [verdict.what for verdict in passive] == [
        "AA folds", "the button plays", "the big blind defends against raises",
    ]  # 72o never faces a 3-bet, so that nothing is said of it  # fmt: skip
    assert [verdict.holds for verdict in passive] == [True, False, False]
    assert np.isnan(passive[2].value)  # it never faces a raise


@pytest.mark.parametrize(
    ("mean", "half_width", "holds"),
    [
        (100.0, 50.0, True), (100.0, 50.1, None), (157.9, 13.5, None), (163.5, 13.5, None), (163.6, 13.5, False),
        (-1.0, 0.9, False), (75.0, 80.0, None), (75.0, float("inf"), None), (float("nan"), 1.0, False), (0.0, 0.0, True),
    ],
)  # fmt: skip
def test_an_interval_across_a_bound_is_no_verdict(mean: float, half_width: float, holds: bool | None) -> None:
    assert Verdict("the button wins", "mbb/g", mean, 0, 150, half_width).holds is holds


def test_the_first_blueprint_looks_like_poker() -> None:
    found = preflop_nodes(StrategyFile.open(shipped_strategies() / "hunl-200bb"))
    assert all(verdict.holds for verdict in verdicts(found, None))
    assert sum(place.happens for place in answers(found)) == pytest.approx(1 - found[0].folds)


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match=r"leduc: .* 2 players with 1 of 6 cards each"):
        preflop_nodes(StrategyFile.open(shipped_strategies() / "leduc"))
