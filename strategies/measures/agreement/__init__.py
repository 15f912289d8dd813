"""How well does a strategy foretell a player's decisions?"""
