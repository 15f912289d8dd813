"""Which commands answer about hands, ranges, spots and prizes?"""
