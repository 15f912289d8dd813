"""What does each action win when the hand is played out by a model of its players?"""
