"""What robots and rules say to each other, over DDS."""

import json
import math
from dataclasses import replace

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.node_bench import NodeBench, QuietNode
from std_msgs.msg import String

from arena_trees.games.registry import find_game
from arena_trees.nodes.adapters.message_port import RosMessagePort
from arena_trees.robot.messaging.message_text import MAXIMUM_BYTES, message_to_text
from arena_trees.robot.messaging.messages import Message

GAME = find_game("wolf_rabbit")
GOOD = {"topic": "game", "sender": "referee", "epoch": 1, "sequence": 1, "stamp": 1, "payload": {"phase": "ACTIVE"}}


class Listener(QuietNode):
    """A wolf, which receives from the rules and from other wolves, and sends the same itself."""

    def __init__(self):
        super().__init__("listener")
        self.line = RosMessagePort(self, "wolf", GAME, ["sighting"], ["game", "sighting"], game_namespace="/here")
        self.received = []

    def new(self):
        self.received += self.line.receive()
        return self.received


def rules_of(bench: NodeBench) -> RosMessagePort:
    return RosMessagePort(bench.observer, "referee", GAME, ["game"], ["game"], game_namespace="/here/")


def test_messages_arrive_in_order_and_ones_own_do_not():
    with NodeBench(Listener) as bench:
        referee = rules_of(bench)
        speaker = referee._publishers["game"]
        bench.until(lambda: speaker.get_subscription_count() == 2, "both listeners")
        sent = [referee.send("game", {"number": number, "half": 0.5}) for number in range(20)]
        bench.until(lambda: len(bench.node.new()) == len(sent), "every message")
        assert bench.node.received == sent
        assert [message.sequence for message in sent] == list(range(1, 21))
        assert referee.receive() == []

        late = RosMessagePort(bench.observer, "late", GAME, subscribes=["game"], game_namespace="/here")
        bench.until(lambda: speaker.get_subscription_count() == 3, "the late joiner")
        news = referee.send("game", {"number": 99})
        heard = []
        bench.until(lambda: heard.extend(late.receive()) or heard, "news for the late joiner")
        assert heard == [news]


def test_robots_that_come_later_are_found_and_each_sends_on_a_topic_of_its_own():
    with NodeBench(Listener) as bench:
        own = bench.node.line._publishers["sighting"]
        assert own.topic_name == "/here/wolf/sighting"
        others = [
            RosMessagePort(bench.observer, name, GAME, ["sighting"], game_namespace="/here")
            for name in ("grey", "white")
        ]
        sent = []
        for other in others:
            speaker = other._publishers["sighting"]
            bench.until(lambda speaker=speaker: speaker.get_subscription_count() == 1, "the listener")
            sent.append(other.send("sighting", {"from": other.name}))
        own.publish(String(data="no message"))
        bench.until(lambda: len(bench.node.new()) == len(sent), "every message")
        assert sorted(bench.node.received, key=lambda one: one.sender) == sent
        assert bench.node.line.contested() == ""
        bench.until(lambda: bench.node.line.dropped == 1, "what is none")


def test_a_port_that_knows_its_robots_receives_from_no_others():
    with NodeBench(Listener) as bench:
        # It is there first, and is found by whoever looks for robots.
        stranger = RosMessagePort(bench.observer, "stranger", GAME, ["sighting"], game_namespace="/here")
        rules = RosMessagePort(
            bench.observer, "referee", GAME, (), ["sighting"], {"wolf": ["sighting"], "rabbit": []}, "/here"
        )
        assert bench.observer.count_subscribers("/here/wolf/sighting") == 1
        assert bench.observer.count_subscribers("/here/rabbit/sighting") == 0
        speaker = stranger._publishers["sighting"]
        # The wolf knows no names, and so takes it for another one.
        bench.until(lambda: speaker.get_subscription_count() == 1, "the wolf")
        stranger.send("sighting", {})
        bench.until(bench.node.new, "the stranger's message")
        heard = []
        say = lambda: bench.node.line.send("sighting", {})  # noqa: E731
        bench.until(lambda: heard.extend(rules.receive()) or heard, "the wolf's message", say)
        assert {message.sender for message in heard} == {"wolf"}


def test_a_second_one_of_the_same_name_is_heard():
    with NodeBench(Listener) as bench:
        twin = RosMessagePort(bench.observer, "wolf", GAME, ["sighting"], game_namespace="/here")
        twin.epoch += 1
        speaker = twin._publishers["sighting"]
        bench.until(lambda: speaker.get_subscription_count() == 1, "the listener")
        bench.node.line.send("sighting", {"from": "itself"})
        sent = twin.send("sighting", {"from": "its twin"})
        bench.until(bench.node.new, "the twin's message")
        assert bench.node.received == [sent]
        assert bench.node.line.contested() == "/here/wolf/sighting"


def test_another_life_counts_from_one_again_and_does_not_hear_the_one_before():
    with NodeBench(Listener) as bench:
        port = bench.node.line
        before = port.send("sighting", {"life": 1})
        port.renew()
        after = port.send("sighting", {"life": 2})
        assert (before.sequence, after.sequence) == (1, 1) and after.epoch > before.epoch
        # As DDS brings them, however late.
        for message in (before, after, replace(before, epoch=after.epoch + 1)):
            port._callback("sighting", "wolf")(String(data=message_to_text(message)))
        assert [message.epoch for message in port.receive()] == [after.epoch + 1]


@pytest.mark.parametrize(("topic", "owner"), [("/here/game", "referee"), ("/here/grey/sighting", "grey")])
def test_who_names_another_sender_than_the_topics_owner_is_not_believed(topic, owner):
    """Nor can it keep the owner's own messages out by a number that is never reached."""
    name = topic.rpartition("/")[2]
    with NodeBench(Listener) as bench:
        speaker = bench.speaker(String, topic, qos=50)
        forged = {**GOOD, "topic": name, "epoch": (1 << 53) - 1}
        for sender in ("white", "wolf", "Referee", f"{owner} "):
            speaker.publish(String(data=json.dumps({**forged, "sender": sender})))
        speaker.publish(String(data=json.dumps({**GOOD, "topic": name, "sender": owner})))
        bench.until(bench.node.new, "the owner's message")
        assert [(message.sender, message.epoch) for message in bench.node.received] == [(owner, 1)]
        assert bench.node.line.dropped == 4


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
                line.send("sighting", payload)
        with pytest.raises(KeyError):
            line.send("catch_claim", {})
