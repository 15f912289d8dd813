"""What a person's session says of the hands won."""

from limpet.bot.browser.tables.results import MOST_POINTS, ResultSums


def test_a_curve_has_the_sum_after_every_hand() -> None:
    sums = ResultSums(100)
    assert sums.curve() == {"samples": [0], "mean": [0.0]}
    sums.add([150, -50, 0])
    assert sums.curve() == {"samples": [0, 1, 2, 3], "mean": [0.0, 1.5, 1.0, 1.0]}


def test_a_curve_of_a_long_session_stays_short_and_ends_with_its_last_hand() -> None:
    sums, won = ResultSums(2), [(7 * number) % 31 - 15 for number in range(5_003)]
    sums.add(won)
    curve = sums.curve()
    assert len(curve["samples"]) == len(curve["mean"]) <= MOST_POINTS + 1
    assert curve["samples"][-1] == len(won) and curve["mean"][-1] == sum(won) / 2
    assert curve["mean"][3] == sum(won[: int(curve["samples"][3])]) / 2
