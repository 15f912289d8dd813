"""How do many bots play each other, and who is best?"""
