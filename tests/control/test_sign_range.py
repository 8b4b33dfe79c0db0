"""The sign's range against boxes made by projecting a sign's corners through a pinhole."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from arena_trees.control.sign_range import Camera, RangeEstimate, Sign, sign_range
from arena_trees.robot.detections import Detection

WIDTH = HEIGHT = 250
CAMERA = Camera(math.radians(42.0), -0.06, 0.244)
SIGN = Sign(0.21, 0.415)
YAWS = np.linspace(0.0, math.pi / 2.0, 19)
BEARINGS = np.linspace(-0.25, 0.25, 5)


def project(
    distance: float,
    bearing: float,
    yaw: float,
    noise: Sequence[float] = (0.0, 0.0),
    noise_x: Sequence[float] = (0.0, 0.0),
) -> Detection | None:
    """Return the box of the most frontal of a robot's four faces, clipped to the image; its edges may be noisy."""
    focal = WIDTH / 2.0 / math.tan(CAMERA.hfov / 2.0)
    axis_x, axis_y = distance * math.cos(bearing) - CAMERA.x, distance * math.sin(bearing)
    normals = [yaw + k * math.pi / 2.0 for k in range(4)]

    def towards(normal: float) -> float:
        face_x = axis_x + SIGN.size / 2.0 * math.cos(normal)
        face_y = axis_y + SIGN.size / 2.0 * math.sin(normal)
        return -(face_x * math.cos(normal) + face_y * math.sin(normal)) / math.hypot(face_x, face_y)

    normal = max(normals, key=towards)
    columns, rows = [], []
    for side, up in itertools.product((-0.5, 0.5), (-0.5, 0.5)):
        x = axis_x + SIGN.size * (0.5 * math.cos(normal) - side * math.sin(normal))
        y = axis_y + SIGN.size * (0.5 * math.sin(normal) + side * math.cos(normal))
        columns.append(WIDTH / 2.0 - focal * y / x)
        rows.append(HEIGHT / 2.0 - focal * (SIGN.z + up * SIGN.size - CAMERA.z) / x)
    left, right = max(0.0, min(columns) + noise_x[0]), min(float(WIDTH), max(columns) + noise_x[1])
    top, bottom = max(0.0, min(rows) + noise[0]), min(float(HEIGHT), max(rows) + noise[1])
    if right - left < 3.0 or bottom - top < 3.0:
        return None
    return Detection("rabbit_sign", 1.0, (left + right) / 2.0, (top + bottom) / 2.0, right - left, bottom - top)


def measure(box: Detection) -> RangeEstimate | None:
    return sign_range(box, WIDTH, HEIGHT, CAMERA, SIGN)


@pytest.mark.parametrize("distance", [0.45, 0.55, 0.65, 0.75, 0.9, 1.2, 1.8, 2.5, 4.0])
def test_the_range_is_right_within_its_deviation_from_every_side(distance: float) -> None:
    errors, sigmas = [], []
    for yaw, bearing in itertools.product(YAWS, BEARINGS):
        box = project(distance, float(bearing), float(yaw))
        found = measure(box) if box is not None else None
        errors.append(found.distance - distance)
        sigmas.append(found.sigma)
        # The face's middle is up to half a side beside the axis.
        assert abs(found.bearing - bearing) < 0.6 * SIGN.size / distance
    assert np.abs(np.mean(errors)) < 0.015
    assert np.sqrt(np.mean(np.square(errors))) < 1.1 * np.mean(sigmas)
    assert np.max(np.abs(errors) / sigmas) < 2.2


@pytest.mark.parametrize("distance", [0.6, 1.5, 3.0])
def test_the_deviation_covers_noisy_edges(distance: float) -> None:
    rng = np.random.default_rng(11)
    scores = []
    for _ in range(400):
        top, bottom = rng.normal(0.0, 1.0, 2).tolist()
        box = project(distance, 0.0, float(rng.uniform(0.0, math.pi)), (top, bottom))
        found = measure(box) if box is not None else None
        scores.append((found.distance - distance) / found.sigma)
    assert 0.4 < float(np.std(scores)) < 1.2


def test_near_boxes_are_cut_off_above_and_far_ones_whole() -> None:
    near, far = project(0.6, 0.0, math.pi), project(0.9, 0.0, math.pi)
    assert near.y - near.height / 2.0 == 0.0
    assert far.y - far.height / 2.0 > 2.0
    found = measure(near)
    # The cut box is lower than a whole one would be: read as whole it would seem farther away.
    whole = CAMERA.focal_px(WIDTH) * SIGN.size / near.height
    assert found.distance < whole - 0.05


@pytest.mark.parametrize(
    "box",
    [
        Detection("s", 1.0, 125.0, 124.0, 3.0, 3.0),
        Detection("s", 1.0, 30.0, 220.0, 60.0, 60.0),
        Detection("s", 1.0, 220.0, 62.0, 60.0, 124.0),
        Detection("s", 1.0, 125.0, 125.0, 250.0, 250.0),
    ],
    ids=["three pixels", "cut off below and left", "cut off above down to the horizon and right", "the whole image"],
)
def test_a_box_that_does_not_tell_gives_none(box: Detection) -> None:
    assert measure(box) is None


@pytest.mark.parametrize(("y", "height"), [(220.0, 60.0), (62.0, 124.0)], ids=["cut below", "cut above to the horizon"])
def test_the_width_tells_where_the_height_cannot(y: float, height: float) -> None:
    for turn in (0.0, 0.3, math.pi / 4):
        depth = 1.2 - CAMERA.x - 0.105 * math.cos(turn)
        width = CAMERA.focal_px(WIDTH) * SIGN.size * math.cos(turn) / depth
        found = measure(Detection("s", 1.0, 125.0, y, width, height))
        # A turn of an eighth of a circle is the most there is.
        assert abs(found.distance - 1.2) < 2.6 * found.sigma
        assert 0.06 < found.sigma < 0.25


def test_a_cut_box_goes_by_its_width_where_the_sign_reaches_below_the_camera() -> None:
    low = Sign(0.21, 0.30)
    cut = Detection("s", 1.0, 125.0, 60.0, 80.0, 120.0)
    found = sign_range(cut, WIDTH, HEIGHT, CAMERA, low)
    assert found.sigma > 0.05
    beside = Detection("s", 1.0, 40.0, 60.0, 80.0, 120.0)
    assert sign_range(beside, WIDTH, HEIGHT, CAMERA, low) is None


def test_a_sign_at_the_cameras_height_is_measured_by_its_near_edge() -> None:
    level, focal = Sign(0.21, CAMERA.z), CAMERA.focal_px(WIDTH)
    for turned in (0.0, math.pi / 8, math.pi / 4):
        axis = 1.5 - CAMERA.x
        near = axis - 0.105 * (math.cos(turned) + math.sin(turned))
        height = focal * 0.21 / near
        width = focal * 0.21 * math.cos(turned) / (axis - 0.105 * math.cos(turned))
        found = sign_range(Detection("s", 1.0, 125.0, 125.0, width, height), WIDTH, HEIGHT, CAMERA, level)
        assert found.distance == pytest.approx(1.5, abs=0.025)


@pytest.mark.parametrize(("low", "high"), [(0.4, 0.6), (0.6, 0.9), (0.9, 1.5), (1.5, 3.0)])
@pytest.mark.parametrize("cut", [False, True], ids=["sides in the image", "cut off at a side"])
def test_the_deviation_is_honest(low: float, high: float, cut: bool) -> None:
    """Of noisy boxes anywhere in the image, the usual shares lie within one and two deviations."""
    rng = np.random.default_rng(5)
    scores, errors = [], []
    for _ in range(6000):
        distance, bearing, yaw = (float(rng.uniform(*span)) for span in ((low, high), (-0.6, 0.6), (0.0, math.tau)))
        sharp = project(distance, bearing, yaw)
        if sharp is None or (sharp.x - sharp.width / 2.0 < 2.0 or sharp.x + sharp.width / 2.0 > WIDTH - 2.0) != cut:
            continue
        # Much as a trained network's edges were seen to scatter.
        noise = (0.5 + 0.01 * max(sharp.width, sharp.height)) * (1.4 if cut else 1.0)
        box = project(distance, bearing, yaw, *rng.normal(0.0, noise, (2, 2)).tolist())
        if box is None:
            continue
        found = measure(box)
        if found is None:
            continue
        scores.append(abs(found.distance - distance) / found.sigma)
        errors.append(found.distance - distance)
    assert len(scores) > 150
    assert 0.6 < np.mean(np.less(scores, 1.0)) < 0.88
    assert np.mean(np.less(scores, 2.0)) > 0.93
    assert abs(np.mean(errors)) < 0.02 * high


@pytest.mark.parametrize("distance", [0.8, 1.2, 2.0])
def test_the_bearing_of_a_box_cut_off_at_a_side_is_that_of_the_whole_sign(distance: float) -> None:
    edge = math.atan2(125.0, CAMERA.focal_px(WIDTH))
    for yaw in (0.0, 0.3, -0.3):
        box = project(distance, edge, edge + math.pi + yaw)
        assert box.x - box.width / 2.0 == 0.0
        found = measure(box)
        # Read by its middle, the bearing would be a quarter of the sign's width off.
        assert abs(found.bearing - edge) < 0.042 / distance


def test_the_focal_length_is_that_of_the_field_of_view() -> None:
    assert CAMERA.focal_px(250) == pytest.approx(325.6, abs=0.1)
    assert CAMERA.bearing(0.0, 250) == pytest.approx(math.radians(21.0))
    assert CAMERA.bearing(125.0, 250) == 0.0
    assert CAMERA.bearing(250.0, 250) == pytest.approx(-math.radians(21.0))
