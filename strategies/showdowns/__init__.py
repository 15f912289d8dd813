"""How often does each starting-hand class win when two or three are all-in before the flop?"""
