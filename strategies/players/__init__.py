"""The named strategies a config may ask for."""
