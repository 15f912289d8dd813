"""What do strategies win from each other, and a best response from a strategy?"""
