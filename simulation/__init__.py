"""The embedded arena: physics, simulated sensors, scenarios, trials, metrics over trials, pictures."""
