"""The sphere camera: a ball that cameras see and nothing else does, reckoned circles, and rendered pictures of it."""

import math
from contextlib import ExitStack, closing

import numpy as np
import pytest
from helpers.graphics import needs_graphics
from small_world import QUIET, room, run

from arena_trees.perception.spheres.cone import Cone
from arena_trees.robot.clock import SECOND
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.turret import TurretRates
from arena_trees.simulation.physics.arena import Arena
from arena_trees.simulation.physics.robot import RobotSpec
from arena_trees.simulation.sensors.sphere_camera import SphereCameraParameters
from arena_trees.world.body import Barrel, Body, Sphere, Turret
from arena_trees.world.footprint import Solid

BALL = Body(height=0.19, sphere=Sphere(diameter=0.3, height=0.35))
ARMED = Body(turret=Turret(), barrel=Barrel(height=0.3))
EXACT = {
    f"sphere_camera.arena.{key}": 0.0
    for key in (
        "miss", "centre_noise_px", "radius_bias_px", "radius_bias", "radius_spread", "radius_noise_px", "radius_noise",
        "false_circles", "clutter_circles", "quality_noise",
    )
}  # fmt: skip
PARAMETRIC = QUIET.with_changes({"sphere_camera.kind": "parametric", **EXACT})
PICTURES = QUIET.with_changes(
    {
        "sphere_camera.kind": "rendered",
        "sphere_camera.image.noise": 0.0,
        "sphere_camera.image.lens_blur_px": 0.0,
        "sphere_camera.image.exposure_s": 0.0,
        "sphere_camera.latency_s": 0.0,
    }
)
AWAY = Pose2D(1.5, 0.1, 2.0)

_open = ExitStack()


@pytest.fixture(autouse=True)
def arenas_end():
    """Close every arena that a test has made."""
    yield
    _open.close()


def arena(*solids, sensors=PARAMETRIC, chaser=ARMED, evader=BALL, at=AWAY, seed=7, pictures=False, others=()):
    specs = [
        RobotSpec("chaser", None, Pose2D(-1.0, 0.0, 0.0), sensors, chaser),
        RobotSpec("evader", None, at, QUIET, evader),
        *others,
    ]
    return _open.enter_context(closing(Arena(room(*solids), specs, seed, pictures)))


def outline(world, name="evader"):
    """Return where the ball is seen, now and without noise."""
    chaser = world.robots["chaser"]
    (ball,) = (ball for ball in world.spheres_seen_by("chaser") if ball.robot == name)
    optics = chaser.spec.sensors.sphere_camera
    pose = optics.mount(chaser.spec.body).pose(chaser.truth.pose, chaser.truth.turret)
    ahead, left, up = pose.place((ball.x, ball.y, ball.z))
    return Cone.of_sphere(-left, -up, ahead, 2.0 * ball.radius).circle(optics.pinhole())


def circles(world, ticks=30):
    """Return the messages that arrive, each once."""
    found = {}
    for _ in range(ticks):
        world.step()
        reading = world.robots["chaser"].read().circles
        if reading is not None:
            found[reading.sequence] = reading
    return list(found.values())


def test_circles_arrive_late_with_the_stamp_of_their_exposure_and_by_default_there_is_no_camera():
    found = circles(arena(), 60)
    assert len(found) > 20
    assert {one.arrival - one.stamp for one in found} == {150_000_000}
    assert [one.sequence for one in found] == list(range(1, len(found) + 1))
    world = arena(sensors=QUIET)
    run(world, 0.5)
    assert world.robots["chaser"].sphere_camera is None
    assert world.robots["chaser"].read().circles is None


def test_without_noise_a_circle_is_the_outline():
    world = arena()
    circle = circles(world)[-1].largest
    true = outline(world)
    assert (circle.x, circle.y, circle.radius) == pytest.approx((true.x, true.y, true.radius))


def test_the_camera_turns_with_its_turret():
    world = arena(at=Pose2D(0.5, 1.2, 0.0))
    assert circles(world)[-1].largest is None
    for tick in range(42):
        world.robots["chaser"].aim(TurretRates(0.8, 0.1) if tick < 41 else TurretRates())
        world.step()
    circle = circles(world, 40)[-1].largest
    true = outline(world)
    assert (circle.x, circle.y, circle.radius) == pytest.approx((true.x, true.y, true.radius))


def test_a_ball_is_seen_by_cameras_and_by_nothing_else():
    high = Body(height=0.05, sphere=Sphere(diameter=0.4, height=0.2))
    for body, met in ((high, False), (Body(height=0.35), True)):
        world = arena(evader=body, sensors=PARAMETRIC, at=Pose2D(0.2, 0.0))
        run(world, 0.6, chaser=Twist2D(0.3))
        distances = world.robots["chaser"].read().scan.ranges
        assert bool(np.nanmin(np.where(np.isfinite(distances), distances, np.nan)) < 1.2) is met
    beside = arena(evader=Body(height=0.19, sphere=Sphere(diameter=1.0, height=0.5)), at=Pose2D(-0.6, 0.0))
    run(beside, 0.2)
    assert beside.contacts == frozenset()


def test_a_ball_adds_no_mass():
    moved = []
    for body in (BALL, Body(height=0.19)):
        world = arena(evader=body)
        run(world, 1.0, evader=Twist2D(0.3, 0.5))
        moved.append(world.true_pose("evader"))
    assert moved[0] == moved[1]


@pytest.mark.parametrize(("width", "seen"), [(0.05, True), (0.3, False)])
def test_a_box_hides_a_ball_once_it_covers_most_of_it(width, seen):
    pillar = Solid("pillar", Pose2D(0.3, 0.05), 0.1, width, 1.0)
    assert bool(circles(arena(pillar, at=Pose2D(1.5, 0.1)))[-1].circles) is seen


def test_another_ball_hides_a_ball_and_glass_nothing():
    nearer = RobotSpec("other", None, Pose2D(0.3, 0.0, 0.0), QUIET, Body(height=0.19, sphere=Sphere(height=0.35)))
    (circle,) = circles(arena(at=Pose2D(1.5, 0.0), others=(nearer,)))[-1].circles
    world = arena(at=Pose2D(1.5, 0.0), others=(nearer,))
    assert circle.radius == pytest.approx(outline(world, "other").radius)
    pane = Solid("pane", Pose2D(0.3, 0.05), 0.1, 0.8, 1.0, surface="glass")
    assert circles(arena(pane))[-1].circles


def test_a_ball_at_the_images_edge_is_lost_once_most_of_it_is_outside():
    found = []
    for bearing in (0.30, 0.36, 0.42):
        world = arena(at=Pose2D(-1.0 + 2.5 * math.cos(bearing), 2.5 * math.sin(bearing)))
        found.append(bool(circles(world)[-1].circles))
    assert found == [True, True, False]


def largest(changes, at=AWAY, seconds=10):
    world = arena(sensors=PARAMETRIC.with_changes({f"sphere_camera.arena.{k}": v for k, v in changes.items()}), at=at)
    messages = circles(world, 50 * seconds)
    return [one.largest for one in messages]


SURE = {"faint_px": 1.0, "faint_width_px": 0.1, "hidden_width": 0.01}
"""Nothing in plain view is missed for its size."""


def test_what_is_not_given_is_as_measured_with_the_camera_nearest_in_width():
    preview, wide = (SphereCameraParameters(width=width) for width in (250, 640))
    assert preview.errors != wide.errors
    assert SphereCameraParameters(width=480).errors == wide.errors
    changed = wide.with_changes({"arena.miss": 0.3})
    assert changed.errors == wide.errors.model_copy(update={"miss": 0.3})
    assert changed.with_changes({"detector": "source"}).errors != preview.with_changes({"detector": "source"}).errors
    assert SphereCameraParameters.model_validate(changed.model_dump()) == changed


def test_misses_are_as_frequent_as_their_parameter_says_and_every_second_small_ball_is_found():
    found = largest({"miss": 0.4, **SURE}, seconds=12)
    assert sum(one is None for one in found) / len(found) == pytest.approx(0.4, abs=0.1)
    radius = outline(arena()).radius
    found = largest({"faint_px": radius, "faint_width_px": 0.5}, seconds=12)
    assert sum(one is not None for one in found) / len(found) == pytest.approx(0.5, abs=0.1)


def test_noise_and_bias_of_the_radius_are_their_parameters():
    changes = {"radius_noise_px": 0.4, "radius_bias_px": -0.5, "radius_bias": 0.1, "centre_noise_px": 0.7}
    found = largest({**changes, **SURE}, seconds=12)
    true = outline(arena())
    errors = np.array([(one.x - true.x, one.y - true.y, one.radius - true.radius) for one in found])
    assert errors.mean(axis=0) == pytest.approx((0.0, 0.0, 0.1 * true.radius - 0.5), abs=0.12)
    assert errors.std(axis=0) == pytest.approx((0.7, 0.7, 0.4), rel=0.12)
    assert [one.radius_sigma for one in found] == pytest.approx([0.4] * len(found))


@pytest.mark.parametrize(("exposure_s", "seen"), [(0.0, True), (0.1, False)])
def test_a_ball_that_is_smeared_by_its_width_is_not_found(exposure_s: float, seen: bool):
    world = arena(sensors=PARAMETRIC.with_changes({"sphere_camera.exposure_s": exposure_s}), chaser=Body())
    found = []
    for _ in range(300):
        run(world, 0.02, chaser=Twist2D(0.0, 1.5))
        reading = world.robots["chaser"].read().circles
        # Once round, at full speed: the ball is in view in a part of the frames.
        if reading is not None and world.now > SECOND:
            found.append(bool(reading.circles))
    assert any(found) is seen


def test_memory_makes_errors_last_and_keeps_their_size():
    found = largest({"radius_noise_px": 0.4, "memory": 0.8, **SURE}, seconds=25)
    errors = np.array([one.radius for one in found]) - outline(arena()).radius
    assert np.corrcoef(errors[1:], errors[:-1])[0, 1] == pytest.approx(0.8, abs=0.08)
    assert errors.std() == pytest.approx(0.4, rel=0.25)


def test_a_further_ball_changes_nothing_about_the_first():
    noisy = PARAMETRIC.with_changes({"sphere_camera.arena.radius_noise_px": 0.5, "sphere_camera.arena.miss": 0.2})
    other = RobotSpec("other", None, Pose2D(1.0, 1.8, 0.0), QUIET, BALL)
    alone, together = (circles(arena(sensors=noisy, others=others), 100) for others in ((), (other,)))
    assert [one.circles for one in alone] == [one.circles for one in together]


def test_false_circles_come_at_their_rate_and_on_clutter_only_where_it_is_in_view():
    rate = {"sphere_camera.arena.false_circles": 0.3}
    messages = circles(arena(sensors=PARAMETRIC.with_changes(rate), evader=Body()), 500)
    assert sum(bool(one.circles) for one in messages) / len(messages) == pytest.approx(0.3, abs=0.08)
    rate = {"sphere_camera.arena.clutter_circles": 1.0}
    shares = []
    for colour, x in (("#2050d0", 1.0), ("#2050d0", -2.0), ("#d02020", 1.0), (None, 1.0)):
        box = Solid("crate", Pose2D(x, -0.1), 0.3, 0.3, 0.4, colour=colour)
        sensors = PARAMETRIC.with_changes(rate)
        world = arena(box, sensors=sensors, at=Pose2D(-1.5, 1.5))
        messages = circles(world)
        shares.append(sum(bool(one.circles) for one in messages) / len(messages))
    assert shares == [1.0, 0.0, 0.0, 0.0]


def test_no_circle_comes_from_nothing_beside_a_ball():
    sure = {
        "sphere_camera.arena.false_circles": 1.0,
        **{f"sphere_camera.arena.{key}": value for key, value in SURE.items()},
    }
    assert {len(one.circles) for one in circles(arena(sensors=PARAMETRIC.with_changes(sure)))} == {1}


@pytest.mark.parametrize(("largest", "taken"), [(20.0, False), (60.0, True)])
def test_only_clutter_that_shows_small_enough_is_taken_for_a_ball(largest, taken):
    box = Solid("crate", Pose2D(1.0, -0.1), 0.3, 0.3, 0.4, colour="#2050d0")
    rate = {"sphere_camera.arena.clutter_circles": 1.0, "sphere_camera.arena.clutter_px": largest}
    messages = circles(arena(box, sensors=PARAMETRIC.with_changes(rate), at=Pose2D(-1.5, 1.5)))
    assert any(one.circles for one in messages) is taken


def test_equal_seeds_give_equal_circles():
    noisy = QUIET.with_changes({"sphere_camera.kind": "parametric"})
    first, second, other = (circles(arena(sensors=noisy, seed=seed), 60) for seed in (5, 5, 6))
    assert first == second
    assert [one.circles for one in first] != [one.circles for one in other]


def ball_pixels(world):
    """Return the middles of the pixels of the newest picture in which blue is strongest by far, columns and rows."""
    image = world.robots["chaser"].image()
    blue, green, red = (np.asarray(image.data)[..., band].astype(int) for band in range(3))
    rows, columns = np.nonzero(blue - np.maximum(green, red) > 40)
    return columns + 0.5, rows + 0.5


@needs_graphics
@pytest.mark.parametrize("rates", [TurretRates(), TurretRates(0.3, 0.2)])
def test_a_rendered_ball_is_where_its_outline_is(rates):
    world = arena(sensors=PICTURES, pictures=True)
    for tick in range(40):
        world.robots["chaser"].aim(rates if tick < 25 else TurretRates())
        world.step()
    columns, rows = ball_pixels(world)
    true = outline(world)
    assert (columns.mean(), rows.mean()) == pytest.approx((true.x, true.y), abs=0.5)
    assert len(columns) == pytest.approx(math.pi * true.radius**2, rel=0.05)


@needs_graphics
def test_pictures_are_blurred_along_the_way_that_base_and_turret_turn():
    widths = {}
    still = {"sphere_camera.image.exposure_s": 0.1, "sphere_camera.image.colour_cast": 0.0}
    for name, rates, turn in (
        ("still", TurretRates(), 0.0),
        ("against", TurretRates(-1.0, 0.0), 1.0),
        ("along", TurretRates(1.0, 0.0), 1.0),
        ("upwards", TurretRates(0.0, 1.0), 0.0),
    ):
        world = arena(sensors=PICTURES.with_changes(still), pictures=True, at=Pose2D(1.0, 0.0))
        for _ in range(16):
            world.robots["chaser"].drive(Twist2D(0.0, turn))
            world.robots["chaser"].aim(rates)
            world.step()
        image = np.asarray(world.robots["chaser"].image().data).astype(float)
        edges = [np.abs(np.diff(image[..., 0], axis=axis)).max() for axis in (1, 0)]
        widths[name] = edges
    assert widths["along"][0] < 0.6 * widths["still"][0]
    assert widths["against"][0] > 0.7 * widths["still"][0]
    assert widths["upwards"][1] < 0.6 * widths["still"][1]


@needs_graphics
def test_a_coloured_box_is_painted_in_its_colour():
    crate = Solid("crate", Pose2D(1.0, 0.0), 0.5, 0.5, 0.6, colour="#2050d0")
    world = arena(crate, sensors=PICTURES, pictures=True, at=Pose2D(-1.5, 1.5))
    run(world, 0.2)
    assert len(ball_pixels(world)[0]) > 1000
