"""Which game is played, what is legal in it, and how is it spoken and written down?"""
