"""How does a training config become a strategy folder?"""
