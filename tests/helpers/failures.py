"""Many like things in one test: all that fail are named, not the first alone."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from traceback import extract_tb


@contextmanager
def all_failures() -> Iterator[Callable[[str], AbstractContextManager[None]]]:
    """Give a context for each thing, by its name; fail at the end where one of them failed.

    Raises:
        AssertionError: names what failed, why and where
    """
    failures: list[str] = []

    @contextmanager
    def checked(name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            line = extract_tb(error.__traceback__)[-1].lineno
            failures.append(f"{name}: line {line}: {type(error).__name__}: {error}")

    yield checked
    assert not failures, f"{len(failures)} failed:\n" + "\n".join(failures)
