"""How is five-card draw played by a strategy file: first round and draw from the file, second round solved in play?"""
