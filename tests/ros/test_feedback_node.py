"""The feedback node on ROS: events become lights and tunes, and the base gets its lights back."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.node_bench import NodeBench
from std_msgs.msg import String

from arena_trees.games.cues import SHOWS
from arena_trees.nodes import optional_types
from arena_trees.nodes.feedback import Feedback

pytestmark = pytest.mark.xdist_group("ros")

NAMESPACE = ("-r", "__ns:=/wolf")


@pytest.fixture
def base():
    """The messages of a Create 3's lights and sounds."""
    return pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")


def listen(bench, base):
    lights = bench.hear(base.LightringLeds, "/wolf/cmd_lightring", 10)
    tunes = bench.hear(base.AudioNoteVector, "/wolf/cmd_audio", 10)
    cues = bench.speaker(String, "/wolf/cues", 50)
    for topic in ("/wolf/cmd_lightring", "/wolf/cmd_audio"):
        bench.until(lambda topic=topic: bench.observer.count_publishers(topic) > 0, topic)
    return lights, tunes, lambda event: cues.publish(String(data=event))


def test_a_catch_is_shown_and_sounds_and_the_end_gives_the_lights_back(base):
    with NodeBench(Feedback, *NAMESPACE) as bench:
        lights, tunes, tell = listen(bench, base)
        bench.until(lambda: lights and tunes, "a show", lambda: tell("CATCH"))
        show = SHOWS["CATCH"]
        assert lights[0].override_system
        assert {(led.red, led.green, led.blue) for led in lights[0].leds} == {show.colour}
        assert [note.frequency for note in tunes[0].notes] == [note.frequency for note in show.tune]
        assert tunes[0].notes[-1].max_runtime.nanosec == pytest.approx(0.4e9)
        bench.halt()
        bench.until(lambda: not lights[-1].override_system, "the base's own lights")


def test_a_colour_is_held_and_let_go_and_an_unknown_event_shows_nothing(base):
    with NodeBench(Feedback, *NAMESPACE) as bench:
        lights, tunes, tell = listen(bench, base)
        for _ in range(20):
            tell("NOBODY KNOWS THIS")
        bench.until(lambda: lights, "a light", lambda: tell("CHASE"))
        assert {(led.red, led.green, led.blue) for led in lights[0].leds} == {SHOWS["CHASE"].colour}
        bench.until(lambda: not lights[-1].override_system, "the base's own lights")
        colours = [tuple((led.red, led.green, led.blue) for led in message.leds) for message in lights[:-1]]
        assert len(set(colours)) == 1
        assert {tuple(note.frequency for note in tune.notes) for tune in tunes} <= {
            tuple(note.frequency for note in SHOWS["CHASE"].tune)
        }


def test_sounds_can_be_off(base):
    with NodeBench(Feedback, *NAMESPACE, "-p", "sounds:=false") as bench:
        lights = bench.hear(base.LightringLeds, "/wolf/cmd_lightring", 10)
        cues = bench.speaker(String, "/wolf/cues", 50)
        bench.until(lambda: lights, "a light", lambda: cues.publish(String(data="CATCH")))
        assert bench.observer.count_publishers("/wolf/cmd_audio") == 0


def test_without_the_base_s_messages_it_is_off_but_runs(monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "irobot_create_msgs.msg", None)
    monkeypatch.setattr(optional_types, "_told", set())
    with NodeBench(Feedback, *NAMESPACE) as bench:
        cues = bench.speaker(String, "/wolf/cues", 50)
        cues.publish(String(data="CATCH"))
        names = bench.until(lambda: bench.observer.get_topic_names_and_types(), "the graph")
        assert "/wolf/cmd_lightring" not in dict(names)
    told = capfd.readouterr().err
    assert told.count("light ring: off, because irobot_create_msgs") == 1
    assert told.count("sounds: off, because irobot_create_msgs") == 1


def test_every_event_that_a_tree_tells_has_a_show():
    assert {"CHASE", "LOST", "CATCH", "DEAD", "BREACH", "REST"} <= SHOWS.keys()
    for show in SHOWS.values():
        assert all(0 <= part <= 255 for part in show.colour)
        assert 0.0 < show.hold < 10.0
        assert all(20 <= note.frequency <= 65535 and 0.0 < note.duration < 5.0 for note in show.tune)
