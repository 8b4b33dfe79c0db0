"""The wolf's search: where the rabbit can be, where to look, and where to go for a look."""

import math
from typing import Any

import py_trees
import pytest
from helpers.tree_bench import TICK, TreeBench, box, target
from py_trees.common import Status

from arena_trees.behaviours.bumps import BumpedObstacles
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.behaviours.wolf_rabbit.search import GoAndLook, LookAround
from arena_trees.behaviours.wolf_rabbit.watch_arena import WatchArena
from arena_trees.control.searching.room_search import RoomView
from arena_trees.games.wolf_rabbit.blackboard import CaughtSigns
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import wrap
from arena_trees.robot.percepts import FenceStatus

R, F = Status.RUNNING, Status.FAILURE
FENCE = ((-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0))


def live(**values: Any) -> Live[WolfParameters]:
    return Live(WolfParameters(**{"search_speed": 0.3, "look_turn_speed": 1.0, "max_angular_speed": 1.5, **values}))


class Arena(TreeBench):
    """A wolf in a square room of 5 m that watches it; it stands where it is put."""

    def __init__(self, fence: tuple[tuple[float, float], ...] = FENCE, **values: Any) -> None:
        super().__init__()
        self.put(bumped=BumpedObstacles(), caught_signs=CaughtSigns())
        self.set_up(WatchArena("watch", "robot", live(**values), fence))
        self.at = (0.0, 0.0, 0.0)

    def stay(self, seconds: float, *boxes: Any, walls: tuple[tuple[float, float], ...] = ()) -> RoomView | None:
        """Stay and see, an image each 40 ms; return the view at the end."""
        for k in range(round(seconds * SECOND / TICK)):
            self.pose(*self.at).odometry(*self.at)
            if k % 2 == 0:
                self.see(*boxes)
            if walls:
                self.points(*(self._from_here(*point) for point in walls))
            self.tick()
        return self.get("room")

    def _from_here(self, x: float, y: float) -> tuple[float, float]:
        dx, dy, yaw = x - self.at[0], y - self.at[1], self.at[2]
        return math.cos(yaw) * dx + math.sin(yaw) * dy, math.cos(yaw) * dy - math.sin(yaw) * dx

    def lose(self, x: float, y: float, **changes: Any) -> None:
        """See the rabbit at a place, and then no more."""
        seen = {"position": (x, y), **changes}
        self.follow(target(self, **seen))
        self.stay(0.5, box())
        self.follow(target(self, in_sight=False, **seen))


def test_once_a_rabbit_is_caught_the_others_are_looked_for_everywhere() -> None:
    def widest(*, elsewhere: bool) -> float:
        """Return the farthest that the rest of its search leads from where the rabbit was seen last."""
        arena = Arena()
        arena.stay(0.5)
        arena.lose(1.5, 0.0)
        arena.stay(0.5)
        arena.lose(1.5, 0.0)
        arena.game(caught={"ruby": (1.5, 0.1) if not elsewhere else (-1.5, -1.5)})
        arena.stay(1.5)
        search = arena.root._grid
        return max(math.dist((1.5, 0.0), search.point(*cell)) for cell in zip(*search.chance.nonzero(), strict=True))

    assert widest(elsewhere=False) > 3.5
    assert widest(elsewhere=True) < 2.0, "what was seen last was another one"


def test_a_sign_of_a_rabbit_that_is_caught_is_nothing_seen() -> None:
    def chance_ahead(signs: CaughtSigns) -> float:
        arena = Arena()
        arena.put(caught_signs=signs)
        arena.stay(1.0, box())
        grid = arena.root._grid
        return float(grid.chance[grid.index(1.5, 0.0)])

    assert chance_ahead(CaughtSigns((0,))) < 0.5 * chance_ahead(CaughtSigns())


def test_it_knows_nothing_before_the_first_pose_and_has_no_view_while_the_rabbit_is_in_sight() -> None:
    arena = Arena()
    arena.tick()
    assert arena.get("room") is None
    assert arena.stay(0.5) is not None
    arena.follow(target(arena))
    assert arena.stay(0.5, box()) is None
    arena.root.setup()
    assert arena.get("room") is None


def test_a_rabbit_that_went_out_of_view_is_looked_for_where_it_went() -> None:
    for side in (1.0, -1.0):
        arena = Arena()
        # At the edge of the image, and under way out of it.
        arena.lose(1.5, 0.5 * side, velocity_px=-100.0 * side)
        view = arena.stay(1.0)
        towards = view.look if not view.way else math.atan2(view.way[-1][1], view.way[-1][0])
        assert math.copysign(1.0, wrap(towards)) == side, view


def test_a_rabbit_that_crossed_the_view_is_looked_for_on_the_side_that_it_went_to() -> None:
    for side in (1.0, -1.0):
        arena = Arena()
        arena.lose(1.5, 0.0, velocity_px=-100.0 * side)
        grid = arena.root._grid
        arena.stay(0.3)
        chances = [grid.chance[grid.index(1.5, 0.3 * one)] for one in (side, -side)]
        assert chances[0] > 0.0 == chances[1]


def test_where_it_can_be_grows_with_time_and_loses_what_the_camera_saw_without_it() -> None:
    def places(grid: Any) -> int:
        return int((grid.chance > 1e-9).sum())

    arena = Arena()
    arena.lose(1.5, 0.0)
    arena.at = (0.0, 0.0, math.pi)
    arena.stay(0.5)
    soon = places(arena.root._grid)
    arena.stay(3.0)
    assert places(arena.root._grid) > 2 * soon
    # Nothing was seen behind it before: as likely as not.
    arena = Arena()
    arena.stay(2.0)
    grid = arena.root._grid
    assert grid.chance[grid.index(1.0, 0.0)] < 0.5 * grid.chance[grid.index(-1.0, 0.0)]
    arena = Arena()
    arena.stay(2.0, box())
    grid = arena.root._grid
    assert grid.chance[grid.index(1.0, 0.0)] == pytest.approx(grid.chance[grid.index(-1.0, 0.0)], rel=0.2)


def test_the_rabbits_own_returns_are_no_obstacle() -> None:
    hull = ((1.33, 0.0), (1.35, 0.08), (1.35, -0.08))
    arena = Arena()
    arena.follow(target(arena, position=(1.5, 0.0)))
    arena.stay(0.5, box(), walls=hull)
    assert not arena.root._grid.occupied.any()
    arena.follow(None)
    arena.stay(0.5, walls=hull)
    assert arena.root._grid.occupied.any()


def test_a_rabbit_that_was_lost_behind_a_box_is_looked_for_from_where_the_box_hides_nothing() -> None:
    box_points = tuple((1.0, -0.3 + 0.02 * k) for k in range(31))
    arena = Arena()
    arena.at = (-1.0, 0.0, 0.0)
    arena.stay(0.5, walls=box_points)
    arena.lose(1.5, 0.0)
    view = arena.stay(1.0, walls=box_points)
    assert view.way
    x, y = view.way[-1]
    assert max(abs(x), abs(y)) <= 2.0 - 0.2, "inside the fence, and clear of it"
    # The straight line from there to where it was lost passes the box.
    at_box = y + (1.0 - x) / (1.5 - x) * (0.0 - y) if x < 1.0 else math.inf
    assert abs(at_box) > 0.3, view


def test_a_view_is_inside_the_fence_though_the_rabbit_may_be_outside() -> None:
    arena = Arena(((-2.0, -2.0), (0.5, -2.0), (0.5, 2.0), (-2.0, 2.0)))
    arena.lose(1.9, 0.0)
    for _ in range(20):
        view = arena.stay(0.5)
        assert all(x <= 0.5 and max(abs(x), abs(y)) <= 2.0 for x, y in view.way), view
    # And out of the warning band, as far as the corner behind a wall is seen from there.
    arena = Arena()
    arena.fence(FenceStatus.SAFE)
    corner = tuple((0.4 + 0.03 * k, 1.2) for k in range(70))
    arena.at = (1.0, 0.0, math.pi / 2.0)
    arena.stay(0.5, walls=corner)
    arena.lose(1.8, 1.9)
    ends = [view.way[-1] for view in (arena.stay(0.5, walls=corner) for _ in range(20)) if view.way]
    assert ends and all(max(abs(x), abs(y)) <= 1.5 for x, y in ends)


def test_a_way_leads_out_of_a_corner_that_only_the_warning_band_leads_out_of() -> None:
    """It began in a corner between a box and the warning band, and looked round there to the end of the game."""
    arena = Arena()
    arena.fence(FenceStatus.SAFE)
    arena.at = (-1.14, -1.35, 1.2)
    side = [-1.05 + 0.03 * k for k in range(33)]
    box_points = (*((x, -0.85) for x in (-1.8 + 0.03 * k for k in range(40))), *((-0.63, y) for y in side[:8]))
    views = [arena.stay(0.5, walls=box_points) for _ in range(10)]
    assert any(view.way for view in views)


def test_a_large_arena_has_no_more_cells_for_that() -> None:
    counts = [Arena(tuple((k * x, k * y) for x, y in FENCE)).root._grid.count for k in (1.0, 5.0)]
    assert counts == [52, 80]


def test_without_a_fence_it_searches_about_the_origin() -> None:
    arena = Arena(())
    arena.lose(1.5, 1.0)
    assert arena.stay(0.5) is not None


def test_a_rabbit_whose_place_was_not_known_is_looked_for_everywhere() -> None:
    arena = Arena()
    arena.lose(1.5, 0.5, position=None)
    assert arena.stay(0.5) is not None


@pytest.fixture
def bench() -> TreeBench:
    search = py_trees.composites.Selector(
        name="Search",
        memory=False,
        children=[GoAndLook("go", "robot", live()), LookAround("look", "robot", live())],
    )
    return TreeBench().put(bumped=BumpedObstacles()).set_up(search).pose().points((5.0, 5.0))


@pytest.mark.parametrize(("look", "side"), [(1.0, 1.0), (-1.0, -1.0), (3.0, 1.0)])
def test_it_turns_to_where_something_is_to_be_seen_from_here(bench: TreeBench, look: float, side: float) -> None:
    outcome = bench.put(room=RoomView((), look)).tick()
    assert (outcome.status, outcome.active, outcome.command) == (R, "look", (0.0, side * 1.0))


def test_it_drives_to_the_next_point_of_its_way(bench: TreeBench) -> None:
    room = RoomView(((1.0, 0.0), (1.0, 2.0)), None)
    outcome = bench.put(room=room).tick()
    assert (outcome.status, outcome.active) == (R, "go")
    assert outcome.command == (pytest.approx(0.3), pytest.approx(0.0))
    outcome = bench.pose(yaw=-math.pi / 2).tick()
    assert outcome.command[0] == 0.0 and outcome.command[1] > 0.0


def test_it_goes_round_what_only_the_bumper_has_met(bench: TreeBench) -> None:
    bench.put(room=RoomView(((2.0, 0.0),), None), bumped=BumpedObstacles(((0.4, 0.1, 0.1),)))
    assert bench.tick().command[1] < 0.0


def test_no_way_leads_through_what_the_bumper_has_met() -> None:
    ring = tuple((0.7 * math.cos(0.5 * k), 0.7 * math.sin(0.5 * k), 0.3) for k in range(13))
    went = []
    for bumped in (BumpedObstacles(), BumpedObstacles(ring)):
        arena = Arena()
        arena.at = (1.0, 1.0, 0.0)
        arena.put(bumped=bumped)
        went.append(any(arena.stay(0.5).way for _ in range(20)))
    assert went == [True, False]


def test_it_goes_round_what_stands_in_its_way_and_turns_where_nothing_is_free(bench: TreeBench) -> None:
    bench.put(room=RoomView(((2.0, 0.0),), None))
    assert bench.points((0.4, 0.1)).tick().command[1] < 0.0
    ring = [(0.3 * math.cos(0.1 * k), 0.3 * math.sin(0.1 * k)) for k in range(63)]
    outcome = bench.points(*ring).tick()
    assert outcome.command[0] == 0.0 and outcome.command[1] != 0.0


@pytest.mark.parametrize("missing", [{"room": None}, {"pose": None}, {"room": RoomView((), None)}])
def test_it_fails_where_there_is_nothing_to_search_by(bench: TreeBench, missing: dict[str, Any]) -> None:
    assert bench.put(room=RoomView(((2.0, 0.0),), None)).put(**missing).tick().status is F
