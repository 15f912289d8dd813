"""What is a stack worth in prize money, and which hands go all-in when stacks are short?"""
