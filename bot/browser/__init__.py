"""What does a person see and do in a browser?"""
