"""Games, bots, matches and training runs as files, and how they are read."""
