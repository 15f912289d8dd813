"""Which betting sequences does a game have under a menu, and in which orders are they laid out for kernels?"""
