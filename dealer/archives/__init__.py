"""How are the hands of many files kept in one database, and found and counted there?"""
