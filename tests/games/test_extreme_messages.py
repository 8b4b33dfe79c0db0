"""Messages that are legal and extreme: rules, schedulers and clients take them, and raise nothing."""

import math

from helpers.crossing_model import PLAN
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_trees.games.crossroads.layout.words import Key
from arena_trees.games.crossroads.messages import (
    MESSAGES,
    Approach,
    Crossing,
    CrossingClaim,
    CrossingRequest,
    Done,
    Holder,
    Identity,
    SchedulerState,
    Stage,
    Turn,
    Urgency,
)
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.games.crossroads.scheduling.scheduler import CrossingScheduler
from arena_trees.games.crossroads.scheduling.source_scheduler import SourceScheduler
from arena_trees.games.crossroads.scheduling.states import states_in
from arena_trees.games.crossroads.stop_lines import received_lease
from arena_trees.games.pacman.game_controller import GameController
from arena_trees.games.pacman.messages import Finished, PacmanStatus
from arena_trees.games.pacman.rules import PacmanRules
from arena_trees.games.truth import TruthSample
from arena_trees.games.wolf_rabbit.messages import CatchClaim
from arena_trees.games.wolf_rabbit.referee import Referee
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.game_message import GameMessage
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.message_text import MAXIMUM_BYTES, message_to_text
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Percepts
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.maps.map_files import find_map, start_pose
from arena_trees.world.maps.occupancy_map import load_map

FLAT = load_map(find_map("flat"))
UNHURRIED = settings(max_examples=40, deadline=None)
HIGHEST = (1 << 63) - 1

names = st.sampled_from(["a", "b", "s", "z", "\U0001f407" * 64, '"' * 64])
counts = st.sampled_from([0, 1, 2, (1 << 53) - 1]) | st.integers(0, (1 << 53) - 1)
numbers = st.sampled_from([0.0, -0.0, 1e6, -1e6, 5e-324, -0.3, 2.0]) | st.floats(-1e6, 1e6)
durations = st.sampled_from([0.0, 1e6, 5e-324, 12.0]) | st.floats(0.0, 1e6)
approaches, turns = st.sampled_from(Approach), st.sampled_from(Turn)
holders = st.builds(Holder, names, counts, counts, approaches, turns, numbers, counts, durations, counts)
rows = st.lists(holders, max_size=4).map(tuple)
fields = {
    "robot": names, "epoch": counts, "sequence": counts, "request": counts, "stage": st.sampled_from(Stage),
    "approach": approaches, "movement": turns, "urgency": st.sampled_from(Urgency), "first": st.booleans(),
    "progress": numbers, "waited": durations, "lease": durations,
    "scheduler": st.none() | st.builds(Identity, names, counts), "heard": rows, "crossing": counts,
}  # fmt: skip
claims = st.builds(CrossingRequest, **fields) | st.builds(CrossingClaim, **fields)
crossings = st.builds(
    Crossing,
    scheduler=names,
    epoch=counts,
    sequence=counts,
    state=st.sampled_from(SchedulerState),
    holders=rows,
    done=st.lists(st.builds(Done, names, counts, counts), max_size=4).map(tuple),
)
lives = st.sampled_from([0, 1, HIGHEST])
waits = st.sampled_from([0, 1, 20_000_000, 11_000_000_000, -5_000_000_000, 1 << 62])


def carried(message: GameMessage, sender: str, epoch: int, sequence: int) -> Message:
    return Message(message.topic, sender, epoch, sequence, HIGHEST, message.encode())


def envelopes(messages: st.SearchStrategy[GameMessage]) -> st.SearchStrategy[list[tuple[int, list[Message]]]]:
    """Return turns: a wait (ns), and what comes then, of whom it says it is."""

    def sent(message: GameMessage) -> st.SearchStrategy[Message]:
        sender = getattr(message, "robot", getattr(message, "scheduler", "wolf"))
        return st.builds(carried, st.just(message), st.just(sender), lives, lives)

    return st.lists(st.tuples(waits, st.lists(messages.flatmap(sent), max_size=4)), min_size=1, max_size=8)


def fits(message: GameMessage | None) -> None:
    """Hold what is answered to what can be sent, and read again."""
    if message is not None:
        text = message_to_text(carried(message, "s", HIGHEST, HIGHEST))
        assert len(text.encode()) <= MAXIMUM_BYTES
        assert type(message).decode(message.encode()) == message


@UNHURRIED
@given(envelopes(claims | crossings), st.booleans())
def test_schedulers_and_clients_of_a_crossing(turns, roster):
    mailbox = Mailbox(MESSAGES)
    mine = CrossingScheduler("s", 2, PLAN, roster=("a",) if roster else ())
    source, client = SourceScheduler("s", 2, PLAN), CrossingClient("b", 2)
    client.ask(0, Key(Approach.SOUTH, Turn.LEFT))
    now = 0
    for wait, messages in turns:
        now = max(0, now + wait)
        inbox = mailbox.take(messages, now)
        fits(mine.step(now, inbox.received))
        fits(source.step(now, inbox.received))
        fits(client.step(now, [state.message for state in states_in(inbox)], 0.0, True, True))
        mine.queue(now), mine.closed(now), mine.missing, source.waiting, client.lease, client.may_enter(now, 1.0)
        lease = received_lease("b", Percepts(now, inbox=inbox))
        assert lease is None or math.isfinite(lease.length)


claimed = st.builds(CatchClaim, claim=st.integers(1, (1 << 31) - 1), round=st.sampled_from([0, 1, (1 << 31) - 1]))


@UNHURRIED
@given(envelopes(claimed))
def test_the_referee(turns):
    mailbox, referee = Mailbox((CatchClaim,)), Referee(("wolf",), ("rabbit",), {}, 180.0)
    referee.begin(0)
    truth = {name: TruthSample(name, 0, Pose2D(2.0 * place, 0.0)) for place, name in enumerate(("wolf", "rabbit"))}
    now = 0
    for wait, messages in turns:
        now = max(0, now + wait)
        for state in referee.step(now, truth, mailbox.take(messages, now)):
            fits(state)


@settings(max_examples=15, deadline=None)
@given(envelopes(st.builds(PacmanStatus, status=st.sampled_from(Finished), round=counts)))
def test_the_game_controller_of_pacman(turns):
    mailbox = Mailbox((PacmanStatus,))
    rules = GameController(FLAT, start_pose(find_map("flat"), FLAT), RandomStreams(1), PacmanRules(), "wolf")
    rules.begin(0)
    now = 0
    for wait, messages in turns:
        now = max(0, now + min(wait, 10**12))
        for state in rules.step(now, {}, mailbox.take(messages, now)):
            state.encode()
