"""Tests meet neither the robots of others nor those of other tests."""

from __future__ import annotations

import os
import socket

import pytest
from helpers.ros_domain import LAST_DOMAIN, free_domain, port_of

pytestmark = pytest.mark.xdist_group("ros")


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="there is one process only")
def test_the_tests_of_ros_stay_in_one_process(request):
    # pytest-xdist groups tests by a suffix that it gives them, and says nothing where that has no effect.
    assert request.node.nodeid.endswith("@ros")


def test_workers_of_a_run_never_share_a_domain():
    taken = [{free_domain("a run", worker, 3)} for worker in range(3)]
    assert len(set.union(*taken)) == 3
    assert all(0 <= domain <= LAST_DOMAIN for domains in taken for domain in domains)


def test_a_domain_in_use_is_left_alone():
    first = free_domain("a run", 0, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("", port_of(first)))
        assert free_domain("a run", 0, 1) != first


def test_this_process_keeps_to_this_machine():
    assert 0 <= int(os.environ["ROS_DOMAIN_ID"]) <= LAST_DOMAIN
    assert os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
