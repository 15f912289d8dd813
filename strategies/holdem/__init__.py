"""Strategies for games with a board: files, training, spots, solving in play, and measures of them."""
