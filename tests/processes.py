"""How tests start the command as a process of its own."""

import sys

LIMPET = (sys.executable, "-c", "from limpet.bot.cli import main; main()")
"""The beginning of a command line that starts ``limpet``."""
