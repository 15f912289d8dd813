"""What does a YAML file say, and what is wrong with one that does not fit?"""
