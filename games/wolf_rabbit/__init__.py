"""Wolf and rabbit, the game of the Wolf and Rabbit report: a wolf hunts a rabbit by camera.

What the report is, and what of it is used here, stands in docs/sources.md.
"""
