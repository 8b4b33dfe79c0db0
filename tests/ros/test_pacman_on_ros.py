"""PacMan on ROS: a game led over DDS, what people steer it by, and what they see of it."""

import json
import struct
from contextlib import closing
from functools import partial

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")
pytest.importorskip("tf2_msgs.msg", reason="tf2_msgs is not installed")

from helpers.maps import grey, write_map
from helpers.node_bench import NodeBench
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Int32, String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from arena_trees.games.registry import find_game
from arena_trees.nodes.adapters import convert
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.game import GameNode
from arena_trees.nodes.monitors.graph_watch import GraphWatch
from arena_trees.nodes.runtime.qos import LATCHED
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.geometry import Pose2D

HALL = "\n".join(["#" * 70, *["#" + "." * 68 + "#"] * 38, "#" * 70])
"""7 by 4 m: three pellets in a row, at (2, 2), (4, 2) and (6, 2)."""
HOME = (0.8, 0.5)


def write_scenario(folder, ghost: str = "{}", rules: str = "") -> str:
    write_map(folder, grey(HALL))
    file = folder / "hall.yaml"
    start = f"{{x: {HOME[0]}, y: {HOME[1]}, yaw_deg: 0.0}}"
    file.write_text(
        f"{{game: pacman, map: room.yaml, robots: {{pacman: {{role: pacman, start: {start}}}}},"
        f" rules: {{ghosts: [{ghost}], motion: {{base_speed: 0.05}}{rules}}}}}"
    )
    return str(file)


class Hall:
    """A node that leads a game in the hall, its robot, and what is heard of the game."""

    def __init__(self, folder, seen_first: bool = False):
        given = {"scenario": write_scenario(folder, "{start: [5.5, 0.5]}"), "autostart": "false", "truth": "tf"}
        given["starts"] = "seen" if seen_first else "given"
        self.bench = bench = NodeBench(GameNode, *(part for item in given.items() for part in ("-p", ":=".join(item))))
        self.place = HOME
        self.states: list[dict] = []
        self.now = lambda: bench.observer.get_clock().now().nanoseconds
        bench.observer.create_subscription(
            String, "/arena/pacman", lambda text: self.states.append(json.loads(text.data)["payload"]), 50
        )
        self.events = bench.hear(String, "/game/events", 50)
        self._speaker = bench.speaker(TFMessage, "/pacman/tf")
        self._port = RosMessagePort(bench.observer, "pacman", find_game("pacman"), ("pacman_status",))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.bench.__exit__(*error)

    def tell(self) -> None:
        """Tell where the robot is."""
        links = [(Pose2D(), "map", "odom"), (Pose2D(*self.place, 0.0), "odom", "base_link")]
        now = self.now()
        self._speaker.publish(TFMessage(transforms=[convert.transform_message(*link, now) for link in links]))

    @property
    def state(self) -> dict:
        return self.states[-1] if self.states else {"phase": None, "pellets": [], "ghosts": [], "round": 0, "score": 0}

    def say(self, status: str) -> None:
        self._port.send("pacman_status", {"status": status, "round": max(1, self.state["round"])})
        self.tell()

    def until(self, phase: str, saying: str = "") -> None:
        meanwhile = (lambda: self.say(saying)) if saying else self.tell
        self.bench.until(lambda: self.state["phase"] == phase, phase, meanwhile)

    def ask(self, service: str):
        return self.bench.ask(Trigger, service, Trigger.Request())

    def play(self) -> None:
        """Start, and lead the game to RUNNING by the robot's word."""
        self.bench.until(lambda: self.ask("/game/start").success, "a start", self.tell)
        self.until("RETURNING_HOME", "READY")
        self.until("STARTING", "AT_HOME")
        self.until("RUNNING", "STARTED")

    def go(self, x: float, y: float, step: float = 0.1) -> None:
        """Walk there in small steps."""
        goal, start = (x, y), self.place
        count = max(1, round(max(abs(x - start[0]), abs(y - start[1])) / step))
        for part in range(1, count + 1):
            self.place = tuple(a + (b - a) * part / count for a, b in zip(start, goal, strict=True))
            self.tell()
            self.bench.spin()
        self.place = goal


@pytest.fixture
def hall(tmp_path):
    with Hall(tmp_path) as one:
        yield one


def collected(hall, score):
    return lambda: hall.state["score"] == score


def in_order(received, sent):
    """Return whether what came on a latched topic is of what was sent, in this order, with the last of all.

    A newer message may take the place of one that is still under way.
    """
    values, rest = [one.data for one in received], iter(sent)
    return values[-1:] == sent[-1:] and all(value in rest for value in values)


def test_a_game_from_the_start_to_the_last_pellet(tmp_path):
    with Hall(tmp_path) as hall:
        values = {name: hall.bench.hear(String, f"/game/{name}", LATCHED) for name in ("state", "command")}
        scores = hall.bench.hear(Int32, "/game/score", LATCHED)
        hall.until("MENU")
        hall.play()
        hall.tell()
        assert not hall.ask("/game/start").success
        for number, x in enumerate((2.0, 4.0, 6.0)):
            hall.go(x, 2.0)
            hall.bench.until(collected(hall, number + 1), f"pellet {number}", hall.tell)
        hall.until("COMPLETE")
        expected = ["START_THEATRICAL", "PELLET", "PELLET", "PELLET", "WIN"]
        hall.bench.until(lambda: [event.data for event in hall.events] == expected, "every event", hall.tell)
        hall.bench.until(lambda: [one.data for one in scores][-1] == 3, "the score")
        sent = {
            "state": ["MENU", "RETURNING_HOME", "STARTING", "RUNNING", "COMPLETE"],
            "command": ["DISABLE", "RETURN_HOME", "DISABLE", "ENABLE", "DISABLE"],
        }
        for name, told in sent.items():
            hall.bench.until(partial(in_order, values[name], told), f"every {name}")
        hall.bench.until(lambda: hall.ask("/game/start").success, "the next round", hall.tell)
        hall.until("RETURNING_HOME")
        assert (hall.state["round"], hall.state["score"], len(hall.state["pellets"])) == (2, 3, 3)


def test_a_ghost_that_is_met_ends_the_game_and_a_reset_begins_anew(hall):
    hall.play()
    hall.go(5.5, 0.5)
    hall.until("DYING")
    assert hall.state["lives"] == 0
    over = lambda: "GAME_OVER" in [event.data for event in hall.events]  # noqa: E731
    hall.bench.until(over, "the end", lambda: hall.say("DEATH_SHOWN"))
    assert hall.ask("/game/stop").success
    hall.until("MENU")
    assert (hall.state["score"], hall.state["round"], len(hall.state["pellets"])) == (0, 1, 3)


def test_pellets_and_ghosts_are_steered_by_hand(hall):
    removes, speeds = (hall.bench.speaker(String, f"/game/{name}") for name in ("remove_pellet", "ghost_speed"))
    hall.until("MENU")
    for number in ("1", "77", "no JSON", '"one"'):
        removes.publish(String(data=number))
    hall.bench.until(lambda: [pellet[0] for pellet in hall.state["pellets"]] == [0, 2], "a pellet less", hall.tell)
    assert hall.ask("/game/reset_pellets").success
    hall.bench.until(lambda: len(hall.state["pellets"]) == 3, "all pellets", hall.tell)
    for speed in ("NaN", "-1.0", "[]", "1" + "0" * 400, "1e999", "9" * 5000, "0.7"):
        speeds.publish(String(data=speed))
    hall.bench.until(lambda: hall.state["ghosts"][0][5] == 0.7, "another speed", hall.tell)
    assert hall.ask("/game/reset_ghosts").message == "ghosts at new places: 1"
    hall.bench.until(lambda: hall.state["ghosts"][0][5] == 0.05, "the round's speed", hall.tell)


def test_who_watches_the_graph_steers_by_what_the_rules_offer(hall):
    hall.until("MENU")
    with closing(GraphWatch()) as watch:

        def found():
            watch.look()
            watch.turn(0.02)
            return {"reset_pellets", "reset_ghosts", "start", "stop"} <= set(watch.controls) and watch.settings

        hall.bench.until(found, "the rules' controls", hall.tell)
        assert set(watch.settings) == {"remove_pellet", "ghost_speed"}
        answers = []
        turn = lambda: (hall.tell(), watch.turn(0.02))  # noqa: E731
        watch.set("ghost_speed", 0.7, answers.append)
        hall.bench.until(lambda: hall.state["ghosts"][0][5] == 0.7, "another speed", turn)
        watch.set("remove_pellet", 1, answers.append)
        hall.bench.until(lambda: [pellet[0] for pellet in hall.state["pellets"]] == [0, 2], "a pellet less", turn)
        watch.control("reset_pellets", answers.append)
        hall.bench.until(lambda: len(hall.state["pellets"]) == 3 and len(answers) == 3, "all pellets", turn)
        assert answers == ["", "", ""]
        watch.control("start", answers.append)
        hall.bench.until(lambda: len(answers) == 4, "an answer", turn)


def test_no_pellet_is_collected_by_a_pose_that_is_old(hall):
    hall.play()
    hall.bench.until(lambda: "no pose of pacman" in hall.bench.state(), "silence")
    seen = len(hall.states)
    hall.bench.until(lambda: len(hall.states) > seen + 5, "the game goes on")
    assert hall.state["phase"] == "RUNNING" and hall.state["score"] == 0
    hall.go(2.0, 2.0)
    hall.bench.until(collected(hall, 1), "a pellet", hall.tell)


def test_rviz_sees_pellets_ghosts_and_score_however_late(hall):
    hall.play()
    hall.go(2.0, 2.0)
    hall.bench.until(collected(hall, 1), "a pellet", hall.tell)
    arrays = hall.bench.hear(MarkerArray, "/game/markers", LATCHED)
    hall.bench.until(lambda: arrays, "markers", hall.tell)
    shown = {one.text for one in arrays[-1].markers if one.type == Marker.TEXT_VIEW_FACING and one.action == Marker.ADD}
    assert shown == {"1", "2", "clyde", "RUNNING\nround 1  score 1  1 life"}
    places = {(one.pose.position.x, one.pose.position.y) for one in arrays[-1].markers if one.ns == "pellets"}
    assert {(4.0, 2.0), (6.0, 2.0)} <= places
    assert {one.header.frame_id for array in arrays for one in array.markers} == {"map"}


def test_nav2_is_told_of_a_ghost_by_nine_points_and_where_it_was(hall):
    clouds, trails = hall.bench.hear(PointCloud2, "/ghost_cloud"), hall.bench.hear(PointCloud2, "/ghost_trail")
    hall.until("MENU")
    hall.bench.until(lambda: clouds, "a cloud", hall.tell)
    assert {cloud.width for cloud in clouds} == {0}, "a ghost that does not move is in nobody's way"
    hall.play()
    clouds.clear()
    hall.bench.until(lambda: clouds and clouds[-1].width, "a ghost", hall.tell)
    cloud = clouds[-1]
    assert (cloud.header.frame_id, cloud.width, [field.name for field in cloud.fields]) == ("map", 9, ["x", "y", "z"])
    points = [struct.unpack_from("<3f", cloud.data, place * cloud.point_step) for place in range(cloud.width)]
    middle = points[0]
    assert middle[2] == 0.25
    for x, y, _ in points[1:]:
        assert ((x - middle[0]) ** 2 + (y - middle[1]) ** 2) ** 0.5 == pytest.approx(0.05, abs=1e-5)
    hall.bench.until(lambda: trails[-1].width >= 18, "the ghost's trail", hall.tell)
    assert trails[-1].width % 9 == 0
    assert hall.ask("/game/stop").success
    hall.bench.until(lambda: clouds[-1].width == 0, "no ghost any more", hall.tell)


def test_home_is_where_the_robot_is_seen_first(tmp_path):
    with Hall(tmp_path, seen_first=True) as hall:
        hall.place = (3.0, 1.0)
        assert hall.ask("/game/start").message == "no pose of pacman: nobody knows where robots start"
        hall.bench.until(lambda: hall.bench.state() == "no game yet, no pose of pacman", "the reason")
        hall.until("MENU")
        hall.place = (5.0, 3.0)
        hall.play()
        assert hall.state["home"] == [3.0, 1.0, 0.0]


def test_what_it_cannot_use_is_named(tmp_path):
    for rules, text in ((", pickup_radius: .nan", "pickup_radius"), (", pellets: {spacing: 50.0}", "pellet")):
        with pytest.raises(ConfigError, match=text):
            NodeBench(GameNode, "-p", f"scenario:={write_scenario(tmp_path, rules=rules)}")
