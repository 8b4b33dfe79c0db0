"""Random streams: a stream depends on seed and name alone, in each process and on each machine."""

import subprocess
import sys

import numpy as np
import pytest

from arena_trees.robot.random_streams import RandomStreams


def test_the_streams_are_the_ones_that_published_figures_came_from() -> None:
    streams = RandomStreams(1000)
    assert streams.generator("lidar").integers(0, 2**32, 3).tolist() == [1471987979, 1630140412, 2507724078]
    assert streams.child("wolf").generator("leg").random(2).tolist() == [0.9896631189947611, 0.818858836492508]


def test_another_process_draws_the_same() -> None:
    code = (
        "from arena_trees.robot.random_streams import RandomStreams;"
        "print(RandomStreams(7).child('wolf').generator('leg').integers(0, 2**62, 4).tolist())"
    )
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": _path()})
    here = RandomStreams(7).child("wolf").generator("leg").integers(0, 2**62, 4).tolist()
    assert ran.stdout.strip() == str(here)


def _path() -> str:
    return ":".join(entry for entry in sys.path if entry)


def test_a_generator_starts_at_the_streams_beginning_and_names_join_with_dots():
    streams = RandomStreams(3)
    first = streams.generator("a")
    drawn = first.random(5).tolist()
    assert streams.generator("a").random(5).tolist() == drawn
    assert first.random(5).tolist() != drawn
    nested = streams.child("wolf").child("patrol").generator("leg")
    assert nested.random() == streams.generator("wolf.patrol.leg").random()


def test_streams_of_other_names_and_seeds_are_independent() -> None:
    count = 4000
    drawn = [
        RandomStreams(seed).generator(name).standard_normal(count)
        for seed in (0, 1, 2)
        for name in ("lidar", "lidar2", "wolf.leg", "wolf.scan")
    ]
    correlation = np.corrcoef(drawn) - np.eye(len(drawn))
    # Five standard deviations of the correlation of independent streams.
    assert np.abs(correlation).max() < 5.0 / np.sqrt(count)


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(ValueError, match="zero or more"):
        RandomStreams(-1)
    RandomStreams(2**80).generator("a").random()
