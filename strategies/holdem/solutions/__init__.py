"""What is a postflop spot, and what is its answer?"""
