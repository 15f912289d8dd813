"""Which decisions does a person drill, what did an answer cost, and what comes again?"""
