"""Statements as text: those of Python, and nothing that runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.experiments.promises.conditions import breach, cue, driving, faster_than, latched, leaf, near, safe
from arena_trees.experiments.promises.statement_text import CONDITIONS, parse_statement
from arena_trees.experiments.promises.statements import always, eventually, never, whenever
from arena_trees.robot.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("never(faster_than(0.306))", never(faster_than(0.306))),
        (" always(~latched) ", always(~latched)),
        ("eventually(cue('CATCH')).within(60)", eventually(cue("CATCH")).within(60)),
        ("whenever(breach).within(0.5).holds(~driving).until(safe)",
         whenever(breach).within(0.5).holds(~driving).until(safe)),
        ("whenever(leaf('Go') | latched, at_least=0).holds(driving & safe).lasts(2.0)",
         whenever(leaf("Go") | latched, at_least=0).holds(driving & safe).lasts(2.0)),
        ("whenever(breach, 2).within(1).comes(safe)", whenever(breach, 2).within(1).comes(safe)),
        ("never(near('rabbit', 0.5))", never(near("rabbit", 0.5))),
    ],
)  # fmt: skip
def test_a_text_says_what_python_says(text, statement):
    made = parse_statement(text)
    assert type(made) is type(statement)
    assert str(made) == str(statement)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is no statement"),
        ("never(", "is no statement"),
        ("latched", "is no whole statement"),
        ("whenever(breach)", "is no whole statement"),
        ("never(latchd)", "did you mean latched"),
        ("never(faster_than(latched))", "faster_than takes numbers or texts"),
        ("never(faster_than(1e999))", "a number must be finite"),
        ("never(faster_than())", "faster_than takes numbers or texts"),
        ("never(1)", "never takes a condition"),
        ("never(latched(1))", "latched takes nothing in brackets"),
        ("never(latched, 3)", "is no statement"),
        ("never(driving).within(1)", "has no meaning here"),
        ("never(driving.name)", "has no meaning here"),
        ("never(driving.margin(1))", "has no meaning here"),
        ("never(__import__('os'))", "no such condition"),
        ("never(status.__globals__)", "has no meaning here"),
        ("whenever(breach).__class__(1)", "has no meaning here"),
        ("[never(latched)]", "has no meaning here"),
        ("never(latched) and never(breach)", "has no meaning here"),
        ("never(latched + breach)", "has no meaning here"),
        ("never(lambda moment: True)", "has no meaning here"),
        ("never(**latched)", "no meaning here"),
        ("never(status('a', 'TIRED'))", "is no statement"),
        ("never(" + "~" * 1900 + "latched)", "is no statement"),
        ("never(" * 900 + "latched" + ")" * 900, "longer than"),
    ],
)
def test_what_is_none_is_refused(text, reason):
    with pytest.raises(ConfigError, match=reason):
        parse_statement(text)


WORDS = ["never(", "latched", ")", "~", "&", "1", ".holds(", "near", ","]


@given(st.text(max_size=60) | st.lists(st.sampled_from(WORDS)).map("".join))
def test_whatever_is_written_is_a_statement_or_refused(text):
    try:
        made = parse_statement(text)
    except ConfigError:
        return
    assert made.monitor() is not None


def test_every_condition_has_a_word():
    assert {"breach", "near", "closer_than", "truly_outside"} <= set(CONDITIONS)
    assert not {"heard", "condition", "Condition"} & set(CONDITIONS)
