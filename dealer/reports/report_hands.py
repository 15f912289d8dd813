"""The largest pots as blocks of a report: a table that leads to the replay of each hand."""

from collections.abc import Iterator, Mapping, Sequence

from limpet.dealer.logs.log_replay import parts
from limpet.dealer.logs.log_stream import HandReader
from limpet.dealer.logs.log_summary import LargePot
from limpet.dealer.reports.report_document import Block, Heading, Link, Sheet, Verbatim
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import chips_text


def largest_pots(
    pots: Sequence[LargePot], game: GameDef, level: int, prefix: str, places: Mapping[str, str]
) -> Iterator[Block]:
    """Yield the table, then the hands under headings of the next level.

    places: what the page calls each log file, by its path.
    """
    reader = HandReader(game)
    hands: list[HandRecord] = []
    for pot in pots:
        hand = reader.read(pot.text, f"{pot.file}:{pot.line}")
        assert isinstance(hand, HandRecord)
        hands.append(hand)
    if not hands:
        return
    yield Heading(level, "Largest pots", f"{prefix}pots")
    rows = []
    for number, (pot, hand) in enumerate(zip(pots, hands, strict=True), 1):
        won = ", ".join(
            f"{name} {'+' if value > 0 else ''}{chips_text(value)}"
            for name, value in zip(hand.names, hand.values, strict=True)
        )
        row = (f"hand {pot.hand}", f"{pot.pot:,.1f}", won, hand.state.betting, f"{places[pot.file]}:{pot.line}")
        rows.append((Link(row[0], f"{prefix}pot-{number}"), *row[1:]))
    yield Sheet(("hand", "pot (bb)", "chips won", "betting", "log"), tuple(rows))
    for number, (pot, hand) in enumerate(zip(pots, hands, strict=True), 1):
        title = f"Hand {pot.hand} of {places[pot.file]}, {pot.pot:,.1f} bb"
        yield Heading(level + 1, title, f"{prefix}pot-{number}")
        yield Verbatim(tuple(line for part in parts(hand) for line in part))
