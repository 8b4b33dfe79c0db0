"""Commands for robots on ROS 2."""
