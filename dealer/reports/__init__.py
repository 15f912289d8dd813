"""How are logs, results and hands of many files read, summed up, kept and shown?"""
