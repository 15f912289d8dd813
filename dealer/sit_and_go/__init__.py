"""Who wins a tournament, and how much is each player's place worth?"""
