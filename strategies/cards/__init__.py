"""Which private hands are there, and how do they do against each other on a board?"""
