"""How is a small game solved exactly, over all its deals?"""
