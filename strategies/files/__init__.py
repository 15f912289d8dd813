"""The strategies that ship, one folder each."""
