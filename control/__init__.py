"""Control laws and estimators as pure code: no blackboard, no ROS, no clock of its own."""
