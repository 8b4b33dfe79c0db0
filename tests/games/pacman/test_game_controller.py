"""The game controller as a game's host sees it: what people may do, how a game ends, and that it is pure."""

import math
from typing import Any

import numpy as np
import pytest

from arena_trees.games.pacman.events import PacmanEvent
from arena_trees.games.pacman.game_controller import GameController
from arena_trees.games.pacman.messages import GhostView, PacmanGame, PacmanPhase, PacmanStatus, PacmanUnreached
from arena_trees.games.pacman.rules import PacmanRules
from arena_trees.games.truth import Truth, TruthSample
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.pacman.game import GAME
from arena_trees.world.maps.map_files import find_map, start_pose
from arena_trees.world.maps.occupancy_map import OccupancyMap, load_map
from arena_trees.world.shapes import Disc, Text

TICK = SECOND // 50
FLAT = load_map(find_map("flat"))
HOME = start_pose(find_map("flat"), FLAT)


class Table:
    """A game controller whose ghost stands far away, and a robot that is where a test wants."""

    def __init__(self, **rules: Any) -> None:
        changes = {"ghosts": [{"start": (6.0, -6.0)}], "motion.base_speed": 0.001, "motion.speed_step": 0.0, **rules}
        self.rules = GameController(FLAT, HOME, RandomStreams(1), PacmanRules().with_changes(changes), "robot")
        self.now = 0
        self.said: list[PacmanGame] = []
        self._mailbox = Mailbox((PacmanGame, PacmanStatus, PacmanUnreached))
        self._sequence = 0

    def step(self, x: float = HOME.x, y: float = HOME.y, *words: str, seen: bool = True) -> None:
        self.now += TICK
        messages = []
        for word in words:
            self._sequence += 1
            payload = {"status": word, "round": self.rules.state.round}
            messages.append(Message("pacman_status", "robot", 1, self._sequence, self.now, payload))
        truth: Truth = {"robot": TruthSample("robot", self.now, Pose2D(x, y))} if seen else {}
        self.said += self.rules.step(self.now, truth, self._mailbox.take(messages, self.now))

    def cannot_reach(self, *pellets: int, round: int = 1, sender: str = "robot", gave_up: bool = False) -> None:
        self.now += TICK
        self._sequence += 1
        payload = {"round": round, "pellets": list(pellets), "gave_up": gave_up}
        message = Message("pacman_unreached", sender, 1, self._sequence, self.now, payload)
        self.said += self.rules.step(self.now, {}, self._mailbox.take([message], self.now))

    def play(self):
        self.rules.begin(self.now)
        for word in ("READY", "AT_HOME", "STARTED"):
            self.step(HOME.x, HOME.y, word)
        assert self.rules.state.phase is PacmanPhase.RUNNING
        return self

    def collect_all(self) -> None:
        for pellet in self.rules.state.pellets:
            self.step(pellet.x, pellet.y)


def test_a_game_ends_by_the_last_pellet_and_not_before_until_the_next_round_begins():
    table = Table().play()
    assert table.rules.end is None
    with pytest.raises(ArenaTreesError, match="round 1 is being played"):
        table.rules.begin(table.now)
    table.collect_all()
    end = table.rules.end
    assert (end.outcome, end.reason) == ("complete", "all 8 pellets")
    assert table.now - TICK <= end.now <= table.now
    table.step()
    assert table.rules.end is end
    table.rules.begin(table.now)
    assert table.rules.end is None


def test_a_game_ends_by_the_last_death_and_is_stopped_without_an_end():
    table = Table().play()
    table.step(-1.0, 1.2)
    ghost = table.rules.state.ghosts[0]
    table.step(ghost.x, ghost.y)
    end = table.rules.end
    assert (end.outcome, end.reason) == ("died", "7 pellets left")
    table.rules.stop(table.now, "tired")
    assert (table.rules.end, table.rules.state.phase) == (None, PacmanPhase.MENU)


def test_a_game_that_the_robot_gives_up_ends_with_what_is_out_of_reach():
    table = Table().play()
    for pellet in table.rules.state.pellets[:6]:
        table.step(pellet.x, pellet.y)
    table.step(0.0, 0.0)
    left = [pellet.id for pellet in table.rules.state.pellets]
    table.cannot_reach(left[0])
    table.cannot_reach(*left, gave_up=True, round=2)
    table.cannot_reach(*left, gave_up=True, sender="other")
    table.cannot_reach(left[0], gave_up=True)
    table.cannot_reach(*left, 99)
    assert (table.rules.state.phase, table.rules.end) == (PacmanPhase.RUNNING, None)
    table.cannot_reach(*left, gave_up=True)
    end = table.rules.end
    assert (table.rules.state.phase, end.outcome, table.rules.state.over) == (
        PacmanPhase.GIVEN_UP,
        "out_of_reach",
        True,
    )
    places = ", ".join(f"{pellet.id} at ({pellet.x:.2f}, {pellet.y:.2f})" for pellet in table.rules.state.pellets)
    assert end.reason == f"2 of 8 pellets out of reach: {places}"
    told = [event.pellet for event in table.rules.controller.events if event.event is PacmanEvent.OUT_OF_REACH]
    assert told == left
    table.rules.begin(table.now)
    state = table.rules.state
    assert (state.phase, state.score, len(state.pellets)) == (PacmanPhase.RETURNING_HOME, 0, 8)


def test_a_map_on_which_a_ghost_stands_beside_the_robot_is_refused():
    closet = OccupancyMap.build(np.ones((20, 20), np.bool_), 0.05)
    rules = PacmanRules().with_changes({"pellets.spacing": 0.5})
    with pytest.raises(ConfigError, match=r"ghosts appear 0\.\d+ m from the robot's start; 0\.75 m are needed"):
        GameController(closet, Pose2D(0.5, 0.5), RandomStreams(1), rules, "robot")
    hall = OccupancyMap.build(np.ones((20, 60), np.bool_), 0.05)
    assert GameController(hall, Pose2D(0.5, 0.5), RandomStreams(1), rules, "robot").state.ghosts


def test_a_robot_that_is_not_seen_collects_nothing():
    table = Table().play()
    table.step(-1.0, 1.2, seen=False)
    assert table.rules.state.score == 0
    table.step(-1.0, 1.2)
    assert table.rules.state.score == 1


def test_what_people_may_do():
    table = Table().play()
    table.step(-1.0, 1.2)
    controls, settings = table.rules.controls, table.rules.settings
    assert set(controls) == {"reset_pellets", "reset_ghosts"}
    assert set(settings) == {"remove_pellet", "ghost_speed"}
    assert controls["reset_pellets"](table.now) == "8 pellets"
    assert len(table.rules.state.pellets) == 8
    assert settings["remove_pellet"](table.now, 7) == "pellet 7 is removed"
    assert len(table.rules.state.pellets) == 7
    assert settings["ghost_speed"](table.now, 1) == "ghosts move at 1 m/s"
    assert table.rules.state.ghosts[0].speed == 1.0
    assert controls["reset_ghosts"](table.now) == "ghosts at new places: 1"
    assert table.rules.state.ghosts[0].speed == 0.001


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("remove_pellet", 8),
        ("remove_pellet", True),
        ("remove_pellet", "1"),
        ("remove_pellet", [1]),
        ("ghost_speed", 0.0),
        ("ghost_speed", math.nan),
        ("ghost_speed", "fast"),
        ("ghost_speed", None),
        ("ghost_speed", True),
    ],
)
def test_a_setting_that_is_none_is_refused(name: str, value: Any):
    with pytest.raises(ArenaTreesError):
        Table().rules.settings[name](0, value)


def test_the_diagnostics_say_how_it_stands():
    table = Table().play()
    well, phrase, values = table.rules.diagnostics(table.now)
    assert (well, phrase) == (True, "round 1: RUNNING, score 0")
    assert (values["pellets left"], values["robot ready"]) == ("8", "True")


def test_what_it_says_is_its_state_and_equal_inputs_give_equal_states():
    said = []
    for _ in range(2):
        table = Table(**{"motion.base_speed": 0.3}).play()
        assert table.said[-1] == table.rules.state
        table.collect_all()
        said.append([state.encode() for state in table.said])
    assert said[0] == said[1]
    assert all(PacmanGame.decode(payload).encode() == payload for payload in said[0])


def test_what_is_drawn_of_a_state():
    table = Table(**{"pellets.power_pellets": 1}).play()
    shapes = GAME.shapes(table.rules.state)
    discs = [shape for shape in shapes if isinstance(shape, Disc)]
    assert [disc.group for disc in discs] == ["pellets"] * 8 + ["ghosts"]
    assert len({disc.radius for disc in discs[:8]}) == 2
    words = [shape.text for shape in shapes if isinstance(shape, Text)]
    assert words == [*map(str, range(8)), "clyde", "RUNNING\nround 1  score 0  1 life"]
    assert len(GAME.shapes(table.rules.state.model_copy(update={"pellets": ()}))) == 3


def test_a_forged_word_shuts_the_robot_out_for_ten_seconds_and_no_longer():
    table = Table()
    highest = Message("pacman_status", "robot", (1 << 63) - 1, (1 << 63) - 1, 0, {"status": "WIN_SHOWN", "round": 1})
    table.rules.step(0, {}, table._mailbox.take([highest], 0))
    table.rules.begin(0)
    for _ in range(11 * 50):
        table.step(HOME.x, HOME.y, "READY")
    assert table.rules.state.phase is PacmanPhase.RETURNING_HOME
    table.step(HOME.x, HOME.y, "AT_HOME")
    assert table.rules.state.phase is PacmanPhase.STARTING


def test_ghosts_have_the_colours_of_their_names():
    table = Table().play()
    names = ("Inky", "puppy", "clyde", "pinky", "BLINKY")
    ghosts = tuple(GhostView(name, 1.0, 1.0) for name in names)
    shapes = GAME.shapes(table.rules.state.model_copy(update={"ghosts": ghosts, "pellets": ()}))
    cyan, other, orange, pink, red = (shape.fill for shape in shapes if isinstance(shape, Disc))
    assert (cyan, orange, pink, red) == ("#1ac8c8", "#ff991a", "#ff80cc", "#ff1a1a")
    assert other not in (cyan, orange, pink, red)


def test_the_state_is_repeated_at_its_period_and_published_at_once_when_something_happens():
    table = Table().play()
    pellets = list(table.rules.state.pellets)
    steps = {
        "nothing": table.step,
        "a pellet is collected": lambda: table.step(pellets[0].x, pellets[0].y),
        "pellet removed": lambda: (table.rules.settings["remove_pellet"](table.now, pellets[1].id), table.step()),
        "pellets reset": lambda: (table.rules.controls["reset_pellets"](table.now), table.step()),
        "ghosts reset": lambda: (table.rules.controls["reset_ghosts"](table.now), table.step()),
        "ghost's speed": lambda: (table.rules.settings["ghost_speed"](table.now, 0.2), table.step()),
    }
    for what, step in steps.items():
        # The one that is repeated, and then two ticks of the five until the next one.
        while not table.said:
            table.step()
        table.step()
        table.said.clear()
        step()
        assert len(table.said) == (what != "nothing"), what
        table.said.clear()
    for _ in range(50):
        table.step()
    assert len(table.said) == 10
