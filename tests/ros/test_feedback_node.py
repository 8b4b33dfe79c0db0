"""The feedback node on ROS: events become lights and tunes, and the base gets its lights back."""

import itertools
import sys
import threading

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.all_shows import LIGHTS, SHOWS
from helpers.node_bench import NodeBench
from helpers.patience import LIMIT_S
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from std_msgs.msg import String

from arena_trees.nodes.feedback import Feedback
from arena_trees.nodes.runtime import optional_types

NAMESPACE = ("-r", "__ns:=/wolf")


@pytest.fixture
def base():
    """The messages of a Create 3's lights and sounds."""
    return pytest.importorskip("irobot_create_msgs.msg", reason="irobot_create_msgs is not installed")


def listen(bench, base):
    lights = bench.hear(base.LightringLeds, "/wolf/cmd_lightring", 100)
    tunes = bench.hear(base.AudioNoteVector, "/wolf/cmd_audio", 10)
    cues = bench.speaker(String, "/wolf/cues", 50)
    return lights, tunes, lambda event: cues.publish(String(data=event))


def frame(message):
    return tuple((led.red, led.green, led.blue) for led in message.leds)


def pitches(notes):
    return [note.frequency for note in notes]


def hertz(event):
    return [round(note.frequency) for note in SHOWS[event].song.notes]


class Base:
    """A base that offers the action; a song lasts until it is cancelled, or ``finish`` is set."""

    def __init__(self, bench, accepts=True):
        action = pytest.importorskip("irobot_create_msgs.action", reason="irobot_create_msgs is not installed")
        self.accepts = accepts
        self.before_answer = lambda: None
        self.asked, self.active, self.cancelled = [], [], []
        self._result = action.AudioNoteSequence.Result
        self._server = ActionServer(
            bench.observer,
            action.AudioNoteSequence,
            "/wolf/audio_note_sequence",
            self._finish,
            goal_callback=self._take,
            handle_accepted_callback=self.active.append,
            cancel_callback=self._cancel,
        )

    def settle(self):
        """End the songs that are to be cancelled."""
        for goal in [goal for goal in self.active if goal.is_cancel_requested]:
            self.active.remove(goal)
            self.cancelled.append(pitches(goal.request.note_sequence.notes))
            goal.execute(lambda handle: (handle.canceled(), self._result())[1])

    def _take(self, request):
        self.before_answer()
        self.asked.append(pitches(request.note_sequence.notes))
        return GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT

    def _cancel(self, goal):
        return CancelResponse.ACCEPT

    def _finish(self, goal):
        goal.succeed()
        return self._result(complete=True)


def test_a_catch_is_shown_and_sounds_and_the_end_gives_the_lights_back(base):
    with NodeBench(Feedback, *NAMESPACE) as bench:
        lights, tunes, tell = listen(bench, base)
        bench.until(lambda: lights and tunes, "a show", lambda: tell("CATCH"))
        assert lights[0].override_system
        assert frame(lights[0]) == LIGHTS["CATCH"].frames[0]
        assert pitches(tunes[0].notes) == hertz("CATCH") == [523, 659, 880]
        assert tunes[0].notes[-1].max_runtime.nanosec == pytest.approx(0.4e9)
        bench.halt()
        bench.until(lambda: not lights[-1].override_system, "the base's own lights")


def test_a_colour_is_held_and_let_go_and_an_unknown_event_shows_nothing(base):
    with NodeBench(Feedback, *NAMESPACE) as bench:
        lights, tunes, tell = listen(bench, base)
        for _ in range(20):
            tell("NOBODY KNOWS THIS")
        bench.until(lambda: lights, "a light", lambda: tell("CHASE"))
        bench.until(lambda: not lights[-1].override_system, "the base's own lights")
        assert [frame(message) for message in lights] == [LIGHTS["CHASE"].frames[0], ((0, 0, 0),) * 6]
        assert all(pitches(tune.notes) == hertz("CHASE") for tune in tunes)


def test_an_animation_is_sent_frame_by_frame_and_overridden_and_a_reset_gives_the_ring_back(base):
    with NodeBench(Feedback, *NAMESPACE) as bench:
        lights, tunes, tell = listen(bench, base)
        frames = LIGHTS["START"].frames
        bench.until(lambda: len(lights) > 4, "five frames", lambda: lights or tell("START_THEATRICAL"))
        shown = [frame(message) for message in lights]
        assert shown[0] == frames[0] and set(shown) <= set(frames)
        # What is shown already is not sent again.
        assert all(one != other for one, other in itertools.pairwise(shown))
        assert all(message.override_system for message in lights)
        bench.until(lambda: frame(lights[-1]) in LIGHTS["WIN"].frames, "the win", lambda: tell("WIN"))
        tell("RESET")
        bench.until(lambda: not lights[-1].override_system, "the base's own lights")
        assert [pitches(tune.notes) for tune in tunes] == [hertz("START_THEATRICAL"), hertz("WIN")]


def test_where_the_base_offers_its_action_songs_go_there_and_a_more_important_one_cancels(base):
    with NodeBench(Feedback, *NAMESPACE) as bench:
        robot = Base(bench)
        _, tunes, tell = listen(bench, base)
        speaker = bench.node._speaker
        bench.until(speaker._client.server_is_ready, "the base's action")
        bench.until(lambda: robot.active, "a song", lambda: robot.asked or tell("START_THEATRICAL"))
        tell("WIN")
        bench.until(lambda: robot.cancelled and len(robot.active) == 1, "the win alone", robot.settle)
        assert robot.asked == [hertz("START_THEATRICAL"), hertz("WIN")]
        assert robot.cancelled == [hertz("START_THEATRICAL")]
        assert not tunes
        bench.halt()
        bench.until(lambda: not robot.active, "silence", robot.settle)


def test_a_song_that_the_base_has_not_acknowledged_when_the_node_ends_is_cancelled_too(base, monkeypatch):
    with NodeBench(Feedback, *NAMESPACE) as bench:
        robot = Base(bench)
        _, _, tell = listen(bench, base)
        stopped = threading.Event()
        stop = bench.node._speaker.stop

        def stop_and_note():
            stop()
            if bench.halting:
                stopped.set()

        def end_the_node():
            bench.halting = True
            assert stopped.wait(LIMIT_S)

        monkeypatch.setattr(bench.node._speaker, "stop", stop_and_note)
        robot.before_answer = end_the_node
        bench.until(bench.node._speaker._client.server_is_ready, "the base's action")
        bench.until(lambda: robot.active, "a song", lambda: robot.asked or tell("CATCH"))
        bench.until(lambda: not robot.active, "silence", robot.settle)
        assert robot.cancelled == [hertz("CATCH")]


def test_a_song_that_the_action_refuses_goes_by_the_topic(base):
    with NodeBench(Feedback, *NAMESPACE) as bench:
        robot = Base(bench, accepts=False)
        _, tunes, tell = listen(bench, base)
        bench.until(bench.node._speaker._client.server_is_ready, "the base's action")
        bench.until(lambda: tunes, "a tune", lambda: robot.asked or tell("CATCH"))
        assert robot.asked == [hertz("CATCH")] == [pitches(tunes[0].notes)]


def test_sounds_can_be_off(base):
    with NodeBench(Feedback, *NAMESPACE, "-p", "sounds:=false") as bench:
        lights = bench.hear(base.LightringLeds, "/wolf/cmd_lightring", 10)
        cues = bench.speaker(String, "/wolf/cues", 50)
        bench.until(lambda: lights, "a light", lambda: cues.publish(String(data="CATCH")))
        assert bench.observer.count_publishers("/wolf/cmd_audio") == 0


def test_without_the_base_s_messages_it_is_off_but_runs(monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "irobot_create_msgs.msg", None)
    monkeypatch.setattr(optional_types, "_warned", set())
    with NodeBench(Feedback, *NAMESPACE) as bench:
        cues = bench.speaker(String, "/wolf/cues", 50)
        cues.publish(String(data="CATCH"))
        names = bench.until(lambda: bench.observer.get_topic_names_and_types(), "the graph")
        assert "/wolf/cmd_lightring" not in dict(names)
    reported = capfd.readouterr().err
    assert reported.count("light ring: off, because irobot_create_msgs") == 1
    assert reported.count("sounds: off, because irobot_create_msgs") == 1
