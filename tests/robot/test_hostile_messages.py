"""Messages from anybody: each parser takes a text or refuses it for one short reason, and nothing else happens.

``ARENA_TREES_FUZZ=100000 pytest tests/robot/test_hostile_messages.py`` takes 100 000 examples a parser.
"""

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from helpers.mutations import EXAMPLES, hostile_texts
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.games.crossroads.messages import Crossing, CrossingClaim, CrossingRequest
from arena_trees.games.pacman.messages import PacmanGame, PacmanStatus, PacmanUnreached
from arena_trees.games.wolf_rabbit.messages import CatchClaim, GameState
from arena_trees.recording.bags.decoding import message as message_of_bag
from arena_trees.recording.traces.decoder import MalformedError, TickDecoder, decode_tree, parse_json
from arena_trees.robot.messaging.game_message import GameMessage, MessageError
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.json_text import JsonError, JsonLimits, check_plain, read_json
from arena_trees.robot.messaging.message_text import MAXIMUM_BYTES, message_from_text, message_to_text
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.ros_messages.lane_text import LaneTextError, lane_from_text

_ROW = ["a", 1, 2, "south", "left", -0.25, 7, 1.5]
_CLAIM = {
    "robot": "a", "epoch": 1, "sequence": 7, "request": 2, "stage": "WAITING", "approach": "south", "movement": "left",
    "urgency": 0, "first": True, "progress": -0.1, "waited": 2.5, "lease": 0.0, "scheduler": ["scheduler", 3],
    "heard": [_ROW],
}  # fmt: skip
PAYLOADS: dict[type[GameMessage], dict[str, Any]] = {
    GameState: {
        "phase": "ACTIVE", "round": 2, "rabbit_alive": True, "inside_wolf_territory": True, "rabbit_escaped": False,
        "verdicts": {"1": False, "12": True},
    },
    CatchClaim: {"claim": 3, "round": 1},
    PacmanGame: {
        "phase": "RUNNING", "round": 1, "score": 4, "lives": 2, "spawned": 9, "pellets": [[1, 0.5, -1.5, False]],
        "ghosts": [["Blinky", 1.0, 2.0, 0.1, 0.0, 0.25, True]], "home": [0.0, 1.0, 0.5], "pickup_radius": 0.2,
        "death_radius": 0.3,
    },
    PacmanStatus: {"status": "READY", "round": 1},
    PacmanUnreached: {"round": 1, "pellets": [1, 4], "gave_up": False},
    CrossingRequest: _CLAIM,
    CrossingClaim: {**_CLAIM, "stage": "PASSING"},
    Crossing: {
        "scheduler": "scheduler", "epoch": 3, "sequence": 5, "state": "OPEN", "holders": [_ROW], "done": [["b", 1, 4]],
    },
}  # fmt: skip
ENVELOPE = {"topic": "game", "sender": "referee", "epoch": 1, "sequence": 2, "stamp": 3, "payload": {"phase": "ACTIVE"}}
LANE = {"stamp": 5, "red": [0.2, 0.0, 0.9], "black": None, "stop_distance": 0.4, "lane_width": 0.5}
LINE = {
    "tick": 3, "whole": True, "now": 60_000_000, "statuses": "01", "active": "Drive", "command": [0.1, 0.0],
    "twist": [0.1, 0.0], "reasons": ["obstacle"], "fault": None, "sequences": [1, 2], "feedback": {"0": "goes"},
    "tracking": None, "cues": [], "blackboard": {"target": {"x": 1.5}}, "received": [["referee", 1, 2]],
}  # fmt: skip
TREE = {"nodes": [["Drive", "Drive", -1]]}


def known_values(value: Any) -> None:
    """Hold what was read to what a program may rely on: it can be encoded, and every number is one."""
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, float):
        assert math.isfinite(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            known_values(key)
            known_values(item)
    elif isinstance(value, list | tuple):
        for item in value:
            known_values(item)


def model_reader(model: type[GameMessage]) -> Callable[[str], Any]:
    """Return what reads a text as ROS and recordings have it, and holds the message to its own form as JSON."""

    def read(text: str) -> Any:
        found = model.decode(read_json(text))
        assert model.decode(found.encode()) == found
        return found.encode()

    return read


def envelope(text: str) -> Any:
    found = message_from_text(text)
    assert message_from_text(message_to_text(found)) == found
    # What came is no longer when it is passed on; but a number may be written shorter than by Python.
    return [found.topic, found.sender, found.epoch, found.payload]


PARSERS: list[tuple[str, Callable[[str], Any], tuple[type[Exception], ...], list[Any]]] = [
    ("json", read_json, (JsonError,), [ENVELOPE, *PAYLOADS.values(), LINE]),
    ("envelope", envelope, (JsonError,), [{**ENVELOPE, "payload": payload} for payload in PAYLOADS.values()]),
    *((model.__name__, model_reader(model), (MessageError, JsonError), [good]) for model, good in PAYLOADS.items()),
    ("lane", lambda text: lane_from_text(text, 1).stamp, (LaneTextError,), [LANE]),
    ("message of a bag", lambda text: message_of_bag(text).payload, (MalformedError,), [ENVELOPE]),
    ("map of a bag", parse_json, (MalformedError,), [ENVELOPE]),
    ("tree of a bag", lambda text: [node.name for node in decode_tree(text)], (MalformedError,), [TREE]),
    ("tick of a bag", lambda text: TickDecoder(1).decode(text).number, (MalformedError,), [LINE]),
]


@pytest.mark.parametrize(("read", "refusals", "good"), [row[1:] for row in PARSERS], ids=[row[0] for row in PARSERS])
def test_any_text_is_taken_or_refused_in_one_short_line(read, refusals, good):
    for value in good:
        read(json.dumps(value))
    taken = 0
    for text in hostile_texts(good):
        try:
            known_values(read(text))
        except refusals as error:
            reason = str(error)
            assert 0 < len(reason) <= 300, reason
            assert reason.isprintable()
        else:
            taken += 1
    # The fuzzer must not only make what the first check refuses.
    assert 0.1 * EXAMPLES < taken < 0.9 * EXAMPLES


def test_whatever_comes_the_inbox_takes_or_counts_it():
    good = [{**ENVELOPE, "topic": model.topic, "payload": payload} for model, payload in PAYLOADS.items()]
    mailbox = Mailbox(PAYLOADS)
    dropped = came = 0
    for number, text in enumerate(hostile_texts(good, seed=1)):
        try:
            message = message_from_text(text)
        except JsonError:
            dropped += 1
            continue
        inbox = mailbox.take([message], number * 20_000_000)
        came += len(inbox.received)
        str(inbox)
    assert came + dropped + mailbox.refusals.total() == EXAMPLES
    assert len(mailbox.refusals) < 400
    assert min(came, dropped, mailbox.refusals.total()) > 0.01 * EXAMPLES


@pytest.mark.parametrize("digits", [17, 4299, 5000, 60_000])
@pytest.mark.parametrize("key", ["{}", "+{}", " {}", "0{}", "{}.0", "{}_0", "-{}"])
def test_a_verdict_of_many_digits_is_refused_and_counted(digits: int, key: str):
    mailbox = Mailbox((GameState,))
    verdicts = {key.format("1" * digits): True}
    payload = {**PAYLOADS[GameState], "verdicts": verdicts}
    inbox = mailbox.take([Message("game", "referee", 1, 1, 0, payload)], 0)
    assert (inbox.received, mailbox.refusals) == ((), {"game: malformed": 1})
    with pytest.raises(MessageError) as caught:
        GameState.decode(payload)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("key", [" 3", "+3", "03", "3.0", "3_0", "-0", "\u0663", "", "1e3", "9007199254740992"])
def test_no_two_texts_are_one_verdict(key: str):
    with pytest.raises(MessageError):
        GameState.decode({**PAYLOADS[GameState], "verdicts": {key: True}})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a":1,"a":2}', "a key comes twice"),
        ('{"b":[{"a":1,"a":1}]}', "a key comes twice"),
        ("NaN", "NaN is no number of JSON"),
        ("[-Infinity]", "-Infinity is no number of JSON"),
        ("[1e999]", "a number is too large"),
        ("9" * 5000, "a whole number has more than 64 bits"),
        (str(1 << 63), "a whole number has more than 64 bits"),
        (r'"\ud800"', "a text cannot be encoded"),
        (r'{"\udfff":1}', "a text cannot be encoded"),
        ("[" * 17 + "]" * 17, "nested more than 16 deep"),
        ("[" * 50_000, "maximum recursion depth"),
        ('"' + "x" * 10_001 + '"', "a text has more than 10000 characters"),
        ('"' + "\u00e9" * MAXIMUM_BYTES + '"', "longer than 65536 bytes"),
        ("", "Expecting value"),
    ],
)
def test_json_that_breaks_a_limit_is_refused_for_its_reason(text: str, reason: str):
    with pytest.raises(JsonError, match=reason):
        read_json(text)


def test_what_is_within_the_limits_is_read():
    assert read_json(str(-(1 << 63))) == -(1 << 63)
    assert read_json("[" * 16 + "]" * 16)
    assert read_json('"\u00e9\\ud83d\\ude00"') == "\u00e9\U0001f600"
    with pytest.raises(JsonError, match="more than 3 values"):
        read_json('{"a":[1]}', JsonLimits(values=3))
    assert read_json('{"a":1}', JsonLimits(values=3)) == {"a": 1}


def test_a_value_that_no_text_holds_is_refused():
    around: list[Any] = []
    around.append(around)
    for value in (around, {1: 2}, {"a": {3}}, [math.nan], 1 << 64, b"x", object(), {"a": ("b", math.inf)}):
        with pytest.raises(JsonError):
            check_plain(value)
    check_plain({"a": ("b", [1.5, None, True])})


@pytest.mark.parametrize(
    "change",
    [{"sender": ""}, {"sender": "x" * 201}, {"sender": "a\nb"}, {"topic": ""}, {"epoch": 1.0}, {"stamp": True}],
)
def test_an_envelope_names_who_sends_and_counts_in_whole_numbers(change: dict[str, Any]):
    with pytest.raises(JsonError):
        message_from_text(json.dumps({**ENVELOPE, **change}))


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
COUNTS = st.integers(0, (1 << 63) - 1)
NAMES = st.text(min_size=1, max_size=200).filter(str.isprintable)


@given(st.builds(Message, NAMES, NAMES, COUNTS, COUNTS, COUNTS, st.dictionaries(st.text(), PLAIN, max_size=4)))
def test_a_message_comes_back_from_its_text(message: Message):
    assert message_from_text(message_to_text(message)) == message


@pytest.mark.parametrize("value", [math.nan, math.inf, {1}, object()])
def test_what_json_cannot_hold_becomes_no_text(value: object):
    with pytest.raises(ValueError):
        message_to_text(Message("game", "referee", 1, 1, 1, {"x": value}))
