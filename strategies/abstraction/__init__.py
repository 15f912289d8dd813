"""Which private hands share a bucket?"""
