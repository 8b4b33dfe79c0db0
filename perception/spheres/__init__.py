"""Finding spheres in images as circles, and their direction and distance from those."""
