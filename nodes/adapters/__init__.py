"""Between ROS messages and the ports and values of the layers below."""
