"""What the operator of an experiment types."""

import os

from arena_trees.commands.ros.operator_line import OperatorLine


def test_lines_are_taken_one_by_one_and_nobody_waits_for_them():
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream, os.fdopen(writing, "wb", buffering=0) as typed:
        line = OperatorLine(stream)
        assert line.take() == ("", "")
        typed.write(b"GO\nnote  a door  opened\n\nspoi")
        assert [line.take() for _ in range(4)] == [("go", ""), ("note", "a door  opened"), ("", ""), ("", "")]
        typed.write(b"lt\xff it\n")
        assert line.take() == ("spoilt\N{REPLACEMENT CHARACTER}", "it")


def test_who_has_ended_the_input_quits():
    reading, writing = os.pipe()
    os.write(writing, b"go\nend")
    os.close(writing)
    with os.fdopen(reading) as stream:
        line = OperatorLine(stream)
        assert [line.take() for _ in range(4)] == [("go", ""), ("end", ""), ("quit", ""), ("", "")]
