"""Tests that drive the page in a browser, which one fixture starts for the whole folder."""
