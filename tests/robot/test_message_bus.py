"""The message bus: seeded, ordered, and as unreliable as it is told to be."""

from itertools import pairwise

import pytest

from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ConfigError
from arena_trees.robot.messaging.message_bus import BusParameters, MessageBus
from arena_trees.robot.random_streams import RandomStreams

TICK = SECOND // 50


class Clock:
    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def talk(parameters: BusParameters, seed: int = 1, ticks: int = 400, names: tuple[str, ...] = ("a", "b")) -> list:
    """Return (arrival, sender, number) of everything that b hears while a and b talk in each tick."""
    clock = Clock()
    bus = MessageBus(clock, RandomStreams(seed), parameters)
    ports = {name: bus.port(name) for name in names}
    heard = []
    for tick in range(ticks + 100):
        clock.now = tick * TICK
        heard += [(clock.now, message.sender, message.sequence) for message in ports["b"].receive()]
        if tick < ticks:
            for port in ports.values():
                port.send("count", {"tick": tick})
    return heard


def test_a_message_reaches_everybody_but_its_sender_after_the_delay():
    clock = Clock()
    bus = MessageBus(clock, RandomStreams(0), BusParameters(delay_s=0.04))
    wolf, rabbit, referee = bus.port("wolf"), bus.port("rabbit"), bus.port("referee")
    sent = wolf.send("catch_claim", {"claim": 1})
    assert (sent.sender, sent.epoch, sent.sequence, sent.stamp) == ("wolf", 0, 1, 0)
    assert wolf.send("catch_claim", {"claim": 1}).sequence == 2
    clock.now = TICK
    assert list(rabbit.receive()) == []
    clock.now = 2 * TICK
    assert [message.sequence for message in rabbit.receive()] == [1, 2]
    assert [message.sequence for message in referee.receive()] == [1, 2]
    assert list(rabbit.receive()) == []
    assert list(wolf.receive()) == []


def test_the_payload_is_a_copy_and_a_name_is_taken_once():
    clock = Clock()
    bus = MessageBus(clock, RandomStreams(0))
    sender, hearer = bus.port("a"), bus.port("b")
    payload = {"verdicts": {"1": True}}
    sender.send("game", payload)
    payload["verdicts"]["1"] = False
    clock.now = SECOND
    assert hearer.receive()[0].payload == {"verdicts": {"1": True}}
    bus = MessageBus(Clock(), RandomStreams(0))
    bus.port("wolf")
    with pytest.raises(ValueError, match="wolf"):
        bus.port("wolf")


def test_jitter_alone_keeps_the_order():
    heard = talk(BusParameters(jitter_s=0.3))
    numbers = [number for _, sender, number in heard if sender == "a"]
    assert numbers == list(range(1, 401))


def test_loss_duplication_and_reordering_happen_at_their_share():
    numbers = [n for _, sender, n in talk(BusParameters(loss=0.25)) if sender == "a"]
    assert 260 <= len(numbers) <= 340
    assert len(set(numbers)) == len(numbers)
    numbers = [n for _, sender, n in talk(BusParameters(duplication=0.25)) if sender == "a"]
    assert 460 <= len(numbers) <= 540
    assert sorted(set(numbers)) == list(range(1, 401))
    numbers = [n for _, sender, n in talk(BusParameters(reordering=0.25)) if sender == "a"]
    assert sorted(numbers) == list(range(1, 401))
    assert numbers != sorted(numbers)
    assert talk(BusParameters(loss=1.0)) == []


def test_bursts_lose_as_much_as_their_rate_and_length_say_and_in_runs():
    lost = []
    for seed in range(5):
        bursts = BusParameters(bursts_per_minute=20.0, burst_s=1.5)
        heard = {n for _, sender, n in talk(bursts, seed, ticks=30_000) if sender == "a"}
        lost += [n not in heard for n in range(1, 30_001)]
    # 1000 bursts in 50 minutes: the share has a standard deviation of 0.014.
    assert sum(lost) / len(lost) == pytest.approx(20.0 * 1.5 / 60.0, abs=0.04)
    begun = sum(now and not before for before, now in pairwise(lost))
    assert begun == pytest.approx(1000, abs=75)
    assert sum(lost) / begun * 0.02 == pytest.approx(1.5, abs=0.1)


def test_a_burst_takes_everybodys_messages_at_once():
    heard = talk(BusParameters(bursts_per_minute=20.0, burst_s=1.0), ticks=3000, names=("a", "c", "b"))
    a, c = ({n for _, sender, n in heard if sender == name} for name in ("a", "c"))
    assert a == c
    assert 1000 < len(a) < 3000


def test_without_bursts_their_length_changes_nothing_and_with_them_what_arrives_comes_as_it_did():
    wild = BusParameters(jitter_s=0.1, loss=0.2, duplication=0.2, reordering=0.2)
    assert talk(wild.with_changes({"burst_s": 3.0})) == talk(wild)
    unordered = BusParameters(loss=0.2, duplication=0.2, reordering=0.2)
    bursts = unordered.with_changes({"bursts_per_minute": 20.0, "burst_s": 1.0})
    assert set(talk(bursts, ticks=3000)) < set(talk(unordered, ticks=3000))


def test_the_same_seed_has_the_same_bursts():
    bursts = BusParameters(bursts_per_minute=20.0, burst_s=1.0)
    assert talk(bursts, ticks=3000) == talk(bursts, ticks=3000) != talk(bursts, seed=2, ticks=3000)


@pytest.mark.parametrize(
    "changes",
    [
        {"bursts_per_minute": float("nan")},
        {"bursts_per_minute": -1.0},
        {"burst_s": float("inf")},
        {"burst_s": 0.0},
        {"bursts_per_minute": 60.0, "burst_s": 1.0},
    ],
)
def test_bursts_that_cannot_be_are_refused(changes: dict[str, float]):
    with pytest.raises(ConfigError, match="burst"):
        BusParameters().with_changes(changes)


def test_the_seed_alone_decides():
    wild = BusParameters(jitter_s=0.1, loss=0.2, duplication=0.2, reordering=0.2)
    assert talk(wild) == talk(wild)
    assert talk(wild) != talk(wild, seed=2)
    with_third = [entry for entry in talk(wild, names=("c", "a", "b")) if entry[1] == "a"]
    assert with_third == talk(wild)
