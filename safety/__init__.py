"""The last word before the wheels: the velocity gate, and the geofence."""
