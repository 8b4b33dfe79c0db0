"""Brightness and contrast of an image."""

import numpy as np
import pytest
from helpers.road_pictures import as_image

from arena_trees.perception.image import Image, ImageError
from arena_trees.perception.lanes.image_light import with_light


def test_each_colour_is_stretched_about_the_middle_and_moved_and_cut_off():
    colours = np.zeros((8, 8, 3), np.uint8)
    colours[0, :4, 0] = (0, 100, 128, 255)
    image = as_image(colours)
    lit = with_light(image, brightness=10.0, contrast=1.5)
    assert lit.rgb()[0, :4, 0].tolist() == [0, 96, 138, 255]
    assert (lit.stamp, lit.arrival, lit.sequence) == (image.stamp, image.arrival, image.sequence)
    lit.check()


def test_nothing_to_change_is_the_image_itself():
    image = as_image(np.full((8, 8, 3), 90, np.uint8))
    assert with_light(image) is image


def test_an_image_that_contradicts_itself_is_refused():
    with pytest.raises(ImageError):
        with_light(Image(0, 0, 0, 8, 8, "rgb8", 24, b"few"), 5.0)
