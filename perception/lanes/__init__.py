"""Finding lane lines on the floor in camera images, and calibrating that."""
