"""Which hands does a file hold?"""
