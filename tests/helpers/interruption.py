"""Interrupts what writes a record of each trial, as Ctrl-C does, after so many of them."""

import pytest

from arena_trees.experiments.sweeps.records import Records


def interrupt_after(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Let a sweep, a study or a run of the book be interrupted when it writes its next record but so many.

    Args:
        monkeypatch: that ends it
        most: records that are written before
    """
    left, whole = iter(range(most)), Records.write

    def write(self: Records, point: int, trial: int, text: bytes) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        whole(self, point, trial, text)

    monkeypatch.setattr(Records, "write", write)
