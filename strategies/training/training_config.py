"""What a training config holds."""

from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from limpet.configs.fitting import MayBeInfinite, Threads, fit
from limpet.strategies.abstraction.cards import CardConfig, Lossless
from limpet.strategies.solving.schedule import (
    Algorithm,
    Name,
    Parameters,
    algorithm_of,
    algorithm_with,
    check_parameters,
    check_powers,
)
from limpet.strategies.trees.menu import BetMenu

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Sampling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of mccfr.

    Attributes:
        exact_all_ins: whether all-ins before the flop are worth the equity of the two starting hands, where the game is
            heads-up hold'em, and not the result of the one board that was dealt.
        prune_after: share of the iterations after which actions of low regret are skipped; 1 is never.
        prune_below: such a regret, in big blinds.
    """

    exact_all_ins: bool = True
    prune_after: Share = 1.0
    prune_below: Annotated[float, msgspec.Meta(lt=0)] = -30_000.0


class PublicSampling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of pcs.

    Attributes:
        alpha, beta, gamma: DCFR's powers, by periods. Linear weights if none is given.
        exact_all_ins: as for mccfr.

    Raises `ValueError` for powers that cannot be.
    """

    alpha: MayBeInfinite = 1.0
    beta: MayBeInfinite = 1.0
    gamma: float = 1.0
    exact_all_ins: bool = True

    def __post_init__(self) -> None:
        check_powers(self.alpha, self.beta, self.gamma)


Sampled = TypeVar("Sampled", Sampling, PublicSampling)


class WarmStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A solution to start from, of the same cards and of the same tree or one with fewer raises.

    Attributes:
        strategy: name or path of a strategy.
        weight: how many visits of a row it stands for: in the average, and in regrets of a big blind a visit.
    """

    strategy: str
    weight: Annotated[float, msgspec.Meta(gt=0)] = 100.0


class Measure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the exploitability of a hold'em run is followed: after 1, 2, 4, … minutes of training, and every so often.

    Training waits meanwhile. The answer sees cards as they are and stays on the tree (`real_response`), always on the
    same boards, so that points compare. In small games it is exact and needs no deals.

    Attributes:
        every_minutes: of training, between two points once doubling takes longer.
        deals: flops, turns for each of them, and rivers for each turn. The time goes with their product.
        hands: dealt to tell the value of the game; 0: not told.
        seed: of boards and hands.
    """

    every_minutes: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    deals: tuple[Annotated[int, msgspec.Meta(ge=4)], ...] = (8, 4, 4)
    hands: Annotated[int, msgspec.Meta(ge=0)] = 10_000_000
    seed: Annotated[int, msgspec.Meta(ge=0)] = 1


class TrainingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training run: a game, its abstraction, an algorithm, and when to stop.

    Attributes:
        name: of the strategy; its folder is named so.
        game: a game that ships, or a ``.game`` file relative to the config.
        algorithm: a name of `solving.schedule.Algorithm` (full-width, small games), ``mccfr`` (external
            sampling) or ``pcs`` (public chance sampling; two players).
            ``dcfr`` is that of the paper, with γ = 2 and no restarts.
        parameters: of the algorithm, named as in `solving.schedule.Algorithm`: alpha, beta, gamma, constant of cgh, …;
            those of mccfr are in `Sampling`, those of pcs in `PublicSampling`. One of another algorithm is refused.
        warm_start: for mccfr and pcs: a coarser solution to start from.
        iterations: full-width: sweeps of the whole game; mccfr: deals, pcs: boards, each traversed by every player.
        cards: which hands a strategy tells apart.
        menu: which raises it keeps; needed for no-limit games.
        seed: fixes the deals and samples of mccfr and the boards of pcs.
        threads: of mccfr and pcs. One thread is bit-exact for a seed, several are not.
        period, periods: mccfr multiplies all sums by n / (n + 1) after each of the first `periods` n-th `period`
            iterations, which makes it linear MCCFR by periods. So does pcs, to the powers among its parameters.
        bits: 8 or 16 per stored probability.
        checkpoint_seconds: how much work a power cut may cost.
        measure: whether and how the exploitability is followed on the way; small games are always measured.
        snapshots: after how many minutes of training a strategy is written on the way, as NAME.15m; ``doubling``: after
            1, 2, 4, ….
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    game: str
    algorithm: Literal[Name, "mccfr", "pcs"]
    iterations: Positive
    cards: CardConfig = Lossless()
    menu: BetMenu | None = None
    seed: int = 0
    threads: Threads = 1
    period: Annotated[int, msgspec.Meta(ge=0)] = 0
    periods: Annotated[int, msgspec.Meta(ge=0)] = 0
    bits: Literal[8, 16] = 16
    checkpoint_seconds: Annotated[float, msgspec.Meta(gt=0)] = 120.0
    parameters: Parameters | UnsetType = UNSET  # not {}, which checkpoints' marks would show
    warm_start: WarmStart | UnsetType = UNSET
    measure: Measure | UnsetType = UNSET
    snapshots: Literal["doubling"] | tuple[Annotated[float, msgspec.Meta(gt=0)], ...] | UnsetType = UNSET

    @property
    def minimiser(self) -> Algorithm | None:
        """The full-width algorithm, None for those that sample. Raises `ValueError` for a parameter that it cannot have."""
        parameters = self.parameters or {}
        if self.algorithm == "mccfr":
            _ = self.sampling
            return None
        if self.algorithm == "pcs":
            _ = self.public_sampling
            return None
        if self.warm_start:
            raise ValueError(f"{self.algorithm} starts from nothing; warm_start is for mccfr and pcs")
        papers = {"gamma": 2.0, "restart": False} if self.algorithm == "dcfr" else {}
        return algorithm_of(algorithm_with(self.algorithm, {**papers, **parameters}))

    @property
    def sampling(self) -> Sampling:
        """The parameters of mccfr. Raises `Misfit` for one that it cannot have."""
        return self._parameters(Sampling)

    @property
    def public_sampling(self) -> PublicSampling:
        """The parameters of pcs. Raises `Misfit` for one that it cannot have."""
        return self._parameters(PublicSampling)

    def _parameters(self, wanted: type[Sampled]) -> Sampled:
        parameters = self.parameters or {}
        check_parameters(self.algorithm, parameters, wanted.__struct_fields__)
        return fit(parameters, wanted)

    @property
    def algorithm_text(self) -> str:
        """Name and parameters, for strategy files: ``cgh (constant = 0)``."""
        listed = ", ".join(f"{key} = {value}" for key, value in (self.parameters or {}).items())
        return f"{self.algorithm} ({listed})" if listed else self.algorithm
