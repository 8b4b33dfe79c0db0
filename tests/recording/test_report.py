"""What a report's page holds, without a browser."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import call, refused
from helpers.recorded import by_hand, foreign, record, spoilt
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.recording.events import list_events
from arena_trees.recording.recording import NodeInfo, Outline, Recording, RobotRecording, Tick
from arena_trees.recording.report_page.columns import Columns
from arena_trees.recording.report_page.report import PAGE, report_page, write_report
from arena_trees.recording.report_page.tracks import Track, best_track, extent_of, fence_distance
from arena_trees.recording.report_page.tree_rows import Rows
from arena_trees.recording.sensor_dropouts import dropouts_of
from arena_trees.recording.shape_frames import ShapeFrame
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Bumpers
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.world.palette import contrast, ink_on, leaf_colour, robot_colour
from arena_trees.world.plain_shapes import to_plain
from arena_trees.world.shapes import Disc


class Opened:
    """A page's recording, unpacked as the page's script does it."""

    def __init__(self, page: str) -> None:
        found = re.search(r'id="recording">([A-Za-z0-9+/=]*)</script>', page)
        self._open(zlib.decompress(base64.b64decode(found[1])))

    def _open(self, data: bytes) -> None:
        (length,) = struct.unpack_from("<I", data)
        self.header: dict[str, Any] = json.loads(data[4 : 4 + length])
        self._columns = data[4 + length :]

    def numbers(self, column: list[float]) -> list[float]:
        offset, count, step = column
        values, total, at = [], 0, int(offset)
        for _ in range(int(count)):
            raw = shift = 0
            while True:
                byte = self._columns[at]
                at += 1
                raw |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            total += -(raw + 1) // 2 if raw % 2 else raw // 2
            values.append(math.nan if total == -(2**29) else total * step)
        return values

    @classmethod
    def of(cls, recording: Recording) -> Opened:
        return cls(report_page(recording))


@given(st.lists(st.one_of(st.floats(-1e5, 1e5), st.just(math.nan)), max_size=50), st.sampled_from([1.0, 0.02, 0.001]))
def test_columns_keep_numbers_to_a_step(values: list[float], step: float):
    columns = Columns()
    columns.add([7.0])
    column = columns.add(values, step)
    opened = Opened.__new__(Opened)
    opened._open(zlib.decompress(columns.bundle({"a": 1})))
    assert opened.header == {"a": 1}
    np.testing.assert_allclose(opened.numbers(list(column)), values, rtol=0.0, atol=step / 2 + 1e-9)


def test_columns_cut_off_what_no_robot_reaches():
    columns = Columns()
    column = columns.add([1e30, -1e30, math.inf, math.nan, 5.0])
    opened = Opened.__new__(Opened)
    opened._open(zlib.decompress(columns.bundle({})))
    kept = opened.numbers(list(column))
    assert kept[0] == kept[2] == 2**29 and kept[1] == -(2**29) + 1 and math.isnan(kept[3]) and kept[4] == 5.0


def test_rows_are_in_reading_order_and_a_ring_of_nodes_is_left_out():
    # Children before parents, as py_trees iterates; the last two are each other's parent.
    tree = [
        NodeInfo("first", "Leaf", 2),
        NodeInfo("second", "Leaf", 2),
        NodeInfo("root", "Selector", -1),
        NodeInfo("lost", "Sequence", 4),
        NodeInfo("gone", "Sequence", 3),
    ]
    assert Rows.of(tree) == Rows((2, 0, 1), (0, 1, 1))
    assert Rows.of([]) == Rows((), ())


def test_the_page_holds_every_status_of_every_tick(game: Recording):
    opened = Opened.of(game)
    for packed in opened.header["robots"]:
        robot = game.robots[packed["name"]]
        rows = Rows.of(robot.tree)
        names = [node[0] for node in packed["tree"]["nodes"]]
        assert names[: len(rows.node)] == [robot.tree[node].name for node in rows.node]
        changes = {name: opened.numbers(column) for name, column in packed["tree"]["changes"].items()}
        now, done = [0] * len(rows.node), 0
        for number, tick in enumerate(robot.ticks):
            while done < len(changes["tick"]) and changes["tick"][done] == number:
                now[int(changes["row"][done])] = int(changes["status"][done])
                done += 1
            assert now == [tick.statuses[node] for node in rows.node]
        assert done == len(changes["tick"]) > 0


def test_the_tip_is_the_active_leaf(game: Recording):
    opened = Opened.of(game)
    for packed in opened.header["robots"]:
        tips = opened.numbers(packed["tree"]["tip"])
        names = [node[0] for node in packed["tree"]["nodes"]]
        active = [tick.active for tick in game.robots[packed["name"]].ticks]
        assert [names[int(tip)] if tip >= 0 else "" for tip in tips] == active


def test_what_the_tree_keeps_on_the_blackboard_has_rows_below_it(game: Recording):
    opened = Opened.of(game)
    (wolf,) = [packed for packed in opened.header["robots"] if packed["name"] == "wolf"]
    row = wolf["tree"]["nodes"].index(["target", "blackboard", 0])
    feedback = {name: opened.numbers(column) for name, column in wolf["tree"]["feedback"].items()}
    reported = [
        opened.header["texts"][int(text)]
        for at, text in zip(feedback["row"], feedback["text"], strict=True)
        if at == row
    ]
    assert reported[0] == "none"
    assert any(text.startswith("box label rabbit_sign, confidence ") for text in reported)
    assert list(feedback["tick"]) == sorted(feedback["tick"])


def test_events_of_a_game(game: Recording):
    events = list_events(game)
    assert [event.now for event in events] == sorted(event.now for event in events)
    reported = [event.text for event in events if event.kind == "game"]
    assert len(reported) == 2, "the referee repeats its state ten times a second; only news count"
    assert reported[0].startswith("phase ACTIVE") and "phase CAPTURED" in reported[1]
    assert ("message", "catch claim: claim 1, round 1") in {(event.kind, event.text) for event in events}
    assert {"CHASE", "CATCH"} <= {event.text for event in events if event.kind == "cue"}


def test_a_message_that_only_says_how_something_moves_is_one_event():
    def say(tenths: int, topic: str, **payload: Any) -> tuple[int, Message]:
        now = tenths * SECOND // 10
        return now, Message(topic, "rules", 1, tenths, now, payload)

    told = [say(number, "threat", x=0.1 * number, reach=3.0) for number in range(1, 9)]
    told += [say(number, "pursuit", phase="CHASE" if number < 5 else "HIT") for number in range(1, 9)]
    told += [say(30, "threat", x=5.0, reach=3.0)]
    events = list_events(replace(by_hand(), messages=sorted(told, key=lambda one: one[0])))
    heard = [(event.now // (SECOND // 10), event.text.split(":")[0].split(" ")[0]) for event in events]
    assert heard == [(1, "threat"), (1, "pursuit"), (5, "pursuit"), (30, "threat")]


def test_events_are_told_in_words():
    payload = {"phase": "READY_TO_GO", "rabbit_alive": True, "has_escaped": False, "home": None, "x": 0.5, "round": 2}
    payload |= {"pellets_left": [1, 2], "laps": {}}
    for topic, begin in (("catch_claim", "catch claim: "), ("threat", "threat: ")):
        (event,) = list_events(replace(by_hand(), messages=[(0, Message(topic, "wolf", 1, 1, 0, payload))]))
        assert event.text == begin + (
            "phase READY TO GO, rabbit alive: yes, has escaped: no, home: none, round 2, pellets left: 2, laps: 0"
        )


def test_events_of_ticks():
    def tick(seconds: float, **values: Any) -> Tick:
        return Tick(now=int(seconds * SECOND), statuses=b"", **values)

    ticks = [
        tick(0.0, reasons=("obstacle",)),
        tick(0.1),
        tick(0.2, reasons=("obstacle", "fence")),
        tick(1.0, reasons=("obstacle",), cues=("LOST",), active="Search"),
        tick(2.0, fault="Chase raised ValueError"),
        tick(2.1, fault="Chase raised ValueError"),
    ]
    pressed = [Bumpers(0, SECOND, 1, frozenset({"left"})), Bumpers(0, SECOND, 2, frozenset({"left"}))]
    events = list_events(by_hand(wolf=RobotRecording("wolf", ticks=ticks, bumpers=pressed)))
    assert [(event.now / SECOND, event.kind, event.text) for event in events] == [
        (0.0, "gate", "obstacle"),
        (0.2, "gate", "fence"),
        (1.0, "loss", "LOST, Search runs"),
        (1.0, "gate", "obstacle"),
        (1.0, "bump", "left"),
        (2.0, "fault", "Chase raised ValueError"),
    ]


def test_silences_are_listed():
    events = list_events(spoilt())
    assert [(event.now / SECOND, event.kind, event.text) for event in events] == [
        (3.9, "silence", "no scan for 2.7 s"),
        (5.0, "silence", "no odometry for 3.0 s"),
    ]
    assert list_events(foreign()) == []
    (robot,) = Opened.of(spoilt()).header["robots"]
    assert robot["silences"] == [[3900.0, 6600.0, "scan"], [5000.0, 8000.0, "odometry"]]


def test_a_sensor_that_begins_late_or_ends_early_is_silent():
    robot = foreign().robots["robot"]
    some = [scan for scan in robot.scans if 2 * SECOND < scan.arrival < 8.5 * SECOND]
    silences = list(dropouts_of(replace(robot, scans=some), 0, 10 * SECOND))
    assert [(one.sensor, one.begin / SECOND, one.end / SECOND) for one in silences] == [
        ("scan", 0.0, 2.1),
        ("scan", 8.4, 10.0),
    ]
    # What comes once in two seconds is not silent between.
    assert not list(dropouts_of(RobotRecording("slow", scans=robot.scans[::13]), 0, 10 * SECOND))
    assert not list(dropouts_of(RobotRecording("few", scans=robot.scans[:2]), 0, 10 * SECOND))


def test_spikes_do_not_set_the_scale():
    track, spiky = (best_track(recording.robots["robot"]) for recording in (foreign(), spoilt()))
    assert extent_of(track) == pytest.approx((0.0, 0.995, -0.5, 0.5), abs=0.01)
    assert extent_of(spiky) == pytest.approx((0.0, 0.995, -0.5, 0.5), abs=0.01)
    assert extent_of(best_track(RobotRecording("robot"))) is None
    # Odometry that begins anew elsewhere stays there, and counts.
    moved = Track("odometry", track.time, track.pose + np.where(np.arange(len(track.time)) < 100, 0.0, 50.0)[:, None])
    extent = extent_of(moved)
    assert extent is not None and extent[1] > 50.0
    (robot,) = Opened.of(spoilt()).header["robots"]
    assert robot["extent"][1] < 1.1


def test_fence_distance_is_negative_outside():
    fence = Outline("wolf", "fence", np.array([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]))
    track = Track("truth", np.arange(3), np.array([(1.0, 1.0, 0.0), (1.5, 1.0, 0.0), (2.5, 1.0, 0.0)]))
    assert fence_distance(track, fence).tolist() == [1.0, 0.5, -0.5]


def test_a_track_is_the_best_that_there_is(game: Recording):
    wolf = game.robots["wolf"]
    assert best_track(wolf).source == "truth"
    assert best_track(replace(wolf, truth=())).source == "localisation"
    assert best_track(replace(wolf, truth=(), poses=())).source == "odometry"
    nothing = best_track(RobotRecording("wolf"))
    assert nothing.at(0) is None
    track = Track("truth", np.array([0, 10]), np.array([(0.0, 0.0, 3.0), (1.0, 2.0, -3.0)]))
    middle = track.at(5)
    assert (middle.x, middle.y, abs(middle.yaw)) == (0.5, 1.0, pytest.approx(math.pi))
    assert track.at(-5) == track.at(0) and track.at(99) == track.at(10)


def test_the_policy_names_style_and_script_and_nothing_else(game: Recording):
    page = report_page(game)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    for tag, directive in (("style", "style-src"), (r'script type="module"', "script-src")):
        found = re.search(rf"<{tag}>(.*?)</(?:style|script)>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none';")
    assert "unsafe" not in policy[1]
    assert not re.search(r"(?:src|href)=\"(?!#)|https?:|@import|url\(", page)


def test_no_recorded_text_stands_in_the_page(game: Recording):
    odd = "</script><script>odd()</script>"
    renamed = replace(game.robots["wolf"], name=odd, notes=(odd,), role=odd)
    info = {"scenario": odd, odd: [odd, math.nan, {odd: odd}]}
    message = Message("game", odd, 1, 1, 0, {odd: odd})
    outlines = [Outline(odd, odd, np.zeros((3, 2)))]
    recording = replace(
        game, robots={odd: renamed}, info=info, messages=[(0, message)], outlines=outlines, skipped={odd: 1}
    )
    page = report_page(recording)
    assert "odd()" not in page
    assert Opened(page).header["robots"][0]["name"] == odd


@pytest.mark.parametrize(
    "recording",
    [by_hand(), by_hand(robot=RobotRecording("robot")), foreign(), replace(by_hand(), end=0)],
    ids=["no robot", "robot without anything", "foreign", "no time"],
)
def test_little_is_enough_for_a_page(recording: Recording, tmp_path):
    path = tmp_path / "new" / "page.html"
    write_report(recording, path)
    header = Opened(path.read_text(encoding="utf-8")).header
    assert [robot["name"] for robot in header["robots"]] == list(recording.robots)
    assert header["duration"] > 0


def test_a_page_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        write_report(by_hand(), tmp_path / "file" / "page.html")


def test_the_command_leaves_a_page_and_a_film(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bag = record(tmp_path / "bags", seed=300, duration_s=1.0)
    assert call(capsys, "report", bag) == "written: results/trial_000.html\n"
    said = call(capsys, "report", bag, "-o", "page.html", "--video", "film.webm")
    assert said == "written: page.html, film.webm\n"
    assert Opened(Path("page.html").read_text(encoding="utf-8")).header["info"]["seed"] == 300
    assert Path("film.webm").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("nowhere",), "nowhere"),
        (("nowhere", "--video", "film.avi"), "--video: a file's name must end in .mp4, .webm or .gif here"),
        (("nowhere", "--topic", "scan"), "--topic: must have the form scan=/topic"),
    ],
)
def test_bad_orders_are_one_line(capsys, options: tuple[str, ...], said: str):
    assert said in refused(capsys, "report", *options)


def test_a_page_holds_the_world_and_what_the_game_showed(game: Recording):
    header = Opened.of(game).header
    groups = [shape.get("group") for shape in header["shapes"]]
    assert groups.count("solids") >= 4 and {"fences wolf", "fences rabbit"} <= set(groups)
    assert header["game"] == {"shapes": [], "frames": []}
    disc = Disc(1.0, 2.0, 0.25, fill="#ffd400")
    page = report_page(game, [ShapeFrame(game.start + SECOND, (disc,)), ShapeFrame(game.start + 2 * SECOND, ())])
    shown = Opened(page).header
    assert shown["game"] == {"shapes": [to_plain(disc)], "frames": [[1000.0, 0, 0, [0]], [2000.0, 0, 1, []]]}
    assert shown["defaults"]["disc"]["group"] == "shapes"


def test_a_turret_is_packed_where_there_is_one():
    states = [TurretState(now * SECOND, now * SECOND, now, 0.1 * now, -0.05) for now in range(5)]
    opened = Opened.of(by_hand(armed=RobotRecording("armed", more={"turret": states}), other=RobotRecording("other")))
    armed, other = opened.header["robots"]
    turret = armed["sensors"]["turret"]
    assert turret["units"] == {"yaw": "rad", "pitch": "rad", "yaw rate": "rad/s", "pitch rate": "rad/s"}
    assert opened.numbers(turret["columns"]["yaw"]) == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])
    assert opened.numbers(turret["columns"]["pitch"]) == pytest.approx([-0.05] * 5)
    assert "turret" not in other["sensors"]


def test_leaves_have_the_colours_of_every_other_picture(game: Recording):
    leaves = dict(Opened.of(game).header["leaves"])
    active = {tick.active for robot in game.robots.values() for tick in robot.ticks if tick.active}
    assert leaves == {leaf: leaf_colour(leaf) for leaf in active | {"latched"}}


def test_ink_is_read_on_every_colour_of_the_palette():
    grounds = {leaf_colour(str(number)) for number in range(2000)} | {robot_colour(number) for number in range(8)}
    assert len(grounds) == 68
    assert [ground for ground in grounds if contrast(ink_on(ground), ground) < 4.5] == []
    robots = re.findall(r"--robot\d: (#[0-9a-f]{6})", (PAGE / "report.css").read_text())
    assert len(robots) == 16
    assert [ground for ground in robots if contrast(ink_on(ground), ground) < 4.5] == []
