"""The table that all results share: bots or measures by name, each with a value, its 95 % interval and its unit.

Matches, tournaments and sit-and-goes end in a `Result`, which is written, read back and made records of here.
"""

from collections.abc import Mapping
from contextlib import suppress
from math import isclose, isfinite
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import msgspec

from limpet.common.statistics import Interval
from limpet.configs.loading import ConfigError
from limpet.dealer.table.files import write_json

RECORD_NAMES = {"mbb/g": "mbb_per_game", "ROI %": "roi_percent"}
"""Names of values in records, by unit."""


def half_width(interval: Interval | None) -> float | None:
    """Return half the width of an interval, None where it is open."""
    low, high = interval or (None, None)
    return None if low is None or high is None else (high - low) / 2


def half_text(half: float | None, form: str = ",.1f") -> str:
    """Return half the width of an interval as tables show it, a question mark where it is open."""
    return f"{half:{form}}" if half is not None and isfinite(half) else "?"


def interval_text(interval: Interval | None, form: str = "+,.1f") -> str:
    """Return an interval as tables show it, its ends in a form."""
    low, high = interval or (None, None)
    return "-" if low is None or high is None else f"{low:{form}} … {high:{form}}"


def interval_around(mean: float, half: float | None) -> Interval:
    """Return the interval of which half the width is known, open where it is not."""
    return (None, None) if half is None else (mean - half, mean + half)


class ResultRow(NamedTuple):
    """One line of a result: the bot, or what was measured, its value and the chips that it won, where it plays for chips.

    Attributes:
        interval: 95 % interval of `value`, of no width where the value is exact.
        facts: what a record has behind the value, by name.
        shown: the value as charts and tables write it, where that is not the usual form.
    """

    name: str
    value: float
    interval: Interval = (None, None)
    unit: str = "mbb/g"
    chips: float | None = None
    facts: Mapping[str, Any] = {}
    shown: str = ""

    @property
    def text(self) -> str:
        """The value with half of its interval, or with the whole where the value is not its middle."""
        half, (low, high) = half_width(self.interval), self.interval
        if self.shown or not half or low is None or high is None:
            return self.shown or f"{self.value:+,.1f}"
        is_middle = isclose(self.value - low, half, rel_tol=1e-6)
        return f"{self.value:+,.1f}" + (f" ± {half:,.1f}" if is_middle else f" ({interval_text(self.interval)})")


class Result(msgspec.Struct, frozen=True):
    """The result of a match or of tournaments. The fields are those of the JSON file `FILE` in the folder."""

    FILE: ClassVar[str]

    @property
    def rows(self) -> list[ResultRow]:
        """The bots with what they won."""
        raise NotImplementedError

    def to_records(self) -> list[dict[str, Any]]:
        """Return a row for each player as plain data, as a data frame takes it: the value with the ends of the 95 % interval."""
        records = []
        for row in self.rows:
            chips = {} if row.chips is None else {"chips": row.chips}
            ends = dict(zip(("low_95", "high_95"), row.interval, strict=True))
            records.append({"player": row.name, **chips, RECORD_NAMES[row.unit]: row.value, **ends, **row.facts})
        return records

    def write(self, folder: Path) -> None:
        """Write the file, whole or not at all."""
        write_json(folder / self.FILE, self)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read the file in a folder. Raises `ConfigError`."""
        path = folder / cls.FILE
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except OSError as error:
            raise ConfigError(f"{path}: cannot read it: {error.strerror}; play it to its end first") from error
        except msgspec.DecodeError as error:
            raise ConfigError(f"{path}: this is no result that `limpet` wrote: {error}; play it again") from error

    @classmethod
    def held(cls, folder: Path) -> Self | None:
        """Return the result in a folder; None if there is none that can be read."""
        with suppress(ConfigError):
            return cls.read(folder)
        return None


def sampled_text(samples: int, sample: str, seatings: str) -> str:
    """Return how many samples a result has, with the words for the seatings of each where there are several."""
    return f"{samples:,} {sample}{'s' if samples != 1 else ''}" + (f" of {seatings}" if seatings else "")
