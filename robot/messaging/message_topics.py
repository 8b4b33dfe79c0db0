"""Names of the topics of ROS that carry a game's messages: each belongs to one sender.

The rules of a game send on ``<game_namespace>/<topic>``, a robot on ``<game_namespace>/<robot>/<topic>``. So a security
policy can state who may send, and a receiver takes the sender from the topic, not from what the message claims.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

__all__ = ["message_topic", "robots_that_send"]


def message_topic(topic: str, robot: str = "", game_namespace: str = "/arena") -> str:
    """Return the topic of ROS on which a robot, or the rules where none is named, send a message.

    Args:
        topic: of the message
        robot: name of the robot that sends it
        game_namespace: where the game's messages are
    """
    base = game_namespace.rstrip("/")
    return f"{base}/{robot}/{topic}" if robot else f"{base}/{topic}"


def robots_that_send(
    names: Iterable[str], topics: Collection[str], game_namespace: str = "/arena"
) -> Iterator[tuple[str, str]]:
    """Yield robot and topic of the message, for each topic of ROS among names that belongs to a robot.

    Args:
        names: of topics of ROS
        topics: of the messages that are looked for
        game_namespace: where the game's messages are
    """
    base = f"{game_namespace.rstrip('/')}/"
    for name in names:
        # What lies elsewhere keeps its first slash, before which is nothing.
        robot, _, topic = name.removeprefix(base).partition("/")
        if robot and topic in topics:
            yield robot, topic
