"""How good is a player, measured from matches, logs and drills?"""
