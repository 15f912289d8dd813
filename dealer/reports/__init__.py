"""How are logs and results read, summed up and shown?"""
