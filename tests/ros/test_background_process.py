"""Calls beside the tick, in a process of their own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from helpers.patience import is_running, until

from arena_trees.nodes.runtime.background_process import ProcessRunner
from arena_trees.robot.background import Reply


@pytest.fixture
def runner() -> Iterator[ProcessRunner]:
    made = ProcessRunner()
    yield made
    made.close()


def awaited(reply: Reply) -> Any:
    until(reply.is_done, "a reply")
    return reply.value()


def test_calls_are_made_in_their_order_in_another_process(runner: ProcessRunner) -> None:
    line = runner.start(partial(list, (1,)))
    line.call("append", 2)
    assert awaited(line.call("copy")) == [1, 2]
    assert awaited(runner.start(partial(__import__, "os")).call("getpid")) != os.getpid()


def test_a_call_takes_no_time_of_the_one_that_asks(runner: ProcessRunner) -> None:
    line = runner.start(partial(__import__, "time"))
    slow, quick = line.call("sleep", 0.5), line.call("monotonic")
    assert not slow.is_done() and not quick.is_done()
    with pytest.raises(RuntimeError, match="not done"):
        quick.value()
    assert awaited(quick) > 0.0 and slow.is_done()


def test_what_is_raised_there_is_raised_here(runner: ProcessRunner) -> None:
    with pytest.raises(FileNotFoundError):
        runner.start(partial(open, "/no/such/file"))
    line = runner.start(list)
    with pytest.raises(IndexError):
        awaited(line.call("pop"))
    assert awaited(line.call("copy")) == []


def test_a_process_that_is_killed_is_an_error_and_not_a_silence(runner: ProcessRunner) -> None:
    line = runner.start(partial(__import__, "os"))
    process = awaited(line.call("getpid"))
    os.kill(process, signal.SIGSTOP)
    waiting = [line.call("getpid") for _ in range(2)]
    os.kill(process, signal.SIGKILL)
    for reply in (*waiting, line.call("getpid")):
        with pytest.raises(RuntimeError, match="has ended"):
            awaited(reply)


def test_processes_end_with_the_runner_and_with_the_process_of_the_ticks(runner: ProcessRunner) -> None:
    process = awaited(runner.start(partial(__import__, "os")).call("getpid"))
    runner.close()
    until(lambda: not is_running(process), "its end")
    program = (
        "import time\nfrom functools import partial\n"
        "from arena_trees.nodes.runtime.background_process import ProcessRunner\n"
        "reply = ProcessRunner().start(partial(__import__, 'os')).call('getpid')\n"
        "while not reply.is_done(): time.sleep(0.01)\n"
        "print(reply.value(), flush=True)\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as ticking:
        other = int(ticking.stdout.readline())
        ticking.kill()
    until(lambda: not is_running(other), "its end with the process of the ticks")
