"""How is a game solved, whole or one betting round of it, and what do all solvers share?"""
