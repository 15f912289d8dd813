"""The largest numbers in configs and in options of commands."""

LARGEST_WHOLE = 2**63 - 1
"""The largest whole number: compiled code has 64 bits for it."""

MOST_THREADS = 1024
"""The largest number of threads of a computation, and of processes in a config."""
