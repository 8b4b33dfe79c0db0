"""ROS 2 nodes, a process each: adapters between ROS and the layers below."""
