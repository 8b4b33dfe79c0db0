"""What watches and measures a game on ROS from outside, benches included."""
