"""Which commands measure bots and read played hands?"""
