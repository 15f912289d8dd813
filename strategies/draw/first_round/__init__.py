"""How is the betting before a draw solved, down to the values of what follows the draw?"""
