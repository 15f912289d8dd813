"""How does a player of recorded hands play, and how well does a strategy predict it?"""
