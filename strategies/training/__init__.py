"""Training runs: config in, strategy folder out, on one machine or several."""
