"""How do a bot's ranges, solves and strategies become values that a page draws?"""
