"""How does long work go on behind the page, and after its end?"""
