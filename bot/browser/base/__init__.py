"""What do all features of the page share?"""
