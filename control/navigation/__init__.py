"""Maps, free space and ways through it."""
