"""What is in a strategy file, and which row of it is played?"""
