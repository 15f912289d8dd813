"""How is a postflop subgame solved with exact cards?"""
