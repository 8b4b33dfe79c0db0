"""Maps of arenas: files, images, and the walls that they stand for."""
