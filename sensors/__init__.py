"""The sensors of a robot, a folder each: what it measures, how that is checked, sent and shown, and its simulation."""
