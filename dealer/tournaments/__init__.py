"""Many bots, every table: matches side by side, standings, and when to stop."""
