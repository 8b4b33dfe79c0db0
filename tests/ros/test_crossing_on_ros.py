"""A crossing on ROS: robots' own clients ask its scheduler over DDS, one dies, and the scheduler does."""

import json
import math
import signal
from functools import partial

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.node_bench import NodeBench, QuietNode
from helpers.world_clock import DrivenClock
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import Approach, Crossing, CrossingClaim, CrossingRequest, Stage, Turn
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.games.crossroads.scheduling.protocol import ProtocolParameters
from arena_trees.games.crossroads.scheduling.states import states_in
from arena_trees.games.registry import find_game
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.nodes.game import GameNode
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.inbox import Mailbox

LEASE = 10.5
"""s; no robot that drives could cross on a shorter one."""
TIMES = ProtocolParameters(lease=LEASE, give_up=60.0)
STEP_S = 0.1
"""As often as robots and scheduler speak."""
LATE = 3
"""Steps after which the scheduler's last word is old."""
CROSSROADS = ("-p", "scenario:=crossroads_lidar", "-p", "autostart:=false")
TWO = "robots={a: {role: crosser}, b: {role: crosser}}"


def reported(*changes: str) -> tuple[str, ...]:
    """Return the arguments of a node that rules a crossing."""
    texts = ", ".join(
        f"'{change}'" for change in (TWO, f"rules.times.lease={LEASE}", "rules.times.give_up=60", *changes)
    )
    return (*CROSSROADS, "-p", f"set:=[{texts}]", "-p", "use_sim_time:=true")


class Robot:
    """A robot's side of the protocol, spoken from the test's own node."""

    def __init__(self, bench: NodeBench, name: str, approach: Approach) -> None:
        self.port = RosMessagePort(
            bench.observer,
            name,
            find_game("crossroads"),
            (CrossingRequest.topic, CrossingClaim.topic),
            (Crossing.topic,),
        )
        self.client = CrossingClient(name, self.port.epoch, TIMES)
        self.approach = approach
        self.progress = 0.0
        self.alive = True
        self.asked = False
        self._mailbox = Mailbox((Crossing,))
        self._clock = bench.observer.get_clock()

    @property
    def now(self) -> int:
        return self._clock.now().nanoseconds

    @property
    def may_enter(self) -> bool:
        return self.client.may_enter(self.now, 0.5)

    def ask(self) -> None:
        self.asked = True
        self.client.ask(self.now, Key(self.approach, Turn.STRAIGHT))

    def enter(self) -> None:
        self.client.enter(self.now, 0.5)
        self.progress = 0.5

    def live(self) -> None:
        """Hear, and say what is due."""
        if self.alive:
            inbox = self._mailbox.take(self.port.receive(), self.now)
            states = [received.message for received in states_in(inbox)]
            said = self.client.step(self.now, states, self.progress, first=self.asked, standing=True)
            if said is not None:
                self.port.send(said.topic, said.encode())


class Traffic:
    """Robots beside a bench, and what the scheduler says; time is driven, and goes several times as fast as ours.

    It waits for the bench's node, and for a scheduler that is a process of its own.
    """

    def __init__(self, bench: NodeBench, **robots: Approach) -> None:
        self.bench = bench
        self.clock = DrivenClock(bench, STEP_S, self._is_heard_of)
        self.robots = {name: Robot(bench, name, approach) for name, approach in robots.items()}
        self.reported: list[dict] = []
        bench.observer.create_subscription(
            String, "/arena/crossing", lambda text: self.reported.append(json.loads(text.data)), 50
        )

    def _is_heard_of(self, now: int) -> bool:
        """Return whether the scheduler has told its state a short while ago; it waits for its first words, too."""
        return isinstance(self.bench.node, GameNode) or (
            bool(self.reported) and now - self.reported[-1]["stamp"] < LATE * self.clock.step
        )

    def live(self) -> None:
        self.clock.tick()
        for robot in self.robots.values():
            robot.live()

    def until(self, done, what: str):
        return self.bench.until(done, what, self.live)

    def state(self) -> dict:
        return self.reported[-1]["payload"] if self.reported else {"state": None, "holders": [], "epoch": 0}

    def holders(self) -> set[str]:
        return {row[0] for row in self.state()["holders"]}

    def open(self) -> None:
        self.until(lambda: self.state()["state"] == "OPEN", "an open crossing")

    def pass_time(self, seconds: float) -> None:
        robot = next(iter(self.robots.values()))
        ends = robot.now + round(seconds * SECOND)
        self.until(lambda: robot.now >= ends, "time")


@pytest.fixture
def crossing():
    with NodeBench(GameNode, *reported()) as bench:
        traffic = Traffic(bench, a=Approach.SOUTH, b=Approach.WEST)
        traffic.open()
        yield traffic


def test_one_is_let_in_and_one_in_its_way_waits_until_it_has_left(crossing):
    a, b = crossing.robots.values()
    a.ask()
    crossing.until(lambda: a.may_enter, "a lease")
    b.ask()
    a.enter()
    crossing.until(lambda: crossing.state()["holders"] and crossing.state()["holders"][0][5] == 0.5, "a's progress")
    crossing.until(lambda: "b" in crossing.bench.value("queue"), "b in the queue")
    assert not b.may_enter and crossing.holders() == {"a"}
    message = crossing.reported[-1]
    assert (message["topic"], message["sender"]) == ("crossing", "scheduler")
    assert set(message["payload"]) == {"scheduler", "epoch", "sequence", "state", "holders", "done"}
    row = dict(
        zip(("robot", "epoch", "request", "approach", "movement"), message["payload"]["holders"][0], strict=False)
    )
    assert row == {"robot": "a", "epoch": a.client.epoch, "request": 1, "approach": "south", "movement": "straight"}
    a.client.leave()
    crossing.until(lambda: b.may_enter, "b's turn")
    assert crossing.holders() == {"b"}
    assert a.client.stage is Stage.LEFT


def test_who_dies_inside_is_told_to_be_away_by_name(crossing):
    a, b = crossing.robots.values()
    a.ask()
    crossing.until(lambda: a.may_enter, "a lease")
    names = crossing.bench.speaker(String, "/game/seen_clear", 50)
    names.publish(String(data='"a"'))
    crossing.pass_time(0.5)
    assert crossing.holders() == {"a"}, "it may still hold a lease"
    a.enter()
    crossing.until(lambda: crossing.state()["holders"][0][5] == 0.5, "a's progress")
    a.alive = False
    b.ask()
    crossing.until(lambda: crossing.bench.state().startswith("OPEN, silent inside: a"), "a's silence")
    assert crossing.bench.value("holders") == "a" and not b.may_enter
    names.publish(String(data='"a"'))
    crossing.until(lambda: b.may_enter, "b's turn")


def test_who_looks_at_all_of_the_crossing_clears_whoever_is_silent(crossing):
    a, b = crossing.robots.values()
    clear = lambda: crossing.bench.ask(Trigger, "/game/seen_clear", Trigger.Request())  # noqa: E731
    a.ask()
    crossing.until(lambda: a.may_enter, "a lease")
    assert clear().message == "nobody in the crossing is silent"
    a.enter()
    crossing.until(lambda: crossing.state()["holders"][0][5] == 0.5, "a's progress")
    a.alive = False
    b.ask()
    crossing.until(lambda: "silent" in crossing.bench.state(), "a's silence")
    answer = clear()
    assert answer.success and answer.message == "seen to be away: a"
    crossing.until(lambda: b.may_enter, "b's turn")


def test_what_is_no_claim_is_refused_or_dropped_and_counted(crossing):
    speaker = crossing.bench.speaker(String, "/arena/a/crossing_request", 50)
    message = {"topic": "crossing_request", "sender": "a", "epoch": 1, "sequence": 1, "stamp": 1}
    for payload in ({}, {"robot": "a"}, {"robot": "a", "stage": "FLYING"}):
        speaker.publish(String(data=json.dumps({**message, "payload": payload})))
    for text in ("", "no JSON", json.dumps({**message, "payload": {"progress": math.nan}})):
        speaker.publish(String(data=text))
    keys = ("refused: crossing_request: malformed", "messages dropped")
    crossing.until(lambda: [crossing.bench.value(key) for key in keys] == ["3", "3"], "the counts")
    assert crossing.state()["state"] == "OPEN"


def test_a_second_scheduler_of_the_same_name_is_heard_and_the_older_one_gives_way(crossing):
    other = RosMessagePort(crossing.bench.observer, "scheduler", find_game("crossroads"), (Crossing.topic,))
    other.epoch += 1
    epoch = crossing.state()["epoch"] + 1000
    payload = {"scheduler": "scheduler", "epoch": epoch, "state": "OPEN", "holders": [], "done": []}
    numbers = iter(range(1, 10_000))
    say = lambda: other.send(Crossing.topic, {**payload, "sequence": next(numbers)})  # noqa: E731
    crossing.bench.until(lambda: crossing.bench.state().startswith("STANDBY"), "its giving way", say)
    assert int(crossing.bench.value("messages of other schedulers")) > 0
    assert "several nodes publish /arena/crossing" in crossing.bench.state()


def test_when_the_clock_goes_back_it_begins_anew_under_a_higher_epoch():
    with NodeBench(GameNode, *reported("rules.roster=false"), "-p", "epoch:=7") as bench:
        crossing = Traffic(bench)
        crossing.open()
        assert crossing.state()["epoch"] == 7
        crossing.clock.restart()
        crossing.until(lambda: crossing.state()["epoch"] == 8, "another life")
        assert "REBUILDING" in {one["payload"]["state"] for one in crossing.reported if one["payload"]["epoch"] == 8}


def test_a_start_begins_another_life_and_a_stop_lets_nobody_in(crossing):
    before, a = crossing.state()["epoch"], crossing.robots["a"]
    refused = crossing.bench.ask(Trigger, "/game/start", Trigger.Request())
    assert (refused.success, refused.message) == (False, "no pose of a, b")
    assert crossing.bench.ask(Trigger, "/game/stop", Trigger.Request()).success
    a.ask()
    crossing.pass_time(1.0)
    assert not a.may_enter
    crossing.until(lambda: crossing.bench.state().startswith("no scheduler"), "the news")
    assert crossing.state()["epoch"] == before


def test_what_it_cannot_use_is_named():
    for change, text in (
        ("rules.times.lease=3.0", "lease"),
        ("rules.plan.approaches=5", "plan"),
        ("rules.sensing=kinematic", "sensing"),
        ("arena=arena_4x4", ""),
    ):
        with pytest.raises(ConfigError, match=text):
            NodeBench(GameNode, *CROSSROADS, "-p", f"set:=['{change}']")


@pytest.mark.slow
def test_a_scheduler_that_is_killed_comes_back_and_remembers_who_is_inside(spawn):
    # Without a roster it must hear who is inside before its lease is over.
    start = partial(spawn, "game", *reported("rules.roster=false"))
    with NodeBench(lambda: QuietNode("bystander"), "-p", "use_sim_time:=true") as bench:
        crossing = Traffic(bench, a=Approach.SOUTH, b=Approach.WEST)
        a, b = crossing.robots.values()
        first = start()
        crossing.open()
        before = crossing.state()["epoch"]
        a.ask()
        crossing.until(lambda: a.may_enter, "a lease")
        a.enter()
        b.ask()
        crossing.pass_time(0.3)
        first.send_signal(signal.SIGKILL)
        first.wait()
        start()
        crossing.until(lambda: crossing.state()["epoch"] > before, "another life")
        crossing.open()
        assert crossing.holders() == {"a"}
        crossing.pass_time(1.0)
        assert not b.may_enter
        assert crossing.holders() == {"a"}
        a.client.leave()
        crossing.until(lambda: b.may_enter, "b's turn")
