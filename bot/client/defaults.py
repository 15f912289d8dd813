"""Default values that the command line shows before anything else is loaded."""

LOG_LEVELS = ("debug", "info", "warn", "error", "critical")

TRIES = 5
"""Number of connections attempted before the first state, with pauses of 0.25, 0.5, 1 and 2 s."""
