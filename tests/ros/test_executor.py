"""Our executor does what rclpy's does, only with less."""

import inspect
import threading

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

import rclpy
from helpers.patience import until
from rclpy.action import ActionClient, ActionServer
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger

from arena_trees.nodes.runtime import executor as module
from arena_trees.nodes.runtime.executor import LeanExecutor, make_executor


@pytest.fixture
def at_work():
    with rclpy.Context() as context:
        node = Node("worker", context=context)
        executor = make_executor(context)
        assert isinstance(executor, LeanExecutor)
        executor.add_node(node)
        yield executor, node
        executor.shutdown()
        node.destroy_node()


def spin_until(executor, condition):
    until(condition, "what the executor does", lambda: executor.spin_once(timeout_sec=0.1))


def test_messages_timers_services_and_guards(at_work):
    executor, node = at_work
    heard, ticks, guarded = [], [], []

    def serve(request, response):
        response.success = True
        return response

    publisher = node.create_publisher(String, "words", 10)
    node.create_subscription(String, "words", lambda message: heard.append(message.data), 10)
    node.create_service(Trigger, "trigger", serve)
    client = node.create_client(Trigger, "trigger")
    guard = node.create_guard_condition(lambda: guarded.append(1))

    def tick():
        ticks.append(1)
        publisher.publish(String(data=str(len(ticks))))

    node.create_timer(0.01, tick, clock=Clock(clock_type=ClockType.STEADY_TIME))
    spin_until(executor, client.service_is_ready)
    answer = client.call_async(Trigger.Request())
    guard.trigger()
    spin_until(executor, lambda: answer.done() and guarded and len(heard) >= 20)
    assert answer.result().success
    assert guarded == [1]
    first = int(heard[0])
    assert heard[:20] == [str(number) for number in range(first, first + 20)]


def test_a_message_that_is_there_is_heard_before_a_timer_that_is_due(at_work):
    executor, node = at_work
    order = []
    publisher = node.create_publisher(String, "words", 10)
    node.create_subscription(String, "words", lambda message: order.append("message"), 10)
    spin_until(executor, publisher.get_subscription_count)
    timer = node.create_timer(0.05, lambda: order.append("timer"))
    publisher.publish(String())
    assert publisher.wait_for_all_acked()
    until(timer.is_ready, "the timer")
    spin_until(executor, lambda: len(order) >= 2)
    assert order[:2] == ["message", "timer"]


def test_messages_that_wake_nobody_are_read_all_before_what_does(at_work):
    executor, node = at_work
    order = []
    publishers = [node.create_publisher(String, topic, 10) for topic in ("sampled", "waking")]
    node.create_subscription(String, "sampled", lambda message: order.append(message.data), 3)
    waking = node.create_subscription(String, "waking", lambda message: order.append(message.data), 10)
    node.waking_subscriptions = (waking,)
    spin_until(executor, lambda: all(publisher.get_subscription_count() for publisher in publishers))
    for number in range(5):
        publishers[0].publish(String(data=str(number)))
    publishers[1].publish(String(data="command"))
    assert all(publisher.wait_for_all_acked() for publisher in publishers)
    spin_until(executor, lambda: "command" in order)
    # The newest, as many as the queue holds.
    assert order == ["2", "3", "4", "command"]


def test_a_message_that_wakes_nobody_ends_no_wait(at_work):
    executor, node = at_work
    heard = []
    publisher = node.create_publisher(String, "words", 10)
    node.create_subscription(String, "words", heard.append, 10)
    spin_until(executor, publisher.get_subscription_count)
    node.waking_subscriptions = ()
    executor.spin_once(timeout_sec=0.0)
    ended = []
    thread = threading.Thread(target=lambda: (executor.spin_once(), ended.append(len(heard))))
    thread.start()
    for _ in range(3):
        publisher.publish(String())
        assert publisher.wait_for_all_acked()
        thread.join(0.1)
    assert not ended
    executor.wake()
    thread.join()
    assert ended == [3]


def test_a_task_of_another_thread_wakes_it(at_work):
    executor, _ = at_work
    done: list[int] = []
    threading.Timer(0.2, executor.create_task, (lambda: done.append(1),)).start()
    # Without a limit: only the task can end a turn.
    until(lambda: done, "the task", executor.spin_once)


def test_a_callback_may_destroy_what_is_ready_too(at_work):
    executor, node = at_work
    calls = []

    def first():
        calls.append("first")
        node.destroy_timer(second_timer)
        cancelled.cancel()

    timer = node.create_timer(0.01, first)
    second_timer = node.create_timer(0.01, lambda: calls.append("second"))
    cancelled = node.create_timer(0.01, lambda: calls.append("cancelled"))
    until(lambda: timer.is_ready() and second_timer.is_ready() and cancelled.is_ready(), "three timers")
    spin_until(executor, lambda: len(calls) >= 3)
    assert set(calls) == {"first"}


@pytest.mark.parametrize("coroutine", [False, True])
def test_what_a_callback_raises_comes_out(at_work, coroutine):
    executor, node = at_work

    async def later():
        raise ZeroDivisionError

    def at_once():
        raise ZeroDivisionError

    node.create_timer(0.01, later if coroutine else at_once)
    with pytest.raises(ZeroDivisionError):
        spin_until(executor, lambda: False)


def test_a_coroutine_waits_for_a_service(at_work):
    executor, node = at_work
    answers = []
    # As long as a callback waits, no other of its group is called.
    others = ReentrantCallbackGroup()
    node.create_service(Trigger, "trigger", lambda request, response: response, callback_group=others)
    client = node.create_client(Trigger, "trigger", callback_group=others)
    spin_until(executor, client.service_is_ready)

    async def ask():
        answers.append(await client.call_async(Trigger.Request()))

    timer = node.create_timer(0.01, ask)
    spin_until(executor, lambda: answers)
    timer.cancel()
    assert isinstance(answers[0], Trigger.Response)


def test_incompatible_publishers_are_told(at_work):
    executor, node = at_work
    reported = []
    events = SubscriptionEventCallbacks(incompatible_qos=reported.append)
    node.create_publisher(String, "words", QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    node.create_subscription(String, "words", lambda message: None, 1, event_callbacks=events)
    spin_until(executor, lambda: reported)
    assert reported[0].total_count == 1


def test_actions(at_work):
    executor, node = at_work
    Dock = pytest.importorskip("py_trees_ros_interfaces.action").Dock  # noqa: N806 - a type

    def execute(goal):
        goal.succeed()
        return Dock.Result(message="docked")

    server = ActionServer(node, Dock, "dock", execute)
    client = ActionClient(node, Dock, "dock")
    spin_until(executor, client.server_is_ready)
    accepted = client.send_goal_async(Dock.Goal(dock=True))
    spin_until(executor, accepted.done)
    result = accepted.result().get_result_async()
    spin_until(executor, result.done)
    assert result.result().result.message == "docked"
    client.destroy()
    server.destroy()


def test_the_end_closes_what_was_not_begun_and_what_still_waits(at_work):
    executor, _ = at_work
    begun, never = [], Future(executor=executor)

    async def wait():
        begun.append(len(begun))
        await never

    waits = executor.create_task(wait)
    spin_until(executor, lambda: begun)
    coroutines = [waits._handler, executor.create_task(wait)._handler]
    executor.shutdown()
    assert begun == [0]
    assert {inspect.getcoroutinestate(one) for one in coroutines} == {inspect.CORO_CLOSED}


def test_another_release_of_rclpy_gets_its_own_executor(monkeypatch):
    monkeypatch.setattr(module, "_NEEDED", (*module._NEEDED, "_not_in_this_release"))
    with rclpy.Context() as context:
        executor = make_executor(context)
        assert type(executor) is SingleThreadedExecutor
        executor.shutdown()
