"""The structure and rules of a sit-and-go, without cards and players: each hand is a game, and its result moves the stacks.

Seats are counted from 0 and never change; a seat without chips is out. The big blind moves to the next seat that is in, so
that everybody pays it in turn. The small blind is the seat in before it and the button the seat before that, or, with two
players, the small blind itself. After a player is out, a seat may therefore post the small blind or hold the button twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, NamedTuple

import msgspec

from limpet.configs.loading import Document, find_config
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.gamedef import MAX_PLAYERS, GameDef
from limpet.protocol.messages import Hole
from limpet.protocol.ranking import rank_hands
from limpet.protocol.situation import Situation, game_of, holdem
from limpet.protocol.state import CALL, State
from limpet.strategies.base.botconfig import Name
from limpet.strategies.base.sampling import mix

# --- The structure of a sit-and-go: its seats, stacks, blind levels and prizes, as a YAML file names them.

Chips = Annotated[int, msgspec.Meta(ge=0, le=MAX_CHIPS)]
MOST_CHIPS = MAX_CHIPS // 2
"""Largest sum of all stacks, in chips: every bet and pot then fits into the reference dealer's 32 bits."""


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A blind level, which lasts a number of `hands`. Amounts are chips; every player posts the ante beside the blinds."""

    hands: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    small_blind: Chips
    big_blind: Annotated[int, msgspec.Meta(ge=1, le=MAX_CHIPS)]
    ante: Chips = 0


class Blinds(NamedTuple):
    """The blinds of one hand, in chips, with the number of their level."""

    level: int
    small: int
    big: int
    ante: int


class Structure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a structure's YAML file.

    Attributes:
        seats: number of players; without it the structure takes any number from 2 to 10.
        levels: blind levels in their order. Beyond the last one blinds and antes double every so many hands.
        buy_in: price of a seat, rake included, in any unit of money.
        rake: share of all buy-ins that is not paid out.
        payouts: shares of the prizes from the first place down, in any unit, such as 50, 30, 20.
        seed: fixes all cards and who posts the first big blind.
        true_antes: whether antes are dead chips, as in a casino. Without it they are a part of each player's blind, as the
            ACPC's definitions can say it, and as programs that know no antes play it.
    """

    name: Name
    start_stack: Annotated[int, msgspec.Meta(ge=1, le=MAX_CHIPS)]
    levels: Annotated[list[Level], msgspec.Meta(min_length=1)]
    payouts: Annotated[list[Annotated[float, msgspec.Meta(gt=0)]], msgspec.Meta(min_length=1)]
    seats: Annotated[int, msgspec.Meta(ge=2, le=MAX_PLAYERS)] | None = None
    buy_in: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    rake: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 1
    true_antes: bool | msgspec.UnsetType = msgspec.UNSET

    def prizes(self, players: int) -> tuple[float, ...]:
        """Return the prizes from the first place down, one for each of so many players. They sum to the prize pool."""
        pool = players * self.buy_in * (1 - self.rake)
        shares = [*self.payouts, *[0.0] * (players - len(self.payouts))]
        return tuple(pool * share / sum(shares) for share in shares)

    def blinds(self, hand: int, chips: int) -> Blinds:
        """Return the blinds of a hand, counted from 0. Doubled blinds stop growing once they reach `chips`, all there are."""
        for number, level in enumerate(self.levels):
            if hand < level.hands:
                return Blinds(number, level.small_blind, level.big_blind, level.ante)
            hand -= level.hands
        beyond, factor = 1 + hand // level.hands, 1
        while factor * level.big_blind < chips and factor < 1 << beyond:
            factor *= 2
        return Blinds(number + beyond, *(factor * n for n in (level.small_blind, level.big_blind, level.ante)))


def load_structure(name_or_path: str, players: int | None) -> Structure:
    """Return a structure that ships, by name, or of a file, for its own seats or for `players`. Raises `ConfigError`."""
    document = Document.read(find_config("sit_and_go", name_or_path))
    structure = document.decode(Structure)
    players = players or structure.seats or MAX_PLAYERS
    if structure.seats not in (None, players):
        mismatch = f"{structure.seats} seats, and {players} players were named"
        raise document.error(("seats",), f"{mismatch}; name one for each seat, or another structure")
    for key, wrong in _mistakes(structure, players):
        raise document.error(key, wrong)
    return structure


def _mistakes(structure: Structure, players: int) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the keys for which a structure cannot be played by so many players, each with what is wrong."""
    levels, stack = structure.levels, structure.start_stack
    for number, (small, big) in enumerate((level.small_blind, level.big_blind) for level in levels):
        if small > big:
            yield ("levels", number, "small_blind"), f"{small} is more than the big blind of {big}; exchange them"
    for number, (before, level) in enumerate(pairwise(levels), 1):
        for name in ("small_blind", "big_blind"):
            if (blind := getattr(level, name)) < (earlier := getattr(before, name)):
                yield (
                    ("levels", number, name),
                    f"{blind} is less than the {earlier} of the level before; blinds do not fall",
                )
    if stack < (posts := levels[0].big_blind + levels[0].ante):
        least = f"the first big blind and ante take {posts}"
        yield ("start_stack",), f"{stack} chips, and {least}; write a larger stack or smaller blinds"
    if stack * players > MOST_CHIPS:
        most = f"the ACPC's 32 bits allow {MOST_CHIPS // players} for each of {players}"
        yield ("start_stack",), f"{stack} chips are too many; {most}; write a smaller stack"
    if (paid := len(structure.payouts)) > players:
        yield ("payouts",), f"{paid} prizes for {players} players; write one for each place at most"
    for place, (above, prize) in enumerate(pairwise(structure.payouts), 1):
        if prize > above:
            yield ("payouts", place), f"{prize:g} is more than the place above gets; write the largest first"


ROUNDS = 4


class TournamentState(NamedTuple):
    """A tournament between two hands: how many were played, the chips per seat, and the seat of the next big blind."""

    hand: int
    stacks: tuple[int, ...]
    big_blind: int
    out: tuple[tuple[int, ...], ...]
    """Groups of seats in the order in which they went out. The seats of a group share their places."""

    @property
    def live(self) -> tuple[int, ...]:
        """The seats that are in, in their order."""
        return tuple(seat for seat, chips in enumerate(self.stacks) if chips)

    @property
    def over(self) -> bool:
        return max(self.stacks) == sum(self.stacks)


class Hand(NamedTuple):
    """The next hand of a tournament: an ordinary game, whose comments hold the situation, between `seats` by position."""

    game: GameDef
    seats: tuple[int, ...]
    situation: Situation


def begin(structure: Structure, players: int, seed: int, number: int) -> TournamentState:
    """Return a tournament before its first hand. `seed` and its `number` draw the seat of the first big blind."""
    return TournamentState(0, (structure.start_stack,) * players, mix(seed, number) % players, ())


def next_hand(structure: Structure, standing: TournamentState, number: int) -> Hand:
    """Return the next hand of tournament `number`, which must not be over. Short stacks post what they have."""
    stacks, live = standing.stacks, standing.live
    chips = sum(stacks)
    blinds = structure.blinds(standing.hand, chips)
    at = live.index(standing.big_blind)
    if len(live) > 2:
        at = (at - 1) % len(live)
    seats = live[at:] + live[:at]
    prizes = structure.prizes(len(stacks))
    are_true = structure.true_antes is True and blinds.ante > 0
    situation = Situation(number, standing.hand, blinds.level, *blinds[1:], stacks, seats, prizes, are_true)
    return Hand(game_of(situation), seats, situation)


def sample_games(players: int, stack: int = 1500, small_blind: int = 50, big_blind: int = 100) -> list[GameDef]:
    """Return hands with uneven stacks of about `stack`, at tables of two to so many players."""
    games = []
    for seats in range(2, players + 1):
        uneven = tuple(max(stack * (2 + seat) // 5, big_blind + 1) for seat in range(seats))
        blind = (small_blind, big_blind, *[0] * seats)[:seats] if seats > 2 else (big_blind, small_blind)
        games.append(holdem(uneven, blind))
    return games


def start(game: GameDef) -> State:
    """Return the first state of a hand, finished where nobody has a decision: the hand is then a showdown at once.

    Nobody has a decision where the blinds put all players in, or all but one who has nothing to call. An ACPC dealer
    cannot deal such a hand in the first case, and would ask for an empty call in the second.
    """
    able = [position for position, posted in enumerate(game.blind) if posted < game.stack[position]]
    if not able:
        # Two chips behind let the ordinary rules make the state, in which nobody then acts.
        roomy = State.start(holdem(tuple(chips + 2 for chips in game.stack), game.blind))
        skipped = "/" * (ROUNDS - 1)
        return roomy._replace(game=game, actor=-1, round=ROUNDS - 1, betting=skipped)
    state = State.start(game)
    return state.apply(CALL) if len(able) == 1 and not state.can_fold else state


def settle(standing: TournamentState, hand: Hand, won: Sequence[int]) -> TournamentState:
    """Return the tournament after a hand. `won` are net chips per position, 0 in all.

    Seats that go out in the same hand are ranked by their stacks before it; those with equal stacks share their places.
    """
    stacks = list(standing.stacks)
    for seat, chips in zip(hand.seats, won, strict=True):
        stacks[seat] += chips
    if sum(won) or min(stacks) < 0:
        raise ValueError(f"{won} chips do not move between stacks of {hand.game.stack}")
    gone: dict[int, list[int]] = {}
    for seat in standing.live:
        if not stacks[seat]:
            gone.setdefault(standing.stacks[seat], []).append(seat)
    groups = tuple(tuple(gone[chips]) for chips in sorted(gone))
    following = standing.big_blind
    while True:
        following = (following + 1) % len(stacks)
        if stacks[following]:
            break
    return TournamentState(standing.hand + 1, tuple(stacks), following, standing.out + groups)


def places(standing: TournamentState) -> tuple[tuple[int, int] | None, ...]:
    """Return the first and the last of the places that each seat shares, counted from 1; None for a seat that is in.

    They are equal for a place of one's own. The winner of a tournament that is over has place 1.
    """
    shared_places: list[tuple[int, int] | None] = [None] * len(standing.stacks)
    last = len(standing.stacks)
    for group in standing.out:
        for seat in group:
            shared_places[seat] = (last - len(group) + 1, last)
        last -= len(group)
    if standing.over:
        shared_places[standing.live[0]] = (1, 1)
    return tuple(shared_places)


def prizes(standing: TournamentState, payouts: Sequence[float]) -> tuple[float, ...]:
    """Return the prize of each seat, 0 for those that are in. Seats that share places share their prizes evenly."""
    return tuple(
        0.0 if place is None else sum(payouts[place[0] - 1 : place[1]]) / (place[1] - place[0] + 1)
        for place in places(standing)
    )


def won_chips(state: State, holes: Sequence[Hole]) -> tuple[int, ...]:
    """Return net chips per position at the end of a hand, in whole chips as `net_chips` has them."""
    ranks = rank_hands(holes, state.board) if state.showdown else ()
    return net_chips(state.paid, state.folded, ranks)


def net_chips(spent: Sequence[int], folded: int, ranks: Sequence[int] | Mapping[int, int]) -> tuple[int, ...]:
    """Return net chips per position in whole chips. `ranks` are by position; the higher one wins.

    Ranks of positions that have folded are not looked at, and none at all when all but one have folded.
    A side pot ends at each total of a player who has not folded. Chips that do not divide evenly go one each to the
    winners from position 0 on, the first seat left of the button. True antes may stand in `spent` like a part of the bets:
    they are everybody's alike but for short stacks, which win of each other's no more than their own.
    """
    players = range(len(spent))
    showing = [p for p in players if not folded >> p & 1]
    values = [-chips for chips in spent]
    if len(showing) == 1:
        values[showing[0]] += sum(spent)
        return tuple(values)
    below = 0
    for level in sorted({spent[p] for p in showing}):
        inside = [p for p in showing if spent[p] >= level]
        pot = sum(min(chips, level) - min(chips, below) for chips in spent)
        best = max(ranks[p] for p in inside)
        winners = [p for p in inside if ranks[p] == best]
        for number, p in enumerate(winners):
            values[p] += pot // len(winners) + (number < pot % len(winners))
        below = level
    # Chips that no player who shows has matched: none in practice.
    values[winners[0]] += sum(chips - min(chips, below) for chips in spent)
    return tuple(values)
