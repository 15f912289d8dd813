"""How sure is a mean?"""
