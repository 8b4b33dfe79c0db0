"""A recorded robot's sensors, fed to its tree again."""
