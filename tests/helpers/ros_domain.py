"""A ROS domain for one test process."""

from __future__ import annotations

import socket
import zlib

LAST_DOMAIN = 101
"""Above it a domain's ports run into those that the system hands out."""


def port_of(domain: int) -> int:
    """Return the UDP port at which participants of a domain find each other [RTPS 2.2, section 9.6.1.1]."""
    return 7400 + 250 * domain


def free_domain(run: str, worker: int, workers: int) -> int:
    """Return a domain that no other worker of the run can have, and whose port nobody uses now.

    Args:
        run: names the test run, so that two at once begin at different domains
        worker: number of this worker, from 0
        workers: how many there are
    """
    first = zlib.crc32(run.encode()) % (LAST_DOMAIN + 1)
    for step in range(worker, LAST_DOMAIN + 1, workers):
        domain = (first + step) % (LAST_DOMAIN + 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("", port_of(domain)))
            except OSError:
                continue
            return domain
    raise RuntimeError("no ROS domain is free")
