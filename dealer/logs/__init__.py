"""How are the logs of matches read, filtered and summed up?"""
