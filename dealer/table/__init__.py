"""How is one match dealt to players, from the pure table to its TCP edge?"""
