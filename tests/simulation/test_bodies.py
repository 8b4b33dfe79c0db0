"""Bodies: what a scenario and an arena file say of them, and what becomes of it."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from matplotlib.figure import Figure
from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.experiments.plan import TrialPlan, draw_world, make_plan
from arena_trees.experiments.plots.map_plot import draw_map
from arena_trees.experiments.scenario import apply_changes, load_scenario
from arena_trees.experiments.trial import Trial
from arena_trees.recording.info import robot_info
from arena_trees.recording.loading import load_recording
from arena_trees.recording.play import play
from arena_trees.recording.replaying.plan import plan_replay
from arena_trees.recording.replaying.replay import replay
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.recording.video.pen import bgr
from arena_trees.recording.video.view import FilmView
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Twist2D
from arena_trees.simulation.physics.arena import Arena
from arena_trees.world.arenas import load_body, load_fence
from arena_trees.world.body import TURTLEBOT4, Body, Turret

ROOM: dict[str, Any] = {
    "name": "room",
    "fenced": False,
    "walls": [{"name": "east", "start": [2.0, -2.0], "end": [2.0, 2.0]}],
    "starts": {
        "large": {"position": [0.0, 0.0], "yaw": 0.0},
        "small": {"position": [0.9, 0.0], "yaw": math.pi},
    },
}
LARGE = {"radius": 0.4, "height": 0.8, "mass": 20.0, "max_linear": 1.5, "wheel_separation": 0.6, "acceleration": 2.0}


def planned(folder: Path, robots: dict[str, Any], arena: dict[str, Any] | None = None, **changes: Any) -> TrialPlan:
    (folder / "room.yaml").write_text(yaml.safe_dump({**ROOM, **(arena or {})}))
    values = {
        "game": "wolf_rabbit",
        "arena": "room.yaml",
        "isolated": True,
        "robots": {name: {"role": "wolf", **said} for name, said in robots.items()},
    }
    path = folder / "scenario.yaml"
    path.write_text(yaml.safe_dump(values))
    return make_plan(apply_changes(load_scenario(path), changes), path, folder)


def bodies(plan: TrialPlan) -> dict[str, Body]:
    return {name: robot.body for name, robot in plan.robots.items()}


def test_a_scenario_s_body_goes_before_the_arena_s_and_that_before_the_default(tmp_path: Path):
    said = {"wolf": {"radius": 0.2, "height": 0.5}, "small": {"mass": 1.5, "turret": {"max_yaw_rate": 1.0}}}
    robots: dict[str, Any] = {"large": {"body": {"radius": 0.3}}, "small": {"body": {"turret": {"max_yaw": 1.0}}}}
    found = bodies(planned(tmp_path, robots, {"bodies": said}))
    assert found["large"] == Body(radius=0.3, height=0.5), "of its role, with the scenario's radius"
    small = found["small"]
    assert (small.radius, small.mass) == (TURTLEBOT4.radius, 1.5), "of its name, and so not of its role"
    assert small.turret is not None and (small.turret.max_yaw_rate, small.turret.max_yaw) == (1.0, 1.0)
    assert bodies(planned(tmp_path, {"large": {}, "small": {}})) == {"large": TURTLEBOT4, "small": TURTLEBOT4}


def test_a_change_reaches_a_body_by_a_dotted_key(tmp_path: Path):
    changes = {"large.body.radius": 0.25, "robots.small.body.barrel": {}, "small.body.ranges": [mount("front")]}
    plan = planned(tmp_path, {"large": {}, "small": {}}, **changes)
    large, small = bodies(plan).values()
    assert large == Body(radius=0.25)
    assert small.barrel is not None and [one.name for one in small.ranges] == ["front"]
    players = plan.first_context().players
    assert [players[name].body for name in players] == [large, small]
    assert [spec.body for spec in draw_world(plan, 0).specs] == [large, small]


def mount(name: str) -> dict[str, Any]:
    return {"name": name, "x": 0.1, "y": 0.0, "yaw_deg": 0.0}


@pytest.mark.parametrize(
    "changes, key, reason",
    [
        ({"large.body.radius": 3.0}, "robots.large.body.radius", "less than or equal to 1"),
        ({"large.body.radius": float("nan")}, "robots.large.body.radius", "finite"),
        ({"large.body.radios": 0.2}, "robots.large.body.radios", "did you mean radius"),
        ({"large.body.colour": "blue"}, "robots.large.body.colour", "pattern"),
        ({"large.body.radius": 0.1}, "robots.large.body", "outside the hull"),
        ({"large.body.ranges": [mount("a"), mount("a")]}, "robots.large.body", "one name"),
        ({"arena_set.bodies": {"large": {"radius": 0.2}}}, "arena_set.bodies.large.radius", "robots.<name>.body"),
    ],
)
def test_what_is_no_body_is_refused(changes: dict[str, Any], key: str, reason: str, tmp_path: Path):
    with pytest.raises(ConfigError, match=reason) as caught:
        planned(tmp_path, {"large": {}, "small": {}}, **changes)
    assert caught.value.key == key and "scenario.yaml" in str(caught.value.file)


def test_an_arena_file_with_a_body_that_is_none_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="greater than") as caught:
        planned(tmp_path, {"large": {}}, {"bodies": {"wolf": {"radius": 0.0}}})
    assert caught.value.key == "bodies.wolf.radius" and "room.yaml" in str(caught.value.file)


def test_a_large_body_needs_more_room_and_a_small_one_less(tmp_path: Path):
    near = {"x": 1.6, "y": 0.0, "yaw_deg": 0.0}
    robots: dict[str, Any] = {"large": {"start": near}}
    alone = {"starts": {"large": {"position": [0.0, 0.0], "yaw": 0.0}}}
    assert draw_world(planned(tmp_path, robots, alone), 0).specs[0].start.x == 1.6
    with pytest.raises(ConfigError, match="inside east") as caught:
        planned(tmp_path, robots, alone, **{"large.body": LARGE})
    assert caught.value.key == "robots.large.start"
    wall = {"starts": {"large": {"position": [1.6, 0.0], "yaw": 0.0}}}
    with pytest.raises(ConfigError, match="inside east") as caught:
        planned(tmp_path, {"large": {"body": LARGE}}, wall)
    assert caught.value.key == "robots.large.body.radius"
    little = {"radius": 0.05, "wheel_separation": 0.08}
    closer: dict[str, Any] = {"large": {"start": {**near, "x": 1.87}, "body": little}}
    assert draw_world(planned(tmp_path, closer, alone), 0).specs[0].start.x == 1.87
    fence = {"fenced": True, "fences": {"large": [[-0.4, -0.4], [0.4, -0.4], [0.4, 0.4], [-0.4, 0.4]]}}
    fence |= {"starts": {"large": {"position": [0.0, 0.0], "yaw": 0.0}}}
    assert planned(tmp_path, {"large": {}}, fence).fences["large"].inset == pytest.approx(0.27)
    with pytest.raises(ConfigError, match="does not fit inside"):
        planned(tmp_path, {"large": {"body": LARGE}}, fence)


def test_starts_that_are_drawn_keep_bodies_apart(tmp_path: Path):
    starts = {name: {"position": [0.0, 0.0], "radius": 1.2, "yaw": 0.0} for name in ("large", "small")}
    plan = planned(
        tmp_path, {"large": {"body": LARGE}, "small": {}}, {"starts": starts, "start_distance": 0.0}
    )  # fmt: skip
    for index in range(30):
        large, small = draw_world(plan, index).specs
        assert large.start.distance_to(small.start.x, small.start.y) >= 0.4 + TURTLEBOT4.radius
        assert 1.95 - large.start.x >= 0.4 + 0.1 - 1e-9, "and from the wall"


def test_hulls_touch_where_their_radii_say(tmp_path: Path):
    little = {"radius": 0.08, "mass": 0.5, "wheel_separation": 0.12}
    plan = planned(tmp_path, {"large": {"body": LARGE}, "small": {"body": little}})
    world = draw_world(plan, 0)
    arena = Arena(world.layout, world.specs, 0)
    gap = 1.0
    while not arena.contacts:
        gap = arena.true_pose("small").x - arena.true_pose("large").x
        arena.robots["large"].drive(Twist2D(0.2, 0.0))
        arena.step()
        assert gap > 0.3, "they never touched"
    assert gap == pytest.approx(0.48, abs=0.01)
    assert arena.contacts == {("large", "small"), ("small", "large")}


def test_a_base_is_as_fast_and_as_heavy_as_its_body(tmp_path: Path):
    plan = planned(tmp_path, {"large": {"body": {**LARGE, "radius": 0.35}}}, {"walls": []})
    world = draw_world(plan, 0)
    arena = Arena(world.layout, world.specs, 0)
    fastest, speeds = 0.0, []
    for _ in range(100):
        arena.robots["large"].drive(Twist2D(9.0, 0.0))
        arena.step()
        speeds.append(arena.true_twist("large").linear)
    fastest = max(speeds)
    assert fastest == pytest.approx(1.5, abs=0.01)
    # A ramp of 2 m/s2: 0.5 s for 1 m/s, and the actuators' lag of some 20 ms.
    reached = next(index for index, speed in enumerate(speeds) if speed >= 1.0)
    assert 0.5 <= reached * 0.02 <= 0.56


def test_what_the_sensors_say_of_a_base_goes_before_its_body(tmp_path: Path):
    worn = {"base": {"max_linear": 0.1, "reflex_speed": 1.0}}
    plan = planned(tmp_path, {"large": {"body": {**LARGE, "radius": 0.35}, "sensors": worn}}, {"walls": []})
    world = draw_world(plan, 0)
    arena = Arena(world.layout, world.specs, 0)
    for _ in range(50):
        arena.robots["large"].drive(Twist2D(9.0, 0.0))
        arena.step()
    assert arena.true_twist("large").linear == pytest.approx(0.1, abs=0.005)


def test_a_gate_follows_its_body_and_what_the_scenario_says_of_it(tmp_path: Path):
    said = {"large": {"body": LARGE, "gate": {"max_linear": 1.2}}, "small": {"gate": {"obstacle_margin": 0.01}}}
    plan = planned(tmp_path, said)
    large, small = plan.robots["large"].gate, plan.robots["small"].gate
    assert (large.max_linear, large.max_wheel, large.hull_radius, large.half_track) == (1.2, 1.5, 0.4, 0.3)
    assert small.hull_radius == TURTLEBOT4.radius
    assert list(plan.loosened) == ["small.gate.obstacle_margin"]
    with pytest.raises(ConfigError, match="less than or equal to 1") as caught:
        planned(tmp_path, said, **{"large.gate.max_linear": 1.6})
    assert caught.value.key == "robots.large.gate.max_linear" and "scenario.yaml" in str(caught.value.file)


class Ahead(ActionBehaviour):
    def update(self) -> Status:
        self.drive(9.0, 0.0)
        return Status.RUNNING


@pytest.mark.parametrize("body", [{}, {**LARGE, "max_linear": 1.5}, {"radius": 0.08, "wheel_separation": 0.12}])
def test_robots_of_every_size_stop_before_a_wall(tmp_path: Path, body: dict[str, Any]):
    starts = {"starts": {"large": {"position": [-1.5, 0.0], "yaw": 0.0}}}
    plan = planned(tmp_path, {"large": {"body": body}}, starts)
    trial = Trial(plan.with_trees({"large": lambda robot, live, streams: Ahead("Ahead", robot)}), 0)
    trial.begin()
    fastest = 0.0
    while trial.arena.now < 12 * SECOND:
        trial.step()
        fastest = max(fastest, trial.arena.true_twist("large").linear)
        assert not trial.arena.contacts
    radius = plan.robots["large"].body.radius
    gap = 1.95 - trial.arena.true_pose("large").x - radius
    trial.close()
    assert fastest == pytest.approx(plan.robots["large"].body.max_linear, rel=0.02)
    assert 0.03 <= gap <= 0.15


EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "other_bodies.yaml"


def test_the_example_plays_and_what_shows_and_replays_it_knows_its_bodies(tmp_path: Path):
    changes = {"duration_s": 2.0, "wolf.gate.obstacle_margin": 0.0}
    watch = RecordTrials(tmp_path, "other_bodies")
    (trial,) = play(EXAMPLE, changes=changes, trials=1, seed=0, watch=watch).trials
    wolf, rabbit = (trial.trajectories[name].body for name in ("wolf", "rabbit"))
    assert (wolf.radius, wolf.max_linear, rabbit.radius, rabbit.mass) == (0.2, 0.5, 0.12, 1.4)

    figure = Figure()
    draw_map(figure.add_subplot(), trial)
    radii = {round(getattr(patch, "radius", 0.0), 6) for axes in figure.axes for patch in axes.patches}
    assert {wolf.radius, rabbit.radius} <= radii and TURTLEBOT4.radius not in radii

    recording = load_recording(tmp_path / "trial_000")
    assert [recording.robots[name].body for name in ("wolf", "rabbit")] == [wolf, rabbit]
    assert "its gate was looser than by default: obstacle_margin 0 m (default 0.05)" in recording.robots["wolf"].notes
    assert not any("looser" in note for note in recording.robots["rabbit"].notes), "it is as tight as its body"
    for name, body in (("wolf", wolf), ("rabbit", rabbit)):
        plan = plan_replay(recording, name)
        assert plan.gate.hull_radius == body.radius and plan.fence is not None
        assert plan.fence.inset == pytest.approx(body.radius + 0.1)
        assert replay(plan).first is None

    film = FilmView(recording).picture(recording.end)
    for body in (wolf, rabbit):
        assert (film == np.array(bgr(body.colour), dtype=np.uint8)).all(axis=2).sum() > 50


@pytest.mark.parametrize("said, noted", [(None, False), ({"radius": 9.0}, True), ("round", True)])
def test_a_recording_without_a_good_body_is_a_turtlebot_s(tmp_path, monkeypatch, said, noted):
    def spoilt(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {**robot_info(*args, **kwargs), "body": said}

    monkeypatch.setattr("arena_trees.recording.trial_recorder.robot_info", spoilt)
    play(EXAMPLE, changes={"duration_s": 0.1}, trials=1, seed=0, watch=RecordTrials(tmp_path))
    rabbit = load_recording(tmp_path / "trial_000").robots["rabbit"]
    assert rabbit.body == TURTLEBOT4
    assert any("its body cannot be used" in note for note in rabbit.notes) is noted


def test_a_node_is_told_of_a_body_by_its_parameter_or_by_the_arena_s_file(tmp_path: Path):
    square = [[-1.5, -1.5], [1.5, -1.5], [1.5, 1.5], [-1.5, 1.5]]
    path = tmp_path / "yard.yaml"
    start = {"position": [0.0, 0.0], "yaw": 0.0}
    said = {"grey": {"radius": 0.3}, "wolf": {"mass": 9.0}}
    yard = {"name": "yard", "fences": {"grey": square}, "starts": {"grey": start}, "bodies": said}
    path.write_text(yaml.safe_dump(yard))
    arena = str(path)
    assert load_body(arena, "grey", "wolf") == Body(radius=0.3)
    assert load_body(arena, "brown", "wolf") == Body(mass=9.0)
    assert load_body(arena, "grey", "wolf", "{height: 0.5, turret: {max_yaw: 1.0}}") == Body(
        radius=0.3, height=0.5, turret=Turret(max_yaw=1.0)
    )
    assert load_body("", "grey") == TURTLEBOT4
    own = load_fence(arena, "grey")
    larger = load_fence(arena, "grey", Body(radius=0.5))
    assert own is not None and larger is not None
    assert (own.inset, larger.inset) == (pytest.approx(0.4), pytest.approx(0.6))
    for text, reason in (("[1]", "must be a map"), ("{radius: .nan}", "body.radius"), ("{wings: 2}", "unknown key")):
        with pytest.raises(ConfigError, match=reason):
            load_body(arena, "grey", "wolf", text)
