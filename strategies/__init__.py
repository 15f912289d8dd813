"""Which subject does a strategy belong to, and how is it trained, checked and valued there?"""
