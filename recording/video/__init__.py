"""The film: a recording as a video."""
