"""Recordings of runs as rosbag2: written, read, replayed, shown as pages and films."""
