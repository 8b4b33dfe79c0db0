"""Who overtook whom at a crossing, and how long that held somebody up, by the truth."""

from arena_trees.games.crossroads.evaluation.order import OrderJudge
from arena_trees.games.crossroads.evaluation.trips import Trip
from arena_trees.games.crossroads.kinematics.body import KinematicBody
from arena_trees.games.crossroads.layout.plan import CrossingParameters, Key, plan_of
from arena_trees.games.crossroads.messages import Approach, Turn, Urgency
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.messaging.message_bus import MessageBus
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.timing import TICK

PLAN = plan_of(CrossingParameters())
S, E, N, W = Approach.SOUTH, Approach.EAST, Approach.NORTH, Approach.WEST


class Scene:
    """Robots that the test moves; each second is 50 looks."""

    def __init__(self, allowed: float = 2.0) -> None:
        self.bus = MessageBus(lambda: self.now, RandomStreams(0))
        self.judge = OrderJudge(PLAN, 0, allowed)
        self.now = 0
        self.bodies: list[KinematicBody] = []

    def put(self, name: str, key: Key, urgency: Urgency = Urgency.NORMAL) -> KinematicBody:
        trip = Trip(PLAN.movements[key], urgency, self.now, self.now, asked=self.now, first=self.now)
        self.bodies.append(KinematicBody(name, CrossingClient(name, 1), self.bus.port(name), trip=trip))
        return self.bodies[-1]

    def enter(self, body: KinematicBody, granted_ago: float = 0.0) -> None:
        body.trip.granted, body.trip.entered = self.now - from_seconds(granted_ago), self.now
        self.now += TICK
        self.judge.observe(self.now, self.bodies, [body])

    def wait(self, seconds: float) -> None:
        end = self.now + from_seconds(seconds)
        while self.now < end:
            self.now += TICK
            self.judge.observe(self.now, self.bodies, [])

    def result(self) -> tuple[int, int, float]:
        return self.judge.overtakings, self.judge.inversions, round(self.judge.longest, 1)


def overtaken(urgency: Urgency = Urgency.NORMAL, lent: bool = False) -> tuple[Scene, KinematicBody, KinematicBody]:
    """Return a robot from the south that has waited for 2 s, and one that has just gone in past it."""
    scene = Scene()
    early = scene.put("early", Key(S, Turn.STRAIGHT))
    scene.wait(1.0)
    late = scene.put("late", Key(E, Turn.STRAIGHT), urgency)
    if lent:
        behind = scene.put("behind", Key(E, Turn.LEFT), Urgency.EMERGENCY)
        behind.trip.first = None
    scene.wait(1.0)
    scene.enter(late)
    return scene, early, late


def test_one_that_waits_for_a_later_one_alone_is_held_up_until_its_grant():
    scene, early, late = overtaken()
    late.progress = 0.1
    scene.wait(1.5)
    assert scene.result() == (1, 0, 1.5)
    scene.wait(2.0)
    late.progress = PLAN.clear_from(late.movement.key, early.movement.key)
    scene.wait(1.0)
    # Granted a second ago: it was free to come near the line since.
    scene.enter(early, granted_ago=1.0)
    assert scene.result() == (1, 1, 3.5)


def test_it_is_not_held_up_while_one_from_before_is_in_its_way_or_waits_there():
    scene, _, late = overtaken()
    other = scene.put("other", Key(W, Turn.STRAIGHT))
    other.trip.entered = other.trip.granted = 0
    scene.wait(3.0)
    assert scene.judge.longest < 0.1
    other.progress = other.movement.length
    scene.wait(1.0)
    assert round(scene.judge.longest, 1) == 1.0
    late.dead = True
    scene.wait(5.0)
    assert round(scene.judge.longest, 1) == 1.0
    scene = Scene()
    scene.put("first", Key(W, Turn.STRAIGHT))
    scene.wait(0.5)
    scene.put("second", Key(S, Turn.STRAIGHT))
    scene.wait(1.0)
    late = scene.put("late", Key(E, Turn.RIGHT))
    scene.wait(1.0)
    assert PLAN.together(Key(E, Turn.RIGHT), Key(W, Turn.STRAIGHT))
    scene.enter(late)
    scene.wait(2.0)
    assert scene.result() == (1, 0, 0.0)


def test_who_is_more_urgent_or_leads_one_who_is_overtakes_nobody():
    for scene in (overtaken(Urgency.PRIORITY)[0], overtaken(lent=True)[0]):
        scene.wait(3.0)
        assert scene.result() == (0, 0, 0.0)
