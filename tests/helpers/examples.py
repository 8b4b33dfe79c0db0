"""Properties that are held to a few examples each time, and to many in the slow tests."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
from hypothesis import given, settings


def given_often(many: int, *strategies: Any, **named: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return what makes a property a fast test with a sixth of the examples and a slow one with all of them."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        @pytest.mark.parametrize("examples", [max(many // 6, 5), pytest.param(many, marks=pytest.mark.slow)])
        @wraps(function)
        def test(examples: int) -> None:
            settings(max_examples=examples, deadline=None)(given(*strategies, **named)(function))()

        # pytest asks for the arguments of what is wrapped.
        del test.__wrapped__
        made: Callable[..., None] = test
        return made

    return decorate
