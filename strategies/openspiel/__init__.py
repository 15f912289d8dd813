"""How do games, hands and strategies pass to OpenSpiel and back?"""
