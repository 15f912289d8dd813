"""Which hands bet, raise, call and bluff by simple rules?"""
