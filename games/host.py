"""Hosts the rules of any game: hears for them, lets them act, and sends what they say."""

from __future__ import annotations

from collections.abc import Iterable

from arena_trees.games.game import Carry, Rules, SwitchOff
from arena_trees.games.truth import Truth
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.ports import MessagePort

__all__ = ["RulesHost"]


class RulesHost:
    """Steps rules, in the arena as on ROS.

    Attributes:
        rules: what is hosted
        mailbox: the messages that the rules have received

    Args:
        rules: to be hosted
        port: line to the robots
        messages: models of all messages of the game
    """

    def __init__(self, rules: Rules, port: MessagePort, messages: Iterable[type[GameMessage]]) -> None:
        self.rules = rules
        self.mailbox = Mailbox(messages)
        self._messages = frozenset(messages)
        self._port = port

    def step(self, now: int, truth: Truth) -> tuple[tuple[Message, ...], tuple[SwitchOff | Carry, ...]]:
        """Let the rules act at an instant (ns); return what they sent, and what else they want done.

        Raises:
            ArenaTreesError: they send a message that the game does not have
        """
        sent: list[Message] = []
        actions: list[SwitchOff | Carry] = []
        for answer in self.rules.step(now, truth, self.mailbox.take(self._port.receive(), now)):
            if isinstance(answer, SwitchOff | Carry):
                actions.append(answer)
            elif type(answer) in self._messages:
                sent.append(self._port.send(answer.topic, answer.encode()))
            else:
                raise ArenaTreesError(f"the rules send {type(answer).__name__}, which is no message of the game")
        return tuple(sent), tuple(actions)
