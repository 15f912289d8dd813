"""What did a player win once the luck is taken out?"""
