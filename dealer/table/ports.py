"""The ports to listen on: those of the command line, or those that the reference dealer picks for the same seed."""

from collections import deque
from collections.abc import Iterator
from itertools import count

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
