"""What do two strategies win from each other?"""
