"""How is the hand in play followed, and a subgame of it solved while the clock runs?"""
