"""Defaults and exit statuses of the command line, which are known before anything else is loaded."""

LOG_LEVELS = ("debug", "info", "warn", "error", "critical")

TRIES = 5
"""Number of connections attempted before the first state, with pauses of 0.25, 0.5, 1 and 2 s."""

FINISHED, LOST, MISUSED = 0, 1, 2
"""Exit statuses: every match played to its end; a match lost or never begun; a command or config that is wrong."""
