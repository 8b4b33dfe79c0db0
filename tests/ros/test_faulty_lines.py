"""Faults of lines on ROS: what becomes of the messages to and from a robot."""

import json
from collections import defaultdict

import pytest

from arena_trees.robot.clock import from_seconds

pytest.importorskip("rclpy", reason="there is no ROS here")

import rclpy
from helpers.patience import until
from std_msgs.msg import String

from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.programs.faulty_lines import FaultyLines
from arena_trees.nodes.programs.game_programs import prepare, write_programs
from arena_trees.nodes.programs.game_run import play_trial
from arena_trees.nodes.runtime.executor import make_executor
from arena_trees.nodes.runtime.qos import EVENTS
from arena_trees.robot.errors import ConfigError

GAME, CLAIM = "/arena/game", "/arena/wolf/catch_claim"
WOLFS_GAME, WOLFS_CLAIM = f"/faulty_lines/wolf{GAME}", f"/faulty_lines/wolf{CLAIM}"


def ordered(*faults: str):
    return prepare("wolf_rabbit", [f"faults=[{', '.join(faults)}]"], {})


class Lines:
    """The node at work, and both ends of each of its lines."""

    def __init__(self, *faults: str) -> None:
        self.elapsed: int | None = None
        self._domain = reserved_domain()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=self._domain.__enter__())
        self.order = ordered(*faults)
        self.node = FaultyLines(self.context, self.order.plan, self.order.seed, lambda: self.elapsed)
        self._ends = rclpy.create_node("ends", context=self.context)
        self._executor = make_executor(self.context)
        for node in (self.node, self._ends):
            self._executor.add_node(node)
        self.received: dict[str, list[int]] = defaultdict(list)
        self._publishers = {topic: self._ends.create_publisher(String, topic, EVENTS) for topic in (GAME, WOLFS_CLAIM)}
        for topic in (WOLFS_GAME, CLAIM):
            self._ends.create_subscription(String, topic, self._receiver(topic), EVENTS)
        found = lambda: all(one.get_subscription_count() for one in self._publishers.values())  # noqa: E731
        found_back = lambda: all(map(self._ends.count_publishers, (WOLFS_GAME, CLAIM)))  # noqa: E731
        self.until(lambda: found() and found_back(), "both ends")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._executor.shutdown()
        self.node.destroy_node()
        self._ends.destroy_node()
        rclpy.shutdown(context=self.context)
        self._domain.__exit__(*error)

    def _receiver(self, topic):
        return lambda text: self.received[topic].append(json.loads(text.data)["sequence"])

    def until(self, done, what):
        return until(done, what, turn=lambda: self._executor.spin_once(timeout_sec=0.02))

    def send(self, topic, number):
        name, sender = topic.rpartition("/")[2], "referee" if topic == GAME else "wolf"
        values = {"topic": name, "sender": sender, "epoch": 1, "sequence": number, "stamp": 5, "payload": {}}
        self._publishers[topic].publish(String(data=json.dumps(values)))

    def after(self, seconds, topic, number):
        """Send a message so long after the beginning, and wait until the node has taken it."""
        self.elapsed = None if seconds is None else from_seconds(seconds)
        before = self.taken
        self.send(topic, number)
        self.until(lambda: self.taken > before, "the message")

    taken = 0


@pytest.fixture
def count_taken(monkeypatch):
    take = FaultyLines._take

    def counted(self, *given):
        take(self, *given)
        Lines.taken += 1

    monkeypatch.setattr(FaultyLines, "_take", counted)


@pytest.mark.usefixtures("count_taken")
@pytest.mark.parametrize(("origin", "target"), [(GAME, WOLFS_GAME), (WOLFS_CLAIM, CLAIM)])
def test_a_line_that_is_silent_carries_nothing_either_way_while_it_is(origin, target):
    with Lines("{robot: wolf, part: line, kind: silent, at_s: 1, for_s: 2}") as lines:
        for number, seconds in enumerate((None, 0.5, 1.0, 2.9, 3.0)):
            lines.after(seconds, origin, number)
        lines.until(lambda: len(lines.received[target]) == 3, "what is carried")
        assert lines.received == {target: [0, 1, 4]}


@pytest.mark.usefixtures("count_taken")
def test_messages_are_late_by_the_games_clock():
    with Lines("{robot: wolf, part: line, kind: delayed, delay_s: 0.7}") as lines:
        lines.after(1.0, GAME, 1)
        lines.after(1.6, GAME, 2)
        assert not lines.received
        lines.elapsed = from_seconds(1.7)
        lines.until(lambda: lines.received[WOLFS_GAME] == [1], "the first")
        lines.elapsed = from_seconds(2.4)
        lines.until(lambda: lines.received[WOLFS_GAME] == [1, 2], "the second")


@pytest.mark.usefixtures("count_taken")
def test_what_is_lost_is_drawn_by_the_seed_of_the_trial():
    received = []
    for _ in range(2):
        with Lines("{robot: wolf, part: line, kind: lossy, share: 0.5}") as lines:
            for number in range(40):
                lines.after(0.1 * number, GAME, number)
            lines.until(lambda lines=lines: len(lines.received[WOLFS_GAME]) > 5, "some")
            received.append(list(lines.received[WOLFS_GAME]))
    assert received[0] == received[1]
    assert 8 < len(received[0]) < 32


def test_the_faulty_robots_nodes_use_other_topics_and_nobody_elses(tmp_path):
    with Lines("{robot: wolf, part: line, kind: silent}") as lines:
        for program in map(lines.node.remapped, write_programs(lines.order, tmp_path)):
            ours = {topic for topic, target in program.remaps.items() if target.startswith("/faulty_lines/")}
            assert ours == ({GAME, CLAIM, "/arena/wolf/sighting"} if program.name.startswith("wolf.") else set())


def test_a_launch_refuses_what_only_a_run_can_break():
    for part, kind in (("line", "silent"), ("computer", "stopped")):
        fault = f"faults=[{{robot: wolf, part: {part}, kind: {kind}}}]"
        prepare("wolf_rabbit", [fault], {})
        with pytest.raises(ConfigError, match=r"faults\.0\.part: a launch has faults of sensor, base, clock"):
            prepare("wolf_rabbit", [fault], {}, launched=True)
    silent = "faults=[{robot: wolf, sensor: scan}]"
    prepare("wolf_rabbit", [silent], {}, launched=True)
    with pytest.raises(ConfigError, match=r"faults\.0: only simulated robots are broken on purpose"):
        prepare("wolf_rabbit", [silent], {}, simulated=False, launched=True)


def test_a_robot_with_a_faulty_clock_goes_by_its_own(tmp_path):
    order = prepare("wolf_rabbit", ["faults=[{robot: wolf, part: clock, kind: stands, for_s: 1}]"], {})
    for program in write_programs(order, tmp_path):
        own = "/wolf/clock" if program.name.startswith("wolf.") else None
        assert program.remaps.get("/clock") == own
        assert program.parameters.get("faults_from") == ("game" if program.name == "arena_simulator" else None)


@pytest.mark.slow
def test_claims_of_a_wolf_with_a_silent_line_reach_nobody(tmp_path):
    order = prepare(
        "wolf_rabbit", ["duration_s=25", "faults=[{robot: wolf, part: line, kind: silent}]"], {"seed": 1000}
    )
    result = play_trial(order, tmp_path)
    assert result.outcome == "survived" and not result.faults
    assert "Claim and pause" in set(result.trajectories["wolf"].active)
