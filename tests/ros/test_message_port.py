"""What robots and rules say to each other, over DDS."""

import json
import math
from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.node_bench import NodeBench, QuietNode
from std_msgs.msg import String

from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.robot.messaging.message_text import MAXIMUM_BYTES, message_to_text
from arena_trees.robot.messaging.messages import Message

GOOD = {"topic": "game", "sender": "referee", "epoch": 1, "sequence": 1, "stamp": 1, "payload": {"phase": "ACTIVE"}}


class Listener(QuietNode):
    """Hears the game, and says something itself on the same topic."""

    def __init__(self):
        super().__init__("listener")
        self.line = RosMessagePort(self, "wolf", publishes=["game"], subscribes=["game"], game_namespace="/here")
        self.received = []

    def new(self):
        self.received += self.line.receive()
        return self.received


def test_messages_arrive_in_order_and_ones_own_do_not():
    with NodeBench(Listener) as bench:
        referee = RosMessagePort(
            bench.observer, "referee", publishes=["game"], subscribes=["game"], game_namespace="/here/"
        )
        speaker = referee._publishers["game"]
        bench.until(lambda: speaker.get_subscription_count() == 2, "both listeners")
        wolf = bench.node.line._publishers["game"]
        bench.until(lambda: wolf.get_subscription_count() == 2, "both listeners of the wolf's")
        own = bench.node.line.send("game", {"from": "wolf"})
        sent = [referee.send("game", {"number": number, "half": 0.5}) for number in range(20)]
        bench.until(lambda: len(bench.node.new()) == len(sent), "every message")
        assert bench.node.received == sent
        assert [message.sequence for message in sent] == list(range(1, 21))
        heard = []
        bench.until(lambda: heard.extend(referee.receive()) or heard, "the wolf's message")
        assert heard == [own]

        late = RosMessagePort(bench.observer, "late", publishes=[], subscribes=["game"], game_namespace="/here")
        bench.until(lambda: speaker.get_subscription_count() == 3, "the late joiner")
        news = referee.send("game", {"number": 99})
        heard.clear()
        bench.until(lambda: heard.extend(late.receive()) or heard, "news for the late joiner")
        assert heard == [news]


def test_a_second_one_of_the_same_name_is_heard():
    with NodeBench(Listener) as bench:
        twin = RosMessagePort(bench.observer, "wolf", publishes=["game"], subscribes=[], game_namespace="/here")
        twin.epoch += 1
        speaker = twin._publishers["game"]
        bench.until(lambda: speaker.get_subscription_count() == 1, "the listener")
        bench.node.line.send("game", {"from": "itself"})
        sent = twin.send("game", {"from": "its twin"})
        bench.until(bench.node.new, "the twin's message")
        assert bench.node.received == [sent]


def test_another_life_counts_from_one_again_and_does_not_hear_the_one_before():
    with NodeBench(Listener) as bench:
        port = bench.node.line
        before = port.send("game", {"life": 1})
        port.renew()
        after = port.send("game", {"life": 2})
        assert (before.sequence, after.sequence) == (1, 1) and after.epoch > before.epoch
        # As DDS brings them, however late.
        for message in (before, after, replace(before, sender="another")):
            port._callback("game")(String(data=message_to_text(message)))
        assert {message.sender for message in port.receive()} == {"another"}


def test_what_is_malformed_or_not_finite_is_dropped_and_counted():
    bad = [
        "", "no JSON", "[]", "{}", "null", '"game"', "[" * 5000,
        json.dumps({**GOOD, "payload": {"speed": math.nan}}),
        json.dumps({**GOOD, "payload": {"speed": -math.inf}}),
        json.dumps(GOOD).replace('"ACTIVE"', "1e999"),
        json.dumps({**GOOD, "payload": []}),
        json.dumps({**GOOD, "epoch": -1}),
        json.dumps({**GOOD, "epoch": True}),
        json.dumps({**GOOD, "stamp": 1 << 63}),
        json.dumps({**GOOD, "sequence": 1.5}),
        json.dumps({**GOOD, "sender": 7}),
        json.dumps({**GOOD, "extra": 7}),
        json.dumps({**GOOD, "topic": "catch_claim"}),
        json.dumps({**GOOD, "payload": {"text": "x" * MAXIMUM_BYTES}}),
        json.dumps(GOOD).replace('"ACTIVE"', "1" * 5000),
        json.dumps(GOOD).replace('"ACTIVE"', '"ACTIVE","phase":"OVER"'),
        json.dumps({**GOOD, "sender": "half a pair: \ud800"}),
    ]  # fmt: skip
    with NodeBench(Listener) as bench:
        speaker = bench.speaker(String, "/here/game", qos=50)
        for text in bad:
            speaker.publish(String(data=text))
        speaker.publish(String(data=json.dumps(GOOD)))
        bench.until(bench.node.new, "the good message")
        assert bench.node.received == [Message(**GOOD)]
        assert bench.node.line.dropped == len(bad)


def test_what_cannot_be_sent_is_refused():
    with NodeBench(Listener) as bench:
        line = bench.node.line
        for payload in ({"speed": math.nan}, {"set": {1}}, {"text": "x" * MAXIMUM_BYTES}):
            with pytest.raises(ValueError):
                line.send("game", payload)
        with pytest.raises(KeyError):
            line.send("catch_claim", {})
