"""The largest numbers that configs and options of commands may hold."""

LARGEST_WHOLE = 2**63 - 1
"""Whole numbers must fit into the 64 bits that compiled code gives them."""

MOST_THREADS = 1024
"""Threads of a computation, and processes where a config says how many."""
