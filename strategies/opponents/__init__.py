"""How do players of rules, of profiles and of recorded hands play, and how is a deviation from the blueprint turned into chips?"""
