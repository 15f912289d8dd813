"""Which private hands share a bucket, and which hands of a street are alike?"""
