"""The vocabulary of Arena Trees: percepts, ports, parameters, clock, random streams and the robot loop."""
