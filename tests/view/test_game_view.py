"""A game streamed to Foxglove, seen by a client of its WebSocket."""

import json
import math
import re
import signal
import struct
import subprocess
import sys
from contextlib import closing, contextmanager
from itertools import pairwise

import pytest

pytest.importorskip("foxglove", reason="the extra view is not installed")
pytest.importorskip("websockets", reason="there is no client of WebSockets here")

from helpers.patience import Patience
from rosbags.typesys import Stores, get_typestore
from websockets.sync.client import connect

from arena_trees.cli import main
from arena_trees.console.game_process import plan_of
from arena_trees.experiments.trial import Trial
from arena_trees.recording.bags.writer import BagWriter
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.timing import TICK
from arena_trees.view.game_view import GameView
from arena_trees.view.layout import layout_text

SCENARIO = "wolf_rabbit_open"
KEY = "wolf.chase_kp"


class Viewer:
    """What Foxglove does, as far as it is needed here."""

    def __init__(self, view, socket):
        self.view, self.socket = view, socket
        self.channels = {}
        while not self.channels:
            told = json.loads(socket.recv(timeout=10.0))
            self.channels = {one["topic"]: one for one in told.get("channels", ())}

    def subscribe(self, *topics):
        """Subscribe; the number of a subscription is that of its channel."""
        numbers = [self.channels[topic]["id"] for topic in topics]
        wanted = [{"id": number, "channelId": number} for number in numbers]
        self.socket.send(json.dumps({"op": "subscribe", "subscriptions": wanted}))

    def message(self, topic, step=True, holds=b""):
        """Return the next message of a topic that holds some bytes: its instant (ns) and its data."""
        number = self.channels[topic]["id"]
        patience = Patience(f"a message on {topic}")
        while True:
            patience.check()
            if step:
                self.view.step()
            self.view.send()
            for told in self.waiting():
                if isinstance(told, bytes) and told[0] == 1 and holds in told:
                    subscription, instant = struct.unpack_from("<IQ", told, 1)
                    if subscription == number:
                        return instant, told[13:]

    def waiting(self):
        """Yield what has come."""
        try:
            while True:
                yield self.socket.recv(timeout=0.02)
        except TimeoutError:
            return

    def parameters(self, request, **values):
        """Ask for parameters, or change some; return all as they stand then."""
        named = [{"name": name, "value": value} for name, value in values.items()]
        what = {"op": "setParameters", "parameters": named} if named else {"op": "getParameters", "parameterNames": []}
        self.socket.send(json.dumps({**what, "id": request}))
        while True:
            told = self.socket.recv(timeout=10.0)
            answer = {} if isinstance(told, bytes) else json.loads(told)
            if answer.get("id") == request:
                return {one["name"]: one["value"] for one in answer["parameters"]}


@contextmanager
def viewed(scenario=SCENARIO, is_tunable=False):
    trial = Trial(plan_of(scenario, {}), 0)
    with (
        closing(GameView(trial, scenario, 0, is_tunable)) as view,
        connect(f"ws://127.0.0.1:{view.port}", subprotocols=["foxglove.sdk.v1"], max_size=None) as socket,
    ):
        yield Viewer(view, socket), trial


def panels(text):
    """Return the topics that a layout names."""

    def values(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from (key, *values(inner))
        elif isinstance(value, list):
            for inner in value:
                yield from values(inner)
        elif isinstance(value, str):
            yield value

    return {one.partition(".")[0] for one in values(json.loads(text)) if one.startswith("/")}


def test_a_client_sees_the_scan_the_scene_and_the_tree():
    with viewed() as (viewer, trial):
        assert viewer.channels["/wolf/scan"]["schemaName"] == "sensor_msgs/msg/LaserScan"
        assert viewer.channels["/scene"]["schemaName"] == "foxglove.SceneUpdate"
        viewer.subscribe("/wolf/scan", "/scene", "/wolf/tree")
        instant, data = viewer.message("/wolf/scan")
        scan = get_typestore(Stores.ROS2_JAZZY).deserialize_cdr(data, "sensor_msgs/msg/LaserScan")
        assert scan.header.frame_id == "wolf/rplidar_link"
        assert 0 <= instant <= trial.arena.now
        assert b"wolf" in viewer.message("/scene")[1]
        tree = json.loads(viewer.message("/wolf/tree")[1])
        assert tree["nodes"][0]["depth"] == 0
        assert tree["tip"] in {node["name"] for node in tree["nodes"]}
        assert {node["status"] for node in tree["nodes"]} & {"RUNNING"}


def test_what_is_asked_for_and_where_a_robot_is_come_with_every_tick_and_odometry():
    with viewed() as (viewer, _):
        viewer.subscribe("/wolf/cmd_vel_raw", "/wolf/tf")
        instants = [viewer.message("/wolf/cmd_vel_raw")[0] for _ in range(4)]
        assert {later - earlier for earlier, later in pairwise(instants)} == {TICK}
        places = [viewer.message("/wolf/tf", holds=b"base_link")[0] for _ in range(4)]
        assert max(later - earlier for earlier, later in pairwise(places)) <= 5 * TICK


def test_who_comes_late_gets_what_is_said_once():
    with viewed() as (viewer, _):
        for _ in range(3):
            viewer.view.step()
            viewer.view.send()
        viewer.subscribe("/arena/markers", "/wolf/tf_static")
        assert b"fence" in viewer.message("/arena/markers", step=False)[1]
        viewer.subscribe("/scene")
        assert viewer.message("/scene", step=False)[1]


def test_parameters_are_read_and_set_and_a_refused_value_is_logged():
    with viewed(is_tunable=True) as (viewer, trial):
        live = trial.parameters["wolf"]
        before = live.value.chase_kp
        assert viewer.parameters("1")[KEY] == before
        assert viewer.parameters("2", **{KEY: before + 1})[KEY] == before + 1
        viewer.view.step()
        assert live.value.chase_kp == before + 1
        viewer.subscribe("/log")
        for number, (name, value) in enumerate([(KEY, -5), (KEY, "fast"), ("wolf.no_such", 1), ("nobody.x", 1)]):
            assert viewer.parameters(f"refused {number}", **{name: value})[KEY] == before + 1
            assert viewer.message("/log", holds=b"nobody" if name == "nobody.x" else name.partition(".")[2].encode())
        viewer.view.change({KEY: math.nan})
        assert viewer.message("/log", holds=b"(got nan)")
        viewer.view.step()
        assert live.value.chase_kp == before + 1


def test_nobody_sets_parameters_of_a_view_that_was_not_started_for_it():
    with viewed() as (viewer, trial):
        before = trial.parameters["wolf"].value.chase_kp
        viewer.subscribe("/log")
        assert viewer.parameters("1", **{KEY: before + 1})[KEY] == before
        assert viewer.message("/log", holds=b"--tune")
        assert trial.parameters["wolf"].value.chase_kp == before


def test_the_layout_fits_the_game_and_its_recording(tmp_path):
    file = tmp_path / "layout.json"
    with pytest.raises(SystemExit) as ended:
        main(["view", SCENARIO, "--layout", str(file)])
    assert ended.value.code == 0
    topics = panels(file.read_text(encoding="utf-8"))
    with viewed() as (viewer, trial):
        assert topics <= set(viewer.channels)
        recorder = RecordTrials(tmp_path, SCENARIO)("", trial)
        bag = recorder.bag
        assert isinstance(bag, BagWriter)
        recorded = {topic.name for topic in bag._topics}
        bag.close()
        assert topics - recorded == {"/scene", "/log"}
        # Beside the two that /<robot>/tree takes the place of, all that is recorded is streamed.
        ticks = {f"/{name}/ticks" for name in trial.loops}
        assert recorded - set(viewer.channels) == ticks


def test_the_layout_shows_pictures_where_there_are_some():
    assert "/wolf/oakd/rgb/preview/image_raw" in panels(layout_text(["wolf"], images=True))


def test_a_game_that_has_ended_is_served_on():
    with viewed("breach_recovery") as (viewer, trial):
        viewer.view.play(50.0, until=lambda: viewer.view.is_over)
        viewer.subscribe("/wolf/scan")
        viewer.message("/wolf/scan", step=False)
        now = trial.arena.now
        viewer.view.play(50.0, until=iter([False, False, True]).__next__)
        assert trial.arena.now == now


def test_a_port_that_is_taken_and_speeds_that_are_none_are_refused(capsys):
    with viewed() as (viewer, _), pytest.raises(ConfigError, match="--port"):
        GameView(Trial(plan_of(SCENARIO, {}), 0), SCENARIO, viewer.view.port)
    for speed in ("0", "-1", "nan", "inf"):
        with pytest.raises(SystemExit) as ended:
            main(["view", SCENARIO, "--speed", speed])
        assert ended.value.code == 2
        assert "--speed" in capsys.readouterr().err


def test_ctrl_c_ends_the_command():
    command = [sys.executable, "-m", "arena_trees", "view", SCENARIO, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert re.search(r"ws://127\.0\.0\.1:\d+", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30.0) == 130
        finally:
            process.kill()
