"""Where the turret's joints are."""
