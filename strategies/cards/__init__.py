"""Hand spaces, suit isomorphism, strengths and equities."""
