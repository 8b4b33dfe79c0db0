"""Nav2 as the navigator of a tree."""
