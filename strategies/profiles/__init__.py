"""Which action does a betting profile choose?"""
