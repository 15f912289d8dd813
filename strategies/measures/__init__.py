"""What does a strategy win or lose, computed from strategies alone?"""
