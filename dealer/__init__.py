"""Deals, keeps the clock, writes the log, plays duplicate matches, computes standings."""
