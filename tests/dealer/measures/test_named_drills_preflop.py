"""Drills before the flop: what is asked, and values beside sums over hands that are written out here."""

import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.dealer.measures import named_drills as named
from limpet.dealer.measures.drill_questions import AskedAbout
from limpet.dealer.measures.named_drills import PreflopDrill, find_drill, preflop_drill
from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.before_flop import BeforeFlopHand, preflop_values
from limpet.strategies.holdem.solutions.answer import hand_text


@pytest.fixture(scope="module")
def drill() -> PreflopDrill:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(named, "ITERATIONS", 200)
        return preflop_drill(AskedAbout(facing=True))


def test_raises_are_asked_about_in_both_seats(drill: PreflopDrill) -> None:
    random = np.random.default_rng(1)
    asked = [drill.draw(random) for _ in range(40)]
    assert {question.seat for question in asked} == {"BB", "SB"}
    assert all("raise" in question.said or "all-in" in question.said for question in asked)
    assert all(drill.again(question.line, question.hand) == question for question in asked[:5])
    drill.wanted = AskedAbout(position=1, facing=False)
    assert {drill.draw(random).said for _ in range(5)} == {""}
    drill.wanted = AskedAbout()


def test_a_shove_is_worth_what_folds_and_showdowns_bring(drill: PreflopDrill) -> None:
    shove, answer = drill.again("", "AhKh"), drill.again("all-in", "2c2d")
    calls = np.array([drill.again("all-in", hand_text(hand)).frequencies[1] for hand in range(hand_space().size)])
    hand = hand_space().index(parse_cards("AhKh"))
    met = float(hand_space().compatible(calls)[hand])
    called = met / (50 * 49 / 2)
    equity = versus_range(calls.astype(np.float32)).equity[hand]
    won = (1 - called) * 1 + called * (2 * equity - 1) * 200
    assert shove.values[shove.names.index("all-in")] == pytest.approx(won, abs=2e-3)
    assert answer.values[0] == -1 and shove.values[0] == -0.5
    assert answer.names == ("fold", "call")


def test_the_solution_loses_next_to_nothing_by_its_own_values(drill: PreflopDrill) -> None:
    random, lost = np.random.default_rng(2), []
    for question in (drill.draw(random) for _ in range(100)):
        lost.append(question.values[question.best] - np.dot(question.frequencies, question.values))
        own, other = question.ranges
        assert own.equity + other.equity == pytest.approx(1) and own.share + other.share == pytest.approx(1)
    assert 0 <= np.mean(lost) < 0.03


def test_streets_are_refused_and_filters_have_files_of_their_own() -> None:
    paths = {find_drill(name).path for name in ("preflop", "defence")}
    paths.add(find_drill("preflop", AskedAbout(position=0)).path)
    assert len(paths) == 3
    with pytest.raises(ConfigError, match="leave the street out"):
        find_drill("defence", AskedAbout("turn"))


def test_a_hand_that_never_limps_loses_no_more_by_it_than_the_limp(drill: PreflopDrill) -> None:
    """After an action that the solution never takes with a hand it says nothing of its play; the best one counts."""
    asked = [drill.again("", hand_text(hand)) for hand in range(0, hand_space().size, 7)]
    limp = asked[0].names.index("call")
    assert min(question.values[limp] for question in asked) >= -1
    rare = [question for question in asked if question.frequencies[limp] < 0.01]
    assert len(rare) > 50
    assert all(question.values[question.best] - question.values[limp] < 0.35 for question in rare)


def test_going_on_by_the_best_response_is_worth_no_less_to_any_hand(drill: PreflopDrill) -> None:
    solved = drill.solved
    hand, root = BeforeFlopHand(solved), solved.tree.root
    ranges = np.ones((2, hand_space().size))
    played, best = (preflop_values(hand, root, ranges, drill.flops, best=best)[0] for best in (False, True))
    assert (best.actions >= played.actions - 1e-4).all() and (best.actions > played.actions + 0.1).any()
