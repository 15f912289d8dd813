"""How is a game solved by sampling deals?"""
