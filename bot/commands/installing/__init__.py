"""Which commands look after an installation?"""
