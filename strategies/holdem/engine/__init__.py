"""How do strategy tables play against each other in compiled code?"""
