"""How does a bot play at a dealer's table over TCP?"""
