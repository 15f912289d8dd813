"""The account: exploiting hands never lose more together than the stake and the allowances."""

import numpy as np

from limpet.strategies.opponents.limited import Budget


def test_whatever_hands_lose_the_promise_holds() -> None:
    random = np.random.default_rng(2)
    for seed in range(50):
        budget, won = Budget(allowance=10, least=2000, stake=20_000), 0.0
        for hand in range(1, 2000):
            limit = budget.limit()
            lost_all = random.random() < 0.1 + seed / 60
            net = -limit if lost_all else float(random.integers(-limit, limit + 1)) if limit else 0.0
            budget.settle(limit > 0, net)
            won += net
            assert budget.chips >= 0
            assert won >= -(20_000 + 10 * hand)


def test_a_match_of_any_length_loses_no_more_than_its_bound() -> None:
    random = np.random.default_rng(3)
    for stake, most in ((0, 3000), (20_000, 30_000), (20_000, 5000)):
        budget = Budget(allowance=50, least=2000, stake=stake, most=most)
        for hand in range(1, 3000):
            limit = budget.limit()
            net = -limit if random.random() < 0.7 else float(random.integers(0, limit + 1))
            budget.settle(limit > 0, net)
            assert budget.allowed == min(stake + 50 * hand, most)
            assert budget.won >= -budget.allowed
        assert budget.won < 0


def test_nothing_is_risked_where_too_little_is_left() -> None:
    budget = Budget(allowance=10, least=2000, stake=1999)
    assert budget.limit() == 0
    budget.settle(False, -500)  # the blueprint's hands are none of the account's
    assert budget.chips == 2009
    assert budget.limit() == 2000
