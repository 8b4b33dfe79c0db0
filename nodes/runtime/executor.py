"""An executor for one thread that costs a third of rclpy's own, so that a whole game fits on two processors.

rclpy's executor makes a new wait set for every single message, puts some dozens of quality-of-service
events into it, wraps each callback into a task, and wakes itself up after each. Here one wait set is
used again and again, everything that is ready is handled at once, messages before timers, and those
events are looked at once a second. A node that works at a fixed rate is not woken by each message: it
says by its attribute ``waking_subscriptions`` which of them wake it, and the others are read before
whatever else is handled. It reaches into parts of rclpy that are not public; where a release has them
otherwise, rclpy's own executor is used.

``rclpy.experimental.EventsExecutor`` of rclpy 7.1.6 ticks as regularly, but ends the process at the first message for
a callback that takes the message's info, as the velocity gate's does, calls timers that were destroyed while they were
due, and does not return from ``spin_once()`` without a time limit.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.event_handler import EventHandler
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException, NumberOfEntities, SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation

__all__ = ["LeanExecutor", "make_executor"]

_EVENTS_S = 1.0
"""Between two looks at quality-of-service events. They last until somebody looks."""

_ADDERS = ("add_subscription", "add_guard_condition", "add_timer", "add_client", "add_service")
_SIZES = (
    "num_subscriptions", "num_guard_conditions", "num_timers", "num_clients", "num_services", "num_events",
)  # fmt: skip
"""In the order in which a wait set takes them."""

_NEEDED = (
    "_guard", "_is_shutdown", "_make_handler", "_sigint_gc", "_take_client", "_take_guard_condition", "_take_service",
    "_take_subscription", "_take_timer", "_take_waitable", "_tasks", "_tasks_lock",
)  # fmt: skip


def make_executor(context: Any = None) -> Any:
    """Return an executor for one thread.

    Args:
        context: of ROS; the default one where not given
    """
    executor = LeanExecutor(context=context)
    if all(hasattr(executor, name) for name in _NEEDED) and hasattr(rclpy_implementation, "WaitSet"):
        return executor
    executor.shutdown()
    return SingleThreadedExecutor(context=context)


class LeanExecutor(SingleThreadedExecutor):
    """Runs callbacks in the thread that calls :meth:`spin_once`; only that thread may make and destroy entities."""

    _tasks: list[Any]

    def __init__(self, *, context: Any = None) -> None:
        super().__init__(context=context)
        self._wait_sets: dict[tuple[int, ...], Any] = {}
        self._events_at = 0.0

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait until something is ready, and handle all that is.

        Args:
            timeout_sec: longest wait; for ever where None or negative

        Raises:
            ExternalShutdownException: the context has been shut down
        """
        if self._run_tasks():
            return
        entities = self._gather()
        wait_set = self._fill(entities)
        wait_set.wait(-1 if timeout_sec is None or timeout_sec < 0 else int(timeout_sec * 1e9))
        if self._is_shutdown:
            return
        if not self._context.ok():
            raise ExternalShutdownException
        # All before any: a callback may destroy others.
        for subscription in entities.sampled:
            self._read(subscription)
        ready = [
            (_ready(entities.subscriptions, wait_set, "subscription"), self._take_subscription),
            (_ready(entities.timers, wait_set, "timer"), self._take_ready_timer),
            (_ready(entities.guards, wait_set, "guard_condition"), self._take_guard_condition),
            (_ready(entities.services, wait_set, "service"), self._take_service),
            (_ready(entities.clients, wait_set, "client"), self._take_client),
        ]
        for waitable in entities.waitables:
            if waitable.is_ready(wait_set):
                self._make_handler(waitable, None, self._take_waitable)
        for kind, take in ready:
            for entity in kind:
                self._handle(entity, take)

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Stop for good; what it has not come to the end of is cancelled, so that no coroutine is left open."""
        with self._tasks_lock:
            tasks = [task for task, _, _ in self._tasks]
            self._tasks = []
        for task in tasks:
            task.cancel()
        self._wait_sets.clear()
        return bool(super().shutdown(timeout_sec))

    def _run_tasks(self) -> bool:
        """Go on with everything that is more than a plain callback; return whether something was finished."""
        with self._tasks_lock:
            tasks = [task for task, _, _ in self._tasks]
        for task in tasks:
            task()
        finished = [task for task in tasks if task.done() or task.cancelled()]
        if finished:
            with self._tasks_lock:
                self._tasks = [entry for entry in self._tasks if entry[0] not in finished]
        for task in finished:
            # Raises what the callback raised.
            task.result()
        return bool(finished)

    def _gather(self) -> _Entities:
        """Return everything that may become ready."""
        now = time.monotonic()
        events = now >= self._events_at
        if events:
            self._events_at = now + _EVENTS_S
        # As long as a task waits for something, its entity may not be handled again.
        return _Entities(self.get_nodes(), events, self.can_execute if self._tasks else None)

    def _fill(self, entities: _Entities) -> Any:
        """Return a wait set that waits for them."""
        guards = [*entities.guards, self._guard, self._sigint_gc]
        plain = (entities.subscriptions, guards, entities.timers, entities.clients, entities.services)
        count = NumberOfEntities(*(len(kind) for kind in plain))
        for waitable in entities.waitables:
            count += waitable.get_num_entities()
        sizes = tuple(getattr(count, name) for name in _SIZES)
        wait_set = self._wait_sets.get(sizes)
        if wait_set is None:
            wait_set = self._wait_sets[sizes] = rclpy_implementation.WaitSet(*sizes, self._context.handle)
        wait_set.clear_entities()
        for name, kind in zip(_ADDERS, plain, strict=True):
            add = getattr(wait_set, name)
            for entity in kind:
                add(entity.handle)
        for waitable in entities.waitables:
            waitable.add_to_wait_set(wait_set)
        return wait_set

    def _take_ready_timer(self, timer: Any) -> Any:
        try:
            with timer.handle:
                # One that was cancelled is reported as ready, too.
                return self._take_timer(timer) if timer.handle.is_timer_ready() else None
        except InvalidHandle:
            return None

    def _read(self, subscription: Any) -> None:
        """Handle the messages of a subscription that nobody has waited for: no more than its queue holds."""
        for _ in range(max(1, subscription.qos_profile.depth)):
            if not self._handle(subscription, self._take_subscription):
                break

    def _handle(self, entity: Any, take: Callable[[Any], Any]) -> bool:
        """Return whether there was something, and it is done."""
        if inspect.iscoroutinefunction(getattr(entity, "callback", None)):
            self._make_handler(entity, None, take)
            return False
        execute = take(entity)
        if execute is None:
            return False
        try:
            execute().send(None)
        except StopIteration:
            return True
        raise RuntimeError(f"a callback of {entity} waits for something, but is not declared with async def")


class _Entities:
    """What nodes have that may become ready.

    Attributes:
        subscriptions: which wake their node
        sampled: subscriptions which do not
        timers, guards, services, clients, waitables: all wake

    Args:
        nodes: the nodes
        events: whether quality-of-service events are among it
        allowed: returns of an entity whether it may be handled now; all may where None
    """

    def __init__(self, nodes: Iterable[Any], events: bool, allowed: Callable[[Any], bool] | None) -> None:
        def gather(kind: str) -> list[Any]:
            found = [entity for node in nodes for entity in getattr(node, kind)]
            return found if allowed is None else [entity for entity in found if allowed(entity)]

        nodes = list(nodes)
        waking = {id(one) for node in nodes for one in getattr(node, "waking_subscriptions", node.subscriptions)}
        subscriptions = gather("subscriptions")
        self.subscriptions = [one for one in subscriptions if id(one) in waking]
        self.sampled = [one for one in subscriptions if id(one) not in waking]
        self.timers = gather("timers")
        self.guards = gather("guards")
        self.services = gather("services")
        self.clients = gather("clients")
        self.waitables = [one for one in gather("waitables") if events or not isinstance(one, EventHandler)]


def _ready(entities: list[Any], wait_set: Any, kind: str) -> list[Any]:
    """Return the entities of a kind that are ready."""
    pointers = wait_set.get_ready_entities(kind)
    return [entity for entity in entities if entity.handle.pointer in pointers] if pointers else []
