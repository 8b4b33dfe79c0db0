"""Ticks a py_trees tree by plain calls: with the effects of its generators, at a fraction of their time.

py_trees ticks by generators, so that a node comes up to the root through each of its ancestors, and says at each step
what it does to a logger. Here each node is called, and handed to whoever visits it as soon as it is done. The order in
which behaviours are initialised, updated, terminated and visited is the same, and so are statuses, current children and
what is left in every node. Needs py_trees alone.

Only ``iterator``, which py_trees makes anew whenever a node stops and never begins, stays the one that there is.

Nodes whose class ticks in a way of its own are ticked by that, unless :func:`ticks_as_a_behaviour` declares it to be
py_trees'; so are all nodes while py_trees logs at debug level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.decorators import Decorator, EternalGuard, OneShot

__all__ = ["tick_tree", "ticks_as_a_behaviour"]

Visit = Callable[[Behaviour], object]

_RUNNING, _SUCCESS, _FAILURE, _INVALID = Status.RUNNING, Status.SUCCESS, Status.FAILURE, Status.INVALID


def tick_tree(root: Behaviour, visit: Visit) -> None:
    """Tick a tree once.

    Args:
        root: of the tree
        visit: called with each node when it is done, as ``root.tick()`` would yield it
    """
    if py_trees.logging.level == py_trees.logging.Level.DEBUG:
        _tick_itself(root, visit)
    else:
        _WAYS.get(type(root).tick, _tick_itself)(root, visit)


def ticks_as_a_behaviour(tick: Callable[[Any], Iterator[Behaviour]]) -> Callable[[Any], Iterator[Behaviour]]:
    """Declare that a class's own ``tick`` has the effects of ``Behaviour.tick``, so that its nodes are ticked as those.

    Args:
        tick: a method of a behaviour without children; returned as it is
    """
    _WAYS[tick] = _tick_behaviour
    return tick


def _tick_itself(node: Behaviour, visit: Visit) -> None:
    for one in node.tick():
        visit(one)


def _tick_behaviour(node: Behaviour, visit: Visit) -> None:
    if node.status is not _RUNNING:
        node.initialise()
    _conclude(node, visit)


def _conclude(node: Behaviour, visit: Visit) -> None:
    """Ask a behaviour, or a decorator after its child, for its status; stop it where it has come to an end."""
    status = node.update()
    if type(status) is not Status:
        node.logger.error(f"A behaviour returned an invalid status, setting to INVALID [{status}][{node.name}]")
        status = _INVALID
    if status is not _RUNNING:
        _stop(node, status)
    node.status = status
    visit(node)


def _stop(node: Any, status: Status) -> None:
    """Stop a node, as its ``stop`` does where its class has one of py_trees' own."""
    how = type(node).stop
    if how is not _STOP_BEHAVIOUR:
        if how in _STOPS_OF_COMPOSITES:
            if how is _STOP_PARALLEL:
                _stop_running(node.children)
            if status is _INVALID:
                node.current_child = None
                _invalidate(node.children)
        elif how is _STOP_DECORATOR:
            _stop_decorator(node, status)
            return
        else:
            node.stop(status)
            return
    # Not a new iterator: the one there is was never begun, as each tick makes its own.
    node.terminate(status)
    node.status = status


def _stop_decorator(node: Any, status: Status) -> None:
    node.terminate(status)
    child = node.decorated
    if status is _INVALID:
        _stop(child, status)
    _stop_running((child,))
    node.status = status


def _stop_running(children: Iterable[Behaviour]) -> None:
    for child in children:
        if child.status is _RUNNING:
            _stop(child, _INVALID)


def _tick_decorator(node: Any, visit: Visit) -> None:
    if node.status is not _RUNNING:
        node.initialise()
    child = node.decorated
    _WAYS.get(type(child).tick, _tick_itself)(child, visit)
    _conclude(node, visit)


def _tick_guard(node: Any, visit: Visit) -> None:
    allowed = node.condition()
    if isinstance(allowed, Status):
        allowed = allowed is not _FAILURE
    elif not isinstance(allowed, bool):
        message = f"conditional check must return 'bool' or 'common.Status' [{type(allowed)}]"
        node.logger.error(f"The {message}")
        raise RuntimeError(message)
    if allowed:
        _tick_decorator(node, visit)
    else:
        _stop(node, _FAILURE)
        visit(node)


def _tick_once_only(node: Any, visit: Visit) -> None:
    (_tick_behaviour if node.final_status else _tick_decorator)(node, visit)


def _conclude_childless(node: Any, status: Status, visit: Visit) -> None:
    node.current_child = None
    _stop(node, status)
    visit(node)


def _tick_sequence(node: Any, visit: Visit) -> None:
    children, index = node.children, 0
    if node.status is not _RUNNING:
        node.current_child = children[0] if children else None
        _invalidate(children)
        node.initialise()
    elif node.memory and node.current_child is not None:
        index = children.index(node.current_child)
    else:
        node.current_child = children[0] if children else None
    if not children:
        _conclude_childless(node, _SUCCESS, visit)
        return
    for child in children[index:]:
        _WAYS.get(type(child).tick, _tick_itself)(child, visit)
        status = child.status
        if status is not _SUCCESS:
            if not node.memory:
                _invalidate(children[index + 1 :])
            if status is _RUNNING:
                node.status = status
            else:
                _stop(node, status)
            visit(node)
            return
        if index + 1 < len(children):
            index += 1
            node.current_child = children[index]
    _stop(node, _SUCCESS)
    visit(node)


def _tick_selector(node: Any, visit: Visit) -> None:
    children, index = node.children, 0
    if node.status is not _RUNNING:
        node.current_child = children[0] if children else None
        node.initialise()
    if not children:
        _conclude_childless(node, _FAILURE, visit)
        return
    if node.memory:
        index = children.index(node.current_child)
        _invalidate(children[:index])
    previous = node.current_child
    for child in children[index:]:
        _WAYS.get(type(child).tick, _tick_itself)(child, visit)
        status = child.status
        if status is _RUNNING or status is _SUCCESS:
            node.current_child = child
            if previous is None or previous != child:
                _invalidate(children[children.index(child) + 1 :])
            if status is _SUCCESS:
                _stop(node, status)
            else:
                node.status = status
            visit(node)
            return
    _stop(node, _FAILURE)
    node.current_child = children[-1]
    visit(node)


def _tick_parallel(node: Any, visit: Visit) -> None:
    node.validate_policy_configuration()
    children, policy = node.children, node.policy
    if node.status is not _RUNNING:
        _invalidate(children)
        node.current_child = None
        node.initialise()
    if not children:
        _conclude_childless(node, _SUCCESS, visit)
        return
    for child in children:
        if not (policy.synchronise and child.status is _SUCCESS):
            _WAYS.get(type(child).tick, _tick_itself)(child, visit)
    status, node.current_child = _outcome(children, policy)
    if status is not _RUNNING:
        _stop(node, status)
    node.status = status
    visit(node)


def _outcome(children: list[Behaviour], policy: Any) -> tuple[Status, Behaviour]:
    """Return the status of a parallel and which child made it so."""
    failed = next((child for child in children if child.status is _FAILURE), None)
    if failed is not None:
        return _FAILURE, failed
    if isinstance(policy, ParallelPolicy.SuccessOnAll):
        done = all(child.status is _SUCCESS for child in children)
        return (_SUCCESS if done else _RUNNING), children[-1]
    if isinstance(policy, ParallelPolicy.SuccessOnOne):
        first = next((child for child in reversed(children) if child.status is _SUCCESS), None)
        return (_RUNNING, children[-1]) if first is None else (_SUCCESS, first)
    if isinstance(policy, ParallelPolicy.SuccessOnSelected):
        done = all(child.status is _SUCCESS for child in policy.children)
        return (_SUCCESS, policy.children[-1]) if done else (_RUNNING, children[-1])
    raise RuntimeError(f"this parallel has been configured with an unrecognised policy [{type(policy)}]")


def _invalidate(children: Iterable[Behaviour]) -> None:
    for child in children:
        if child.status is not _INVALID:
            _stop(child, _INVALID)


_STOP_BEHAVIOUR, _STOP_DECORATOR, _STOP_PARALLEL = Behaviour.stop, Decorator.stop, Parallel.stop
_STOPS_OF_COMPOSITES = frozenset({Sequence.stop, Selector.stop, _STOP_PARALLEL})

_WAYS: dict[Any, Callable[[Any, Visit], None]] = {
    Behaviour.tick: _tick_behaviour,
    Decorator.tick: _tick_decorator,
    EternalGuard.tick: _tick_guard,
    OneShot.tick: _tick_once_only,
    Sequence.tick: _tick_sequence,
    Selector.tick: _tick_selector,
    Parallel.tick: _tick_parallel,
}
"""How a node is ticked, by the ``tick`` that its class has."""
