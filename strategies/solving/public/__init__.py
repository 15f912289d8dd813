"""How is a game solved by sampling boards, with all private hands at once?"""
