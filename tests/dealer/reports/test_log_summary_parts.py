"""Large archives are summed up by several processes, with the same result as by one."""

from pathlib import Path

import msgspec
import pytest

from limpet.dealer.reports import log_summary
from limpet.dealer.reports.log_results import LogSummary
from limpet.dealer.reports.log_summary import Collector
from limpet.protocol.archives.hands import PokerStarsFile
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from tests.dealer.helpers import VECTORS, load
from tests.oracles.match_log import read_log


def archive(folder: Path) -> Path:
    log = read_log((VECTORS / "holdem.nolimit.3p.seed0.log").read_text(), load("holdem.nolimit.3p"))
    table = PokerStarsTable()
    texts = [table.hand_text(hand, f"table {number // 7}") for number, hand in enumerate(log.hands)]
    texts[5] = texts[5].replace("Total pot", "Total pit")
    path = folder / "hands.txt"
    path.write_text("".join(texts))
    return path


def rounded(summary: LogSummary) -> object:
    def numbers(value: object) -> object:
        if isinstance(value, dict):
            return {key: numbers(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [numbers(inner) for inner in value]
        return round(value, 6) if isinstance(value, float) else value

    return numbers(msgspec.to_builtins(summary))


def test_parts_add_up_to_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_summary, "PIECE_CHARACTERS", 5000)
    path, aliases = archive(tmp_path), {"P2": "third"}
    whole, parts = Collector(3), Collector(3)
    whole.add(PokerStarsFile(path, None, True, aliases=aliases))
    parts.add_large(PokerStarsFile(path, None, True, aliases=aliases), aliases)
    found = whole.summary()
    assert found.skipped == 1 and found.hands == 39 and "third" in {player.name for player in found.players}
    assert rounded(parts.summary()) == rounded(found)
