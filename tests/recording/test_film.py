"""Films: what is in their pictures, and that they can be played."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from helpers.recorded import by_hand, foreign, spoilt
from PIL import Image

from arena_trees.recording.recording import Outline, Recording, RobotRecording, Tick
from arena_trees.recording.shape_frames import ShapeFrame
from arena_trees.recording.video import encoders
from arena_trees.recording.video.arena import pale, robot_colour
from arena_trees.recording.video.film import RATE, check_film, write_film
from arena_trees.recording.video.letters import Letters
from arena_trees.recording.video.view import HEIGHT, WIDTH, FilmView
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry
from arena_trees.world.shapes import Disc, Layer, Path, Polygon, Text


def coloured(picture: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """Return the pixels of exactly that colour, as (row, column) each."""
    return np.argwhere((picture == np.array(colour, dtype=np.uint8)).all(axis=2))


def test_a_film_plays_for_as_long_as_the_recording(game: Recording, tmp_path):
    path = tmp_path / "films" / "game.webm"
    reported: list[tuple[int, int]] = []
    write_film(replace(game, end=game.start + SECOND), path, lambda done, total: reported.append((done, total)))
    assert reported[-1] == (RATE + 1, RATE + 1)
    assert [file.name for file in path.parent.iterdir()] == ["game.webm"]
    reader = cv2.VideoCapture(str(path))
    pictures = []
    while True:
        good, picture = reader.read()
        if not good:
            break
        pictures.append(picture)
    assert reader.get(cv2.CAP_PROP_FPS) == RATE
    assert len(pictures) == RATE + 1
    # The codec loses a little; the whole picture is the one that was drawn.
    drawn = FilmView(game).picture(game.start + SECOND)
    assert np.abs(pictures[-1].astype(int) - drawn).mean() < 4


def test_the_robots_are_where_they_were(game: Recording):
    view = FilmView(game)
    hull = pale(robot_colour(0), 0.7)
    places = []
    for now in (game.start, game.end):
        picture = view.picture(now)
        assert picture.shape == (HEIGHT, WIDTH, 3)
        places.append(coloured(picture[:, :HEIGHT], hull).mean(axis=0))
    moved = (places[1] - places[0]) * (-1, 1)
    first, last = game.robots["wolf"].truth[0][1], game.robots["wolf"].truth[-1][1]
    scale = np.hypot(*moved) / last.distance_to(first.x, first.y)
    np.testing.assert_allclose(moved[::-1], np.array([last.x - first.x, last.y - first.y]) * scale, atol=4)


def test_the_clock_and_the_active_leaf_are_written(game: Recording):
    view = FilmView(game)
    early, late = view.picture(game.start + 2 * SECOND), view.picture(game.start + 2 * SECOND + SECOND // 25)
    clock = (slice(70, 125), slice(HEIGHT, WIDTH))
    assert (early[clock] != late[clock]).any()
    assert (view.picture(game.start + 2 * SECOND) == early).all()
    wolf = game.robots["wolf"]
    other = replace(game, robots={**game.robots, "wolf": replace(wolf, ticks=[_renamed(tick) for tick in wolf.ticks])})
    card = (slice(134, 230), slice(HEIGHT, WIDTH))
    assert (FilmView(other).picture(game.start + 2 * SECOND)[card] != early[card]).any()


def _renamed(tick: Tick) -> Tick:
    return replace(tick, active="Something else")


@pytest.mark.parametrize(
    "recording",
    [by_hand(), by_hand(robot=RobotRecording("a\nb\x00\u0627" * 99, role="")), foreign()],
    ids=["no robot", "odd name", "foreign"],
)
def test_little_is_enough_for_a_picture(recording: Recording):
    assert FilmView(recording).picture(recording.start).any()


CARD_LINES = (slice(134, 230), slice(HEIGHT, WIDTH))
BELOW = (slice(380, HEIGHT - 30), slice(HEIGHT, WIDTH))


def test_what_was_commanded_and_measured_is_written_of_a_robot_without_a_tree():
    """With either alone, too; a figure that is older than a second says so."""
    recording = foreign()
    robot = recording.robots["robot"]

    def card(now: float, **changes: object) -> np.ndarray:
        shown = replace(recording, robots={"robot": replace(robot, **changes)})
        return FilmView(shown).picture(round(now * SECOND))[CARD_LINES]

    both = card(5.0)
    seen = [both, card(5.0, commands=()), card(5.0, odometry=()), card(5.0, commands=(), odometry=())]
    assert all((one != other).any() for number, one in enumerate(seen) for other in seen[:number])
    old = card(5.0, commands=robot.commands[:2])
    assert (old != both).any() and (old == card(4.99, commands=robot.commands[:2])).mean() > 0.98
    assert (old != card(8.0, commands=robot.commands[:2])).any()
    assert (card(0.9, commands=robot.commands[:2])[:, : both.shape[1]] == card(0.6, commands=robot.commands[:2])).all()


@pytest.mark.parametrize("recording", [foreign(), spoilt()], ids=["foreign", "spoilt"])
def test_a_foreign_recordings_panel_is_not_empty(recording: Recording):
    picture = FilmView(recording).picture(7 * SECOND)
    chart = picture[240:370, HEIGHT : WIDTH - 16]
    assert len(np.unique(chart.reshape(-1, 3), axis=0)) > 5
    assert len(np.unique(picture[BELOW].reshape(-1, 3), axis=0)) > 5, "events, or what the recording is"
    marked = FilmView(recording).picture(2 * SECOND)[240:370, HEIGHT : WIDTH - 16]
    assert (marked != chart).any(), "where the instant is"


def test_a_spike_of_odometry_does_not_set_the_scale():
    sizes = [
        len(coloured(FilmView(recording).picture(2 * SECOND)[:, :HEIGHT], pale(robot_colour(0), 0.7)))
        for recording in (foreign(), spoilt())
    ]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)


def test_where_nothing_tells_of_the_world_its_echoes_are_drawn():
    recording = foreign()
    picture = FilmView(recording).picture(SECOND)
    assert len(coloured(picture, pale(robot_colour(0), 0.3))) > 500
    silent = replace(recording, robots={"robot": replace(recording.robots["robot"], scans=())})
    assert len(coloured(FilmView(silent).picture(SECOND), pale(robot_colour(0), 0.3))) < 50


def test_the_games_shapes_are_drawn_when_they_are_shown(game: Recording):
    gold = (0, 212, 255)
    disc = Disc(0.5, -0.5, 0.1, fill="#ffd400")
    zone = Polygon(((-2.5, -2.5), (2.5, -2.5), (2.5, 2.5)), fill="#ffd400", alpha=0.5, layer=Layer.GROUND)
    way = Path(((-1.0, -1.0), (1.0, -1.0)), "#ffd400", dash=0.1)
    words = Text(0.0, 2.3, "first\nlast", colour="#ffd400", halo="#ffffff")
    half = game.start + (game.end - game.start) // 2
    view = FilmView(game, [ShapeFrame(half, (disc, way, words)), ShapeFrame(game.end, (zone,))])
    before, after = (coloured(view.picture(now), gold) for now in (half - 1, half))
    assert len(before) == 0 < 300 < len(after)
    # The disc is drawn where it is: beyond the middle of the image to the right and below.
    lone = FilmView(game, [ShapeFrame(game.start, (disc,))])
    row, column = coloured(lone.picture(game.start), gold).mean(axis=0)
    assert row > HEIGHT / 2 < column < HEIGHT
    assert len(coloured(view.picture(game.end), gold)) == 0, "half of it shines through"
    assert (view.picture(game.end) != FilmView(game).picture(game.end)).any(axis=2).sum() > 10_000


def test_letters_that_do_not_fit_are_cut():
    letters = Letters(14)
    assert letters.width(letters.fitted("wolf " * 500, 120)) <= 120
    assert letters.fitted("wolf", 120) == "wolf"
    image = np.zeros((10, 10, 3), dtype=np.uint8)
    for text, place in (("wolf", (-500.0, 5.0)), ("wolf", (5.0, 5.0)), ("", (5.0, 5.0)), ("wolf", (5.0, 900.0))):
        letters.write(image, text, place, (255, 255, 255), halo=(9, 9, 9))
    assert image.any()


def test_what_cannot_be_filmed_is_one_line(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match=r"must end in \.mp4, \.webm or \.gif"):
        write_film(foreign(), tmp_path / "film.avi")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        write_film(foreign(), tmp_path / "file" / "film.webm")
    with pytest.raises(ConfigError, match="lasts too long"):
        write_film(replace(foreign(), end=1 << 62), tmp_path / "film.webm")
    monkeypatch.setattr(encoders, "_ffmpeg_encoder", lambda: None)
    monkeypatch.setattr(encoders, "find_spec", lambda name: None)
    monkeypatch.setattr(encoders, "_opencv_writes_webm", lambda: False)
    for name, words in (("film.mp4", "--video: H.264 needs FFmpeg or PyAV: apt"), ("film.webm", "no WebM: pip")):
        with pytest.raises(ConfigError, match=words):
            check_film(tmp_path / name, "--video")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_robots_at_the_end_of_the_world_are_drawn():
    truth = [(0, Pose2D(-1e300, 1e300, 0.0)), (SECOND, Pose2D(1e300, 5.0, 0.0))]
    fence = Outline("robot", "fence", np.array([(0.0, 0.0), (1e300, 0.0), (1e300, 1e300)]))
    recording = replace(by_hand(robot=RobotRecording("robot", truth=truth)), outlines=[fence])
    for now in (0, SECOND // 2, SECOND):
        assert FilmView(recording).picture(now).any()


def test_an_mp4_film_is_what_browsers_play(game: Recording, tmp_path):
    path = tmp_path / "film.mp4"
    try:
        write_film(replace(game, end=game.start + SECOND // 5), path)
    except ConfigError as error:
        assert "H.264 needs FFmpeg or PyAV" in str(error)
        pytest.skip("nothing here writes H.264")
    contents = path.read_bytes()
    assert b"avc1" in contents, "H.264"
    assert contents.index(b"moov") < contents.index(b"mdat"), "it begins to play before all of it is there"
    reader = cv2.VideoCapture(str(path))
    assert reader.read()[1].shape == (HEIGHT, WIDTH, 3)
    reader.release()


def test_a_gif_shows_the_film(game: Recording, tmp_path):
    write_film(replace(game, end=game.start + SECOND), tmp_path / "film.gif")
    with Image.open(tmp_path / "film.gif") as image:
        assert (image.size, image.n_frames, image.info["loop"]) == ((800, 450), 6, 0)
        assert image.info["duration"] == 200


@pytest.mark.parametrize("source", ["truth", "odometry"])
def test_every_picture_holds_every_robot(source: str):
    """A robot that is carried for a moment, and one that its odometry puts elsewhere for a moment."""
    poses = [(number * SECOND // 10, Pose2D(number / 100.0, 0.0, 0.0)) for number in range(100)]
    poses[50] = (poses[50][0], Pose2D(9.0, -7.0, 0.0))
    if source == "truth":
        robot = RobotRecording("robot", truth=poses)
    else:
        odometry = [Odometry(now, now, 0, pose, Twist2D(0.0, 0.0)) for now, pose in poses]
        robot = RobotRecording("robot", odometry=odometry)
    view = FilmView(by_hand(robot=robot))
    hulls = [len(coloured(view.picture(now)[:, :HEIGHT], pale(robot_colour(0), 0.7))) for now, _ in poses[49:52]]
    assert min(hulls) > 0.8 * max(hulls) > 0, "whole hulls"
