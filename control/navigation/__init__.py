"""Maps, free space, path planning and path following."""
