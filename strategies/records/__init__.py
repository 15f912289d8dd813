"""Which rows did a player play by, and what did it think?"""
