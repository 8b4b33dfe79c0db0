"""The parts of the velocity gate's process."""
