"""The terms of a match: everything that the command line fixes before the first card, time limits and ports included."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import Header

# --- Time limits of players: per response, per hand, and over the match. All times are microseconds.

MILLI = 1_000


@dataclass(frozen=True)
class Limits:
    """Microseconds that a player may use.

    `per_hand` is an average: the budget of a match is its product with the number of hands. `version` limits the wait for
    a client's first line; the reference waits for ever.
    """

    response: int = 600_000 * MILLI
    hand: int = 600_000 * MILLI
    per_hand: int = 7_000 * MILLI
    version: int = 60_000 * MILLI


class Clocks:
    """Microseconds that each seat has used in the hand and in the match."""

    def __init__(self, limits: Limits, hands: int, seats: int) -> None:
        self.limits = limits
        self.match_limit = limits.per_hand * hands
        self.used_hand = [0] * seats
        self.used_match = [0] * seats

    def new_hand(self) -> None:
        self.used_hand = [0] * len(self.used_hand)

    def charge(self, seat: int, sent: int, received: int) -> bool:
        """Charge a seat for a line. Returns False if it is out of time. A clock that was set back charges nothing."""
        micros = received - sent
        if micros < 0:
            return True
        self.used_hand[seat] += micros
        self.used_match[seat] += micros
        limits = self.limits
        return (
            micros <= limits.response
            and self.used_hand[seat] <= limits.hand
            and self.used_match[seat] <= self.match_limit
        )

    def left(self, seat: int) -> int:
        """Return the microseconds after sending within which the seat's line must come."""
        limits = self.limits
        return min(limits.response, limits.hand - self.used_hand[seat], self.match_limit - self.used_match[seat])


@dataclass(frozen=True)
class Terms:
    """The terms of one match. `players` are names per seat; `game_text` is the game as the command line gave it."""

    name: str
    game: GameDef
    game_text: str
    hands: int
    seed: int
    players: tuple[str, ...]
    fixed_button: bool = False
    limits: Limits = field(default_factory=Limits)

    @property
    def header(self) -> Header:
        """The log's header, with limits in milliseconds, truncated as at the reference."""
        limits = (self.limits.response, self.limits.hand, self.limits.per_hand)
        return Header(self.name, self.game_text, self.hands, self.seed, *(limit // MILLI for limit in limits))


# --- The ports to listen on: those of the command line, or those that the reference dealer picks for the same seed.

PORT_ATTEMPTS = 100
"""Number of ports tried for one seat before giving up. The reference tries 10."""


def parse_ports(text: str) -> tuple[int, ...]:
    """Read the ports of ``-p``, separated by commas, 0 for any. Raises `ValueError`."""
    try:
        ports = tuple(int(part) for part in text.split(","))
    except ValueError:
        ports = (-1,)
    if not all(0 <= port < 65_536 for port in ports):
        raise ValueError(f"bad port string {text}; write ports separated by commas, such as 20000,20001")
    return ports


def seeded_ports(seed: int) -> Iterator[int]:
    """Yield ports from 1024 to 65535 as the reference draws them after ``srandom(seed)``."""
    for number in glibc_random(seed):
        yield number % 64_512 + 1_024


def glibc_random(seed: int) -> Iterator[int]:
    """Yield the numbers of the C library's ``random()`` after ``srandom(seed)``, 31 bits each.

    It is an additive feedback generator of degree 31 with separation 3, filled by a Lehmer generator and run dry 310
    times. glibc computes the fill with signed 32-bit seeds and takes 1 for 0.
    """
    word = (seed & 0xFFFFFFFF) or 1
    word -= (word & 0x80000000) << 1
    state = [word]
    for _ in range(30):
        # Schrage's method, with C's division towards zero; a negative result wraps to the modulus.
        high = int(word / 127_773)
        word = 16_807 * (word - high * 127_773) - 2_836 * high
        if word < 0:
            word += 2_147_483_647
        state.append(word)
    latest = deque(state[3:] + state[:3], maxlen=31)  # the oldest word is the first
    for drawn in count():
        latest.append((latest[0] + latest[-3]) & 0xFFFFFFFF)
        if drawn >= 310:
            yield latest[-1] >> 1
