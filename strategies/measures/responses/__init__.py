"""What does a best response win from a strategy?"""
