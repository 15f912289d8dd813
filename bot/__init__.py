"""The Twisted client, one hand's decision, and the command line."""
