"""The message bus: seeded, ordered, and as unreliable as it is told to be."""

import pytest

from arena_trees.robot.clock import SECOND
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


def test_the_seed_alone_decides():
    wild = BusParameters(jitter_s=0.1, loss=0.2, duplication=0.2, reordering=0.2)
    assert talk(wild) == talk(wild)
    assert talk(wild) != talk(wild, seed=2)
    with_third = [entry for entry in talk(wild, names=("c", "a", "b")) if entry[1] == "a"]
    assert with_third == talk(wild)
