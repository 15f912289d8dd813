"""Matches, tournaments and evaluations as pages."""
