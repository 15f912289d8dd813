"""Which betting sequences does a game have under a menu, in which orders do kernels read them, and which bet stands for a real one?"""
