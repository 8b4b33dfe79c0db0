"""Tests meet neither the robots of others nor those of other tests."""

import os
import socket

from arena_trees.nodes.programs import domains
from arena_trees.nodes.programs.domains import reserved_domain


def test_two_reserved_domains_differ(monkeypatch):
    monkeypatch.setattr(domains.random, "sample", lambda numbers, count: list(numbers))
    with reserved_domain() as first, reserved_domain() as second:
        assert int(os.environ["ROS_DOMAIN_ID"]) != first != second


def test_a_domain_in_use_is_left_alone(monkeypatch):
    monkeypatch.setattr(domains.random, "sample", lambda numbers, count: list(numbers))
    with reserved_domain() as first:
        pass
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("", 7400 + 250 * first))
        with reserved_domain() as second:
            assert second != first


def test_this_process_keeps_to_this_machine():
    assert int(os.environ["ROS_DOMAIN_ID"]) in range(1, 102)
    assert os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
