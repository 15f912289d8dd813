"""``python -m limpet.bot CONFIG HOST PORT``: the same as ``limpet play``, for start scripts."""

import sys

from limpet.bot.cli import main

if __name__ == "__main__":
    main(["play", *sys.argv[1:]], prog_name="python -m limpet.bot")
