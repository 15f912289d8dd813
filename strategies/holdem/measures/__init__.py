"""How do strategies play each other, in compiled code and by full ranges, and what does a best response win?"""
