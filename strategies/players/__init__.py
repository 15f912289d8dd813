"""Which players may a config name?"""
