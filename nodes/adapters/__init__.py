"""Between ROS messages and what the rooms below understand."""
