"""Which commands play: matches, tournaments, tables, dealers?"""
