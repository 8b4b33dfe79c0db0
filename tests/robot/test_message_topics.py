"""Topics of ROS for a game's messages: whose each is can be read from its name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.messaging.message_topics import message_topic, robots_that_send

WORD = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
NAMESPACE = st.lists(WORD, max_size=3).map(lambda words: "/" + "/".join(words))


@given(WORD, WORD, NAMESPACE, st.sampled_from(["", "/"]))
def test_a_robots_topic_is_read_back_and_a_topic_of_the_rules_is_nobodys(topic, robot, namespace, end):
    name = message_topic(topic, robot, namespace + end)
    assert name.startswith("/") and "//" not in name
    assert list(robots_that_send([name], [topic], namespace)) == [(robot, topic)]
    assert list(robots_that_send([message_topic(topic, "", namespace)], [topic], namespace)) == []


@pytest.mark.parametrize(
    "name",
    [
        "/arena/catch_claim",
        "/arena/wolf/markers",
        "/arena/a/b/catch_claim",
        "/arenas/wolf/catch_claim",
        "/arena//catch_claim",
    ],
)
def test_other_topics_are_nobodys(name):
    assert list(robots_that_send([name], ["catch_claim"])) == []


def test_names_are_as_documented():
    assert message_topic("game") == "/arena/game"
    assert message_topic("catch_claim", "wolf") == "/arena/wolf/catch_claim"
