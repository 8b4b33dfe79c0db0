"""What PacMan needs of ROS besides the nodes of every game."""
