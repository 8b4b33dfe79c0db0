"""Cameras on the ceiling without pictures: lenses, calibration, location, fusion, parameters and printed tags."""

import math
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from helpers.commands import call, refused
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.perception.ceiling.calibration import CalibrationError, calibrate_camera
from arena_trees.perception.ceiling.camera import CameraIntrinsics, CeilingCamera
from arena_trees.perception.ceiling.corners import refine_corners
from arena_trees.perception.ceiling.fusion import RobotSighting, fuse_sightings
from arena_trees.perception.ceiling.location import Location, locate_tag
from arena_trees.perception.ceiling.parameters import CeilingParameters, FloorTag, RobotTag, tag_corners
from arena_trees.perception.ceiling.sheets import tag_pages
from arena_trees.perception.ceiling.tracker import CeilingTracker, TagFinder
from arena_trees.perception.image import Image, ImageError
from arena_trees.robot.configuration.resources import resource_path
from arena_trees.robot.configuration.yaml_files import load_model
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, wrap
from arena_trees.world.camera_pose import CameraPose
from arena_trees.world.markers import TAG_CELLS, marker_cells, tag_dictionary

LENSES = {
    "none": (),
    "plumb_bob": (-0.25, 0.06, 0.001, -0.0008, 0.0),
    "rational_polynomial": (0.4, 0.05, 0.0005, 0.0005, 0.002, 0.75, 0.12, 0.01),
}
P = CeilingParameters(robots={"robot_1": RobotTag(number=1, x=-0.03, y=0.01, yaw_deg=90.0)})
MOUNTED = P.robots["robot_1"]
STILL = np.zeros((6, 6))


def lens(kind="plumb_bob"):
    return CameraIntrinsics(width=1280, height=960, fx=700.0, fy=705.0, cx=650.0, cy=470.0, distortion=LENSES[kind])


def hung(kind="plumb_bob", x=0.2, y=-0.1, z=2.8, yaw=1.4, tilt=0.15):
    return CeilingCamera.at(lens(kind), CameraPose(x, y, z, yaw, tilt - math.pi / 2.0))


def seen(camera, parameters=P):
    return {number: camera.project(corners) for number, corners in parameters.floor_corners().items()}


def corners_of(camera, pose, tag=MOUNTED):
    return camera.project(tag_corners(pose.compose(tag.pose), tag.size, tag.height))


@pytest.mark.parametrize("kind", LENSES)
def test_pixels_of_places_lead_back_to_them(kind):
    camera = hung(kind)
    assert camera.looks_down
    assert np.allclose(camera.centre, (0.2, -0.1, 2.8))
    rng = np.random.default_rng(1000)
    places = rng.uniform(-1.0, 1.0, (50, 2))
    pixels = camera.project(np.column_stack([places, np.full(50, 0.35)]))
    assert np.allclose(camera.place_at(pixels, 0.35), places, atol=1e-6)
    assert np.isnan(camera.place_at(pixels, 3.0)).all(), "the plane is behind the camera"


def test_the_top_of_an_image_looks_where_the_yaw_says():
    camera = hung("none", x=0.0, y=0.0, yaw=0.0, tilt=0.0)
    middle, ahead, left = camera.project(np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]))
    assert np.allclose(middle, (650.0, 470.0))
    assert ahead[1] < middle[1]
    assert left[0] < middle[0]


def test_distortion_is_opencvs():
    camera = hung("rational_polynomial")
    points = np.array([(0.5, 0.4, 0.0), (-0.6, 0.9, 0.35)])
    own = camera.intrinsics
    wanted = cv2.projectPoints(points, camera.turn, camera.shift, own.matrix, np.array(own.distortion))[0]
    assert np.allclose(camera.project(points), wanted[:, 0])


@given(
    x=st.floats(-1.2, 1.2), y=st.floats(-0.8, 0.8), yaw=st.floats(-math.pi, math.pi), kind=st.sampled_from([*LENSES])
)
@settings(max_examples=60)
def test_a_projected_tag_is_located_where_it_was(x, y, yaw, kind):
    camera = hung(kind)
    found = locate_tag(camera, STILL, MOUNTED, corners_of(camera, Pose2D(x, y, yaw)), P)
    assert found is not None
    assert found.pose.distance_to(x, y) < 1e-5
    assert abs(wrap(found.pose.yaw - yaw)) < 1e-5
    assert found.rms_px < 1e-3


def test_the_stated_error_is_that_of_noisy_corners_tags_and_places():
    """Everything that the parameters call uncertain is drawn by what they state, in 40 rooms."""
    camera, rng, scores = hung(), np.random.default_rng(1000), []
    pose = Pose2D(0.7, -0.5, 2.0)
    for _ in range(40):
        lying = tuple(
            tag.model_copy(
                update={"x": tag.x + rng.normal(0.0, P.survey_sd), "y": tag.y + rng.normal(0.0, P.survey_sd)}
            )
            for tag in P.floor
        )
        image = seen(camera, P.model_copy(update={"floor": lying}))
        noisy = {number: one + rng.normal(0.0, P.corner_sd_px, (4, 2)) for number, one in image.items()}
        calibration = calibrate_camera("c", lens(), [noisy], P)
        moved = {"x": MOUNTED.x + rng.normal(0.0, P.mount_sd), "y": MOUNTED.y + rng.normal(0.0, P.mount_sd)}
        moved["yaw_deg"] = MOUNTED.yaw_deg + rng.normal(0.0, P.mount_sd_deg)
        moved["height"] = MOUNTED.height + rng.normal(0.0, P.height_sd)
        corners = corners_of(camera, pose, MOUNTED.model_copy(update=moved)) + rng.normal(0.0, P.corner_sd_px, (4, 2))
        found = locate_tag(calibration.camera, calibration.covariance, MOUNTED, corners, P)
        off = np.array([found.pose.x - pose.x, found.pose.y - pose.y, wrap(found.pose.yaw - pose.yaw)])
        scores.append(off @ np.linalg.solve(found.own + found.shared, off))
    # Of three numbers the mean square is 3; it is less where residuals of surveyed tags pass for noise of corners.
    assert 1.8 < np.mean(scores) < 3.9
    assert np.mean(np.array(scores) < 11.34) > 0.92


@pytest.mark.parametrize("kind", LENSES)
def test_a_calibration_finds_the_camera(kind):
    camera = hung(kind)
    sheet = P.model_copy(update={"sheet_x": 3.0, "sheet_yaw_deg": 40.0})
    moved = CeilingCamera.at(lens(kind), CameraPose(3.2, -0.1, 2.8, 1.4, 0.15 - math.pi / 2.0))
    for parameters, true in ((P, camera), (sheet, moved)):
        found = calibrate_camera("c", lens(kind), [seen(true, parameters)] * 2, parameters)
        assert np.allclose(found.camera.centre, true.centre, atol=1e-5)
        assert np.allclose(found.camera.rotation, true.rotation, atol=1e-5)
        assert found.rms_px < 1e-3
        assert found.tags == (100, 101, 102, 103)
        assert 0.0005 < found.floor_sd < 0.025


def test_a_sheet_in_the_middle_leaves_a_larger_error_than_tags_apart():
    def floor_sd(scale):
        tags = tuple(tag.model_copy(update={"x": scale * tag.x, "y": scale * tag.y}) for tag in P.floor)
        parameters = P.model_copy(update={"floor": tags, "max_floor_sd": 1.0})
        return calibrate_camera("c", lens(), [seen(hung(), parameters)], parameters).floor_sd

    assert floor_sd(0.2) > 3.0 * floor_sd(1.0)


def test_what_cannot_be_calibrated_is_refused():
    image = seen(hung())
    with pytest.raises(CalibrationError, match=r"camera c: sees 2 of the floor's tags \(100, 101\), needs 3"):
        calibrate_camera("c", lens(), [{number: image[number] for number in (100, 101)}], P)
    wrong = image | {102: image[102] + 9.0}
    with pytest.raises(CalibrationError, match=r"RMS error of .* px.*without tag 102 it is 0.00 px"):
        calibrate_camera("c", lens(), [wrong], P)
    below = CeilingCamera.at(lens(), CameraPose(0.2, -0.1, -2.8, 1.4, math.pi / 2.0 - 0.15))
    with pytest.raises(CalibrationError, match="below the floor"):
        calibrate_camera("c", lens(), [seen(below)], P)
    with pytest.raises(CalibrationError, match="lay them farther apart"):
        calibrate_camera("c", lens(), [image], P.model_copy(update={"max_floor_sd": 1e-4}))
    with pytest.raises(CalibrationError, match="no place in an image"):
        calibrate_camera("c", lens(), [image | {102: image[102] * math.nan}], P)


def sighting(camera, x, y=0.0, yaw=0.0, sd=0.01, stamp=0):
    own = np.diag([sd, sd, sd]) ** 2
    return RobotSighting("robot_1", camera, stamp, Location(Pose2D(x, y, yaw), own, np.zeros((3, 3)), 0.1))


def test_cameras_are_weighted_by_their_inverse_covariances():
    pose, against = fuse_sightings([sighting("a", 1.0, yaw=math.pi - 0.01), sighting("b", 1.03, yaw=-3.12, sd=0.02)], P)
    assert pose is not None and not against
    assert pose.pose.x == pytest.approx(1.006)
    assert abs(wrap(pose.pose.yaw - math.pi)) < 0.01, "the mean of two headings about pi is there"
    assert pose.covariance[0, 0] == pytest.approx(1.0 / (1.0 / 0.01**2 + 1.0 / 0.02**2))
    assert pose.cameras == ("a", "b")


def test_cameras_that_contradict_each_other_are_reported_and_not_averaged():
    pose, against = fuse_sightings([sighting("a", 1.0), sighting("b", 1.3)], P)
    assert pose is None
    assert "a and b are 0.300 m" in str(against[0])
    pose, against = fuse_sightings([sighting("a", 1.0), sighting("b", 1.3), sighting("c", 1.01)], P)
    assert pose is not None
    assert pose.cameras == ("a", "c")
    assert {one.cameras for one in against} == {("a", "b"), ("b", "c")}


def test_earlier_images_count_less_and_old_ones_not():
    late, early = sighting("a", 1.0, stamp=10**9), sighting("b", 1.02, stamp=950 * 10**6)
    pose, _ = fuse_sightings([late, early], P)
    assert pose is not None
    assert pose.stamp == 10**9
    assert 1.0 < pose.pose.x < 1.01
    old = sighting("b", 1.02, stamp=800 * 10**6)
    assert fuse_sightings([late, old], P)[0].cameras == ("a",)  # type: ignore[union-attr]
    assert fuse_sightings([], P) == (None, [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("floor: [{number: 100, x: .nan, y: 0.0}]", ("floor.0.x", "nan")),
        ("robots: {robot_1: {number: 1, height: .inf}}", ("robots.robot_1.height", "inf")),
        ("robots: {robot_1: {number: 587}}", ("robots.robot_1.number", "587")),
        ("robots: {robot_1: {number: 100}}", ("two tags have the number 100",)),
        ("robots: {robot_1: {nummer: 1}}", ("robots.robot_1.n",)),
        ("corner_sd_px: 0.0", ("corner_sd_px", "0.0")),
        ("sheat_x: 1.0", ("sheat_x", "did you mean")),
    ],
)
def test_bad_parameters_are_refused_by_file_key_and_value(tmp_path: Path, text, words):
    path = tmp_path / "ceiling.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_model(CeilingParameters, path)
    for word in (*words, "ceiling.yaml"):
        assert word in str(error.value)


def test_the_file_that_ships_is_the_default_with_four_robots():
    shipped = load_model(CeilingParameters, resource_path("config", "ceiling.yaml"))
    assert [tag.number for tag in shipped.robots.values()] == [1, 2, 3, 4]
    assert shipped.model_copy(update={"robots": {}}) == CeilingParameters()


def test_intrinsics_of_camera_info():
    k = [700.0, 0.0, 650.0, 0.0, 705.0, 470.0, 0.0, 0.0, 1.0]
    for kind in ("plumb_bob", "rational_polynomial"):
        assert CameraIntrinsics.from_camera_info(1280, 960, k, LENSES[kind], kind, "/c/camera_info") == lens(kind)
    for values in (([0.0] * 9, (), ""), (k, (0.1, 0.0, 0.0, 0.0), "equidistant"), (k, (0.1,), "plumb_bob")):
        with pytest.raises(ConfigError, match="/c/camera_info"):
            CameraIntrinsics.from_camera_info(1280, 960, *values, "/c/camera_info")
    with pytest.raises(ConfigError, match="fy"):
        CameraIntrinsics.from_camera_info(1280, 960, [*k[:4], math.nan, *k[5:]], (), "", "/c/camera_info")


def drawn(number, side, angle, width=160, height=120):
    """Return a grey picture of a turned tag, anti-aliased, and its true corners (px)."""
    fine, cells = 8, np.pad(marker_cells(tag_dictionary(), number), 1, constant_values=True)
    picture = np.kron(np.where(cells, 230, 30), np.ones((40, 40))).astype(np.uint8)
    turn, scale = np.exp(1j * angle), side / TAG_CELLS
    square = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])
    middle = width / 2 + 0.3 + 1j * (height / 2 - 0.2)
    outer, inner = (middle + turn * square * scale * count / 2.0 for count in (TAG_CELLS + 2, TAG_CELLS))
    source = np.array([(-0.5, -0.5), (399.5, -0.5), (399.5, 399.5), (-0.5, 399.5)], np.float32)
    target = np.stack([outer.real, outer.imag], axis=-1)
    target = (fine * (target + 0.5) - 0.5).astype(np.float32)
    size = (fine * width, fine * height)
    large = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(source, target), size, borderValue=120)
    return cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA), np.stack([inner.real, inner.imag], axis=-1)


def image_of(grey):
    height, width = grey.shape
    return Image(5, 5, 0, width, height, "mono8", width, np.ascontiguousarray(grey).tobytes())


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.9, -2.6])
def test_corners_are_found_to_a_tenth_of_a_pixel(angle):
    grey, true = drawn(7, 30.0, angle)
    noisy = np.clip(grey + np.random.default_rng(1000).normal(0.0, 4.0, grey.shape), 0, 255).astype(np.uint8)
    found, left_out = TagFinder().find(image_of(noisy))
    assert list(found) == [7] and not left_out
    assert np.abs(found[7] - true).max() < 0.1


def test_rough_corners_are_mended_and_those_without_clear_edges_are_none():
    grey, true = drawn(7, 30.0, 0.4)
    rough = true + np.array([(2.0, 0.5), (-1.5, 1.0), (0.0, -2.0), (1.5, 1.5)])
    mended = refine_corners(grey, rough, TAG_CELLS)
    assert mended is not None
    assert np.abs(mended - true).max() < 0.1
    assert refine_corners(np.full_like(grey, 90), rough, TAG_CELLS) is None


def test_a_tag_that_is_there_twice_or_of_another_size_is_left_out():
    grey, true = drawn(1, 30.0, 0.4)
    small = CameraIntrinsics(width=320, height=120, fx=500.0, fy=500.0, cx=159.5, cy=59.5)
    camera = CeilingCamera.at(small, CameraPose(0.0, 0.0, 2.8, 0.0, -math.pi / 2.0))
    everywhere = P.model_copy(update={"min_tags": 1, "max_floor_sd": 1.0})
    calibration = calibrate_camera("c", small, [seen(camera)], everywhere)
    tracker = CeilingTracker(P, {"c": calibration})
    both = tracker.look("c", image_of(np.hstack([grey, grey])))
    assert not both.robots and both.left_out == {1: "found twice"}
    one = tracker.look("c", image_of(np.hstack([grey, np.full_like(grey, 120)])))
    assert len(one.robots) == 1 and one.robots[0].stamp == 5
    large = P.model_copy(update={"robots": {"robot_1": MOUNTED.model_copy(update={"size": 0.4})}})
    wrong = CeilingTracker(large, {"c": calibration}).look("c", image_of(np.hstack([grey, np.full_like(grey, 120)])))
    assert not wrong.robots and "another size or height" in wrong.left_out[1]
    with pytest.raises(ImageError, match="calibrated for 320x120"):
        tracker.look("c", image_of(grey))
    with pytest.raises(ConfigError, match="no such camera"):
        tracker.look("d", image_of(grey))
    with pytest.raises(ConfigError, match="1 to 4"):
        CeilingTracker(P, {})
    assert true.shape == (4, 2)


def test_printed_tags_have_their_size_and_places(tmp_path: Path):
    """A page is looked at as a camera would: a tag's corners are where the parameters say, in metres."""
    places = ((-0.2, 0.115), (0.2, 0.115), (0.2, -0.115), (-0.2, -0.115))
    tags = tuple(FloorTag(number=n, x=x, y=y, size=0.15, yaw_deg=90.0 * n) for n, (x, y) in enumerate(places))
    pages = list(tag_pages(P.model_copy(update={"floor": tags}), "a2"))
    assert len(pages) == 2
    dots = 100.0 / 0.0254
    for page, width, wanted in (
        (pages[0], 0.594, {tag.number: tag_corners(tag.pose, tag.size, 0.0) for tag in tags}),
        (pages[1], 0.210, {1: tag_corners(Pose2D(), 0.16, 0.0)}),
    ):
        path = tmp_path / "page.png"
        page.savefig(path, dpi=100)
        grey = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        assert grey.shape[1] == pytest.approx(width * dots, abs=1.0)
        found, _ = TagFinder().find(image_of(grey))
        assert set(found) == set(wanted)
        for number, corners in wanted.items():
            pixels = found[number] + 0.5 - np.array(grey.shape[::-1]) / 2.0
            assert np.allclose(pixels * (1.0, -1.0) / dots, corners[:, :2], atol=0.0005)


def test_print_markers_as_a_user_meets_it(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path, file = tmp_path / "out" / "tags.pdf", tmp_path / "ceiling.yaml"
    assert "8 pages" in call(capsys, "print-markers", "-o", path)
    content = path.read_bytes()
    # A4 in points.
    assert content.count(b"/MediaBox [ 0 0 595.2755905512 841.8897637795 ]") == 8
    call(capsys, "print-markers", "-o", path, "--force")
    assert path.read_bytes() == content
    file.write_text(yaml.safe_dump({"robots": {"robot_1": {"number": 1, "size": 0.9}}, "floor": []}), encoding="utf-8")
    for arguments, word in ((("--paper", "a9"), "--paper"), (("--file", file), "size"), (("--file", path), "tags.pdf")):
        assert word in refused(capsys, "print-markers", "-o", tmp_path / "no.pdf", *arguments)
    file.write_text("floor: []", encoding="utf-8")
    assert "no tag" in refused(capsys, "print-markers", "-o", tmp_path / "no.pdf", "--file", file)
    assert "must end in .pdf" in refused(capsys, "print-markers", "-o", tmp_path / "no.txt")


def test_corners_go_round_the_picture_clockwise():
    corners = tag_corners(Pose2D(1.0, 2.0, math.pi / 2.0), 0.2, 0.35)
    assert np.allclose(corners[0], (0.9, 1.9, 0.35)), "the upper left of a tag whose right side looks along y"
    ways = [second - first for first, second in pairwise(corners[:, :2])]
    assert all(first[0] * second[1] - first[1] * second[0] < 0.0 for first, second in pairwise(ways))
