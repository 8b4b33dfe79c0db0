"""Which field of a ROS message is which of a percept, without importing ROS."""
