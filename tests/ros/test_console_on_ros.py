"""The console watches robots on ROS, and acts on them by services and parameters alone."""

from functools import partial

import pytest
from helpers.arena import needs_arena
from helpers.patience import until

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("vision_msgs.msg", reason="the interface packages are not built (make test builds them with g++)")
pytest.importorskip("uvicorn", reason="the console's server is not installed")

import rclpy
from helpers.node_bench import end_node

from arena_trees.console.exchange import Instruction
from arena_trees.console.graph_console import GraphConsole
from arena_trees.nodes.programs.game_programs import prepare
from arena_trees.nodes.programs.game_run import running_game
from arena_trees.recording.loading import load_recording
from arena_trees.robot.errors import ConfigError

pytestmark = needs_arena


class Watched:
    """What the console was sent of a graph.

    Attributes:
        parts: recordings, in their order
        states: that came with them
    """

    def __init__(self) -> None:
        self.parts = []
        self.states = []

    def take(self, played):
        self.states.append(played.state)
        if played.part is not None:
            self.parts.append(played.part)

    def ticks(self, robot):
        return [tick for part in self.parts if robot in part.robots for tick in part.robots[robot].ticks]


@pytest.mark.slow
def test_robots_are_watched_tuned_stopped_and_diagnosed(tmp_path, monkeypatch):
    order = prepare("wolf_rabbit_open", ["duration_s=600"], {})
    with running_game(order, tmp_path) as (processes, watch):
        monkeypatch.setenv("ROS_DOMAIN_ID", str(watch.context.get_domain_id()))
        watched = Watched()
        eye = rclpy.create_node("eye", context=watch.context)
        console = GraphConsole(tmp_path / "recordings", watched.take)
        try:
            _, graph = console.game
            wait = partial(until, turn=watch.turn)
            wait(lambda: graph.state.running, "robots on the graph")
            watch.begin(processes.check)
            wait(lambda: graph.sheets.keys() == {"wolf", "rabbit"}, lambda: str(graph.sheets.keys()))
            wait(lambda: watched.ticks("wolf") and watched.ticks("rabbit"), lambda: str(graph.state))
            assert watched.parts[-1].robots["wolf"].role == "wolf"
            assert {outline.kind for outline in watched.parts[-1].outlines} == {"fence"}

            graph.order(Instruction("tune", robot="wolf", changes={"chase_kp": 3.25}))
            wait(lambda: graph.sheets["wolf"]["values"]["chase_kp"] == 3.25, lambda: str(graph.sheets))
            assert graph.sheets["wolf"]["begin"]["chase_kp"] == 2.0
            wait(lambda: any(tick.parameters for tick in watched.ticks("wolf")), "a tick that has the change")
            for robot, changes, reason in (
                ("wolf", {"chase_kp": 99.0}, "less than or equal to 20"),
                ("wolf", {"chase_kq": 1.0}, "unknown key"),
                ("wolf", {"strategy": "source"}, "read only"),
                ("fox", {"chase_kp": 1.0}, "there is no such robot"),
            ):
                with pytest.raises(ConfigError, match=reason):
                    graph.order(Instruction("tune", robot=robot, changes=changes))
            with pytest.raises(ConfigError, match="time of their own"):
                graph.order(Instruction("pause"))
            with pytest.raises(ConfigError, match="launched"):
                console.play("wolf_rabbit", 1)

            given = len(watched.parts)
            graph.order(Instruction("cue", robot="rabbit", name="DEAD/light"))
            with pytest.raises(ConfigError, match="there is no such cue"):
                graph.order(Instruction("cue", robot="rabbit", name="DEATH"))
            wait(
                lambda: (
                    "DEAD/light" in [cue for part in watched.parts[given:] for _, cue in part.robots["rabbit"].cues]
                ),
                "the cue among what is recorded",
            )

            graph.order(Instruction("stop"))
            wait(lambda: watched.states[-1].stopped, lambda: str(watched.states[-1]))
            assert {robot for robot, _ in watched.states[-1].latched} == {"wolf", "rabbit"}
            graph.order(Instruction("reset"))
            stopped = len(watched.ticks("wolf"))
            wait(
                lambda: any(abs(tick.twist.angular) > 0.1 for tick in watched.ticks("wolf")[stopped:]),
                lambda: str(watched.states[-1]),
            )
            assert watched.states[-1].latched == ()
            for topic, publisher in (("cmd_vel", "velocity_gate"), ("cmd_vel_raw", "tree")):
                found = eye.get_publishers_info_by_topic(f"/wolf/{topic}")
                assert [one.node_name for one in found] == [publisher], "the console commands no robot"

            saved = load_recording(graph.save(tmp_path / "recordings"))
            assert {name: robot.role for name, robot in saved.robots.items()} == {"wolf": "wolf", "rabbit": "rabbit"}
            assert {"chase_kp": 3.25} in [dict(tick.parameters) for tick in saved.robots["wolf"].ticks]

            graph.order(Instruction("stop"))
            wait(
                lambda: any("operator stop" in wrong for _, wrong, _ in watched.states[-1].findings),
                lambda: str(watched.states[-1].findings),
            )
            graph.order(Instruction("reset"))
        finally:
            console.close()
            end_node(eye)
