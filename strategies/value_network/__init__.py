"""What are the hands of both players worth at a public state, judged by a network?"""
