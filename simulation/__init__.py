"""The embedded arena: physics, simulated sensors and their pictures."""
