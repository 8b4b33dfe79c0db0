"""Changes an image's brightness and contrast, which the source system sets for each camera."""

from __future__ import annotations

import cv2
import numpy as np

from arena_trees.perception.image import Image

__all__ = ["with_light"]


def with_light(image: Image, brightness: float = 0.0, contrast: float = 1.0) -> Image:
    """Return the image with each colour of a pixel, 0 to 255, as contrast * (colour - 128) + 128 + brightness.

    Args:
        image: as a camera sends it
        brightness: added, of 255
        contrast: 1 leaves it as it is

    Raises:
        ImageError: the image contradicts itself, or is of a kind or size that is not looked at
    """
    if brightness == 0.0 and contrast == 1.0:
        return image
    colours = contrast * (np.arange(256.0) - 128.0) + 128.0 + brightness
    table = np.clip(np.rint(colours), 0.0, 255.0).astype(np.uint8)
    pixels = np.asarray(cv2.LUT(np.ascontiguousarray(image.rgb()), table))
    times = (image.stamp, image.arrival, image.sequence)
    return Image(*times, image.width, image.height, "rgb8", 3 * image.width, pixels)
