"""Which private hands share a bucket, and which abstract bet stands for a real one?"""
