"""Lets people control the rules of a game over ROS: by services without values, and topics with a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.games.game import Rules
from arena_trees.nodes.runtime.qos import EVENTS
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.json_text import JsonError, read_json

__all__ = ["RulesControls"]

Act = Callable[[Rules, int], str]
"""Does something to rules at an instant (ns), and returns what it did; refuses by raising ArenaTreesError."""


class RulesControls:
    """Services and topics below a node's name.

    Args:
        node: whose they are
        rules: returns the rules that there are now; raises ArenaTreesError while there are none
        now: returns the instant, ns
    """

    def __init__(self, node: Any, rules: Callable[[], Rules], now: Callable[[], int]) -> None:
        self._node = node
        self._rules = rules
        self._now = now
        self._offered = False

    def serve(self, name: str, act: Act) -> None:
        """Offer a service (std_srvs/Trigger)."""

        def answer(request: Any, response: Any) -> Any:
            try:
                response.message = act(self._rules(), self._now())
                response.success = True
            except ArenaTreesError as error:
                response.message = str(error)
            return response

        self._node.create_service(Trigger, f"~/{name}", answer)

    def offer(self, rules: Rules) -> None:
        """Offer each of the rules' controls and settings; those of later rules of the same game are the same."""
        if self._offered:
            return
        self._offered = True
        for name in rules.controls:
            self.serve(name, _control(name))
        for name in rules.settings:
            self._node.create_subscription(String, f"~/{name}", self._setter(name), EVENTS)

    def _setter(self, name: str) -> Callable[[Any], None]:
        def take(message: Any) -> None:
            logger = self._node.get_logger()
            try:
                done = self._rules().settings[name](self._now(), read_json(message.data))
            except (ArenaTreesError, JsonError) as error:
                logger.warning(f"{name}: {error}")
            else:
                logger.info(done)

        return take


def _control(name: str) -> Act:
    return lambda rules, now: rules.controls[name](now)
