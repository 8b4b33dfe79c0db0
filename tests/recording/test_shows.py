"""Lights and songs of a recording are those that the robots showed."""

import json
import struct
import zlib
from operator import attrgetter

import pytest
from helpers.game_parts import played_parts

import arena_trees as at
from arena_trees.recording.loading import load_recording
from arena_trees.recording.report_page.report import RecordingPacker
from arena_trees.recording.shows import ShowLister

SEED = 5


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A recording, and what its result tells of what was shown."""
    folder = tmp_path_factory.mktemp("shows") / "bag"
    (result,) = at.play("wolf_rabbit", seed=SEED, trials=1, record=folder).trials
    return load_recording(folder / "trial_000"), result.shown


def test_a_recording_shows_what_the_robots_showed(played):
    recording, shown = played
    found = sorted((one.to_dict() for one in ShowLister().take(recording)), key=lambda one: one["time_s"])
    assert found == sorted(
        (one if isinstance(one, dict) else one.to_dict() for one in shown), key=lambda o: o["time_s"]
    )
    assert any(one["light"] for one in found) and any(one["song"] for one in found)


def test_parts_show_it_once(played):
    recording, _ = played
    lister = ShowLister()
    shown = [one for part in played_parts("wolf_rabbit", {"seed": SEED}) for one in lister.take(part)]
    key = attrgetter("now", "robot")
    assert sorted(shown, key=key) == sorted(ShowLister().take(recording), key=key)


def test_a_page_is_told_what_each_light_and_song_is(played):
    recording, _ = played
    bundle = zlib.decompress(RecordingPacker().pack(recording, [], (), ShowLister().take(recording)))
    (length,) = struct.unpack_from("<I", bundle)
    shows = json.loads(bundle[4 : 4 + length])["shows"]
    named = [(light, song) for _, _, light, song in shows["shown"]]
    assert {light for light, _ in named if light} == set(shows["lights"])
    assert {song for _, song in named if song} == set(shows["songs"])
    assert all(len(frame) == 6 for light in shows["lights"].values() for frame in light["frames"])
    assert all(seconds > 0 for notes in shows["songs"].values() for _, seconds in notes)
