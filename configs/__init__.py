"""Game definitions, and the YAML of bots, matches and training runs."""
