"""Replay: a recorded robot's sensors are fed to its tree again, and decisions compared."""
