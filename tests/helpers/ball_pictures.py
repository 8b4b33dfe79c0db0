"""Pictures of a blue ball, drawn by its cone of sight."""

import math

import cv2
import numpy as np

from arena_trees.perception.spheres.cone import Cone
from arena_trees.world.pinhole import Pinhole

PINHOLE = Pinhole(640, 360, math.radians(70.0), 0.0, 0.0)
BLUE = (31, 79, 216)
GREY = (150, 140, 120)


def ball(distance, azimuth=0.0, elevation=0.0, diameter=0.5):
    """Return the cone of a ball; angles in rad."""
    level = distance * math.cos(elevation)
    place = (-level * math.sin(azimuth), -distance * math.sin(elevation), level * math.cos(azimuth))
    return Cone.of_sphere(*place, diameter)


def picture(*cones, pinhole=PINHOLE, noise=4.0, blur=0.6, smear=0, colour=BLUE, ground=GREY, seed=0, boxes=(), fine=2):
    """Return an image of balls, anti-aliased, with noise, blur and rectangles (left, top, right, bottom, colour)."""
    height, width, focal = pinhole.height, pinhole.width, pinhole.focal_length
    rows, columns = np.mgrid[0 : height * fine, 0 : width * fine]
    x = ((columns + 0.5) / fine - width / 2.0) / focal
    y = ((rows + 0.5) / fine - height / 2.0) / focal
    lengths = np.sqrt(x * x + y * y + 1.0)
    image = np.zeros((height, width, 3)) + ground
    for cone in cones:
        inside = (x * cone.right + y * cone.down + cone.ahead) / lengths > math.cos(cone.half)
        share = cv2.resize(inside.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)[..., None]
        image = (1.0 - share) * image + share * np.array(colour)
    for left, top, right, bottom, paint in boxes:
        image[top:bottom, left:right] = paint
    image = cv2.GaussianBlur(image, (5, 5), blur)
    if smear:
        image = cv2.blur(image, (smear, 1))
    image += np.random.default_rng(seed).normal(0.0, noise, image.shape)
    return np.clip(np.rint(image), 0, 255).astype(np.uint8)
