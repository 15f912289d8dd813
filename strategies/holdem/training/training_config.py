"""A training config: its fields, and how it is read."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from limpet.common.folders import find_strategy
from limpet.configs.fitting import MayBeInfinite, Misfit, Threads, fit, under
from limpet.configs.loading import Document, find_config, load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardConfig, Lossless
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import is_holdem, require_all_cards, require_no_antes
from limpet.strategies.holdem.measures.real_response import deals_taken
from limpet.strategies.solvers.sampled.mccfr import BATCH
from limpet.strategies.solvers.schedule import (
    Algorithm,
    Gamma,
    Name,
    Parameters,
    algorithm_of,
    algorithm_with,
    check_parameters,
)

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class ExternalParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of mccfr.

    Attributes:
        exact_all_ins: whether all-ins before the flop are worth the equity of the two starting hands, where the game is
            heads-up hold'em, and not the result of the one board that was dealt.
        prune_after: share of the iterations after which actions of low regret are skipped; 1 is never.
        prune_below: regret, in big blinds, below which actions are skipped.
    """

    exact_all_ins: bool = True
    prune_after: Share = 1.0
    prune_below: Annotated[float, msgspec.Meta(lt=0)] = -30_000.0


class OutcomeParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of outcome-sampling: the share of the learner's draws that are uniform, so that every action is tried."""

    exploration: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.6


class PublicParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of pcs: DCFR's powers by periods, linear weights without them; `exact_all_ins` as for mccfr."""

    alpha: MayBeInfinite = 1.0
    beta: MayBeInfinite = 1.0
    gamma: Gamma = 1.0
    exact_all_ins: bool = True


Sampling = ExternalParameters | OutcomeParameters | PublicParameters
SAMPLING: dict[str, type[Sampling]] = {
    "mccfr": ExternalParameters,
    "outcome-sampling": OutcomeParameters,
    "pcs": PublicParameters,
}
"""The algorithms that sample deals or boards."""


class WarmStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A strategy to start from, by name or path, of the same cards and of the same tree or one with fewer raises.

    weight: number of boards that it stands for with pcs; else the number of visits of each row, see `warm_start`.
    """

    strategy: str
    weight: Annotated[float, msgspec.Meta(gt=0)] = 100.0


class Measure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The measures that follow the exploitability of a hold'em run: after 1, 2, 4, … minutes, and every so often.

    Training waits meanwhile. The best response sees cards as they are and stays on the tree (`real_response`), always
    on the same boards, so that points compare. In small games it is exact and needs no deals.

    Attributes:
        every_minutes: minutes of training between two points, once doubling takes longer.
        deals: number of flops, of turns for each flop, and of rivers for each turn. The time goes with their product.
        hands: number of hands that are simulated to estimate the value of the game; 0 leaves it out.
        seed: seed of boards and hands.
    """

    every_minutes: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    deals: tuple[Annotated[int, msgspec.Meta(ge=4)], ...] = (8, 4, 4)
    hands: Annotated[int, msgspec.Meta(ge=0)] = 10_000_000
    seed: Annotated[int, msgspec.Meta(ge=0)] = 1


class TrainingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training run: a game, its abstraction, an algorithm, and when to stop.

    Attributes:
        name: name of the strategy and of its folder.
        game: a game that ships, or a ``.game`` file relative to the config.
        algorithm: a name of `schedule.Algorithm` (full-width, small games), ``linear-program`` (exact, small
            games of two players), ``mccfr`` (external sampling), ``outcome-sampling``, or ``pcs`` (public chance
            sampling; two players). ``dcfr`` is that of the paper, with γ = 2.
        parameters: parameters of the algorithm, named as in `schedule.Algorithm` or in `SAMPLING`; one of
            another algorithm is refused.
        warm_start: a coarser solution that an algorithm which samples starts from.
        iterations: sweeps of the whole game, or deals or boards that every player traverses; 1 for linear-program.
        cards: the hands that a strategy tells apart.
        menu: the raises that it keeps; needed for no-limit games.
        seed: fixes the deals, boards and draws of the algorithms that sample.
        threads: threads of the algorithms that sample. One is bit-exact for a seed, several are not.
        period: iterations between two discounts of an algorithm that samples: after the n-th, all sums are multiplied by
            n / (n + 1), which weighs iterations linearly; pcs raises that to the powers among its parameters.
        periods: number of these discounts.
        bits: 8 or 16 per stored probability.
        checkpoint_seconds: seconds between two checkpoints, the most work that a power cut may cost.
        measure: how the exploitability is followed on the way; small games are always measured.
        snapshots: minutes of training after which a strategy is written on the way, as NAME.15m; ``doubling``: after
            1, 2, 4, ….
        parameters: not {}, which checkpoints' marks would show.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    game: str
    algorithm: Literal[Name, "linear-program", "mccfr", "outcome-sampling", "pcs"]
    iterations: Positive
    cards: CardConfig = Lossless()
    menu: BetMenu | None = None
    seed: int = 0
    threads: Threads = 1
    period: Annotated[int, msgspec.Meta(ge=0)] = 0
    periods: Annotated[int, msgspec.Meta(ge=0)] = 0
    bits: Literal[8, 16] = 16
    checkpoint_seconds: Annotated[float, msgspec.Meta(gt=0)] = 120.0
    parameters: Parameters | UnsetType = UNSET
    warm_start: WarmStart | UnsetType = UNSET
    measure: Measure | UnsetType = UNSET
    snapshots: Literal["doubling"] | tuple[Annotated[float, msgspec.Meta(gt=0)], ...] | UnsetType = UNSET

    @property
    def sampling(self) -> Sampling | None:
        """The parameters of an algorithm that samples, else None. Raises `Misfit` for one that it cannot have."""
        sampling_type = SAMPLING.get(self.algorithm)
        if sampling_type is None:
            return None
        parameters = self.parameters or {}
        check_parameters(self.algorithm, parameters, sampling_type.__struct_fields__)
        return fit(parameters, sampling_type)

    @property
    def minimiser(self) -> Algorithm | None:
        """The full-width regret minimiser, None for other algorithms. Raises `ValueError` for an impossible parameter."""
        parameters = self.parameters or {}
        if self.algorithm in SAMPLING or self.algorithm == "linear-program":
            return None
        papers = {"gamma": 2.0} if self.algorithm == "dcfr" else {}
        return algorithm_of(algorithm_with(self.algorithm, {**papers, **parameters}))

    @property
    def algorithm_text(self) -> str:
        """Name, parameters and warm start, for strategy files: ``cgh (constant = 0)``."""
        facts = dict(self.parameters or {})
        if self.warm_start:
            facts |= {"from": self.warm_start.strategy, "weight": self.warm_start.weight}
        listed = ", ".join(f"{key} = {value}" for key, value in facts.items())
        return f"{self.algorithm} ({listed})" if listed else self.algorithm


def load_training(name_or_path: str) -> tuple[TrainingConfig, GameDef]:
    """Read a training config and its game. Raises `ConfigError` naming the line for what cannot be trained."""
    path = find_config("training", name_or_path)
    document = Document.read(path)
    config = document.decode(TrainingConfig)
    game = load_game(config.game, path.parent)
    try:
        _check_menu(config, game)
        if config.algorithm != "pcs" and config.period % BATCH:
            better = max(BATCH, round(config.period / BATCH) * BATCH)
            raise Misfit(f"{config.period} is not a multiple of {BATCH}; write {better}", ("period",))
        _check_algorithm(config, game)
        if config.measure and not isinstance(config.cards, Lossless) and game.num_players == 2:
            with under("measure", "deals"):
                deals_taken(game, config.measure.deals)
    except Misfit as misfit:
        raise document.error(misfit.keys, str(misfit)) from None
    return config, game


def _check_menu(config: TrainingConfig, game: GameDef) -> None:
    if game.num_draws:
        raise Misfit(
            "has draws, which none of the algorithms here can deal; players call, raise and random play it", ("game",)
        )
    with under("game"):
        require_all_cards(game)
        require_no_antes(game)
    if game.no_limit and config.menu is None:
        raise Misfit(
            "missing; a no-limit game needs bets, as in 'menu: {sizes: [[[0.5, 1.0], [1.0]]]}' for half the pot and the pot",
            ("menu",),
        )
    if config.menu is not None and game.no_limit == (config.menu.sizes is None):
        sizes = "has sizes; a limit game has one, leave them out"
        raise Misfit("has no sizes; a no-limit game needs them" if game.no_limit else sizes, ("menu",))


def _check_algorithm(config: TrainingConfig, game: GameDef) -> None:
    algorithm = config.algorithm
    if not isinstance(config.cards, Lossless):
        if not is_holdem(game, whole=True):
            raise Misfit("these buckets are for hold'em; use lossless here", ("cards", "kind"))
        if algorithm not in SAMPLING:
            raise Misfit(f"{algorithm} enumerates all deals; hold'em needs mccfr or pcs", ("algorithm",))
    if algorithm == "pcs" and (game.num_players != 2 or game.num_hole_cards > 2):
        raise Misfit("pcs is for two players with one or two cards each; use mccfr here", ("algorithm",))
    if algorithm == "linear-program":
        if game.num_players != 2:
            raise Misfit("linear-program is for two players; use cfr+ here", ("algorithm",))
        if config.iterations != 1:
            raise Misfit("linear-program solves the whole game at once; write 1", ("iterations",))
        if config.parameters:
            raise Misfit("linear-program has none; leave them out", ("parameters",))
    with under("parameters"):
        _ = config.sampling, config.minimiser
    if config.warm_start and algorithm not in SAMPLING:
        raise Misfit(f"{algorithm} starts from nothing; warm_start is for algorithms that sample", ("warm_start",))
    if config.warm_start:
        with under("warm_start", "strategy"):
            find_strategy(config.warm_start.strategy, Path())
    if algorithm == "pcs" and config.warm_start and config.warm_start.weight >= config.iterations:
        boards = f"{config.warm_start.weight:,.0f}"
        raise Misfit(f"the run counts on from the {boards} boards of warm_start; write more than that", ("iterations",))
