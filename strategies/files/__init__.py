"""The strategies that ship, a folder each."""
