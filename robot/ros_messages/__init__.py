"""How percepts stand in ROS messages, for nodes and recordings alike: without ROS, and without rosbags."""
