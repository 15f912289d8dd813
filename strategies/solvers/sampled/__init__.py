"""How is a game solved by sampling deals, or boards with all private hands at once?"""
