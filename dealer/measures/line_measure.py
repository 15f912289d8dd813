"""Measures by samples of lines (`line_play.line_set`), shared over processes or a cluster, each sample a line of a file.

A sample is fixed by the seed and its number, wherever and in whatever order samples are taken. So a measure goes on where it
stopped, and has the same result on any number of processes, but for rounding.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.cluster import by_cluster, open_cluster
from limpet.common.folders import MeasureFile
from limpet.common.statistics import Interval, estimate
from limpet.common.workers import Report, by_processes
from limpet.configs.loading import ConfigError, mistakes
from limpet.dealer.matches.results import half_width
from limpet.dealer.measures.learnt_response import ROUNDS, LearntValues, learn_set, learnt_hands
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.botconfig import Bot, load_bot
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.cards.handspace import is_heads_up_holdem
from limpet.strategies.holdem.measures import line_play
from limpet.strategies.holdem.measures.full_ranges import build_without_clock
from limpet.strategies.players.lbr import LocalBestResponse, Sizes, Start
from limpet.strategies.players.resolve import Resolve

MBB = 1000.0
NARROW = 50.0
"""Half the width in mbb/g of the interval whose cost is reported."""
_ORDER = (*line_play.POTS, line_play.OVER, *(name for _, name in line_play.DEPTHS))
DEALING = 2
"""How samples draw cards. In 1 a street had the suit of the one before too often: its numbers go with none of this."""
DIFFERS = "the bot, or its strategy, is another one; put there what is here"
FIRST_LEARNT = 1 << 31
"""Number of the first sample that a response learns from: none of those that measure it."""

Sample = TypeVar("Sample")
Measure = Literal["lbr", "gain"]


class LineTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms that must be the same for a measure to go on, with the bot's fingerprint; the first line of its file.

    `sizes` and `before` are the local best response's raises, and what it does before it starts; `learn` is the number of
    sets that it learns from first. `dealing` says how cards are drawn, see `DEALING`; it is 1 in files that do not say it.
    """

    measure: Measure
    bot: str
    start: Start
    seed: int
    iterations: int | None = None
    sizes: Sizes = "fcpa"
    before: line_play.Before = "call"
    dealing: int = 1
    learn: int = 0


class MeasuredLine(msgspec.Struct, frozen=True):
    """One sample (`LineSet`) in both positions, with the processor time that it took; a line of the file.

    Attributes:
        won: big blinds won in each position.
        come: share of the hands that come to flop, turn and river.
        kinds: kind of pot, depth, and big blinds won there.
        streets: big blinds by street, see `LinePlay.street_wins`; empty in older files.
    """

    number: int
    won: tuple[float, float]
    come: tuple[float, float, float]
    kinds: tuple[tuple[str, str, float], ...]
    seconds: float
    streets: tuple[float, ...] = ()


class MeasureOrder(NamedTuple):
    """A measure as it is sent to other processes, which find the bot's config at the same path.

    `learnt` has the sums of a response that learns as bytes of float64, see `LearntValues`; it is empty for another.
    """

    bot: str
    game: GameDef
    terms: LineTerms
    learnt: bytes = b""


class LearntRound(msgspec.Struct, frozen=True):
    """Sums (`LearntValues`) of one round of learning, as bytes of float64; a line of the file."""

    sums: bytes


class LearntSet(NamedTuple):
    """Sums (`LearntValues`) of one sample, as bytes of float64."""

    number: int
    sums: bytes


class PartWon(msgspec.Struct, frozen=True):
    """The part of a result that comes from one kind of spot."""

    kind: str
    mbb_per_game: float
    interval_95: Interval


def line_terms(
    bot: Bot, command: str, measure: Measure, start: Start, seed: int, iterations: int | None = None,
    sizes: Sizes = "fcpa", before: line_play.Before = "call", learn: int = 0,
) -> LineTerms:  # fmt: skip
    """Return the terms of a measure that begins now.

    Raises `ConfigError` for a game or a bot that cannot be measured by full ranges; its remedy is to change the `command`.
    """
    if not is_heads_up_holdem(bot.game, whole=True):
        raise ConfigError(f"{bot.path}: full ranges play heads-up hold'em, not {bot.config.game}; {command}")
    strategy = bot.build()
    if strategy.learns:
        raise ConfigError(
            f"{bot.path}: {bot.name} learns from hand to hand, and full ranges deal hands that nobody finishes; {command}"
        )
    return LineTerms(measure, bot.fingerprint(strategy), start, seed, iterations, sizes, before, DEALING, learn)


def fingerprint_of(order: MeasureOrder) -> str:
    """Return the fingerprint of the order's bot as this process finds it. Raises `ConfigError`."""
    return load_bot(order.bot, order.game).fingerprint()


@lru_cache(maxsize=1)
def _opened(order: MeasureOrder) -> tuple[LocalBestResponse | None, Strategy]:
    """Return the local best response to an order's bot, None for a gain, and the bot; once in each process."""
    bot, terms = load_bot(order.bot, order.game), order.terms
    with mistakes():
        strategy = build_without_clock(bot, terms.iterations)
        strategy.warm_up()
        if isinstance(strategy, Resolve):
            strategy.resolver.whole = False  # a set asks about hundreds of lines
        if terms.measure == "gain":
            return None, strategy
        options = LocalBestResponse.Options(opponent=order.bot, sizes=terms.sizes, start=terms.start)
        return LocalBestResponse(bot.game, options, bot.path.parent), strategy


def _start_hands(order: MeasureOrder) -> tuple[line_play.StartHands, Strategy]:
    """Return how the hands of an order begin, and its bot."""
    player, strategy = _opened(order._replace(learnt=b""))
    if player is None:
        assert isinstance(strategy, Resolve)
        return line_play.gain_hands(strategy, STREETS.index(order.terms.start)), strategy
    if order.learnt:
        return learnt_hands(player, strategy, _sums(player, order.learnt)), strategy
    return line_play.lbr_hands(player, strategy, order.terms.before), strategy


def _sums(player: LocalBestResponse, learnt: bytes) -> NDArray[np.float64]:
    """Return the sums of a response, which are 0 before it has learnt anything."""
    shape = LearntValues.shape(player)
    return np.frombuffer(learnt).reshape(shape) if learnt else np.zeros(shape)


def measure_one(order: MeasureOrder, number: int) -> MeasuredLine:
    """Return one sample of an order."""
    start_hands, strategy = _start_hands(order)
    began = time.process_time()
    sample = line_play.line_set(start_hands, strategy, order.terms.seed, number, STREETS.index(order.terms.start))
    kinds = tuple((kind.pot, kind.depth, won) for kind, won in sample.kinds.items())
    first, second, third = sample.come
    seconds = round(time.process_time() - began, 4)
    return MeasuredLine(number, sample.won, (first, second, third), kinds, seconds, sample.streets)


def learn_one(order: MeasureOrder, number: int) -> LearntSet:
    """Return what one sample of an order adds to what its response has learnt."""
    player, strategy = _opened(order._replace(learnt=b""))
    assert player is not None
    known = _sums(player, order.learnt)
    return LearntSet(number, learn_set(player, strategy, known, order.terms.seed, FIRST_LEARNT + number).tobytes())


Shared = Callable[[Callable[[MeasureOrder, int], Any], MeasureOrder, Sequence[int]], Iterator[Any]]
"""Yields what a function makes of an order and each number, in the order in which processes or workers finish."""


def measured(
    bot: Bot, terms: LineTerms, sets: int, report: Report, path: Path | None = None, jobs: int = 1,
    cluster: str | None = None, notice: Callable[[str], None] = lambda line: None,
) -> list[MeasuredLine]:  # fmt: skip
    """Return samples 0 to `sets`: those in the file at `path`, and the others taken now.

    Solves of a bot that thinks end by iterations and target; its bank and seconds are left aside.

    Args:
        report: called with how many samples there are, and of how many; those that a response learns from count as well.
        path: where samples are kept, and beside them what a response learnt; None keeps none.
        jobs: number of processes.
        cluster: address of a dask scheduler whose workers take the samples in place of processes here.
        notice: called with lines about workers of a cluster.

    Raises `ConfigError` for a file of other terms, and for a cluster that cannot be used.
    """
    kept = MeasureFile(path, terms, MeasuredLine)
    samples = {dealt.number: dealt for dealt in kept.found}
    missing = [number for number in range(sets) if number not in samples]
    order = MeasureOrder(str(bot.path.resolve()), bot.game, terms)
    shared = partial(_by_workers, jobs=jobs, cluster=cluster, notice=notice)
    first, total = sets - len(missing), sets
    if terms.learn and missing:
        first, total = first + terms.learn, total + terms.learn
        file = None if path is None else path.with_suffix(".learnt")
        order = order._replace(learnt=_learnt(order, file, shared, lambda done, _: report(done, total)))
    report(first, total)
    for done, dealt in enumerate(shared(measure_one, order, missing), first + 1):
        kept.add(dealt)
        samples[dealt.number] = dealt
        report(done, total)
    return [samples[number] for number in range(sets)]


def _learnt(order: MeasureOrder, path: Path | None, shared: Shared, report: Report) -> bytes:
    """Return what the response of an order has learnt after all rounds: those in the file at `path`, and the others."""
    kept = MeasureFile(path, order.terms, LearntRound)
    ends = [order.terms.learn * round_ // ROUNDS for round_ in range(ROUNDS + 1)]
    for numbers in [range(*each) for each in pairwise(ends)][len(kept.found) :]:
        report(numbers.start, order.terms.learn)
        known = order._replace(learnt=_added(each.sums for each in kept.found))
        sets: dict[int, bytes] = {}
        for learnt in shared(learn_one, known, numbers):
            sets[learnt.number] = learnt.sums
            report(numbers.start + len(sets), order.terms.learn)
        kept.add(LearntRound(_added(sets[number] for number in numbers)))
    return _added(each.sums for each in kept.found)


def _added(learnt: Iterable[bytes]) -> bytes:
    """Return the sum of arrays of float64, all as bytes; none for no array."""
    arrays = [np.frombuffer(each) for each in learnt if each]  # a round of no sets has added nothing
    return bytes(np.sum(arrays, axis=0)) if arrays else b""


def _by_workers(
    work: Callable[[MeasureOrder, int], Sample], order: MeasureOrder, numbers: Sequence[int], jobs: int,
    cluster: str | None, notice: Callable[[str], None],
) -> Iterator[Sample]:  # fmt: skip
    jobs = min(jobs, len(numbers))
    if not numbers:
        return
    if cluster is not None:
        with mistakes(), open_cluster(cluster, jobs) as client:
            yield from by_cluster(client, work, order, numbers, fingerprint_of, order.terms.bot, DIFFERS, notice)
    elif jobs > 1:
        yield from by_processes(partial(work, order), numbers, jobs)
    else:
        yield from map(partial(work, order), numbers)


def wins(dealt: Sequence[MeasuredLine]) -> list[float]:
    """Return each sample's mbb/g, mean of both positions."""
    return [sum(each.won) / 2 * MBB for each in dealt]


def parts_won(dealt: Sequence[MeasuredLine]) -> list[PartWon]:
    """Return what comes from each kind of pot, then from each depth, then from each street; each adds up to the whole.

    Streets are left out where samples of an older file lack them.
    """
    parts = []
    for by_pot in (True, False):
        samples = [[(pot if by_pot else depth, won) for pot, depth, won in each.kinds] for each in dealt]
        for name in sorted({name for sample in samples for name, _ in sample}, key=_ORDER.index):
            mean = estimate([sum(won for kind, won in sample if kind == name) * MBB for sample in samples])
            parts.append(PartWon(name, mean.mean, mean.interval))
    for street, name in enumerate(STREETS if all(each.streets for each in dealt) else ()):
        mean = estimate([each.streets[street] * MBB for each in dealt])
        parts.append(PartWon(name, mean.mean, mean.interval))
    return parts


def hours_to_narrow(dealt: Sequence[MeasuredLine], interval: Interval) -> float | None:
    """Return the hours of processor time after which the interval would be `NARROW` to each side; None if unknown."""
    half = half_width(interval)
    return None if half is None else sum(each.seconds for each in dealt) / 3600 * (half / NARROW) ** 2
