"""How PacMan chooses its pellets and its way."""
