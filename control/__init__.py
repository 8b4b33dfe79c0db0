"""Pure control and estimation: no blackboard, no ROS, no clock of its own."""
