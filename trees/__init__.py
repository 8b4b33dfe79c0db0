"""One tree per role: ``create_root(robot, live, streams)``, and the subtrees they share."""
