"""Re-solving in play: ranges, real subgames, gadgets, time."""
