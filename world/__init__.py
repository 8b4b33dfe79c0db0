"""The world as files describe it: arenas, fences, boxes, signs, markers, and shapes to draw them."""
