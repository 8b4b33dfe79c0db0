"""PacMan, the game of document 002."""
