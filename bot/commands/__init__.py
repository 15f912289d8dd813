"""What do all commands share, and which look after configs and the installation?"""
