"""rosbag2 directories: their files, their messages, written and read."""
