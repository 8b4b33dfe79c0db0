"""Every leaf of every tree breaks in every way: its robot stands still and says why, the other runs on."""

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from typing import Any

import py_trees
import pytest
from helpers.crossing_words import crossing, holder
from helpers.failures import all_failures
from helpers.map_files import ROOM
from helpers.scripted import Scene, game, pacman_game, scripted_loop
from py_trees.behaviour import Behaviour
from py_trees.common import Access, Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.crossroads.parameters import CrosserParameters, TrespasserParameters
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.wolf_rabbit.parameters import RabbitParameters, WolfParameters
from arena_trees.games.crossroads.layout.plan import plan_of
from arena_trees.games.crossroads.layout.round import Round
from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import Approach, Turn
from arena_trees.games.pacman.planning import ghost_forecast
from arena_trees.games.pacman.planning.ghost_forecast import Landmarks
from arena_trees.robot import keys
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.detections import Detection
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.loop import RobotLoop
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.crossroads import crosser, trespasser
from arena_trees.trees.pacman import pacman, services
from arena_trees.trees.wolf_rabbit import rabbit, wolf
from arena_trees.world.maps.occupancy_map import load_map

METHODS = ("setup", "initialise", "update", "terminate")
AFTER = 4
"""Ticks for which a broken robot is watched, in which it stands."""
FAULTS = [(method, fault) for method in METHODS for fault in ("raise", "nan")] + [("update", "none")]

# Everything that takes time is short, so that a script of about a second reaches every leaf.
QUICK = {
    "leg_min_s": 0.06,
    "leg_max_s": 0.06,
    "scan_turn_min_deg": 0.0,
    "scan_turn_max_deg": 0.0,
    "look_turn_deg": 0.0,
    "obstacle_turn_min_deg": 1.0,
    "obstacle_turn_max_deg": 1.0,
    "force_forward_s": 0.04,
    "obstacle_cooldown_s": 0.1,
    "vision_timeout": 0.06,
    "sight_confirm_frames": 2,
}
WOLF = {
    **QUICK,
    "chase_lost_frames": 1,
    "catch_confirm_frames": 2,
    "catch_pause_sec": 0.04,
    "catch_cooldown_sec": 0.0,
    "catch_range": 0.5,
    "catch_bbox_width_px": 100.0,
    "return_turn_deg": 0.0,
}
RABBIT = {
    **QUICK,
    "energy_start": 2.0,
    "wander_energy_drain_per_sec": 0.6,
    "return_energy_drain_per_sec": 20.0,
    "rest_energy_gain_per_sec": 100.0,
    "rest_resume_energy": 5.0,
    "home_safe_radius": 0.3,
    "wander_radius": 0.6,
}

FAR = Detection("rabbit_sign", 1.0, 125.0, 60.0, 40.0, 40.0)
NEAR = Detection("rabbit_sign", 1.0, 125.0, 32.0, 150.0, 64.0)
THREAT = Detection("wolf_sign", 1.0, 125.0, 60.0, 40.0, 40.0)
EDGE, INWARD, OUTWARD = Pose2D(1.8, 0.0, math.pi), Pose2D(2.3, 0.0, math.pi), Pose2D(2.3, 0.0, 2.0)
BREACH = (Scene(2, OUTWARD), Scene(3, INWARD))
END = (Scene(2, game=game("CAPTURED", alive=False)), Scene(2, game=game(number=2)))

WOLF_SCRIPT = (
    Scene(6, lost=True),
    Scene(5, ahead=0.35, lost=True),
    Scene(4, lost=True),
    Scene(14),
    Scene(5, ahead=0.35),
    Scene(4),
    Scene(2, bumped=True),
    Scene(4),
    Scene(3, EDGE),
    *BREACH,
    Scene(1, EDGE),
    Scene(4, boxes=(FAR,)),
    Scene(10),
    Scene(4, boxes=(FAR,)),
    *(Scene(scene.ticks, scene.pose, boxes=(FAR,)) for scene in BREACH),
    Scene(4, boxes=(FAR,)),
    Scene(4, boxes=(FAR,), ahead=0.25),
    Scene(8),
    Scene(6, boxes=(NEAR,)),
    *END,
)
# Home is near the edge, so that the warning band is within the wander radius.
HOME, AFIELD = Pose2D(1.4), Pose2D(0.4)
RABBIT_SCRIPT = (
    Scene(6, HOME),
    Scene(5, HOME, ahead=0.35),
    Scene(4, HOME),
    Scene(2, HOME, bumped=True),
    Scene(6, HOME),
    Scene(3, EDGE),
    *BREACH,
    Scene(3, EDGE),
    Scene(3, AFIELD),
    Scene(3, HOME, boxes=(THREAT,)),
    Scene(9, AFIELD, boxes=(THREAT,)),
    Scene(6, HOME),
    *END,
)

PACMAN = {
    "map": str(ROOM),
    "pose_timeout": 0.05,
    "spin_s": 0.04,
    "shake_s": 0.04,
    "win_s": 0.04,
    "plan_period": 0.02,
    "plan_delay": 0.02,
    "plan_horizon": 6.0,
}
GHOST = ["clyde", 0.9, 0.0, -0.25, 0.0, 0.25, False]
PACMAN_SCRIPT = (
    Scene(3, lost=True),
    Scene(3),
    Scene(3, pacman=pacman_game("RETURNING_HOME")),
    Scene(3, pacman=pacman_game("STARTING")),
    Scene(4, pacman=pacman_game()),
    Scene(3, pacman=pacman_game(ghosts=[GHOST])),
    Scene(3, pacman=pacman_game(pellets=[], score=2)),
    Scene(2, bumped=True),
    Scene(3, pacman=pacman_game("DYING", lives=0)),
    Scene(3, pacman=pacman_game("COMPLETE")),
    Scene(5, lost=True),
    Scene(2, pacman=pacman_game("MENU")),
    Scene(3, pacman=pacman_game(pellets=[[3, 1.0, 1.0, False]])),
    Scene(5, lost=True),
)

CROSSER = {"pose_timeout": 0.05, "pause_s": 0.01, "plan": {"size": 3.0}}


def _crosser_script() -> Sequence[Scene]:
    """Return rounds until every way was gone: the same random movements as the tree's, a grant at each line."""
    plan = plan_of(CrosserParameters(**CROSSER).plan)
    random = RandomStreams(4).generator("movements")
    approach, request, gone = Approach.SOUTH, 0, set()
    scenes = [Scene(5, lost=True)]
    # This seed goes each way once.
    while len(gone) < len(Turn):
        turns = [turn for turn in Turn if Key(approach, turn) in plan.movements]
        turn = turns[int(random.integers(len(turns)))]
        way = Round(plan.movements[Key(approach, turn)], plan.parameters)
        request += 1
        gone.add(turn)
        # It jumps by less than a quarter of a turn, so that it finds its place on the way again.
        before, beyond = [-0.6, -0.3, 0.0], [0.25 * k for k in range(1, math.ceil(way.end / 0.25))]
        scenes += [Scene(1, way.pose(progress)) for progress in [way.begin, way.begin + 0.3, *before]]
        scenes += [Scene(5, way.pose(0.0)), Scene(2, way.pose(0.0), crossing=_grant(request, approach, turn))]
        scenes += [Scene(1, way.pose(progress)) for progress in [*beyond, way.end]]
        approach = way.movement.exit
    return (*scenes, Scene(2, way.pose(way.end)), Scene(2, way.pose(way.end), bumped=True), Scene(5, lost=True))


def _grant(request: int, approach: Approach, turn: Turn) -> dict[str, Any]:
    """Return the payload of a scheduler that answers the tree's first message."""
    row = holder("wolf", approach, turn, request, epoch=2, answers=1, lease=3600.0)
    return crossing("scheduler", sequence=request, holders=(row,)).encode()


def _crosser(strategy: Any) -> Callable[[str], Behaviour]:
    values = {**CROSSER, "strategy": strategy, "times": {"lease": 3600.0}}
    return lambda robot: crosser.create_root(robot, Live(CrosserParameters(**values)), RandomStreams(4))


def _trespasser(robot: str) -> Behaviour:
    values = {**CROSSER, "manner": "stops_in_box", "stop_s": 0.02}
    return trespasser.create_root(robot, Live(TrespasserParameters(**values)), RandomStreams(4))


@dataclass(frozen=True)
class Case:
    """A tree and the script that reaches its leaves.

    Attributes:
        name: of the case
        create: returns the tree for a robot
        scenes: the script
        forced: leaves that nothing can reach by itself: the last resort behind tasks that always want to run
    """

    name: str
    create: Callable[[str], Behaviour]
    scenes: Sequence[Scene]
    forced: frozenset[str] = frozenset({"Idle"})


def _wolf(strategy: Any) -> Callable[[str], Behaviour]:
    return lambda robot: wolf.create_root(robot, Live(WolfParameters(**WOLF, strategy=strategy)), RandomStreams(1))


def _rabbit(robot: str) -> Behaviour:
    return rabbit.create_root(robot, Live(RabbitParameters(**RABBIT)), RandomStreams(1))


def _pacman(strategy: Any) -> Callable[[str], Behaviour]:
    return lambda robot: pacman.create_root(
        robot, Live(PacmanParameters(**PACMAN, strategy=strategy)), RandomStreams(1)
    )


CASES = (
    Case("wolf arena", _wolf("arena"), WOLF_SCRIPT),
    Case("wolf source", _wolf("source"), WOLF_SCRIPT),
    Case("rabbit", _rabbit, RABBIT_SCRIPT),
    Case("pacman arena", _pacman("arena"), PACMAN_SCRIPT, frozenset()),
    Case("pacman source", _pacman("source"), PACMAN_SCRIPT, frozenset()),
    Case("crosser arena", _crosser("arena"), _crosser_script(), frozenset()),
    Case("crosser source", _crosser("source"), _crosser_script(), frozenset()),
    Case("trespasser", _trespasser, _crosser_script(), frozenset()),
)


def leaves(root: Behaviour) -> list[Behaviour]:
    return [node for node in root.iterate() if not node.children]


def force(root: Behaviour, leaf: Behaviour) -> None:
    """Leave the deciding selector no other task than the leaf."""
    parent = leaf.parent
    assert isinstance(parent, py_trees.composites.Selector)
    for child in parent.children:
        if child is not leaf:
            # A task that always fails; the tree keeps its shape.
            child.tick = lambda child=child: _fail(child)  # type: ignore[method-assign]


def _fail(child: Behaviour) -> Any:
    child.status = Status.FAILURE
    yield child


def reached(case: Case) -> dict[int, frozenset[str]]:
    """Return by number of the leaf which of its methods a run without faults calls."""
    root = case.create("wolf")
    calls: dict[int, set[str]] = {}
    for number, leaf in enumerate(leaves(root)):
        for method in METHODS:
            spy(leaf, method, calls.setdefault(number, set()))
    loop = scripted_loop(root, "wolf", case.scenes)
    run(loop, loop.port.ticks)
    assert loop.fault is None
    loop.close()
    return {number: frozenset(methods) for number, methods in calls.items()}


def spy(leaf: Behaviour, method: str, calls: set[str]) -> None:
    original = getattr(leaf, method)

    def called(*args: Any, **kwargs: Any) -> Any:
        calls.add(method)
        return original(*args, **kwargs)

    setattr(leaf, method, called)


def inject(leaf: Behaviour, method: str, fault: str) -> list[int]:
    """Break a method of a leaf; return a list that grows when the fault strikes."""
    original = getattr(leaf, method)
    struck: list[int] = []

    def broken(*args: Any, **kwargs: Any) -> Any:
        struck.append(1)
        if fault == "raise":
            raise RuntimeError("injected")
        if fault == "nan":
            command_nan(leaf)
        result = original(*args, **kwargs)
        return None if fault == "none" else result

    setattr(leaf, method, broken)
    return struck


def command_nan(leaf: Behaviour) -> None:
    """Command NaN: through the leaf's own door where it has one, past every door where it has none."""
    if isinstance(leaf, ActionBehaviour):
        leaf.drive(math.nan, 0.0)
        return
    rogue = leaf.attach_blackboard_client(name="rogue", namespace=keys.namespace("wolf"))
    rogue.register_key(keys.COMMAND, Access.WRITE)
    rogue.command = Twist2D(math.nan, math.nan)


def run(loop: RobotLoop, ticks: int) -> list[str]:
    if loop.configure():
        loop.activate()
    return [loop.step().to_json() for _ in range(ticks)]


def driven(loop: RobotLoop) -> list[Twist2D]:
    return loop.port.driven


@cache
def undisturbed() -> tuple[str, ...]:
    """Return the records of the second robot when it is alone."""
    loop = scripted_loop(_rabbit("rabbit"), "rabbit", (Scene(1),))
    records = run(loop, 12)
    assert any(twist != ZERO for twist in driven(loop))
    loop.close()
    return tuple(records)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_script_reaches_every_leaf_that_can_be_reached(case: Case) -> None:
    names = [leaf.name for leaf in leaves(case.create("wolf"))]
    calls = reached(case)
    missed = {(name, method) for k, name in enumerate(names) for method in METHODS if method not in calls[k]}
    forced = {(name, method) for name in case.forced for method in METHODS if method != "setup"}
    assert missed == forced


@pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_broken_leaf_stops_its_robot_only(case: Case, half: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second fault of each leaf, so that each half has every leaf and every fault; both have every pair."""
    # Each pair sets a tree up anew; neither its map nor all that a planner foresees need be made anew.
    monkeypatch.setattr(services, "load_map", cache(load_map))
    monkeypatch.setattr(ghost_forecast, "Landmarks", lambda grid, count, rng: Landmarks(grid, 8, rng))
    names = [leaf.name for leaf in leaves(case.create("wolf"))]
    with all_failures() as checked:
        for number, name in enumerate(names):
            for index in range((number + half) % 2, len(FAULTS), 2):
                method, fault = FAULTS[index]
                with checked(f"{number} {name}, {method}: {fault}"):
                    forget_the_blackboard()
                    # The other robot runs beside one fault of each leaf, and beside every fault of some leaf.
                    accompanied = number % len(FAULTS) == index
                    check_a_broken_leaf(case, number, method, fault, accompanied)


def check_a_broken_leaf(case: Case, number: int, method: str, fault: str, accompanied: bool) -> None:
    root = case.create("wolf")
    leaf = leaves(root)[number]
    if leaf.name in case.forced:
        force(root, leaf)
    struck = inject(leaf, method, fault)
    with ExitStack() as ends:
        loop = ends.enter_context(closing(scripted_loop(root, "wolf", case.scenes)))
        if accompanied:
            other = ends.enter_context(closing(scripted_loop(_rabbit("rabbit"), "rabbit", (Scene(1),))))
        if loop.configure():
            loop.activate()
        while loop.fault is None and loop.ticks < loop.port.ticks:
            record = loop.step()
        if loop.fault is None:
            # A leaf that runs for ever is ended by deactivating only.
            loop.deactivate()
            record = loop.step()
        assert struck, "the fault was never reached"
        assert leaf.name in loop.fault
        assert all(node.status is Status.INVALID for node in root.iterate())
        if method != "setup":
            assert (record.twist, record.command) == (ZERO, None)
        before = loop.ticks
        for _ in range(AFTER):
            loop.step()
        assert driven(loop)[max(0, before - 1) :] == [ZERO] * (AFTER + min(before, 1))
        if accompanied:
            assert run(other, 12) == list(undisturbed())


def forget_the_blackboard() -> None:
    """Leave nothing of the combination before."""
    py_trees.blackboard.Blackboard.clear()
    py_trees.blackboard.Blackboard.metadata.clear()
    py_trees.blackboard.Blackboard.clients.clear()
