"""The covariance of a pose: what is too large, and what is none."""

import math

import numpy as np
import pytest

from arena_trees.nodes.gate.parameters import VelocityGateParameters
from arena_trees.nodes.gate.pose_covariance import doubt

P = VelocityGateParameters()


def covariance(xx=0.01, yy=0.01, xy=0.0, yaw=0.01):
    values = np.zeros((6, 6))
    values[0, 0], values[1, 1], values[5, 5] = xx, yy, yaw
    values[0, 1] = values[1, 0] = xy
    return values.reshape(36)


@pytest.mark.parametrize(
    "good",
    [covariance(), covariance(0.0, 0.0, 0.0, 0.0), covariance(0.25, 0.25, 0.0, 0.0685), covariance(0.24, 0.24, 0.24)],
)
def test_a_pose_that_is_good_enough_raises_no_doubt(good):
    assert doubt(good, P) is None


@pytest.mark.parametrize(
    ("poor", "reason"),
    [
        (covariance(xx=0.5), "by 0.71 m"),
        (covariance(yy=4.0), "by 2.00 m"),
        # 0.49 m2 along each axis, and more between them.
        (covariance(0.48, 0.48, 0.4), "by 0.94 m"),
        (covariance(yaw=0.6), "by 44 degrees"),
        (covariance(xx=math.nan), "not finite"),
        (covariance(yaw=math.inf), "not finite"),
        (covariance(xy=-math.inf), "not finite"),
        (covariance(xx=-0.01), "is none"),
        (covariance(yaw=-0.01), "is none"),
        (covariance(0.01, 0.01, 0.5), "is none"),
    ],
)
def test_one_that_is_not_says_why(poor, reason):
    assert reason in doubt(poor, P)


def test_the_limits_are_parameters():
    wide = P.with_changes({"pose_deviation": 2.0, "pose_yaw_deviation": 1.0})
    assert doubt(covariance(xx=1.0, yaw=0.9), wide) is None
