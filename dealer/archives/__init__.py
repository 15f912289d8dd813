"""How are hands of large and many files found, counted and kept in a database?"""
