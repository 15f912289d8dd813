"""Regret minimisers and exact best responses."""
