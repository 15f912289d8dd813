"""How good is a bot, measured from matches and logs?"""
