"""The errors of texts in the protocol's formats."""


class ProtocolError(ValueError):
    """A text is not in the protocol's format: a game definition, a line, an action or a log."""


class GameDefError(ProtocolError):
    """A game definition that cannot be played. The message names the file, the line and the remedy."""


class IllegalAction(ProtocolError):
    """An action the rules do not allow in this state."""
