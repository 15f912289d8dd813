"""Hand buckets, bet menus and action translation."""
