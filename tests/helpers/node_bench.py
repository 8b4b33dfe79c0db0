"""One of our nodes at work in this process, and an observer beside it who speaks with it over DDS."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.srv import ListParameters, SetParameters
from rclpy.action import ActionClient, ActionServer
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions

from arena_trees.nodes.runtime.executor import make_executor
from arena_trees.nodes.runtime.half_made import destroy_half_made
from arena_trees.robot.clock import SECOND
from helpers.patience import until


class QuietNode(Node):
    """A node of a test's own, which says nothing when it ends."""

    def halt(self) -> None:
        """Do nothing."""


class NodeBench:
    """Runs a node as its program would, but for the signals, and lets a test wait for what it does.

    Args:
        make_node: the node's class
        arguments: of its command line, after ``--ros-args``
        reports_s: seconds between two diagnostics of the node, which publishes them once a second by itself
    """

    def __init__(self, make_node: Callable[[], Any], *arguments: str, reports_s: float = 0.1) -> None:
        rclpy.init(args=["", "--ros-args", *arguments], signal_handler_options=SignalHandlerOptions.NO)
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context)
        self._reports_ns = round(reports_s * SECOND)
        self.halting = False
        """Whether the node is to end; set by a test that goes on within another callback."""
        made: Future[Any] = Future()
        self._thread = threading.Thread(target=self._work, args=(make_node, made), name="node")
        self._thread.start()
        try:
            self.node = made.result()
        except BaseException:
            self._thread.join()
            self._shut_down()
            raise
        self.observer = rclpy.create_node("observer", context=self._context)
        self._watch = SingleThreadedExecutor(context=self._context)
        self._watch.add_node(self.observer)
        self._clients: dict[str, Any] = {}
        self.diagnostics = self.hear(DiagnosticArray, "/diagnostics")

    def __enter__(self) -> NodeBench:
        return self

    def __exit__(self, *error: object) -> None:
        self.halt()
        end_executor(self._watch)
        end_node(self.observer)
        self._shut_down()

    def halt(self) -> None:
        """End the node as a signal would; what it says last is still heard."""
        self.halting = True
        self._thread.join()

    def hear(self, kind: Any, topic: str, qos: Any = None) -> list[Any]:
        """Return a list that every message of a topic is put into from now on.

        Where the node publishes the topic already, both ends have found each other: nothing is missed.
        """
        heard: list[Any] = []
        profile = qos or QoSProfile(depth=500, reliability=ReliabilityPolicy.BEST_EFFORT)
        ear = self.observer.create_subscription(kind, topic, heard.append, profile)
        for speaker in [speaker for speaker in self.node.publishers if speaker.topic_name == topic]:
            self.until(speaker.get_subscription_count, f"{topic}: an ear of the node's")
            self.until(ear.get_publisher_count, f"{topic}: the node's voice")
        return heard

    def speaker(self, kind: Any, topic: str, qos: Any = 10) -> Any:
        """Return a publisher that somebody listens to."""
        publisher = self.observer.create_publisher(kind, topic, qos)
        self.until(lambda: publisher.get_subscription_count() > 0, f"a subscriber of {topic}")
        return publisher

    def spin(self) -> None:
        """Hear what has come."""
        self._watch.spin_once(timeout_sec=0.02)

    def until(self, done: Callable[[], Any], what: str, meanwhile: Callable[[], object] | None = None) -> Any:
        """Return what ``done`` returns once it is true; fail where that takes too long.

        Args:
            done: looked at again and again
            what: is waited for
            meanwhile: called again and again, about fifty times a second
        """
        next_call = 0.0

        def turn() -> None:
            nonlocal next_call
            if meanwhile is not None and (now := time.monotonic()) >= next_call:
                meanwhile()
                next_call = now + 0.02
            self.spin()

        return until(done, what, turn)

    def ask(self, kind: Any, service: str, request: Any) -> Any:
        """Return a service's answer."""
        if service not in self._clients:
            self._clients[service] = self._meet(kind, service)
        future = self._clients[service].call_async(request)
        self.until(future.done, f"an answer of {service}")
        return future.result()

    def _meet(self, kind: Any, service: str) -> Any:
        """Return a client that the node has found: to one that it has not found yet its answers are lost."""
        # The node finds clients in their order. The later one may ask as often as it likes.
        name = f"{self.node.get_fully_qualified_name()}/list_parameters"
        clients: list[Any] = []
        renewal = 0.0

        def found() -> bool:
            nonlocal renewal
            if clients and all(one.service_is_ready() for one in clients):
                return True
            if (now := time.monotonic()) >= renewal:
                # On a busy machine discovery now and then misses a client for good; new ones are announced anew.
                for one in clients:
                    self.observer.destroy_client(one)
                clients[:] = [
                    self.observer.create_client(kind, service),
                    self.observer.create_client(ListParameters, name),
                ]
                renewal = now + 10.0
            return False

        self.until(found, service)
        client, later = clients
        asked: list[Any] = []
        ask = lambda: asked.append(later.call_async(ListParameters.Request()))  # noqa: E731
        self.until(lambda: any(future.done() for future in asked), f"an answer of {name}", ask)
        self.observer.destroy_client(later)
        return client

    def set_parameter(self, key: str, value: Any) -> Any:
        """Ask for a change of one parameter; return the result."""
        request = SetParameters.Request(parameters=[Parameter(key, value=value).to_parameter_msg()])
        name = self.node.get_fully_qualified_name()
        return self.ask(SetParameters, f"{name}/set_parameters", request).results[0]

    def status(self) -> Any:
        """Return the node's newest state on ``/diagnostics``, or None."""
        return self.diagnostics[-1].status[0] if self.diagnostics else None

    def state(self) -> str:
        """Return what the node's newest diagnostics say in words; empty before the first."""
        status = self.status()
        return "" if status is None else status.message

    def value(self, key: str) -> str:
        """Return a value of the node's newest diagnostics; empty where there is none."""
        status = self.status()
        return "" if status is None else next((pair.value for pair in status.values if pair.key == key), "")

    def _work(self, make_node: Callable[[], Any], made: Future[Any]) -> None:
        """Live the node's life: one thread makes it, lets it work and ends it, as in its program."""
        try:
            node = make_node()
        except BaseException as error:
            destroy_half_made(error)
            made.set_exception(error)
            return
        for timer in node.timers:
            if timer.timer_period_ns == SECOND:
                timer.timer_period_ns = self._reports_ns
        executor = make_executor()
        executor.add_node(node)
        made.set_result(node)
        try:
            while not self.halting:
                executor.spin_once(timeout_sec=0.05)
        finally:
            node.halt()
            end_executor(executor)
            node.destroy_node()

    def _shut_down(self) -> None:
        rclpy.try_shutdown()
        rclpy.try_shutdown(context=self._context)


def end_executor(executor: Any) -> None:
    """Shut an executor down, and close the coroutines that it has not come to the end of.

    One that was never begun would be reported wherever it is collected: in another test.
    """
    for task, *_ in executor._tasks:
        task.cancel()
    executor.shutdown()


def end_node(node: Node) -> None:
    """Destroy a node, and before it its actions, which rclpy leaves where they are."""
    for waitable in list(node.waitables):
        if isinstance(waitable, ActionServer | ActionClient):
            waitable.destroy()
    node.destroy_node()
