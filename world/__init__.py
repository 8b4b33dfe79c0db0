"""The world as its files describe it: arenas, fences, boxes, floors; nothing here simulates or drives."""
