"""The palette: people who see fewer colours tell robots apart, too."""

import itertools

import numpy as np
import pytest

from arena_trees.world.palette import robot_colour, robot_dash

# G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, IEEE TVCG 15 (2009): what is seen without one kind of cone.
SEEN = {
    "all": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: str, seen: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* of a colour as it is seen."""
    parts = np.array([int(colour[begin : begin + 2], 16) for begin in (1, 3, 5)]) / 255.0
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    ratio = XYZ @ np.clip(seen @ linear, 0.0, 1.0) / (0.9505, 1.0, 1.089)
    root = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16.0 / 116.0)
    return np.array([116.0 * root[1] - 16.0, 500.0 * (root[0] - root[1]), 200.0 * (root[1] - root[2])])


@pytest.mark.parametrize("seen", SEEN)
def test_robots_colours_differ_for_the_colour_blind(seen: str) -> None:
    places = [lab(robot_colour(number), np.array(SEEN[seen])) for number in range(8)]
    # A difference of 2.3 is just seen; beside each other, on a screen, several times that is told at once.
    apart = {
        pair: float(np.linalg.norm(places[pair[0]] - places[pair[1]])) for pair in itertools.combinations(range(8), 2)
    }
    assert min(apart.values()) > 8.0, min(apart, key=lambda pair: apart[pair])
    assert all(distance > 15.0 for pair, distance in apart.items() if max(pair) < 4)


def test_four_robots_have_lines_of_their_own() -> None:
    assert len({robot_dash(number) for number in range(4)}) == 4
