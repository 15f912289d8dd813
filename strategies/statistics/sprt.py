"""A sequential probability ratio test of who wins, which lets a match stop early without being fooled.

Two hypotheses about a mean: the first player wins `margin` a game, or loses `margin` a game. Samples are the values of
duplicate sets. The test may be looked at after every set, and keeps its errors:

- a mean of ``-margin`` or below is declared a win with probability `alpha` at most,
- a mean of ``+margin`` or above is declared a loss with probability `beta` at most.

For a mean between the two, either may be declared: the margin is the difference that does not matter. Where both
hypotheses fall at once, as when every set is a draw, the verdict is "even".

Wald's test with an estimated variance does not keep its errors at a poker table: before the first of the rare huge pots,
both mean and variance look too small (`tests/strategies/statistics/test_sprt.py` has a game where 5 % become 60 %). So the
ratio is one that needs no normal distribution, a bet (Waudby-Smith and Ramdas 2024, J. R. Stat. Soc. B 86, "Estimating
means of bounded random variables by betting"): against the mean being ``m0`` or less,

    M = Π (1 + l_i (x_i - m0)),   l_i = min(2 · margin / s²_{i-1}, 0.9 / (bound + margin))

is a product of ratios of two distributions whatever that of x is, and exceeds ``1 / alpha`` at any time with probability
`alpha` at most (Ville 1939). s² is the variance of the sets before i, so that for nearly normal values it is Wald's test.

The test assumes that sets are independent and alike (nobody learns from one set to the next), and that a value lies within
± `bound`, which follows from the rules of the game.
"""

from math import log
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef

Verdict = Literal["win", "loss", "even"]
Error = Annotated[float, msgspec.Meta(gt=0, lt=0.5)]


class Sprt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The test, and the part of a config that asks for it.

    Attributes:
        margin: mbb/g; the difference that matters.
        alpha: highest probability with which a player who loses by the margin is declared the winner.
        beta: highest probability with which a player who wins by the margin is declared the loser.
    """

    margin: Annotated[float, msgspec.Meta(gt=0)]
    alpha: Error = 0.05
    beta: Error = 0.05

    def verdict(self, samples: NDArray[np.float64], bound: float) -> "Judgement | None":
        """Return the test's decision after the given duplicate sets, or None while it is open.

        The result depends on the sets only, not on earlier calls.

        samples: mbb/g of each duplicate set in the order played; each within ± `bound`.
        """
        win, loss = self.log_ratios(samples, bound)
        won, lost = win >= log(1 / self.alpha), loss >= log(1 / self.beta)
        either = won | lost
        if not either.any():
            return None
        first = int(either.argmax())
        verdict: Verdict = "loss" if not won[first] else "even" if lost[first] else "win"
        return Judgement(verdict, first + 1)

    def log_ratios(self, samples: NDArray[np.float64], bound: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of the ratios for a win and for a loss after each set: float64 ``[..., set]`` as `samples`.

        Raises `ValueError` for a sample beyond the bound.
        """
        if samples.size and float(np.abs(samples).max()) > bound * (1 + 1e-9):
            raise ValueError(f"a set of {float(np.abs(samples).max()):.1f} mbb/g lies beyond the bound of {bound:.1f}")
        bets = np.minimum(2 * self.margin / _variance_before(samples, bound), 0.9 / (bound + self.margin))
        win = np.cumsum(np.log1p(bets * (samples + self.margin)), axis=-1)
        loss = np.cumsum(np.log1p(bets * (self.margin - samples)), axis=-1)
        return win, loss


class Judgement(NamedTuple):
    """A verdict of the sequential test, and after how many duplicate sets it was possible."""

    verdict: Verdict
    sets: int


def _variance_before(samples: NDArray[np.float64], bound: float) -> NDArray[np.float64]:
    """Return the variance of the sets before each one. It starts from one made-up set that lies half the bound away."""
    count = np.arange(samples.shape[-1])
    sums, squares = (np.cumsum(values, axis=-1) - values for values in (samples, samples**2))
    spread = squares - sums**2 / np.maximum(count, 1)
    return np.asarray((np.maximum(spread, 0.0) + bound**2 / 4) / (count + 1))


def most_lost(game: GameDef) -> float:
    """Return what a player can lose in one hand at most, in mbb: the bound of a heads-up result."""
    chips = max(game.stack)
    if not game.no_limit:
        raised = sum(size * raises for size, raises in zip(game.raise_size, game.max_raises, strict=True))
        chips = min(chips, max(game.blind) + raised)
    return 1000.0 * chips / game.big_blind
