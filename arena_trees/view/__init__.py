"""The view in Foxglove: a game streamed over a WebSocket while it is played, and a layout for it and for recordings."""
