"""What can be wrong with text, and how it is told."""


class ProtocolError(ValueError):
    """Text that is not what the protocol says: a game definition, a line, an action or a log."""


class GameDefError(ProtocolError):
    """A game definition that cannot be played. The message names the file, the line and the remedy."""


class IllegalAction(ProtocolError):
    """An action the rules do not allow in this state."""
