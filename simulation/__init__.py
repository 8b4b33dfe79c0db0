"""The embedded arena: physics, simulated sensors, scenarios and metrics."""
