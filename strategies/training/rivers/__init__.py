"""How are a trained strategy's rivers solved again, with all play before them held?"""
