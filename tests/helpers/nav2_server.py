"""A navigator like Nav2's, with a real action server, that can be made to fail; in a thread of its own."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import rclpy
from geometry_msgs.msg import TwistStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future

from helpers.node_bench import end_executor, end_node


@dataclass
class Manner:
    """How the next goals are treated.

    Attributes:
        answer_after: time to the answer to a goal, s; where infinite, it waits for :meth:`Nav2Server.answer`
        accepts: whether it accepts
        lasts: time to the goal's end, s
        arrives: whether it succeeds then, or is aborted
        tells: whether it gives feedback and velocities
        refuses_cancels: so many times
        preempts: whether a new goal ends the one before, as Nav2's does
        answers: whether the executor works at all
    """

    answer_after: float = 0.0
    accepts: bool = True
    lasts: float = 0.2
    arrives: bool = True
    tells: bool = True
    refuses_cancels: int = 0
    preempts: bool = True
    answers: bool = True


@dataclass(eq=False)
class Job:
    """A goal that was accepted; x of its pose names it."""

    handle: Any
    verdict: Future
    ends: float
    manner: Manner = field(default_factory=Manner)

    @property
    def number(self) -> int:
        place: float = self.handle.request.pose.pose.position.x
        return round(place)


@dataclass(eq=False)
class _Answer:
    """An answer to a goal that is not due before an instant (s, monotonic)."""

    due: float
    future: Future


class Nav2Server:
    """Serves ``navigate_to_pose`` and publishes ``cmd_vel_nav``, whose linear velocity is a thousandth of x.

    Args:
        namespace: of ROS
        serving: whether it serves from the beginning, or after :meth:`start`
    """

    def __init__(self, namespace: str = "", *, serving: bool = True) -> None:
        self.manner = Manner()
        self.accepted: list[int] = []
        self.ended: list[tuple[int, str]] = []
        self._jobs: list[Job] = []
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context)
        self._node = rclpy.create_node("bt_navigator", context=self._context, namespace=namespace)
        self._velocity = self._node.create_publisher(TwistStamped, "cmd_vel_nav", 1)
        self._waiting: list[_Answer] = []
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        # While one answer is late, everything else goes on.
        self._group = ReentrantCallbackGroup()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._node.create_timer(0.01, self._work, callback_group=self._group, clock=steady)
        self._server: Any = None
        self._orders: list[Callable[[], None]] = [self._start] if serving else []
        self._over = False
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def __str__(self) -> str:
        ended, thread = self.ended[-3:], "works" if self._thread.is_alive() else "has died"
        return f"server that {thread}, accepted {self.accepted[-3:]}, is at {self.active()}, ended {ended}"

    def active(self) -> list[int]:
        """Return the goals that it is still at."""
        return [job.number for job in list(self._jobs)]

    def stop(self) -> None:
        """End the server without a word, and forget its goals."""
        self._orders.append(self._stop)

    def start(self) -> None:
        """Serve again; nothing is known of former goals."""
        self._orders.append(self._start)

    def asked(self) -> bool:
        """Return whether a goal waits for its answer."""
        return bool(self._waiting)

    def answer(self) -> None:
        """Answer every goal that waits for its answer now."""
        for one in list(self._waiting):
            one.due = time.monotonic()

    def finish(self) -> None:
        """Come to the end of every goal now."""
        for job in list(self._jobs):
            job.ends = time.monotonic()

    def close(self) -> None:
        self._over = True
        self._thread.join()
        end_executor(self._executor)
        end_node(self._node)
        rclpy.shutdown(context=self._context)

    def knows_its_client(self) -> bool:
        """Return whether it has found all that a client of the action listens by."""
        name = self._node.resolve_topic_name("navigate_to_pose") + "/_action"
        answers = (self._node.count_clients(f"{name}/{one}") for one in ("send_goal", "get_result", "cancel_goal"))
        news = (self._node.count_subscribers(f"{name}/{one}") for one in ("feedback", "status"))
        return all(answers) and all(news) and self._velocity.get_subscription_count() > 0

    def idle(self) -> bool:
        """Return whether it is at no goal, and keeps none waiting for its answer."""
        return not (self._orders or self._jobs or self._waiting)

    def _spin(self) -> None:
        while not self._over:
            while self._orders:
                self._orders[0]()
                self._orders.pop(0)
            if self.manner.answers:
                self._executor.spin_once(timeout_sec=0.01)
            else:
                time.sleep(0.01)

    def _start(self) -> None:
        self._server = ActionServer(
            self._node, NavigateToPose, "navigate_to_pose", self._execute,
            goal_callback=self._take_goal, handle_accepted_callback=self._take_accepted,
            cancel_callback=self._take_cancel, callback_group=self._group,
        )  # fmt: skip

    def _stop(self) -> None:
        if self._server is not None:
            server, self._server = self._server, None
            self._jobs.clear()
            server.destroy()

    async def _take_goal(self, goal: Any) -> GoalResponse:
        manner = self.manner
        if manner.answer_after > 0.0:
            late = Future(executor=self._executor)
            self._waiting.append(_Answer(time.monotonic() + manner.answer_after, late))
            await late
        return GoalResponse.ACCEPT if manner.accepts else GoalResponse.REJECT

    def _take_accepted(self, handle: Any) -> None:
        job = Job(handle, Future(executor=self._executor), time.monotonic() + self.manner.lasts, self.manner)
        if self.manner.preempts:
            for old in self._jobs:
                self._decide(old, "aborted")
        self._jobs.append(job)
        self.accepted.append(job.number)
        handle.execute()

    def _take_cancel(self, handle: Any) -> CancelResponse:
        if self.manner.refuses_cancels > 0:
            self.manner.refuses_cancels -= 1
            return CancelResponse.REJECT
        return CancelResponse.ACCEPT

    async def _execute(self, handle: Any) -> Any:
        job = next((job for job in self._jobs if job.handle is handle), None)
        # A goal that was forgotten before it was begun is never ended.
        verdict = await (Future(executor=self._executor) if job is None else job.verdict)
        if job in self._jobs:
            {"succeeded": handle.succeed, "aborted": handle.abort, "cancelled": handle.canceled}[verdict]()
            self._jobs.remove(job)
            self.ended.append((job.number, verdict))
        return NavigateToPose.Result()

    def _work(self) -> None:
        now = time.monotonic()
        for answer in [one for one in self._waiting if one.due <= now]:
            self._waiting.remove(answer)
            answer.future.set_result(None)
        for job in list(self._jobs):
            if job.verdict.done():
                continue
            if job.handle.is_cancel_requested:
                self._decide(job, "cancelled")
            elif now >= job.ends:
                self._decide(job, "succeeded" if job.manner.arrives else "aborted")
            elif job.manner.tells:
                job.handle.publish_feedback(NavigateToPose.Feedback())
        if self._jobs and self._jobs[-1].manner.tells:
            message = TwistStamped()
            message.header.stamp = self._node.get_clock().now().to_msg()
            message.twist.linear.x = 0.001 * self._jobs[-1].number
            self._velocity.publish(message)

    def _decide(self, job: Job, verdict: str) -> None:
        if not job.verdict.done():
            job.verdict.set_result(verdict)
