"""Spots solved: running a solve, its answer, and what is made of it: reports, pictures, files, batches."""
