"""Nav2 as the navigator of a tree: a client of its action."""
