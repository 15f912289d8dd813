"""How are arrays and folders kept whole on disk, and told from others?"""
