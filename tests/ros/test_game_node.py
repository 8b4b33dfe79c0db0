"""The node of a game's rules: when a round begins, how claims are judged, how it ends, and what cannot be used."""

import json

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.node_bench import NodeBench
from helpers.world_clock import DrivenClock
from rcl_interfaces.srv import SetParametersAtomically
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.experiments.plan import draw_world
from arena_trees.games.registry import find_game
from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.game import GameNode
from arena_trees.nodes.programs.played import TrialParameters
from arena_trees.nodes.runtime.parameters import change_request
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.percepts import Odometry

SCENARIO = ("-p", "scenario:=wolf_rabbit")


class Game:
    """A wolf, a rabbit, and what the rules say."""

    def __init__(self, bench: NodeBench, by_tf: bool = False) -> None:
        self.bench = bench
        self.states: list[dict] = []
        self.wolf, self.rabbit = (-1.0, 0.0), (1.0, 0.0)
        self.now = lambda: bench.observer.get_clock().now().nanoseconds
        self._by_tf = by_tf
        self._stamps: dict[str, int] = {}
        bench.observer.create_subscription(String, "/arena/game", self._receive, 50)
        self._tell = {robot: self._speaker(robot) for robot in ("wolf", "rabbit")}
        self._port = RosMessagePort(bench.observer, "wolf", find_game("wolf_rabbit"), ("catch_claim",))
        self._ends = bench.hear(String, "/arena/end", LATCHED)
        self._claim = 0

    @property
    def end(self) -> dict | None:
        return json.loads(self._ends[-1].data) if self._ends else None

    def _receive(self, text: String) -> None:
        message = json.loads(text.data)
        self.states.append(message["payload"])
        self._stamps.setdefault(message["payload"]["phase"], message["stamp"])

    def since(self, phase: str) -> int:
        """Return when the rules first told of a phase, ns of its own clock: news may be late."""
        return self._stamps[phase]

    def _speaker(self, robot: str):
        if self._by_tf:
            from tf2_msgs.msg import TFMessage

            return self.bench.speaker(TFMessage, f"/{robot}/tf")
        from nav_msgs.msg import Odometry as Message

        return self.bench.speaker(Message, f"/{robot}/ground_truth")

    def tell(self, *robots: str) -> None:
        """Tell where robots are; both where none is named."""
        for robot in robots or ("wolf", "rabbit"):
            pose = Pose2D(*getattr(self, robot), 0.0)
            if self._by_tf:
                links = [
                    convert.transform_message(Pose2D(), "map", "odom", self.now()),
                    convert.transform_message(pose, "odom", "base_link", self.now()),
                ]
                self._tell[robot].publish(self._tell[robot].msg_type(transforms=links))
            else:
                odometry = Odometry(self.now(), 0, 0, pose, Twist2D())
                self._tell[robot].publish(convert.odometry_message(odometry, frame="map"))

    @property
    def state(self) -> dict:
        return self.states[-1] if self.states else {"phase": None, "verdicts": {}, "round": None}

    def until(self, phase: str) -> None:
        self.bench.until(lambda: self.state["phase"] == phase, phase, self.tell)

    def claim(self) -> bool:
        """Claim a catch in the present round; return the verdict."""
        self._claim += 1
        payload = {"claim": self._claim, "round": self.state["round"]}
        number = str(self._claim)

        def again() -> None:
            self.tell()
            self._port.send("catch_claim", payload)

        self.bench.until(lambda: number in self.state["verdicts"], "a verdict", again)
        return self.state["verdicts"][number]


@pytest.mark.parametrize("truth", ["ground_truth", "tf"])
def test_a_round_from_the_first_poses_to_the_catch(truth):
    if truth == "tf":
        pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")
    with NodeBench(GameNode, *SCENARIO, "-p", f"truth:={truth}") as bench:
        game = Game(bench, by_tf=truth == "tf")
        bench.until(lambda: len(game.states) > 5, "the game", lambda: game.tell("wolf"))
        assert {state["phase"] for state in game.states} == {"WAITING"}
        bench.until(lambda: "no pose of rabbit" in bench.state(), "the reason")
        assert (game.end["outcome"], game.end["reason"]) == ("", "nobody has begun it")
        game.until("ACTIVE")
        assert game.state["round"] == 1
        bench.until(lambda: game.end is None, "no end", game.tell)
        assert game.claim() is False
        game.wolf = (0.5, 0.0)
        bench.until(lambda: game.claim() is True, "a catch")
        assert (game.state["phase"], game.state["rabbit_alive"]) == ("CAPTURED", False)
        bench.until(lambda: game.end is not None, "the end", game.tell)
        assert game.end["outcome"] == "caught" and game.end["reason"].endswith("at 0.50 m")
        assert abs(game.end["stamp"] - game.since("CAPTURED")) < SECOND
        game.rabbit = (2.5, 0.0)
        bench.until(lambda: not game.state["inside_wolf_territory"], "the rabbit outside", game.tell)


def test_nothing_is_caught_by_poses_that_are_old():
    with NodeBench(GameNode, *SCENARIO) as bench:
        game = Game(bench)
        game.wolf = (0.7, 0.0)
        game.until("ACTIVE")
        bench.until(lambda: "no pose of wolf, rabbit" in bench.state(), "silence")
        port_says = {"claim": 77, "round": 1}
        bench.until(
            lambda: "77" in game.state["verdicts"], "a verdict", lambda: game._port.send("catch_claim", port_says)
        )
        assert game.state["verdicts"]["77"] is False
        assert game.state["phase"] == "ACTIVE"


def test_rounds_are_started_and_ended_by_hand_and_by_the_end_of_the_node():
    with NodeBench(GameNode, *SCENARIO, "-p", "autostart:=false") as bench:
        game = Game(bench)

        def ask(what: str):
            return bench.ask(Trigger, f"/game/{what}", Trigger.Request())

        refused = ask("start")
        assert (refused.success, refused.message) == (False, "no pose of wolf, rabbit")
        begun = bench.until(lambda: (answer := ask("start")).success and answer, "a round", game.tell)
        assert begun.message == "round 1: ACTIVE"
        game.until("ACTIVE")
        life = bench.node._host.rules.epoch
        refused = bench.until(lambda: "round 1" in (answer := ask("start")).message and answer, "a refusal", game.tell)
        assert (refused.success, refused.message) == (False, "round 1 is still being played")
        assert bench.node._host.rules.epoch == life
        assert ask("stop").message == "round 1: ABORTED"
        game.until("ABORTED")
        bench.until(lambda: game.end is not None and game.end["outcome"] == "aborted", "the end", game.tell)
        bench.until(lambda: ask("start").success, "another round", game.tell)
        bench.until(lambda: (game.state["phase"], game.state["round"]) == ("ACTIVE", 2), "round 2", game.tell)
        bench.halt()
        bench.until(lambda: game.state["phase"] == "ABORTED", "the end")


def test_another_trial_is_played_once_its_seed_is_set_but_not_within_a_round():
    with NodeBench(GameNode, *SCENARIO, "-p", "autostart:=false") as bench:
        game = Game(bench)

        def play(seed: int):
            request = change_request(TrialParameters, {"seed": seed})
            return bench.ask(SetParametersAtomically, "/game/set_parameters_atomically", request).result

        def start() -> bool:
            return bench.ask(Trigger, "/game/start", Trigger.Request()).success

        bench.until(start, "a round", game.tell)
        game.until("ACTIVE")
        starts, life = bench.node._given, bench.node._host.rules.epoch
        refused = play(7)
        assert not refused.successful and "read only" in refused.reason
        assert bench.ask(Trigger, "/game/stop", Trigger.Request()).success
        assert play(7).successful
        bench.until(lambda: game.end is not None and game.end["outcome"] == "", "a game nobody has begun", game.tell)
        drawn = draw_world(bench.node._plan, 0)
        assert bench.node._plan.scenario.seed == 7 and bench.node._host.rules.epoch > life
        assert bench.node._given == {spec.name: spec.start for spec in drawn.specs} != starts
        bench.until(start, "its first round", game.tell)
        bench.until(lambda: (game.state["phase"], game.state["round"]) == ("ACTIVE", 1), "round 1", game.tell)


def test_on_simulated_time_the_rabbit_survives_the_round_and_a_new_arena_begins_a_new_game():
    rules = ("-p", "set:=[duration_s=2.0]", "-p", "use_sim_time:=true")
    with NodeBench(GameNode, *SCENARIO, *rules) as bench:
        game = Game(bench)
        clock = DrivenClock(bench, 0.04)

        def tick() -> None:
            clock.tick()
            game.tell()

        bench.until(lambda: game.state["phase"] == "ACTIVE", "ACTIVE", tick)
        bench.until(lambda: game.state["phase"] == "SURVIVED", "SURVIVED", tick)
        assert 1.9 * SECOND < game.since("SURVIVED") - game.since("ACTIVE") < 4 * SECOND
        clock.restart()
        bench.until(lambda: game.state["phase"] == "ACTIVE", "a new game", tick)
        assert game.state["round"] == 1


def test_what_it_cannot_use_is_named():
    for arguments, text in (
        ((), "scenario: is required"),
        (("-p", "scenario:=moose"), "no such scenario"),
        ((*SCENARIO, "-p", "truth:=hearsay"), "truth"),
        ((*SCENARIO, "-p", "set:=[rules.catch_distance=.nan]"), "catch_distance"),
        (("-p", "scenario:=wolf_rabbit_isolated"), "nobody rules this game"),
    ):
        with pytest.raises(ConfigError, match=text):
            NodeBench(GameNode, *arguments)
