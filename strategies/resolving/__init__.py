"""How is a subgame of the hand in play solved again while the clock runs?"""
