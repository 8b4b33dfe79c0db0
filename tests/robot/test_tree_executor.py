"""The executor against py_trees: random trees, ticked by both, must do and be the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import py_trees
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py_trees.behaviour import Behaviour
from py_trees.common import OneShotPolicy, ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.decorators import (
    Condition,
    Count,
    Decorator,
    EternalGuard,
    FailureIsRunning,
    FailureIsSuccess,
    Inverter,
    OneShot,
    PassThrough,
    Repeat,
    Retry,
    RunningIsFailure,
    RunningIsSuccess,
    SuccessIsFailure,
    SuccessIsRunning,
)

from arena_trees.robot.ticking import tree_executor
from arena_trees.robot.ticking.containment import failing_behaviour
from arena_trees.robot.ticking.tree_executor import tick_tree, ticks_as_a_behaviour

Log = list[tuple[Any, ...]]

TICKS = 9


class Scripted(Behaviour):
    """Returns what its script says, and tells the log what is done to it."""

    def __init__(self, name: str, script: tuple[Status, ...], log: Log) -> None:
        super().__init__(name)
        self.script, self.log, self.updates = script, log, 0

    def initialise(self) -> None:
        self.log.append((self.name, "initialise", self.status))

    def update(self) -> Status:
        found = self.script[self.updates % len(self.script)]
        self.updates += 1
        self.feedback_message = f"update {self.updates}"
        self.log.append((self.name, "update", self.status))
        return found

    def terminate(self, new_status: Status) -> None:
        self.log.append((self.name, "terminate", self.status, new_status))


class TicksItself(Scripted):
    """Ticks in a way of its own."""

    def tick(self) -> Iterator[Behaviour]:
        self.log.append((self.name, "own tick", self.status))
        yield from super().tick()


class StopsItself(Scripted):
    """Stops in a way of its own."""

    def stop(self, new_status: Status) -> None:
        self.log.append((self.name, "own stop", self.status, new_status))
        super().stop(new_status)


class Telling(Sequence):
    """A composite with what users may add to one."""

    log: Log

    def initialise(self) -> None:
        self.log.append((self.name, "initialise", self.status))

    def terminate(self, new_status: Status) -> None:
        self.log.append((self.name, "terminate", self.status, new_status))


LEAVES: tuple[type[Scripted], ...] = (Scripted, Scripted, Scripted, TicksItself, StopsItself)
SIMPLE: tuple[Callable[..., Decorator], ...] = (
    Count,
    FailureIsRunning,
    FailureIsSuccess,
    Inverter,
    PassThrough,
    RunningIsFailure,
    RunningIsSuccess,
    SuccessIsFailure,
    SuccessIsRunning,
)

scripts = st.lists(st.sampled_from((Status.SUCCESS, Status.FAILURE, Status.RUNNING)), min_size=1, max_size=4).map(tuple)
leaves = st.tuples(st.just("leaf"), st.integers(0, len(LEAVES) - 1), scripts)


def branches(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(children, min_size=0, max_size=4).map(tuple)
    return st.one_of(
        st.tuples(st.sampled_from(("sequence", "selector", "telling")), st.booleans(), several),
        st.tuples(st.just("parallel"), st.integers(0, 4), several),
        st.tuples(st.just("decorator"), st.integers(0, len(SIMPLE) + 4), children),
        st.tuples(st.just("guard"), scripts, children),
    )


trees = st.recursive(leaves, branches, max_leaves=12)


class Builder:
    """Makes the nodes of a tree by its plan, with the same names each time."""

    def __init__(self) -> None:
        self.log: Log = []
        self._count = 0

    def build(self, plan: Any) -> Behaviour:
        kind, choice, rest = plan
        self._count += 1
        name = f"{kind} {self._count}"
        if kind == "leaf":
            return LEAVES[choice](name, rest, self.log)
        if kind == "decorator":
            return self._decorator(name, choice, self.build(rest))
        if kind == "guard":
            return EternalGuard(name, self.build(rest), self._condition(name, choice))
        children = [self.build(one) for one in rest]
        if kind == "parallel":
            return Parallel(name, self._policy(choice, children), children)
        made = {"sequence": Sequence, "selector": Selector, "telling": Telling}[kind](name, choice, children)
        if isinstance(made, Telling):
            made.log = self.log
        return made

    def _policy(self, choice: int, children: list[Behaviour]) -> Any:
        if choice == 4 and children:
            return ParallelPolicy.SuccessOnSelected(children=children[::2], synchronise=len(children) % 2 == 0)
        return (ParallelPolicy.SuccessOnAll(choice == 1), ParallelPolicy.SuccessOnOne())[choice % 3 == 2]

    def _decorator(self, name: str, choice: int, child: Behaviour) -> Decorator:
        if choice < len(SIMPLE):
            return SIMPLE[choice](name=name, child=child)
        return (
            lambda: OneShot(name, child, OneShotPolicy.ON_COMPLETION),
            lambda: OneShot(name, child, OneShotPolicy.ON_SUCCESSFUL_COMPLETION),
            lambda: Repeat(name, child, 2),
            lambda: Retry(name, child, 2),
            lambda: Condition(name, child, Status.RUNNING),
        )[choice - len(SIMPLE)]()

    def _condition(self, name: str, script: tuple[Status, ...]) -> Callable[[], Any]:
        asked = iter(range(10**6))

        def condition() -> Any:
            found = script[next(asked) % len(script)]
            self.log.append((name, "condition", found))
            return found if found is Status.RUNNING else found is Status.SUCCESS

        return condition


def state(root: Behaviour) -> list[tuple[Any, ...]]:
    """Return what is left in each node."""
    left = []
    for node in root.iterate():
        child, tip = getattr(node, "current_child", None), node.tip()
        names = (None if child is None else child.name, None if tip is None else tip.name)
        counts = {key: value for key, value in vars(node).items() if isinstance(value, int | Status)}
        left.append((node.name, node.status, node.feedback_message, *names, counts))
    return left


def run(plan: Any, by: Callable[[Behaviour, Callable[[Behaviour], object]], object], stops: int) -> list[Any]:
    """Return all that happens in some ticks of a tree, which is stopped from outside before one of them."""
    builder = Builder()
    root = builder.build(plan)
    happened: list[Any] = []
    for number in range(TICKS):
        if number == stops:
            root.stop(Status.INVALID)
        by(root, lambda node: builder.log.append((node.name, "visited", node.status)))
        happened.append((tuple(builder.log), state(root)))
        builder.log.clear()
    return happened


def by_py_trees(root: Behaviour, visit: Callable[[Behaviour], object]) -> None:
    for node in root.tick():
        visit(node)


@settings(max_examples=400, deadline=None)
@given(trees, st.integers(1, 2 * TICKS))
def test_all_that_happens_is_what_happens_in_py_trees(plan: Any, stops: int) -> None:
    assert run(plan, tick_tree, stops) == run(plan, by_py_trees, stops)


def test_a_behaviour_that_raises_leaves_the_tree_as_py_trees_does() -> None:
    class Raises(Scripted):
        def update(self) -> Status:
            if super().update() is Status.FAILURE:
                raise ValueError("no")
            return Status.RUNNING

    def after(by: Callable[..., object]) -> tuple[Log, list[Any]]:
        log: Log = []
        script = (Status.RUNNING, Status.FAILURE)
        guarded = Inverter("inverter", Raises("raises", script, log))
        root = Sequence("root", False, [Scripted("first", (Status.SUCCESS,), log), guarded])
        by(root, lambda node: log.append((node.name, "visited", node.status)))
        with pytest.raises(ValueError, match="no"):
            by(root, lambda node: log.append((node.name, "visited", node.status)))
        return log, state(root)

    assert after(tick_tree) == after(by_py_trees)


@pytest.mark.parametrize("wrong", [None, "SUCCESS", 3])
def test_what_is_no_status_is_invalid(wrong: Any) -> None:
    def after(by: Callable[..., object]) -> tuple[Log, list[Any]]:
        log: Log = []
        root = Selector("root", False, [Scripted("wrong", (wrong,), log), Scripted("other", (Status.RUNNING,), log)])
        by(root, lambda node: log.append((node.name, "visited", node.status)))
        return log, state(root)

    assert after(tick_tree) == after(by_py_trees)


def test_a_guard_whose_condition_is_none_is_refused_as_by_py_trees() -> None:
    for by in (tick_tree, by_py_trees):
        guard = EternalGuard("guard", Scripted("leaf", (Status.SUCCESS,), []), lambda: 1)
        root = Sequence("root", False, [guard])
        with pytest.raises(RuntimeError, match="conditional check must return") as refused:
            by(root, lambda node: None)
        assert failing_behaviour(refused.value) == "guard"


def test_at_debug_level_py_trees_itself_ticks_and_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(py_trees.logging, "level", py_trees.logging.Level.DEBUG)
    leaf = Scripted("leaf", (Status.SUCCESS,), [])
    monkeypatch.setattr(leaf.logger, "debug", lines.append)
    tick_tree(leaf, lambda node: None)
    assert "Scripted.tick()" in lines


def test_the_module_needs_py_trees_alone(tmp_path: Path) -> None:
    (tmp_path / "alone.py").write_bytes(Path(str(tree_executor.__file__)).read_bytes())
    script = "import sys; sys.modules['arena_trees'] = sys.modules['numpy'] = None; import alone; alone.tick_tree"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_leaf_that_says_that_it_ticks_as_a_behaviour_is_not_ticked_by_its_generator():
    class Own(py_trees.behaviour.Behaviour):
        generators = 0

        @ticks_as_a_behaviour
        def tick(self):
            Own.generators += 1
            yield from super().tick()

        def update(self):
            return Status.SUCCESS

    leaf, visited = Own("own"), []
    made = Own.generators
    tick_tree(py_trees.composites.Sequence("all", False, [leaf]), visited.append)
    assert (leaf.status, visited[0], Own.generators) == (Status.SUCCESS, leaf, made)
    list(leaf.tick())
    assert Own.generators == made + 1
