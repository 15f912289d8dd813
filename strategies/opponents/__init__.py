"""How do rules and betting profiles play, and how is a deviation from the blueprint turned into chips?"""
