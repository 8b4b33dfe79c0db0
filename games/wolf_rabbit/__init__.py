"""Wolf and rabbit, the game of document 000."""
