"""Wolf and rabbit, the game of the Wolf and Rabbit report."""
