"""What robots sense in the arena, with the noise and the faults of real sensors."""
