"""A match: every seating played by processes, in this one or compiled, and its result."""
