"""The single-beam distance sensors."""
