"""The velocity gate and its motion limits; when a fence is SAFE, WARNING or BREACH."""
