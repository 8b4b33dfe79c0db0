"""Which processes play a game, and how they are started and stopped."""
