"""The tree of a robot that crosses, with a real scheduler: where it stands, when it enters, which way it goes."""

import math
from dataclasses import replace
from typing import Any

import pytest
from helpers.crossing_words import carried, heard
from helpers.road_pictures import Road, as_image
from helpers.tree_bench import TICK, Outcome, TreeBench

from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads.layout.plan import CrossingParameters, plan_of
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import MESSAGES, Approach, Claim, Crossing, Stage, Turn
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.games.crossroads.scheduling.source_scheduler import SourceScheduler
from arena_trees.perception.lanes.lines import LaneDetector
from arena_trees.perception.lanes.tracker import LaneWatch
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.lane import LaneLines, SliceColumns
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.crossroads import crosser

PLAN = plan_of(CrossingParameters(size=3.0))
FAR = 2.4
PICTURES = 5 * TICK
DT = TICK / 1e9
RIGHT_WALL = tuple((0.675, -3.0 + 0.005 * k) for k in range(466))
"""Behind the black line of the southern lane."""


def lane(approach: Approach, back: float, aside: float = 0.0) -> Pose2D:
    """Return the pose in an approach lane, so far (m) from the centre."""
    start = Round(PLAN.movements[Key(approach, Turn.STRAIGHT)], PLAN.parameters).pose(0.0)
    return start.compose(Pose2D(PLAN.parameters.hold_distance - back, aside))


class Bench(TreeBench):
    """A robot that moves as it is told, on a map where it knows its place, and the scheduler that it hears."""

    def __init__(self, pose: Pose2D | None = None, scheduler: Any = None, **values: Any) -> None:
        super().__init__()
        self.where = pose or lane(Approach.SOUTH, FAR)
        self.scheduler = scheduler
        self.mailbox = Mailbox((Crossing,), MESSAGES)
        self.said: list[Claim] = []
        self.placed = True
        self.others: tuple[tuple[float, float], ...] = ()
        self.columns: tuple[float, float] | None = None
        self.road: Road | None = None
        self._odometer = Pose2D()
        self._watch = LaneWatch(LaneDetector())
        self.odometry()
        live = Live(CrosserParameters(plan=PLAN.parameters, **values))
        self.set_up(crosser.create_root("robot", live, RandomStreams(1)))

    def drive(self, seconds: float) -> list[Outcome]:
        """Drive for a time (s); every claim goes to the scheduler at once, and its word comes back."""
        return [self.advance() for _ in range(round(seconds / DT))]

    def drive_until(self, active: str, longest: float = 60.0) -> Outcome:
        for _ in range(round(longest / DT)):
            outcome = self.advance()
            if outcome.active == active:
                return outcome
        raise AssertionError(f"{active} did not run")

    def advance(self) -> Outcome:
        """Sense, tick, talk and move for one tick."""
        if self.placed:
            self.pose(self.where.x, self.where.y, self.where.yaw)
        seen = [self.where.relative(Pose2D(x, y)) for x, y in self.others]
        self.points(*((place.x, place.y) for place in seen))
        if self.columns is not None:
            slices = SliceColumns(*self.columns, 0.3), SliceColumns(*self.columns, 0.3)
            self.put(lane=LaneLines(*self.stamps(), None, None, None, 0.6, *slices))
        if self.road is not None and self.now % PICTURES == 0:
            taken = as_image(self.road.photograph(self.where))
            stamp, arrival, sequence = self.stamps()
            image = replace(taken, stamp=stamp, arrival=arrival, sequence=sequence)
            self.put(lane=self._watch.observe(image, self._odometer))
        outcome = self.tick()
        claims = [said for said in outcome.outbox if isinstance(said, Claim)]
        self.said += claims
        if self.scheduler is not None:
            state = self.scheduler.step(self.now, [heard(claim, "robot", self.now) for claim in claims])
            if state is not None:
                reported = carried(state, self.scheduler.name, self.now, state.epoch, state.sequence)
                self.put(inbox=self.mailbox.take([reported], self.now))
        v, w = outcome.command or (0.0, 0.0)
        motion = Pose2D(v * DT * math.cos(w * DT / 2.0), v * DT * math.sin(w * DT / 2.0), w * DT)
        self.where, self._odometer = self.where.compose(motion), self._odometer.compose(motion)
        self.odometry(self._odometer.x, self._odometer.y, self._odometer.yaw, v, w)
        return outcome


def scheduler() -> CrossingScheduler:
    return CrossingScheduler("scheduler", 1, PLAN)


WAYS = [
    # Each side and each turn once; the others are slow.
    pytest.param(approach, turn, marks=[] if (number, index) in {(0, 0), (1, 1), (2, 2)} else pytest.mark.slow)
    for number, approach in enumerate(Approach)
    for index, turn in enumerate(Turn)
]


@pytest.mark.parametrize(("approach", "turn"), WAYS)
def test_it_crosses_every_way_and_comes_again(approach: Approach, turn: Turn) -> None:
    bench = Bench(lane(approach, FAR, 0.04), scheduler(), movement=turn.value)
    movement = PLAN.movements[Key(approach, turn)]
    way, aside, stages, progress = Round(movement, PLAN.parameters), [], [], -1.5
    for _ in range(round(40.0 / DT)):
        bench.advance()
        progress = way.project(progress, bench.where.x, bench.where.y)
        if -0.5 < progress < way.end - 0.05:
            aside.append(abs(way.pose(progress).relative(bench.where).y))
        stage = bench.said[-1].stage
        if not stages or stages[-1] is not stage:
            stages.append(stage)
        if stage is Stage.ENTERING and len(stages) < 5:
            assert progress < PLAN.parameters.stop_gap
        if len(stages) > 4 and progress > way.end:
            break
    # It stands at first; and a scheduler without a roster grants nothing for the length of a lease.
    assert stages == [Stage.WAITING, Stage.ENTERING, Stage.WAITING, Stage.PASSING, Stage.LEFT, Stage.ENTERING]
    assert max(aside) < 0.02
    assert bench.said[-1].approach is movement.exit
    assert bench.said[-1].request == 2


def test_without_a_scheduler_it_stands_before_its_line() -> None:
    bench = Bench()
    assert bench.drive_until("Wait for the grant").command == (0.0, 0.0)
    bench.drive(20.0)
    back = PLAN.parameters.hold_distance + bench.where.y
    assert back == pytest.approx(0.0, abs=0.04)
    assert back < PLAN.parameters.stop_gap
    assert {claim.stage for claim in bench.said[-20:]} == {Stage.WAITING}
    assert "nobody schedules" in {node.feedback_message for node in bench.root.iterate()}


def test_a_lease_that_runs_out_on_the_way_stops_it_at_the_line() -> None:
    bench = Bench(lane(Approach.SOUTH, 2.7), CrossingScheduler("scheduler", 1, PLAN, roster=("robot",)))
    while not bench.said or bench.said[-1].lease <= 0.0:
        bench.advance()
    bench.scheduler = None
    granted_back = -bench.where.y
    bench.others = ((0.3, bench.where.y + 0.6),)
    bench.drive(11.5)
    assert -bench.where.y == pytest.approx(granted_back, abs=0.3)
    bench.others = ()
    bench.drive(10.0)
    assert -bench.where.y == pytest.approx(PLAN.parameters.hold_distance, abs=0.04)
    assert bench.said[-1].stage is Stage.WAITING


def test_it_follows_who_is_ahead_and_is_not_first() -> None:
    bench = Bench(scheduler=scheduler())
    # The back of a robot that waits at the line.
    bench.others = tuple((0.3 + 0.02 * k, -1.09) for k in range(-4, 5))
    bench.drive(20.0)
    gap = -0.92 - bench.where.y
    assert gap == pytest.approx(PLAN.parameters.follow_gap, abs=0.05)
    assert not any(claim.first for claim in bench.said)
    bench.others = ()
    bench.drive(10.0)
    assert bench.said[-1].stage in (Stage.PASSING, Stage.LEFT)


def test_what_stands_beside_its_way_is_not_in_its_way() -> None:
    bench = Bench(scheduler=scheduler())
    # The wall to its right, and a robot in the other lane.
    bench.others = (*((0.675, -2.4 + 0.1 * k) for k in range(17)), (-0.13, -1.5))
    bench.drive_until("Wait for the grant", 10.0)


def test_without_a_pose_it_stands_also_inside_and_goes_on_with_one() -> None:
    bench = Bench(scheduler=scheduler(), movement="straight")
    bench.drive_until("Drive through")
    bench.drive(1.0)
    bench.placed = False
    bench.drive(0.6)
    outcome = bench.advance()
    assert (outcome.active, outcome.command) == ("Wait to be placed", (0.0, 0.0))
    assert bench.said[-1].stage is Stage.PASSING
    bench.placed = True
    bench.drive_until("Drive out")


@pytest.mark.parametrize(
    "where",
    [Pose2D(0.0, 0.0, 0.3), lane(Approach.SOUTH, PLAN.parameters.hold_distance - 0.1)],
    ids=["on no lane", "with its front over the line"],
)
def test_where_nobody_begins_it_takes_no_part(where: Pose2D) -> None:
    bench = Bench(where, scheduler())
    assert {outcome.active for outcome in bench.drive(2.0)} == {"Wait to be placed"}
    assert bench.said == []


@pytest.mark.parametrize(
    "values", [{"cruise_speed": 0.3, "wheel_speed": 0.2}, {"pause_s": math.inf}, {"movement": "back"}, {"no_such": 1}]
)
def test_bad_parameters_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(values))):
        CrosserParameters(**values)


def test_carried_to_another_lane_it_asks_anew() -> None:
    bench = Bench()
    bench.drive(3.0)
    assert bench.said[-1].approach is Approach.SOUTH
    bench.where = lane(Approach.WEST, FAR)
    bench.drive(4.0)
    assert bench.said[-1].approach is Approach.WEST
    assert bench.said[-1].request == 2


@pytest.mark.parametrize(("name", "number"), [("normal", 0), ("priority", 1), ("emergency", 2)])
def test_it_says_how_urgent_it_is(name: str, number: int) -> None:
    bench = Bench(urgency=name)
    bench.drive(0.5)
    assert int(bench.said[-1].urgency) == number


@pytest.mark.parametrize(
    "turn", [pytest.param(turn, marks=[] if turn is Turn.LEFT else pytest.mark.slow) for turn in Turn]
)
def test_the_documents_law_crosses_too(turn: Turn) -> None:
    bench = Bench(
        lane(Approach.SOUTH, 1.3), SourceScheduler("scheduler", 1, PLAN), movement=turn.value, strategy="source"
    )
    bench.columns = (0.3, -0.3)
    bench.others = RIGHT_WALL
    bench.drive_until("Wait for the grant", 20.0)
    # It asks when it stands there, and not before; the wall ahead on its right ends near there.
    assert [claim.request for claim in bench.said] == [0]
    assert -bench.where.y == pytest.approx(PLAN.parameters.hold_distance, abs=0.15)
    bench.drive_until("Drive out", 60.0)
    exits = {Turn.STRAIGHT: math.pi / 2, Turn.RIGHT: 0.0, Turn.LEFT: math.pi}
    assert abs(math.remainder(bench.where.yaw - exits[turn], math.tau)) < 0.25


@pytest.mark.parametrize("aside", [0.06, pytest.param(-0.06, marks=pytest.mark.slow)])
def test_the_documents_law_comes_to_the_middle_of_its_lane_by_its_masks(aside: float) -> None:
    bench = Bench(lane(Approach.SOUTH, FAR, aside), strategy="source")
    bench.others, bench.road = RIGHT_WALL, Road()
    assert bench.advance().active == "Approach the line"
    bench.drive(0.3)
    begun = bench.advance().command
    assert begun[0] == 0.075
    # The lane's middle is on the other side.
    assert begun[1] * aside < 0.0
    assert abs(begun[1]) > 0.02
    bench.drive(7.0)
    path = Round(PLAN.movements[Key(Approach.SOUTH, Turn.STRAIGHT)], PLAN.parameters)
    beside = path.pose(path.project(-1.0, bench.where.x, bench.where.y)).relative(bench.where)
    assert abs(beside.y) < 0.75 * abs(aside)
    assert abs(beside.yaw) < 0.1


def test_the_documents_law_stands_in_front_of_a_dead_camera() -> None:
    bench = Bench(strategy="source")
    bench.others = RIGHT_WALL
    assert {outcome.command for outcome in bench.drive(2.0)} == {(0.0, 0.0)}
