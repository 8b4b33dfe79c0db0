"""A game's parts, as the console shows them, tell what a recording of the same game tells."""

import json
import struct
import zlib
from dataclasses import replace
from typing import Any

import pytest
from helpers.game_parts import played_parts

import arena_trees as at
from arena_trees.console.exchange import State
from arena_trees.console.game_parts import joined
from arena_trees.console.packed_game import PackedGame
from arena_trees.recording.events import EventLister, list_events
from arena_trees.recording.loading import load_recording
from arena_trees.recording.recording import RobotRecording
from arena_trees.robot.clock import SECOND

TICKS = 150
STATE = State("wolf_rabbit", 3)
SENSORS = ("scans", "odometry", "poses", "bumpers")


def told(robot: RobotRecording) -> tuple[dict[int, str], dict[str, object]]:
    """Return each node's newest feedback, and each key's newest value."""
    return (
        {node: text for tick in robot.ticks for node, text in tick.feedback.items()},
        {key: value for tick in robot.ticks for key, value in tick.blackboard.items()},
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The parts of a game, seven ticks each, and a recording of the same, which was played by itself."""
    folder = tmp_path_factory.mktemp("bags") / "bag"
    at.play("wolf_rabbit", seed=3, trials=1, changes={"duration_s": TICKS / 50}, record=folder)
    parts = played_parts("wolf_rabbit", {"seed": 3, "duration_s": TICKS / 50})
    return parts, load_recording(folder / "trial_000")


def test_parts_tell_each_tick_once_and_as_the_recording_does(played):
    parts, recording = played
    whole = joined(parts)
    for name, robot in recording.robots.items():
        live = whole.robots[name]
        assert len(live.ticks) == len(robot.ticks) >= TICKS
        for one, other in zip(live.ticks, robot.ticks, strict=True):
            assert (one.now, one.statuses, one.active, one.reasons) == (
                other.now,
                other.statuses,
                other.active,
                other.reasons,
            )
            assert one.twist.linear == pytest.approx(other.twist.linear, abs=1e-6)
        assert live.tree == robot.tree
        assert told(live)[0] == told(robot)[0]
        assert set(told(live)[1]) == set(told(robot)[1])
        for sensor in SENSORS:
            assert [one.stamp for one in getattr(live, sensor)] == [one.stamp for one in getattr(robot, sensor)], sensor
        assert {key: len(readings) for key, readings in live.more.items()} == {
            key: len(readings) for key, readings in robot.more.items()
        }
        assert "battery" in live.more


def test_events_of_the_parts_are_those_of_the_whole(played):
    parts, _ = played
    lister = EventLister()
    listed = [event for part in parts for event in lister.take(part)]
    whole = [event for event in list_events(joined(parts)) if event.kind != "silence"]
    assert whole
    assert sorted(map(str, listed)) == sorted(map(str, whole))


def header(bundle: bytes) -> dict[str, Any]:
    bundle = bundle if struct.unpack_from("<I", bundle)[0] < len(bundle) else zlib.decompress(bundle)
    (length,) = struct.unpack_from("<I", bundle)
    made: dict[str, Any] = json.loads(bundle[4 : 4 + length])
    return made


def ticks_of(bundle: bytes) -> int:
    return int(header(bundle)["robots"][0]["ticks"]["t"][1])


def test_a_page_that_asks_often_gets_each_tick_once_and_one_that_lags_begins_anew(played):
    parts, _ = played
    game = PackedGame(STATE)
    nothing = game.news(-1, -1)
    assert (nothing.epoch, nothing.whole, list(nothing.bundles)) == (-1, True, [])
    game.take(parts[0], STATE)
    first = game.news(nothing.epoch, nothing.frame)
    assert first.whole
    lagging, seen, known = first, ticks_of(first.bundles[0]), first
    for part in parts[1:]:
        game.take(part, STATE)
        known = game.news(known.epoch, known.frame)
        assert not known.whole
        seen += sum(map(ticks_of, known.bundles))
    assert seen == sum(len(part.robots["wolf"].ticks) for part in parts)
    assert len(game.news(lagging.epoch, lagging.frame).bundles) == len(parts) - 1, "it may catch up"
    for _ in range(120):
        game.take(None, STATE)
    late = game.news(lagging.epoch, lagging.frame)
    assert late.whole and ticks_of(late.bundles[0]) == seen


def test_of_a_long_game_the_newest_is_kept_with_what_was_said_before(played):
    parts, _ = played
    game = PackedGame(STATE, kept=SECOND, spare=SECOND // 2)
    known = None
    for part in parts:
        game.take(part, STATE)
        known = game.news(-1, -1)
    assert known is not None and known.epoch > 0
    kept = header(known.bundles[0])
    assert 50 <= ticks_of(known.bundles[0]) <= 50 + 25 + 2 * 7
    assert kept["begin"] > 1000.0, "the page's zero stays that of the game"
    for robot in kept["robots"]:
        said = robot["tree"]["feedback"]["row"][1]
        assert said >= len({node for part in parts for node in told(part.robots[robot["name"]])[0]})


def test_a_page_that_begins_gets_chunks_that_are_packed_once(played, monkeypatch):
    parts, _ = played
    monkeypatch.setattr("arena_trees.console.packed_game._CHUNK", SECOND // 2)
    watched, unwatched = PackedGame(STATE), PackedGame(STATE)
    known = watched.news(-1, -1)
    for part in parts:
        watched.take(part, STATE)
        unwatched.take(part, STATE)
        known = watched.news(known.epoch, known.frame)
    first, again, other = watched.news(-1, -1), watched.news(-1, -1), unwatched.news(-1, -1)
    assert len(first.bundles) == len(other.bundles) >= 5
    assert all(one is two for one, two in zip(first.bundles[1:-1], again.bundles[1:-1], strict=True))
    for news in (first, other):
        headers = [header(bundle) for bundle in news.bundles]
        assert sum(ticks_of(bundle) for bundle in news.bundles) == sum(len(p.robots["wolf"].ticks) for p in parts)
        assert [made["shapes"] != [] for made in headers] == [True] + [False] * (len(headers) - 1)
        texts: dict[int, str] = {}
        for made in headers:
            texts.update(enumerate(made["texts"], made["first_text"]))
        assert sorted(texts) == list(range(len(texts))), "a page knows each text that it may be told of"
        assert sum(len(made["events"]) for made in headers) == len(EventLister().take(joined(parts)))


def test_a_game_that_nobody_looks_at_is_packed_as_one(played):
    parts, _ = played
    game = PackedGame(STATE)
    for part in parts:
        game.take(part, STATE)
    for _ in range(200):
        game.take(None, STATE)
    (whole,) = game.news(-1, -1).bundles
    assert ticks_of(whole) == sum(len(part.robots["wolf"].ticks) for part in parts)


def test_with_another_robot_or_tree_and_where_time_goes_back_a_page_begins_anew(played):
    parts, _ = played
    alone = [replace(part, robots={"wolf": part.robots["wolf"]}) for part in parts]
    pruned = [replace(part, robots={"wolf": replace(part.robots["wolf"], tree=())}) for part in alone]
    game = PackedGame(STATE)
    known = game.news(-1, -1)
    for later, robots in ((parts[:3], 2), (alone[3:6], 1), (pruned[6:9], 1), (pruned[:2], 1)):
        for part in later:
            game.take(part, STATE)
        known = game.news(known.epoch, known.frame)
        assert known.whole, "what the page has is of other robots"
        assert len(header(known.bundles[0])["robots"]) == robots
        assert sum(map(ticks_of, known.bundles)) == sum(len(part.robots["wolf"].ticks) for part in later)
    game.take(pruned[2], STATE)
    assert not game.news(known.epoch, known.frame).whole
