"""The lines of the lane that a robot is in."""
