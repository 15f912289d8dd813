"""Which five-card hands are there, how strong are they, and what may they become by a draw?"""
