"""Every test process has a ROS domain of its own, on this machine only; nodes that it starts end with it."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

from arena_trees.nodes.programs.domains import reserved_domain
from arena_trees.nodes.runtime.parent import child_environment

# Kept until the process ends.
_domain = ExitStack()

# Before any message type is imported and any node made. A domain that is set already is not used:
# real robots may be in it.
os.environ["ROS_DOMAIN_ID"] = str(_domain.enter_context(reserved_domain()))
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
os.environ["ROS_PYTHON_CHECK_FIELDS"] = "1"
os.environ.update(child_environment())
os.environ["FASTRTPS_DEFAULT_PROFILES_FILE"] = str(Path(__file__).with_name("fastdds.xml"))
