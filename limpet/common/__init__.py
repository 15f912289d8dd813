"""What does every room use: files kept whole, intervals, processes, compiled code?"""
