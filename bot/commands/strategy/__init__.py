"""Which commands make strategy files and look into them?"""
