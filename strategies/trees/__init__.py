"""Which bets does an abstract game keep, and what does its public betting tree look like?"""
