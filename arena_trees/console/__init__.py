"""The operator console: a game in the browser while it is played."""
