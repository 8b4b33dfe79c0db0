"""Recordings of runs: written as rosbag2, replayed, asserted upon and shown."""
