"""The laser: reach, cone and walls, in three dimensions."""

import math

import pytest

from arena_trees.games.pursuit.laser import Laser
from arena_trees.games.truth import TruthSample
from arena_trees.robot.geometry import Pose2D
from arena_trees.world.body import Barrel, Body, Sphere, Turret
from arena_trees.world.footprint import Solid
from arena_trees.world.line_of_sight import LineOfSight

BALL = Sphere(diameter=0.5, height=0.55)
PLAIN = Body(barrel=Barrel(x=0.1, height=0.25))
TURRET = Body(barrel=Barrel(x=0.1, height=0.25), turret=Turret())


def laser(body: Body, *solids: Solid, ball: Sphere = BALL) -> Laser:
    return Laser(body, ball, LineOfSight(solids), 3.0, math.radians(1.0))


def at(x: float, y: float, yaw: float = 0.0, turret: tuple[float, float] | None = None) -> TruthSample:
    return TruthSample("robot", 0, Pose2D(x, y, yaw), turret=turret)


def test_without_pitch_the_cone_is_one_of_azimuth():
    gun = laser(PLAIN)
    assert gun.aim(at(0.0, 0.0), at(2.0, 0.0)).hits
    for degrees, hits in ((0.98, True), (1.02, False), (-0.98, True), (-1.02, False)):
        aim = gun.aim(
            at(0.0, 0.0), at(0.1 + 2.0 * math.cos(math.radians(degrees)), 2.0 * math.sin(math.radians(degrees)))
        )
        assert aim.hits is hits
        # The barrel is to the right of a ball on the left.
        assert math.degrees(aim.azimuth) == pytest.approx(-degrees)


@pytest.mark.parametrize(("above", "hits"), [(0.98, True), (1.02, False), (-0.98, True), (-1.02, False)])
def test_with_a_turret_the_cone_is_one_of_both_angles(above, hits):
    elevation = math.atan2(0.3, 1.9)
    body = Body(barrel=Barrel(height=0.25), turret=Turret())
    shooter = at(0.0, 0.0, 0.3, (-0.3, elevation + math.radians(above)))
    aim = laser(body).aim(shooter, at(1.9, 0.0))
    assert aim.hits is hits
    assert math.degrees(aim.angle) == pytest.approx(abs(above), abs=1e-6)
    assert not laser(body).aim(at(0.0, 0.0, 0.0, (0.0, 0.0)), at(1.9, 0.0)).hits


def test_the_reach_is_measured_in_three_dimensions_from_the_barrel():
    flat = math.sqrt(9.0 - 0.3**2)
    assert laser(PLAIN).aim(at(0.0, 0.0), at(0.1 + flat - 1e-6, 0.0)).hits
    assert not laser(PLAIN).aim(at(0.0, 0.0), at(0.1 + flat + 1e-6, 0.0)).hits


def test_the_barrel_turns_with_the_turret():
    (x, y, z), yaw, pitch = laser(TURRET).barrel(at(1.0, 2.0, math.pi / 2.0, (math.pi / 2.0, 0.5)))
    assert (x, y) == (pytest.approx(1.0 - 0.1 * math.cos(0.5)), pytest.approx(2.0))
    assert z == pytest.approx(0.25 + 0.1 * math.sin(0.5))
    assert (abs(yaw), pitch) == (pytest.approx(math.pi), 0.5)


def test_a_wall_stops_the_beam_and_a_low_one_does_not():
    for height, hits, length in ((1.0, False, 0.9), (0.2, True, 2.0)):
        wall = Solid.wall("wall", (1.1, -1.0), (1.1, 1.0), 0.2, height, "normal")
        gun = laser(PLAIN, wall)
        aim = gun.aim(at(0.0, 0.0), at(2.0, 0.0))
        assert aim.hits is hits
        assert aim.blocked == (None if hits else "wall")
        assert gun.beam(at(0.0, 0.0), 2.0) == pytest.approx(length)


def test_the_beam_begins_at_the_barrel_wherever_the_robot_stands():
    wall = Solid.wall("wall", (1.0, 6.0), (3.0, 6.0), 0.2, 1.0, "normal")
    for y, length in ((4.0, 1.8), (5.0, 0.8), (7.0, 2.5)):
        assert laser(PLAIN, wall).beam(at(2.0, y, math.pi / 2.0), 2.5) == pytest.approx(length)
    across = Solid.wall("wall", (6.0, 1.0), (6.0, 3.0), 0.2, 1.0, "normal")
    assert laser(PLAIN, across).beam(at(4.0, 2.0), 2.5) == pytest.approx(1.8)


@pytest.mark.parametrize("ahead", [0.3, 0.7, 2.0])
def test_with_a_turret_a_near_ball_is_missed_below_as_a_far_one_is(ahead):
    body = Body(barrel=Barrel(height=0.25), turret=Turret())
    elevation = math.atan2(0.3, ahead)
    assert laser(body).aim(at(0.0, 0.0, 0.0, (0.0, elevation)), at(ahead, 0.0)).hits
    aim = laser(body).aim(at(0.0, 0.0, 0.0, (0.0, elevation - math.radians(5.0))), at(ahead, 0.0))
    assert not aim.hits and math.degrees(aim.angle) == pytest.approx(5.0)


def test_a_ball_right_at_the_barrel_has_a_distance_and_no_direction():
    body = Body(barrel=Barrel(x=0.0, height=BALL.height), turret=Turret())
    aim = laser(body).aim(at(1.0, 2.0, 0.0, (0.0, 0.0)), at(1.0, 2.0))
    assert (aim.distance, aim.angle) == (0.0, 0.0)


def test_where_the_whole_scene_stands_does_not_matter():
    near = laser(TURRET).aim(at(0.0, 0.0, 0.1, (0.2, 0.15)), at(1.8, 0.55))
    turned = Pose2D(3.0, -2.0, 2.5)
    shooter, target = turned.compose(Pose2D(0.0, 0.0, 0.1)), turned.compose(Pose2D(1.8, 0.55))
    far = laser(TURRET).aim(at(shooter.x, shooter.y, shooter.yaw, (0.2, 0.15)), at(target.x, target.y))
    for value in ("distance", "angle", "azimuth"):
        assert getattr(far, value) == pytest.approx(getattr(near, value))
