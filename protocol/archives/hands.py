"""The hands of archives, whatever their format."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from limpet.protocol.archives.blocks import Blocks
from limpet.protocol.archives.pokerstars_grammar import BEGINNING
from limpet.protocol.archives.read_pokerstars import read_hand
from limpet.protocol.archives.skipped import BadHand, Skip, Skipped
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord


def read_hands(
    paths: Iterable[Path],
    *,
    game: GameDef | None = None,
    aliases: Mapping[str, str] = {},
    skipped: Skipped | None = None,
) -> Iterator[HandRecord]:
    """Yield the hands of files, one after another. Memory does not grow with the files.

    Args:
        paths: files in PokerStars' format, plain or packed as .gz, .bz2 or .xz.
        game: definition for files that do not tell theirs.
        aliases: new names of players by the names in the files.
        skipped: a list, say, to which a `Skip` is appended for each hand that cannot be read. Without it such a hand raises.

    Raises:
        ProtocolError: for a file that cannot be read, and for a hand that cannot be read if `skipped` is None.
    """
    for path in paths:
        for line, text in Blocks(path, BEGINNING):
            try:
                hand = read_hand(text, game)
            except BadHand as error:
                skip = Skip(path, line + error.line, str(error))
                if skipped is None:
                    raise ProtocolError(str(skip)) from error
                skipped.append(skip)
                continue
            yield renamed(hand, aliases) if aliases else hand


def renamed(hand: HandRecord, aliases: Mapping[str, str]) -> HandRecord:
    """Return a hand with the players' names replaced where `aliases` has another one."""
    return hand._replace(names=tuple(aliases.get(name, name) for name in hand.names))
