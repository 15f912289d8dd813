"""What a strategy is worth: duels with full ranges and best responses, on boards that are enumerated or sampled."""
