"""Which commands look into strategy files?"""
