"""What a log is told of a state that comes and goes."""

from arena_trees.nodes.runtime.state_log import StateLog

TICK = 20_000_000


def told(texts, log=None):
    """Return the lines of a log, with the step of each, where the state of every step of 20 ms is a text."""
    log = log or StateLog()
    lines = [(step, log.line(text, step * TICK)) for step, text in enumerate(texts)]
    return [(step, line) for step, line in lines if line is not None]


def test_every_new_state_is_told_at_once():
    assert told(["no command", "no command", "ok", "latched: tree died while moving"]) == [
        (0, "no command"),
        (2, "ok"),
        (3, "latched: tree died while moving"),
    ]


def test_a_minute_of_two_states_in_turn_is_two_lines_in_ten_seconds():
    lines = told(["ok", "no command"] * 1500)
    assert len(lines) <= 14
    assert lines[2][1].startswith(("ok (after 4", "ok (after 5"))


def test_something_new_is_told_at_once_however_busy_the_log_is():
    lines = told([*["ok", "no command"] * 100, "docked"])
    assert lines[-1][0] == 200 and lines[-1][1].startswith("docked")


def test_the_last_line_is_how_things_are():
    lines = told([*["ok", "no command"] * 100, *["ok"] * 600])
    assert lines[-1][1].startswith("ok")
