"""``crossroads print-crossing`` and ``crossroads calibrate-lanes`` as a user meets them."""

from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from helpers.commands import call, refused
from helpers.road_pictures import Road, disturb

from arena_trees.games.crossroads.layout.floor import CrossingFloor
from arena_trees.games.crossroads.layout.plan import CrossingParameters
from arena_trees.games.crossroads.localisation.sheets import find_tiles
from arena_trees.perception.lanes.calibration import LaneCalibrations
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.printing import PAPERS


def test_sheets_in_true_size(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    path = tmp_path / "out" / "crossing.pdf"
    command = ("crossroads", "print-crossing", "-o", path, "--paper", "a1", "--approaches", "3", "--size", "1.6")
    said = call(capsys, *command)
    content = path.read_bytes()
    # 594 x 841 mm in points; the markers are on A4.
    sheets = content.count(b"/MediaBox [ 0 0 1683.7795275591 2383.937007874 ]")
    tiles = find_tiles(CrossingFloor(CrossingParameters(approaches=3, size=1.6)), PAPERS["a1"])
    assert sheets == len(tiles) + 1
    assert content.count(b"/MediaBox [ 0 0 595.2755905512 841.8897637795 ]") == 3
    assert f"{sheets + 3} pages" in said
    call(capsys, *command)
    assert path.read_bytes() == content


@pytest.mark.parametrize("crossings", [1, 2])
def test_sheets_hold_every_line_and_do_not_overlap(crossings: int):
    floor = CrossingFloor(CrossingParameters(size=1.6, crossings=crossings))
    tiles = find_tiles(floor, PAPERS["a4"])
    for stripe in floor.stripes:
        xs, ys = zip(*stripe.corners, strict=True)
        rng = np.random.default_rng(1000)
        for x, y in rng.uniform((min(xs), min(ys)), (max(xs), max(ys)), (50, 2)):
            holders = [tile for tile in tiles if tile.left <= x < tile.right and tile.bottom < y <= tile.top]
            assert len(holders) == 1
    # Most of the floor is white and needs no sheet.
    assert len(tiles) < 0.6 * crossings * (3.2 / 0.186) * (3.2 / 0.273)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--paper", "a9"), "--paper"),
        (("--size", "nan"), "size"),
        (("--size", "0.5"), "size"),
        (("--approaches", "5"), "approaches"),
        (("--crossings", "0"), "crossings"),
        (("--lane-width", "0.2"), "lane_width"),
    ],
)
def test_crossings_that_cannot_be_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments, word):
    path = tmp_path / "crossing.pdf"
    assert word in refused(capsys, "crossroads", "print-crossing", "-o", path, *arguments)
    assert not path.exists()


def test_a_crossing_that_needs_too_much_paper_is_refused():
    with pytest.raises(ConfigError, match="larger paper"):
        find_tiles(CrossingFloor(CrossingParameters(size=50.0)), PAPERS["a4"])


def test_masks_and_a_calibration_that_can_be_used(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    road, names = Road(), []
    for seed in (1000, 1001):
        pixels = disturb(road.photograph(Pose2D(0.3, -2.0, 1.5708)), np.random.default_rng(seed))
        names.append(str(tmp_path / f"{seed}.png"))
        cv2.imwrite(names[-1], pixels[..., ::-1])
    sheet = tmp_path / "out" / "masks.png"
    said = call(capsys, "crossroads", "calibrate-lanes", *names, "-o", str(sheet), "--robot", "robot_7")
    values = yaml.safe_load(said)
    assert validate(LaneCalibrations, values, "suggested").robots["robot_7"].red.hue_deg < 40.0
    assert "# black: from" in said
    picture = cv2.imread(str(sheet))
    assert picture.shape == (40 + 2 * 320, 5 * 320, 3)
    # The red line is on the left of its mask, the black one on the right of its own.
    red, black = picture[40:360, 640:960, 2].astype(int), picture[40:360, 1280:1600].min(axis=2)
    redness = red - picture[40:360, 640:960, 1]
    assert (redness > 120)[:, :160].sum() > 5 * (redness > 120)[:, 160:].sum()
    assert (black > 200)[:, 160:].sum() > 100
    assert "default:" in call(capsys, "crossroads", "calibrate-lanes", names[0], "-o", str(sheet))


def test_pictures_that_are_none_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    sheet = str(tmp_path / "masks.png")
    text = tmp_path / "text.png"
    text.write_text("no picture")
    empty = tmp_path / "empty.png"
    empty.write_bytes(b"")
    tiny = tmp_path / "tiny.png"
    cv2.imwrite(str(tiny), np.zeros((2, 2, 3), np.uint8))
    for path in (text, empty, tiny, tmp_path / "missing.png", tmp_path):
        assert path.name in refused(capsys, "crossroads", "calibrate-lanes", path, "-o", sheet)
    assert not Path(sheet).exists()


def test_the_shipped_arena_is_checked(capsys: pytest.CaptureFixture[str]):
    assert "arena" in call(capsys, "check", str(config_path("arenas", "crossing_4.yaml")))
