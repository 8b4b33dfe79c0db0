"""Wolf and rabbit, the game of the Wolf and Rabbit report: a wolf hunts a rabbit by camera."""
