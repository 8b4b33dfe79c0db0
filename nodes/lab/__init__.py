"""Plays trials with the robots of a ROS graph: puts their trees up, begins rounds, watches, and ends them."""
