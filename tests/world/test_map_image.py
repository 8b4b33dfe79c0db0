"""Images of maps: every form of PGM and PNG, and whatever is broken, huge or no image."""

import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena_trees.robot.errors import ConfigError
from arena_trees.world.maps.map_image import MAXIMUM_PIXELS, read_map_image


def image(folder: Path, content: bytes) -> np.ndarray:
    path = folder / "image"
    path.write_bytes(content)
    return read_map_image(path)


def png(pixels: np.ndarray) -> bytes:
    return cv2.imencode(".png", pixels)[1].tobytes()


@pytest.mark.parametrize(
    "content",
    [
        b"P5\n2 3\n100\n\x00\x64\x32\x32\x64\x00",
        b"P5 # one comment\n# and another 9 9\n2 3 # and more\n100\n\x00\x64\x32\x32\x64\x00",
        b"P2\n2 3\n100\n0 100\n50 50 # in between 7\n100\t0\n",
        b"P5\n2 3\n1000\n" + np.array([0, 1000, 500, 500, 1000, 0], ">u2").tobytes(),
        b"P2 2 3 1000 0 1000 500 500 1000 0",
    ],
)
def test_all_forms_of_pgm_read_alike(tmp_path: Path, content: bytes) -> None:
    found = image(tmp_path, content)[..., 0]
    assert np.abs(found - [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]).max() <= 0.5 / 255 + 1e-6


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_png_with_all_channels_and_depths(tmp_path: Path, channels: int, kind: type[np.integer]) -> None:
    largest = np.iinfo(kind).max
    pixels = np.zeros((4, 5, channels), kind)
    pixels[1, 2] = largest
    found = image(tmp_path, png(pixels))
    assert found.shape == (4, 5, channels)
    assert found.dtype == np.float32
    assert found[1, 2].tolist() == [1.0] * channels
    assert found.sum() == channels


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "neither"),
        (b"GIF89a", "neither"),
        (b"P0CMYK\n2 2\n255\n" + bytes(16), "channels"),
        (b"Pf\n2 2\n1.0\n" + bytes(16), "image"),
        (b"P5\n2", "broken"),
        (b"P5\n2 2\n255\n\x00\x00\x00", "broken"),
        (b"P2\n2 2\n255\n1 2 3", "broken"),
        (b"P2\n2 2\n255\n1 2 3 x", "broken"),
        (b"P2\n2 2\n255\n1 2 3 99999", "broken"),
        (b"P2\n2 2\n255\n1 2 3 256", "broken"),
        (b"P5\n0 2\n255\n", "neither"),
        (b"P5\n2 2\n0\n\x00\x00\x00\x00", "broken"),
        (b"P5\n2 2\n65536\n" + bytes(8), "broken"),
        (b"P5\n9000 9000\n255\n", str(MAXIMUM_PIXELS)),
        (b"P5\n10000 10000\n255\n", str(MAXIMUM_PIXELS)),
        (b"P5\n999999999 999999999\n255\n", str(MAXIMUM_PIXELS)),
        (b"\x89PNG\r\n\x1a\n", "neither"),
        (png(np.zeros((9, 9), np.uint8))[:-30], "broken"),
    ],
)
def test_what_is_no_image_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as refused:
        image(tmp_path, content)
    assert "\n" not in str(refused.value)
    assert "image" in str(refused.value)


def test_a_huge_png_is_refused_by_its_header(tmp_path: Path) -> None:
    def chunk(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    header = (1_000_000).to_bytes(4, "big") * 2 + b"\x08\x00\x00\x00\x00"
    with pytest.raises(ConfigError, match="more than"):
        image(tmp_path, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IEND", b""))


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.pgm", tmp_path):
        with pytest.raises(ConfigError, match="no such file"):
            read_map_image(path)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.integers(1, 6),
    columns=st.integers(1, 6),
    largest=st.integers(1, 65535),
    text=st.booleans(),
    gap=st.sampled_from([b" ", b"\n", b"\t\r\n", b" # 1 2\n"]),
    data=st.data(),
)
def test_what_is_written_is_read(tmp_path, rows, columns, largest, text, gap, data):
    values = data.draw(st.lists(st.integers(0, largest), min_size=rows * columns, max_size=rows * columns))
    header = gap.join([b"P2" if text else b"P5", b"%d" % columns, b"%d" % rows, b"%d\n" % largest])
    kind = ">u2" if largest > 255 else "u1"
    body = b" ".join(b"%d" % value for value in values) if text else np.array(values, kind).tobytes()
    found = image(tmp_path, header + body)
    assert found.shape == (rows, columns, 1)
    steps = 255 if largest <= 255 else 65535
    assert np.abs(found.ravel().astype(np.float64) - np.array(values) / largest).max() <= 0.5 / steps + 1e-7


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.sampled_from([b"", b"P5", b"P2 3 3 255 ", b"P5\n3 3\n255\n", b"\x89PNG\r\n\x1a\n"]), rest=st.binary())
def test_noise_is_an_image_or_refused(tmp_path: Path, start: bytes, rest: bytes) -> None:
    try:
        found = image(tmp_path, start + rest)
    except ConfigError as refused:
        assert "\n" not in str(refused)
    else:
        assert 0.0 <= found.min() <= found.max() <= 1.0
