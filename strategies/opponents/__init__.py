"""How do rules, profiles and simulations play, and how is a deviation from the blueprint turned into chips?"""
