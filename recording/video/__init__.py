"""A recording as a film."""
