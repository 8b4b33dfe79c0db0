"""ROS 2 nodes: thin adapters between ROS and the rooms below, one process each."""
