"""ROS domains of one's own, so that no run on this machine receives from another."""

from __future__ import annotations

import fcntl
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena_trees.robot.errors import ArenaTreesError

__all__ = ["reserved_domain"]

_DOMAINS = range(1, 102)
"""Above 101 the ports of a domain are those that Linux gives to outgoing connections."""
_BASE_PORT, _DOMAIN_GAIN = 7400, 250
"""By which DDS makes ports of domains (RTPS 2.5, 9.6.1.1)."""


@contextmanager
def reserved_domain() -> Iterator[int]:
    """Give the number of a ROS domain that nobody uses here, and keep it from others who ask in this way.

    Raises:
        ArenaTreesError: every domain is taken
    """
    bound = _bound_ports()
    for domain in random.sample(_DOMAINS, len(_DOMAINS)):
        first = _BASE_PORT + _DOMAIN_GAIN * domain
        if bound.intersection(range(first, first + _DOMAIN_GAIN)):
            continue
        with (Path(tempfile.gettempdir()) / f"arena-trees-ros-domain-{domain}").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            yield domain
            return
    raise ArenaTreesError(f"no ROS domain from {_DOMAINS[0]} to {_DOMAINS[-1]} is free on this machine")


def _bound_ports() -> set[int]:
    """Return the UDP ports in use; none where this is no Linux."""
    table = Path("/proc/net/udp")
    rows = table.read_text(encoding="ascii").splitlines()[1:] if table.exists() else []
    return {int(row.split()[1].rpartition(":")[2], 16) for row in rows}
