"""Every test process has a ROS domain of its own, on this machine only."""

from __future__ import annotations

import os

from helpers.ros_domain import free_domain

# Before any message type is imported and any node made. A domain that is set already is not used:
# real robots may be in it.
os.environ["ROS_DOMAIN_ID"] = str(
    free_domain(
        os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid())),
        int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")),
        int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")),
    )
)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"
