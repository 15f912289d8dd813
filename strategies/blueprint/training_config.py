"""What a training config holds."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from limpet.strategies.abstraction.cards import CardConfig, Lossless
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.solving.schedule import Algorithm, Name, algorithm_with

Positive = Annotated[int, msgspec.Meta(ge=1)]


class TrainingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training run: a game, its abstraction, an algorithm, and when to stop.

    Attributes:
        name: of the strategy; its folder is named so.
        game: a game that ships, or a ``.game`` file relative to the config.
        algorithm: a name of `solving.schedule.Algorithm` (full-width, small games) or ``mccfr`` (external sampling).
            ``dcfr`` is that of the paper, with γ = 2 and no restarts.
        parameters: of the algorithm, named as in `solving.schedule.Algorithm`: alpha, beta, gamma, constant of cgh, …
        iterations: full-width: sweeps of the whole game; mccfr: deals, each traversed by every player.
        cards: which hands a strategy tells apart.
        menu: which raises it keeps; needed for no-limit games.
        seed: fixes the deals and samples of mccfr.
        threads: of mccfr. One thread is bit-exact for a seed, several are not.
        period, periods: mccfr multiplies all sums by n / (n + 1) after each of the first `periods` n-th `period`
            iterations, which makes it linear MCCFR by periods.
        bits: 8 or 16 per stored probability.
        checkpoint_seconds: how much work a power cut may cost.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    game: str
    algorithm: Literal[Name, "mccfr"]
    iterations: Positive
    cards: CardConfig = Lossless()
    menu: BetMenu | None = None
    seed: int = 0
    threads: Positive = 1
    period: Annotated[int, msgspec.Meta(ge=0)] = 0
    periods: Annotated[int, msgspec.Meta(ge=0)] = 0
    bits: Literal[8, 16] = 16
    checkpoint_seconds: Annotated[float, msgspec.Meta(gt=0)] = 120.0
    parameters: dict[str, bool | float | str] | UnsetType = UNSET  # not {}, which checkpoints' marks would show

    @property
    def minimiser(self) -> Algorithm | None:
        """The full-width algorithm, None for mccfr. Raises `ValueError` for a parameter that it cannot have."""
        parameters = self.parameters or {}
        if self.algorithm == "mccfr":
            if parameters:
                raise ValueError("mccfr takes period and periods, and no parameters")
            return None
        papers = {"gamma": 2.0, "restart": False} if self.algorithm == "dcfr" else {}
        return algorithm_with(self.algorithm, {**papers, **parameters})

    @property
    def algorithm_text(self) -> str:
        """Name and parameters, for strategy files: ``cgh (constant = 0)``."""
        listed = ", ".join(f"{key} = {value}" for key, value in (self.parameters or {}).items())
        return f"{self.algorithm} ({listed})" if listed else self.algorithm
