"""Reading and writing rosbag2 directories, which are not trusted."""
