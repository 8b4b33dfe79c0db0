"""The vocabulary: percepts, keys, ports, messages, clock, random streams, and the robot loop."""
