"""How is one betting round solved, for one pair of ranges over buckets or for many at once?"""
