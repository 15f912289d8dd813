"""The results of summing up logs and archives, as JSON has them."""

import msgspec

from limpet.dealer.logs.log_times import DecisionTimes


class Result(msgspec.Struct, frozen=True):
    """Chips won over some hands, and the rate in mbb/g with its interval (null where one sample leaves it open)."""

    hands: int
    chips: float
    mbb_per_game: float
    interval_95: tuple[float | None, float | None]
    samples: int  # number of different deals, which are the samples of the interval


class Part(msgspec.Struct, frozen=True):
    """The part of a player's result from hands of one kind. The parts of all kinds add up to the result."""

    name: str
    hands: int
    chips: float
    mbb_per_game: float  # chips won in these hands, divided by all hands of the player


class StreetActions(msgspec.Struct, frozen=True):
    """A player's actions on a street, as shares of its decisions there."""

    street: str
    decisions: int
    fold: float
    check: float
    call: float
    raise_: float = msgspec.field(name="raise")
    aggression: float | None  # bets and raises for each call; null where there was no call


class PlayerSummary(msgspec.Struct, frozen=True):
    """One player over all logs. Shares are from 0 to 1, null where the denominator is 0."""

    name: str
    result: Result
    positions: dict[str, Result]
    streets: tuple[Part, ...]  # parts of the result by the last street of the hand
    pots: tuple[Part, ...]  # parts of the result by the size of the pot
    vpip: float  # share of the hands in which it put chips in voluntarily in the first round
    pfr: float  # share of the hands in which it raised in the first round
    saw_second: float  # share of the hands in which it was still there in the second round
    showdown: float | None  # share of the hands with a second round that it played to a showdown
    won_at_showdown: float | None  # share of its showdowns in which it won a pot or a share of one
    actions: tuple[StreetActions, ...]
    times: DecisionTimes | None = None  # decision times, where transaction logs were given


class PotSizes(msgspec.Struct, frozen=True):
    """Sizes of pots in big blinds, without uncalled chips."""

    mean: float
    median: float
    percentile_90: float
    percentile_99: float
    largest: float


class LargePot(msgspec.Struct, frozen=True):
    """One of the largest pots, with the line of its hand."""

    pot: float  # size in big blinds
    file: str
    line: int
    hand: int
    text: str


class LogSummary(msgspec.Struct, frozen=True):
    """The result of `limpet hands summary`."""

    files: tuple[str, ...]
    matches: tuple[str, ...]  # names of the matches in the headers
    game: str  # definition of the first hand's game
    big_blind: int  # big blind of the first hand in chips. Rates count each hand's own.
    hands: int
    deals: int  # number of different deals among the hands
    sample: str  # sample of the intervals: ``hand``, or ``duplicate set``, the mean over the hands of the same deal
    players: tuple[PlayerSummary, ...]
    streets: dict[str, float]  # share of the hands that ended on each street
    pot_groups: dict[str, int]  # number of hands by the size of the pot, in the order of sizes
    showdown: float  # share of the hands that came to a showdown
    pots: PotSizes
    largest_pots: tuple[LargePot, ...]
    skipped: int  # number of hands that could not be read
    contradictory: int  # number of hands whose payoffs contradict the betting and the cards
    notes: tuple[str, ...]  # remarks on hands and lines that were left out
