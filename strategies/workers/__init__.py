"""How is work shared out over processes and machines, and stopped?"""
