"""Tag: a game for two robots, in a package of its own."""
