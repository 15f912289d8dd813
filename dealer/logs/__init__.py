"""What do the logs of matches say?"""
