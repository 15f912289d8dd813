"""How does a player of recorded hands play?"""
