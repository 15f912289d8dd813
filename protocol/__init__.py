"""The game and the language it is spoken in: pure values, no reactor, no solver."""
