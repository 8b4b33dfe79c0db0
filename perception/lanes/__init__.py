"""Lane lines on the floor, seen by a camera."""
