"""What is due again and again."""

from arena_trees.robot.clock import from_seconds
from arena_trees.robot.repeat import Repeat


def due_at(repeat: Repeat, *instants: float) -> list[float]:
    return [instant for instant in instants if repeat.due(from_seconds(instant), 0.1)]


def test_it_is_due_at_once_and_then_each_period_after_a_change_and_where_the_clock_goes_back():
    assert due_at(Repeat(), 5.0, 5.02, 5.08, 5.1, 5.18, 5.21) == [5.0, 5.1, 5.21]
    repeat = Repeat()
    assert due_at(repeat, 5.0, 5.02) == [5.0]
    repeat.at_once()
    assert due_at(repeat, 5.04, 5.06, 1.0, 1.02) == [5.04, 1.0]
