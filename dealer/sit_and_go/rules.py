"""The rules of a sit-and-go, without cards and players: each hand is a game of its own, and its result moves the stacks.

Seats are counted from 0 and never change; a seat without chips is out. The big blind moves to the next seat that is in, so
that everybody pays it in turn. The small blind is the seat in before it and the button the seat before that, or, with two
players, the small blind itself. After a player is out, a seat may therefore post the small blind or hold the button twice.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from limpet.dealer.sit_and_go.structure import Structure
from limpet.protocol.gamedef import GameDef
from limpet.protocol.holdem import holdem
from limpet.protocol.situation import Situation, game_of
from limpet.protocol.state import CALL, State
from limpet.strategies.sampling import mix

ROUNDS = 4


class Standing(NamedTuple):
    """A tournament between two hands."""

    hand: int  # number of hands that have been played
    stacks: tuple[int, ...]  # chips per seat; 0 for a seat that is out
    big_blind: int  # seat that posts the next big blind
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
    """The next hand of a tournament: an ordinary game between the seats that are in."""

    game: GameDef  # game with a stack and a blind for each position, whose comments hold the situation
    seats: tuple[int, ...]  # seat at each position
    situation: Situation


def begin(structure: Structure, players: int, seed: int, number: int) -> Standing:
    """Return a tournament before its first hand. `seed` and its `number` draw the seat of the first big blind."""
    return Standing(0, (structure.start_stack,) * players, mix(seed, number) % players, ())


def next_hand(structure: Structure, standing: Standing, number: int) -> Hand:
    """Return the next hand of tournament `number`, which must not be over. Short stacks post what they have."""
    stacks, live = standing.stacks, standing.live
    chips = sum(stacks)
    blinds = structure.blinds(standing.hand, chips)
    at = live.index(standing.big_blind)
    if len(live) > 2:
        at = (at - 1) % len(live)
    seats = live[at:] + live[:at]
    prizes = structure.prizes(len(stacks))
    situation = Situation(number, standing.hand, blinds.level, *blinds[1:], stacks, seats, prizes)
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


def settle(standing: Standing, hand: Hand, won: Sequence[int]) -> Standing:
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
    return Standing(standing.hand + 1, tuple(stacks), following, standing.out + groups)


def places(standing: Standing) -> tuple[tuple[int, int] | None, ...]:
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


def prizes(standing: Standing, payouts: Sequence[float]) -> tuple[float, ...]:
    """Return the prize of each seat, 0 for those that are in. Seats that share places share their prizes evenly."""
    return tuple(
        0.0 if place is None else sum(payouts[place[0] - 1 : place[1]]) / (place[1] - place[0] + 1)
        for place in places(standing)
    )


def net_chips(spent: Sequence[int], folded: int, ranks: Sequence[int] | Mapping[int, int]) -> tuple[int, ...]:
    """Return net chips per position in whole chips. `ranks` are by position; the higher one wins.

    Ranks of positions that have folded are not looked at, and none at all when all but one have folded.
    A side pot ends at each total of a player who has not folded. Chips that do not divide evenly go one each to the
    winners from position 0 on, the first seat left of the button.
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
