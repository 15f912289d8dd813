"""How does a result become a page?"""
