"""The wolf's tree: which task wins when several want to run, in both strategies."""

import math
from typing import Any

import pytest
from helpers.tree_bench import TICK, TreeBench, box, wall

from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.games.wolf_rabbit.messages import GamePhase
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection
from arena_trees.robot.percepts import Bumpers, FenceStatus
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.wolf_rabbit.wolf import create_root

PINNED = {
    "catch_confirm_frames": 2,
    "catch_cooldown_sec": 4.0,
    "catch_pause_sec": 1.0,
    "catch_range": 0.5,
    "catch_bbox_width_px": 100.0,
    "vision_timeout": 0.4,
    "chase_lost_frames": 5,
    "sight_confirm_frames": 2,
}
BOTH = pytest.mark.parametrize("strategy", ["arena", "source"])


class Wolf(TreeBench):
    """A wolf in the open, that turns as it is told."""

    def __init__(self, strategy: str, **values: Any) -> None:
        super().__init__("wolf")
        live = Live(WolfParameters(**{**PINNED, "strategy": strategy, **values}))
        self.set_up(create_root("wolf", live, RandomStreams(3)))
        self.yaw = 0.0
        self.points()

    def run(self, seconds: float, *boxes: Detection, images: bool = True, posed: bool = True) -> list[str]:
        """Run with an image each 40 ms that shows the boxes; return the active leaves without repetitions."""
        names: list[str] = []
        for k in range(round(seconds * SECOND / TICK)):
            self.odometry(yaw=math.remainder(self.yaw, math.tau))
            if posed:
                self.pose(yaw=math.remainder(self.yaw, math.tau))
            if k % 2 == 0 and images:
                self.see(*boxes)
            outcome = self.tick()
            if outcome.command is not None:
                self.yaw += outcome.command[1] * TICK / SECOND
            if names[-1:] != [outcome.active]:
                names.append(outcome.active)
        return [name for name in names if name]


FAR = box(width=40.0, x=125.0)
NEAR = Detection("rabbit_sign", 1.0, 125.0, 32.0, 150.0, 64.0)
"""Cut off above, 0.45 m away; 150 px wide."""


@BOTH
def test_it_chases_what_it_sees_and_not_what_it_saw_once(strategy: str) -> None:
    wolf = Wolf(strategy)
    wolf.run(1.0)
    wolf.see(FAR)
    once = wolf.tick().active
    assert (once == "Chase the rabbit") is (strategy == "source")
    wolf.run(1.0)
    assert wolf.run(0.5, FAR)[-1] == "Chase the rabbit"
    assert wolf.run(0.5, FAR) == ["Chase the rabbit"]


SEARCH = {"Look round", "Go and look"}


def test_ours_searches_from_the_beginning_and_after_a_loss_and_a_false_alarm_does_not_call_it_off():
    wolf = Wolf("arena")
    assert set(wolf.run(5.0)) <= SEARCH
    wolf.run(0.5, FAR)
    names = wolf.run(16.0)
    assert names[0] == "Chase the rabbit" and set(names[1:]) <= SEARCH
    wolf.see(FAR)
    assert wolf.tick().active in SEARCH


def test_ours_patrols_where_no_pose_is_known():
    assert set(Wolf("arena").run(20.0, posed=False)) == {"Forward", "Scan"}


def test_the_source_goes_back_to_its_patrol_after_a_loss() -> None:
    wolf = Wolf("source")
    wolf.run(0.5, FAR)
    names = wolf.run(10.0)
    assert names[0] == "Chase the rabbit"
    assert set(names[1:]) == {"Forward", "Scan"}


@BOTH
def test_a_loss_is_shown_once(strategy: str) -> None:
    wolf = Wolf(strategy)
    wolf.run(0.5, FAR)
    cues = []
    for _ in range(60):
        cues += wolf.see().odometry(yaw=wolf.yaw).tick().cues
    assert cues.count("LOST") == 1


def test_a_breach_beats_chase_and_search_with_ours() -> None:
    wolf = Wolf("arena")
    wolf.run(0.5, FAR)
    wolf.fence(FenceStatus.BREACH, way_inside=(-1.0, 0.0))
    names = wolf.run(1.0, FAR)
    assert names[0] == "Align with the way in"
    assert "Chase the rabbit" not in names
    # It turns inside to the end before it hunts on.
    wolf.fence(FenceStatus.WARNING)
    assert wolf.run(2.0, FAR) == ["Align with the way in", "Chase the rabbit"]
    # It looks round inside the warning band only once it has left it.
    assert wolf.run(1.5)[-1] == "Head for the centroid"
    wolf.fence(FenceStatus.SAFE)
    assert SEARCH & set(wolf.run(1.5))
    wolf.fence(FenceStatus.BREACH, way_inside=(-1.0, 0.0))
    assert not SEARCH & set(wolf.run(1.0))


def test_with_the_source_a_breach_during_a_chase_leads_to_one_return_turn_and_then_inside() -> None:
    wolf = Wolf("source")
    wolf.run(0.5, FAR)
    wolf.fence(FenceStatus.BREACH, centroid=(-1.0, 0.0))
    assert wolf.run(0.1, FAR) == ["Return turn"]
    before = wolf.yaw
    names = wolf.run(12.0)
    # The rabbit is behind it now; a target that was lost during the turn must not turn it again.
    assert names[:2] == ["Return turn", "Align with the way in"] or names[:2] == ["Return turn", "Drive inside"]
    assert names.count("Return turn") == 1
    assert abs(wolf.yaw - before) > 2.0
    wolf.fence(FenceStatus.SAFE)
    assert set(wolf.run(6.0)) <= {"Forward", "Scan"}


def test_with_the_source_the_forward_cone_breaks_a_chase_off_with_one_turn() -> None:
    wolf = Wolf("source", chase_obstacle_distance=0.32)
    wolf.run(0.5, FAR)
    wolf.points(*wall(0.33))
    assert wolf.run(0.5, FAR) == ["Chase the rabbit"]
    wolf.points(*wall(0.31))
    before = wolf.yaw
    assert wolf.run(0.1, FAR) == ["Turn from it"]
    wolf.points()
    # Whatever it sees meanwhile, it turns to the end.
    names = wolf.run(4.0, FAR)
    assert names == ["Turn from it", "Chase the rabbit"]
    assert abs(wolf.yaw - before) > math.radians(80.0)


@pytest.mark.parametrize(("strategy", "check"), [("source", "patrol"), ("arena", "always")])
def test_as_the_reports_code_has_it_and_with_ours_no_cone_breaks_a_chase_off(strategy: str, check: str) -> None:
    wolf = Wolf(strategy, cone_check=check)
    wolf.run(0.5, FAR)
    wolf.points(*wall(0.2))
    assert wolf.run(1.0, FAR) == ["Chase the rabbit"]


@pytest.mark.parametrize(("check", "passes"), [("always", False), ("patrol", True)])
def test_as_the_reports_code_has_it_forced_forward_is_blind(check: str, passes: bool) -> None:
    wolf = Wolf("source", cone_check=check, force_forward_s=2.0)
    wolf.points(*wall(0.4))
    names = wolf.run(8.0)
    assert names[0] == "Turn away"
    assert ("Force forward" in names) is passes


def test_with_the_source_the_cone_interrupts_no_catch_and_no_return_turn() -> None:
    wolf = Wolf("source")
    wolf.run(0.5, FAR)
    wolf.points(*wall(0.3)).see(NEAR)
    wolf.tick()
    assert "Claim and pause" in wolf.run(0.5, NEAR)
    wolf = Wolf("source")
    wolf.run(0.5, FAR)
    wolf.fence(FenceStatus.BREACH, centroid=(-1.0, 0.0)).points(*wall(0.3))
    assert wolf.run(0.5, FAR) == ["Return turn"]


def test_with_the_source_a_breach_on_patrol_needs_no_return_turn() -> None:
    wolf = Wolf("source")
    wolf.run(1.0)
    wolf.fence(FenceStatus.BREACH, centroid=(-1.0, 0.0))
    assert wolf.run(0.5)[0] == "Align with the way in"


@BOTH
def test_a_catch_beats_a_breach_and_everything_but_the_rounds_end(strategy: str) -> None:
    wolf = Wolf(strategy)
    wolf.run(0.5, FAR)
    wolf.fence(FenceStatus.BREACH, way_inside=(-1.0, 0.0), centroid=(-1.0, 0.0)).points(*wall(0.3))
    wolf.see(NEAR).odometry(yaw=wolf.yaw).tick()
    names = wolf.run(1.0, NEAR)
    assert "Claim and pause" in names
    wolf = Wolf(strategy)
    wolf.game(phase=GamePhase.CAPTURED, rabbit_alive=False)
    assert wolf.run(1.0, NEAR) == ["Stand still"]


@BOTH
@pytest.mark.parametrize(
    "over",
    [{"phase": phase} for phase in (GamePhase.WAITING, GamePhase.SURVIVED, GamePhase.ABORTED)]
    + [{"rabbit_alive": False}],
)
def test_before_a_round_and_at_its_end_it_stops_whatever_it_does(strategy: str, over: dict[str, Any]) -> None:
    for prepare in ("patrol", "chase", "claim", "breach"):
        wolf = Wolf(strategy)
        wolf.run(0.5, *{"chase": [FAR], "claim": [NEAR]}.get(prepare, []))
        if prepare == "breach":
            wolf.fence(FenceStatus.BREACH, way_inside=(-1.0, 0.0))
            wolf.run(0.1)
        wolf.game(**over)
        outcome = wolf.tick()
        assert (outcome.active, outcome.command) == ("Stand still", (0.0, 0.0))
        wolf.game(round=2)
        assert wolf.run(0.2)[-1] != "Stand still"


@BOTH
def test_a_frozen_camera_ends_the_chase(strategy: str) -> None:
    """The report's code drives on extrapolation for ever while the camera streams; its text does not."""
    for images in (True, False):
        wolf = Wolf(strategy)
        wolf.run(0.5, FAR)
        names = wolf.run(0.4 + 5 * 0.02 + 0.1, images=images)
        assert names[0] == "Chase the rabbit"
        assert names[-1] != "Chase the rabbit"


@BOTH
def test_it_is_steered_by_the_column_at_every_tick_of_a_chase(strategy: str) -> None:
    wolf = Wolf(strategy)
    wolf.run(0.5, FAR)
    for x, sign in ((60.0, 1.0), (190.0, -1.0)):
        for _ in range(20):
            wolf.see(box(x=x, width=40.0)).odometry()
            outcome = wolf.tick()
        assert outcome.command[1] * sign > 0.1
        assert outcome.tracking.raw_px == x


def test_ours_turns_away_from_a_bump_even_in_a_chase_and_the_source_does_not() -> None:
    for strategy, turned in (("arena", True), ("source", False)):
        wolf = Wolf(strategy)
        assert wolf.run(1.0, FAR)[-1] == "Chase the rabbit"
        wolf.put(bumpers=Bumpers(wolf.now, wolf.now, 1, frozenset({"bump_front_center"})))
        names = wolf.run(0.9, FAR)
        wolf.put(bumpers=Bumpers(wolf.now, wolf.now, 2, frozenset()))
        names += wolf.run(5.1, FAR)
        assert (names[0] == "Turn from the bump" and "Go elsewhere" in names[1:3]) is turned
        assert names[-1] == "Chase the rabbit"


@pytest.mark.parametrize(("strategy", "least", "most"), [("arena", 351.0, 375.0), ("source", 50.0, 185.0)])
def test_ours_looks_all_round_and_the_source_to_a_random_yaw(strategy: str, least: float, most: float) -> None:
    wolf = Wolf(strategy)
    spins: list[float] = []
    before = ""
    for _ in range(1500):
        # Ours patrols where it does not know where it is.
        (active,) = wolf.run(0.02, posed=strategy == "source")[-1:] or [""]
        if active == "Scan":
            if before != "Scan":
                start = wolf.yaw
                spins.append(0.0)
            spins[-1] = math.degrees(abs(wolf.yaw - start))
        before = active
    assert len(spins) >= 3
    assert all(least <= spin <= most for spin in spins[:-1])
