"""What do all solvers share?"""
