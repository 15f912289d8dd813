"""Which bets and which buckets of hands does an abstract game have, and which of them stand for real ones?"""
