"""The IMU of a Create 3 as a sensor of Arena Trees."""
