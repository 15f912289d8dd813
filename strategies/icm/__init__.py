"""What is a stack worth in prize money?"""
