import math

import pytest

from arena_trees.robot.percepts import FenceStatus
from arena_trees.safety.fence_status import FenceParameters, classify, warning_band

SAFE, WARNING, BREACH, UNKNOWN = FenceStatus.SAFE, FenceStatus.WARNING, FenceStatus.BREACH, FenceStatus.UNKNOWN


@pytest.mark.parametrize(
    ("previous", "distance", "status"),
    [
        (SAFE, 0.6, SAFE),
        (SAFE, 0.5, WARNING),
        (WARNING, 0.54, WARNING),
        (WARNING, 0.56, SAFE),
        (SAFE, 0.52, SAFE),
        (UNKNOWN, 0.52, SAFE),
        (WARNING, 0.01, WARNING),
        (WARNING, 0.0, BREACH),
        (SAFE, -3.0, BREACH),
        (BREACH, 0.04, BREACH),
        (BREACH, 0.06, WARNING),
        (BREACH, 0.54, WARNING),
        (BREACH, 0.56, SAFE),
        (UNKNOWN, 0.04, WARNING),
        (SAFE, None, UNKNOWN),
        (SAFE, math.nan, UNKNOWN),
        (SAFE, math.inf, UNKNOWN),
        (WARNING, -math.inf, UNKNOWN),
    ],
)
def test_status(previous, distance, status):
    assert classify(previous, distance, 0.5, 0.05) is status


def test_the_band_knows_the_stopping_distance():
    parameters = FenceParameters(warning_distance=0.12)
    assert warning_band(parameters, 0.0) == 0.12
    assert warning_band(parameters, -0.306) == pytest.approx(0.08262 + 0.10)
    assert warning_band(FenceParameters(), 0.306) == 0.5
