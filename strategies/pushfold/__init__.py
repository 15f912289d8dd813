"""Which hands go all-in when stacks are short, and how far is that from an equilibrium?"""
