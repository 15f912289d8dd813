"""Limits of a player in a match: time at the table, processor time, memory, and output."""

from typing import Annotated

import msgspec

Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e7)]


class PlayerLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of each player of a match over TCP, the competition's by default. A player that breaks one ends the match.

    Attributes:
        start_seconds: time to load and connect.
        response_seconds: time for one response.
        hand_seconds: time in one hand.
        per_hand_seconds: time for an average hand of the match.
        cpu_seconds: processor time in one seating, of each process of the player.
        memory_mb: address space in 10^6 bytes, of each process of the player.
        output_mb: 10^6 bytes on standard output, and as many on standard error.
    """

    start_seconds: Seconds = 600
    response_seconds: Seconds = 600
    hand_seconds: Seconds = 600
    per_hand_seconds: Seconds = 7
    cpu_seconds: Annotated[int, msgspec.Meta(ge=1, le=10**9)] | None = None
    memory_mb: Annotated[int, msgspec.Meta(ge=1, le=10**9)] | None = None
    output_mb: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 1000

    def dealer_options(self) -> list[str]:
        """Return the options of ``limpet dealer`` for the times."""
        times = {
            "--t_response": self.response_seconds,
            "--t_hand": self.hand_seconds,
            "--t_per_hand": self.per_hand_seconds,
            "--start_timeout": self.start_seconds,
        }
        return [word for option, seconds in times.items() for word in (option, str(max(1, round(seconds * 1000))))]


COMPETITION = PlayerLimits()
"""Limits of the competition: ten minutes for a response, seven seconds for an average hand."""
