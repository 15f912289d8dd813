"""How is a table played on in a browser?"""
