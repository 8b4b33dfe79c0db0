"""Raw images: what they show, which are refused before anything is allocated, and their brightness and contrast."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from helpers.road_pictures import as_image

from arena_trees.perception.image import MAX_BYTES, Image, ImageError
from arena_trees.perception.lanes.image_light import with_light

RGB = np.arange(9 * 8 * 3, dtype=np.uint8).reshape(8, 9, 3)


def image(pixels, encoding, padding=0):
    rows = np.pad(pixels.reshape(pixels.shape[0], -1), ((0, 0), (0, padding)), constant_values=77)
    return Image(1, 2, 3, pixels.shape[1], pixels.shape[0], encoding, rows.shape[1], rows.tobytes())


@pytest.mark.parametrize("padding", [0, 5])
@pytest.mark.parametrize(
    ("encoding", "pixels", "expected"),
    [
        ("rgb8", RGB, RGB),
        ("bgr8", RGB[..., ::-1], RGB),
        ("rgba8", np.dstack([RGB, RGB[..., :1]]), RGB),
        ("bgra8", np.dstack([RGB[..., ::-1], RGB[..., :1]]), RGB),
        ("mono8", RGB[..., 0], np.repeat(RGB[..., :1], 3, axis=2)),
    ],
)
def test_pixels_are_red_green_blue(encoding, pixels, expected, padding):
    seen = image(np.ascontiguousarray(pixels), encoding, padding).rgb()
    assert seen.shape == (8, 9, 3)
    assert seen.dtype == np.uint8
    np.testing.assert_array_equal(seen, expected)


def test_an_image_is_stamped_and_says_what_it_is():
    seen = image(RGB, "rgb8")
    assert (seen.stamp, seen.arrival, seen.sequence) == (1, 2, 3)
    assert str(seen) == "9x8 rgb8"


GOOD = image(RGB, "rgb8")

HOSTILE = {
    "0x0": {"width": 0, "height": 0, "step": 0, "data": b""},
    "1xN": {"width": 1, "step": 3, "data": bytes(24)},
    "Nx1": {"height": 1, "data": bytes(27)},
    "65535 wide": {"width": 65_535, "height": 65_535, "step": 65_535 * 3},
    "negative": {"width": -9},
    "a width that is no number": {"width": "9"},
    "a width that is a fraction": {"width": 9.0},
    "True": {"height": True},
    "step too small": {"step": 26},
    "step huge": {"step": 1 << 40},
    "step negative": {"step": -27},
    "data too short": {"data": bytes(100)},
    "data too long": {"data": bytes(300)},
    "data no bytes": {"data": [0] * 216},
    "data with gaps": {"data": np.zeros(432, np.uint8)[::2]},
    "data absent": {"data": None},
    "data text": {"data": "x" * 216},
    "unknown encoding": {"encoding": "16UC1"},
    "no encoding": {"encoding": ""},
    "encoding absent": {"encoding": None},
    "encoding of another case": {"encoding": "RGB8"},
    "too many bytes": {"width": 4096, "height": 4096, "step": MAX_BYTES // 4096 + 1},
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_hostile_images_are_refused_before_anything_is_allocated(change):
    hostile = replace(GOOD, **change)
    tracemalloc.start()
    try:
        with pytest.raises(ImageError) as error:
            hostile.rgb()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


def test_a_full_image_is_seen_without_a_copy():
    pixels = np.zeros((480, 640, 3), dtype=np.uint8)
    big = Image(0, 0, 1, 640, 480, "bgr8", 1920, pixels)
    seen = big.rgb()
    assert np.shares_memory(seen, pixels)


def test_each_colour_is_stretched_about_the_middle_and_moved_and_cut_off():
    colours = np.zeros((8, 8, 3), np.uint8)
    colours[0, :4, 0] = (0, 100, 128, 255)
    image = as_image(colours)
    lit = with_light(image, brightness=10.0, contrast=1.5)
    assert lit.rgb()[0, :4, 0].tolist() == [0, 96, 138, 255]
    assert (lit.stamp, lit.arrival, lit.sequence) == (image.stamp, image.arrival, image.sequence)
    lit.check()


def test_nothing_to_change_is_the_image_itself_and_one_that_contradicts_itself_is_refused():
    image = as_image(np.full((8, 8, 3), 90, np.uint8))
    assert with_light(image) is image
    with pytest.raises(ImageError):
        with_light(Image(0, 0, 0, 8, 8, "rgb8", 24, b"few"), 5.0)
