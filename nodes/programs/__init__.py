"""Which processes play a scenario on ROS, and how they are started and stopped."""
