"""What do all features of the page share, and how do ranges, solves and strategies become values that it draws?"""
