"""The plan of a crossing: lanes on the right, paths that join them, and conflicts as the swept floors say."""

import math
from itertools import product

import pytest

from arena_trees.games.crossroads.layout.plan import CrossingParameters, CrossingPlan
from arena_trees.games.crossroads.layout.words import Approach, Key, Turn
from arena_trees.robot.errors import ConfigError

FOUR = CrossingPlan()
THREE = CrossingPlan(CrossingParameters(approaches=3))
S, E, N, W = Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST


@pytest.mark.parametrize(
    ("approach", "turn", "exit"),
    [(S, Turn.STRAIGHT, N), (S, Turn.RIGHT, E), (S, Turn.LEFT, W), (W, Turn.LEFT, N), (N, Turn.RIGHT, W)],
)
def test_movements_lead_where_their_name_says(approach, turn, exit):
    movement = FOUR.movements[Key(approach, turn)]
    assert movement.exit is exit
    # It ends in the lane in which a robot from the exit's opposite side goes on straight.
    straight = next(m for m in FOUR.movements.values() if m.turn is Turn.STRAIGHT and m.exit is exit)
    assert movement.path.end.distance_to(straight.path.end.x, straight.path.end.y) < 1e-9
    assert math.isclose(math.cos(movement.path.end.yaw - straight.path.end.yaw), 1.0)


def test_right_hand_traffic():
    start = FOUR.movements[Key(S, Turn.STRAIGHT)].path.pose(0.0)
    assert (start.x, start.y) == pytest.approx((0.3, -0.92))
    assert start.yaw == pytest.approx(math.pi / 2)


@pytest.mark.parametrize("key", FOUR.movements, ids=lambda key: f"{key[0].value}-{key[1].value}")
def test_a_path_is_smooth_and_as_long_as_it_says(key):
    path = FOUR.movements[key].path
    step = 0.01
    before = path.pose(-0.2)
    for n in range(1, int((path.length + 0.4) / step)):
        pose = path.pose(-0.2 + n * step)
        assert before.distance_to(pose.x, pose.y) == pytest.approx(step, abs=1e-4)
        assert abs(math.remainder(pose.yaw - before.yaw, math.tau)) <= step / 0.39
        before = pose
    assert path.line().length == pytest.approx(path.length, abs=1e-3)


def test_a_t_has_the_movements_that_lead_somewhere():
    assert set(THREE.movements) == {
        Key(S, Turn.RIGHT), Key(S, Turn.LEFT), Key(E, Turn.STRAIGHT), Key(E, Turn.LEFT), Key(W, Turn.STRAIGHT),
        Key(W, Turn.RIGHT),
    }  # fmt: skip
    assert not THREE.together(Key(S, Turn.LEFT), Key(E, Turn.STRAIGHT))
    assert THREE.together(Key(S, Turn.RIGHT), Key(E, Turn.LEFT))


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (Key(S, Turn.STRAIGHT), Key(N, Turn.STRAIGHT), True),
        (Key(S, Turn.STRAIGHT), Key(E, Turn.STRAIGHT), False),
        (Key(S, Turn.LEFT), Key(N, Turn.LEFT), False),
        (Key(S, Turn.LEFT), Key(N, Turn.STRAIGHT), False),
        (Key(S, Turn.RIGHT), Key(W, Turn.STRAIGHT), False),
        (Key(S, Turn.RIGHT), Key(N, Turn.RIGHT), True),
        (Key(S, Turn.RIGHT), Key(W, Turn.LEFT), True),
        (Key(S, Turn.STRAIGHT), Key(W, Turn.RIGHT), True),
    ],
)
def test_who_can_go_together(one, other, together):
    assert FOUR.together(one, other) is together
    assert FOUR.together(other, one) is together


@pytest.mark.parametrize("plan", [FOUR, THREE], ids=["4", "3"])
def test_the_matrix_keeps_centres_apart(plan):
    """Beyond ``clear_from`` no place of the one is nearer to any place of the other than the planned separation."""
    for one, other in product(plan.movements.values(), repeat=2):
        clear = plan.clear_from(one.key, other.key)
        if clear >= one.length:
            continue
        rest = one.path.line(clear, one.length)
        assert rest.distance(other.path.line()) >= plan.parameters.separation - 1e-3, f"{one} {other}"
        if clear > 0.0:
            before = one.path.line(clear - plan.parameters.cell_length - 1e-6, clear)
            assert before.distance(other.path.line()) < plan.parameters.separation


def test_the_cells_cover_what_is_swept():
    movement = FOUR.movements[Key(W, Turn.LEFT)]
    assert movement.cells[0].begin == 0.0
    assert movement.cells[-1].end == pytest.approx(movement.length)
    union = movement.cells[0].area
    for cell in movement.cells:
        union = union.union(cell.area)
    assert union.symmetric_difference(movement.path.line().buffer(FOUR.parameters.separation / 2)).area < 1e-3


def test_one_behind_the_other_stays_apart_in_every_bend():
    """Two from the same side, one gap behind the other, until the paths have parted."""
    gap = FOUR.parameters.follow_gap
    for ahead, behind in product(FOUR.movements.values(), repeat=2):
        if ahead.approach is behind.approach:
            for n in range(int(FOUR.clear_from(ahead.key, behind.key) / 0.02)):
                first, second = ahead.path.pose(n * 0.02), behind.path.pose(n * 0.02 - gap)
                assert first.distance_to(second.x, second.y) >= 0.45


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"lane_width": 0.4}, "lane_width"), ({"size": 1.0}, "size"), ({"follow_gap": 0.45}, "follow_gap")],
)
def test_what_cannot_be_driven_is_refused(changes, key):
    with pytest.raises(ConfigError, match=key):
        CrossingPlan(CrossingParameters().with_changes(changes))


@pytest.mark.parametrize("changes", [{"approaches": 5}, {"lane_width": math.nan}, {"size": math.inf}, {"margin": 0.0}])
def test_parameters_out_of_bounds_are_refused(changes):
    with pytest.raises(ConfigError):
        CrossingParameters().with_changes(changes)
