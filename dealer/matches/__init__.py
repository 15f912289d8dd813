"""How are all seatings of a match played, in each way of playing?"""
