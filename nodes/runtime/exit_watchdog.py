"""The end of a process in any case, also where its middleware locks itself up on the way out."""

from __future__ import annotations

import ctypes
import time

__all__ = ["end_within"]

_IN_A_THREAD = 2
"""SIGEV_THREAD of Linux: the function is called in a thread of its own, which needs no lock of Python's."""


class _Event(ctypes.Structure):
    """``struct sigevent`` of Linux, which is 64 bytes long."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("rest", ctypes.c_byte * 32),
    )


class _Times(ctypes.Structure):
    """``struct itimerspec``: interval and first time, each in seconds and nanoseconds."""

    _fields_ = tuple((name, ctypes.c_long) for name in ("every_s", "every_ns", "first_s", "first_ns"))


def end_within(seconds: float) -> None:
    """End this process with code 0 after that time, if it has not ended by itself.

    For a process whose work is done and that only has to be taken down: when many participants leave
    at once, Fast DDS can wait for itself for ever (eProsima/Fast-DDS issue 6193), with Python's lock held.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    # It is called with the event's value, nothing, as its exit code.
    function = ctypes.cast(libc._exit, ctypes.c_void_p)
    event = _Event(notify=_IN_A_THREAD, function=function)
    timer = ctypes.c_void_p()
    whole, rest = divmod(round(seconds * 1e9), 1_000_000_000)
    if libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) == 0:
        libc.timer_settime(timer, 0, ctypes.byref(_Times(0, 0, whole, rest)), None)
