"""What does each pair of hands win below a leaf of a flop subgame, where the blueprint plays on?"""
