"""What make check finds that a change can touch."""

import affected_tests
import pytest


@pytest.mark.parametrize(
    ("changed", "touched", "untouched"),
    [
        (
            "behaviours/wolf_rabbit/chase.py",
            "tests/games/wolf_rabbit/test_chase.py",
            "tests/robot/test_scan.py",
        ),
        ("tests/ros/conftest.py", "tests/ros/test_domain.py", "tests/robot/test_scan.py"),
        ("tests/helpers/leftovers.py", "tests/robot/test_scan.py", None),
        ("config/arenas/crossing_4.yaml", "tests/simulation/test_lane_camera.py", "tests/robot/test_scan.py"),
    ],
)
def test_a_change_touches_what_imports_names_or_lies_below_it(changed, touched, untouched):
    found = affected_tests.affected([changed])
    assert touched in found
    assert untouched not in found
