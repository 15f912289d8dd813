"""How do many bots play each other, and who wins tournaments and prizes?"""
