"""Calls beside the tick, in the process of the ticks."""

import pytest

from arena_trees.robot.background import InlineRunner


class Counter:
    def __init__(self) -> None:
        self.total = 0

    def add(self, number: int) -> int:
        self.total += number
        return self.total


def test_calls_are_made_between_ticks_in_their_order() -> None:
    runner, counter = InlineRunner(), Counter()
    line = runner.start(lambda: counter)
    replies = [line.call("add", number) for number in (1, 2)]
    assert counter.total == 0
    runner.run()
    assert counter.total == 3
    assert [(reply.is_done(), reply.value()) for reply in replies] == [(True, 1), (True, 3)]


def test_what_a_call_raises_its_reply_raises_and_calls_that_nobody_makes_are_made_when_asked_for():
    line = InlineRunner().start(Counter)
    bad, good = line.call("add", None), line.call("add", 2)
    assert bad.is_done()
    with pytest.raises(TypeError):
        bad.value()
    assert good.value() == 2
    line = InlineRunner().start(Counter)
    line.call("add", 1)
    assert line.call("add", 2).value() == 3
