"""How are matches dealt, played, kept and measured?"""
