"""What is a strategy, and how does a seat play by one?"""
