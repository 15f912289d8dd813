"""Where commands print tables and pictures."""

from rich.console import Console


def standard_output(piped: int = 200) -> Console:
    """Standard output, as wide as the terminal; `piped` columns where it goes into a file or another program."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=piped)
