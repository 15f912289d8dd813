"""Write hands as a log of ACPC dealers.

Where a hand's game is not one that ships by the name in the log's header, as where stacks differ from hand to hand, a comment
before it holds the definition on one line: ``# GAMEDEF; nolimit; numPlayers = 2; …``. Our reader takes it; others skip comments.
"""

import re
from functools import cache

from limpet.configs.loading import load_game, shipped_names
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import Unsupported
from limpet.protocol.matchlog import HandRecord, Header

_BREAKS_LINES = re.compile(r"[|\n\r]| # \d")


class LogWriter:
    """A log whose hands are written."""

    def __init__(self) -> None:
        self._game: GameDef | None = None
        self._match: tuple[str, Header | None] | None = None

    def hand_text(self, hand: HandRecord, match: str = "limpet", header: Header | None = None) -> str:
        """Return the lines of one hand of the match of that name. `header` is the one of the log that it was read from.

        Raises `Unsupported` for names that a log cannot hold.
        """
        if bad := next(filter(_BREAKS_LINES.search, hand.names), None):
            raise Unsupported(f"hand {hand.hand}: no log can hold the name {bad!r}; give another one with --alias")
        game, lines = hand.state.game, []
        name = shipped_file(game)
        shown = header or Header(re.sub(r"\s+", "_", match) or "limpet", name or "hand.game", 0, 0)
        if game != self._game and not (self._game is None and shown.game == name):
            lines.append(definition_comment(game))
        if (match, header) != self._match:
            lines.append(str(shown).partition("\n")[0])
        self._game, self._match = game, (match, header)
        return "\n".join([*lines, str(hand), ""])


@cache
def shipped_file(game: GameDef) -> str | None:
    """Return the file name of a game that ships, as headers write it; None for another game."""
    return next((f"{name}.game" for name in shipped_names("games") if load_game(name) == game), None)


def definition_comment(game: GameDef) -> str:
    """Return a game's definition as a comment of one line."""
    return "# " + "; ".join(str(game).splitlines())
