"""Everything that can choose an action, and everything needed to compute it."""
