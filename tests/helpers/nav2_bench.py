"""The Nav2 client in its node and a real action server beside it, and a line between them that loses things."""

import itertools
import time

import rclpy
from action_msgs.srv import CancelGoal
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from arena_trees.nodes.nav2.navigator import Nav2Navigator
from arena_trees.nodes.nav2.parameters import Nav2Parameters
from arena_trees.nodes.runtime.executor import make_executor
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.ports import NavigationStatus
from helpers.nav2_server import Manner, Nav2Server
from helpers.node_bench import end_node
from helpers.patience import until

QUICK = Nav2Parameters(
    server_timeout=1.0, acknowledge_timeout=0.6, silence_timeout=0.8, ask_period=0.2, cancel_period=0.1,
    preemption_time=0.2,
)  # fmt: skip
PATIENT = QUICK.with_changes(dict.fromkeys(("server_timeout", "acknowledge_timeout", "silence_timeout"), 60.0))
"""For tests of anything but these times: a machine that is busy may take longer than ``QUICK`` allows."""
NUMBERS = itertools.count(1)
"""Goals have names that no other one has."""


class Nav2Bench:
    """The client in its node, in the test's thread, and the server in another one.

    Args:
        namespace: of ROS, for both
        serving: whether the server serves from the beginning
    """

    def __init__(self, namespace: str = "", *, serving: bool = True) -> None:
        self.server = Nav2Server(namespace, serving=serving)
        self.context = rclpy.Context()
        rclpy.init(args=[], context=self.context)
        self.node = rclpy.create_node("tree", context=self.context, namespace=namespace)
        self.navigator = Nav2Navigator(self.node, QUICK)
        self.executor = make_executor(self.context)
        self.executor.add_node(self.node)
        self.lines = [self.navigator._action._sender, self.navigator._action._asker, self.navigator._action._canceller]
        if serving:
            self.meet()

    def close(self) -> None:
        self.navigator.halt()
        self.executor.shutdown()
        end_node(self.node)
        rclpy.shutdown(context=self.context)
        self.server.close()

    def meet(self) -> None:
        """Wait until client and server hear each other: what either says before that is lost.

        The graph names an endpoint before it is matched, so each service is asked until it has answered once: a goal
        that is refused, the result of a goal that nobody knows, the end of a goal that nobody knows.
        """
        self.until(lambda: self.navigator._action.ready and self.server.knows_its_client(), "the server")
        self.server.manner = Manner(accepts=False)
        for line in self.lines:
            self._hear(line.client)
        self.server.manner = Manner()

    def _hear(self, client) -> None:
        asked: list[Future] = []
        next_call = 0.0

        def ask() -> None:
            nonlocal next_call
            if (now := time.monotonic()) >= next_call:
                asked.append(client.call_async(_harmless(client.srv_type)))
                next_call = now + 0.2
            self.spin()

        until(lambda: any(one.done() for one in asked), lambda: f"an answer of {client.srv_name}", ask)
        for one in asked:
            client.remove_pending_request(one)

    def spin(self) -> None:
        self.executor.spin_once(timeout_sec=0.01)

    def until(self, done, what):
        return until(
            done, lambda: f"{what}; {self.server}; given up {list(self.navigator._given_up.values())}", self.spin
        )

    def go(self) -> int:
        """Send a goal; return its name."""
        number = next(NUMBERS)
        self.navigator.send_goal(Pose2D(float(number), 2.0, 0.5))
        return number

    def answer(self) -> None:
        """Have the server answer the goals that wait for it, once it has one."""
        self.until(self.server.asked, "a goal")
        self.server.answer()

    def end(self) -> NavigationStatus:
        """Return how the goal ended."""
        self.until(lambda: self.navigator.status() is not NavigationStatus.ACTIVE, "the end of the goal")
        return self.navigator.status()

    def quiet(self) -> None:
        """Wait until the server is at no goal."""
        self.until(self.server.idle, "a server without goals")

    def begin(self) -> None:
        """Begin a test: a server without faults, and a client that waits for it."""
        self.server.manner = Manner()
        self.navigator.parameters = PATIENT


def _harmless(kind):
    """Return a request about a goal that is refused, or that nobody knows."""
    request, name = kind.Request(), UUID(uuid=[255] * 16)
    if kind is CancelGoal:
        request.goal_info.goal_id = name
    else:
        request.goal_id = name
    return request


class Lost:
    """Loses the answers to requests of a client of rclpy, as a network does, or the requests themselves."""

    def __init__(self, line, requests=False) -> None:
        self._client = line.client
        self._requests = requests
        self._call = self._client.call_async
        self.count = 0

    def __enter__(self):
        self._client.call_async = self._lose
        return self

    def __exit__(self, *error):
        self._client.call_async = self._call

    def _lose(self, request):
        self.count += 1
        if self._requests:
            return Future()
        future = self._call(request)
        self._client.remove_pending_request(future)
        return future


class Deaf:
    """Loses what the server says by itself: statuses and feedback."""

    def __init__(self, node) -> None:
        self._subscriptions = [one for one in node.subscriptions if "/_action/" in one.topic_name]
        self._callbacks = [one.callback for one in self._subscriptions]

    def __enter__(self):
        for one in self._subscriptions:
            one.callback = lambda message: None

    def __exit__(self, *error):
        for one, callback in zip(self._subscriptions, self._callbacks, strict=True):
            one.callback = callback
