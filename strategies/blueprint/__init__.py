"""Training runs, the strategy file, and its lookup at the table."""
