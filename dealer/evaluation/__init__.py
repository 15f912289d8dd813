"""How good is a bot? What can be measured of it, and luck taken out."""
