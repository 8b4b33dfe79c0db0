"""The game of PacMan: phases, start and reset, pellets and deaths between samples, lives, rounds, events."""

import math
from itertools import pairwise
from typing import Any

import pytest

from arena_trees.games.pacman.controller import PacmanController
from arena_trees.games.pacman.events import PacmanEvent
from arena_trees.games.pacman.messages import PacmanGame, PacmanPhase, PacmanStatus
from arena_trees.games.pacman.rules import PacmanRules
from arena_trees.robot.clock import SECOND
from arena_trees.robot.errors import ArenaTreesError, ConfigError
from arena_trees.robot.messaging.inbox import Mailbox
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.world.maps.map_files import find_map, start_pose
from arena_trees.world.maps.occupancy_map import load_map

TICK = SECOND // 50
FLAT = load_map(find_map("flat"))
HOME = start_pose(find_map("flat"), FLAT)
CENTRE = (HOME.x, HOME.y)
FAR_AWAY = ({"start": (6.0, -6.0)},)


class Table:
    """A game, its clock, and a robot that says and stands what a test wants.

    Its ghost stands still in the study where nothing else is said: at 0.001 m/s nobody meets it.
    """

    def __init__(self, seed: int = 1, **rules: Any) -> None:
        changes = {"ghosts": FAR_AWAY, "motion.base_speed": 0.001, "motion.speed_step": 0.0, **rules}
        self.game = PacmanController(FLAT, HOME, RandomStreams(seed), PacmanRules().with_changes(changes), "robot")
        self.now = 0
        self.sequence = 0
        self.reported: list[PacmanGame] = []
        self._mailbox = Mailbox((PacmanStatus,))

    def message(self, status: Any, round: Any = None, sender: str = "robot") -> Message:
        self.sequence += 1
        about = self.game.round if round is None else round
        payload = {"status": status, "round": about}
        return Message("pacman_status", sender, 1, self.sequence, self.now, payload)

    def step(self, place: tuple[float, float] | None = CENTRE, *said: str, ticks: int = 1) -> None:
        for tick in range(ticks):
            self.now += TICK
            messages = [self.message(status) for status in said] if tick == 0 else []
            self.hear(place, messages)

    def hear(self, place: tuple[float, float] | None, messages: list[Message]) -> None:
        """Step the game once at this instant, with messages as they come from the bus."""
        inbox = self._mailbox.take(messages, self.now)
        state = self.game.step(self.now, place, inbox.of(PacmanStatus))
        if state is not None:
            self.reported.append(state)

    def play(self):
        """Lead the game from its start to RUNNING."""
        if not self.game.ready:
            self.step(CENTRE, "READY")
        if self.game.phase is not PacmanPhase.RETURNING_HOME:
            self.game.start(self.now)
        self.step(CENTRE, "AT_HOME")
        self.step(CENTRE, "STARTED")
        assert self.game.phase is PacmanPhase.RUNNING
        return self

    def die(self) -> None:
        self.step(self.game.ghosts[0].position)
        assert self.game.phase is PacmanPhase.DYING

    def collect_all(self) -> None:
        for pellet in list(self.game.field.remaining.values()):
            self.step((pellet.x, pellet.y))

    @property
    def events(self) -> list[str]:
        return [event.event.value for event in self.game.events]


def test_a_game_from_menu_to_complete() -> None:
    table = Table()
    assert table.game.phase is PacmanPhase.MENU
    table.step(CENTRE, "READY")
    table.game.start(table.now)
    assert table.game.phase is PacmanPhase.RETURNING_HOME
    table.step(CENTRE, "STARTED")
    assert table.game.phase is PacmanPhase.RETURNING_HOME
    table.step(CENTRE, "AT_HOME")
    assert table.game.phase is PacmanPhase.STARTING
    table.step(CENTRE, "STARTED")
    assert table.game.phase is PacmanPhase.RUNNING
    table.collect_all()
    assert table.game.phase is PacmanPhase.COMPLETE
    assert table.game.over
    assert table.game.score == 8
    assert table.events == ["START_THEATRICAL", *["PELLET"] * 8, "WIN"]
    assert [event.pellet for event in table.game.events[1:9]] == list(range(8))
    assert all(a.now <= b.now for a, b in pairwise(table.game.events))


def test_a_start_waits_until_the_robot_knows_where_it_is() -> None:
    table = Table()
    table.game.start(0)
    table.step(ticks=50)
    assert table.game.phase is PacmanPhase.MENU
    table.step(CENTRE, "READY")
    assert table.game.phase is PacmanPhase.RETURNING_HOME
    waiting = Table()
    waiting.game.start(0)
    waiting.game.reset(0)
    waiting.step(CENTRE, "READY")
    assert waiting.game.phase is PacmanPhase.MENU


def test_a_start_after_complete_is_the_next_round() -> None:
    table = Table(lives=2, **{"motion.base_speed": 0.25, "motion.speed_step": 0.05})
    for number in (1, 2, 3):
        table.play()
        assert table.game.round == number
        assert table.game.score == 8 * (number - 1)
        assert table.game.lives == 2
        assert len(table.game.field.remaining) == 8
        assert table.game.ghosts[0].speed == pytest.approx(0.20 + 0.05 * number)
        for pellet in list(table.game.field.remaining.values()):
            # The ghost cannot come near within a tick.
            table.game.reset_ghosts(table.now)
            table.step((pellet.x, pellet.y)) if pellet.id < 7 else table.step((pellet.x + 0.2, pellet.y + 0.1))
        assert table.game.phase is PacmanPhase.COMPLETE
    assert table.game.score == 24


def test_a_start_after_the_last_death_is_a_new_game() -> None:
    table = Table(first_round=3).play()
    table.step((-1.0, 1.2))
    table.collect_all()
    table.play()
    assert table.game.round == 4
    table.die()
    assert table.game.over
    assert table.game.lives == 0
    table.play()
    assert (table.game.round, table.game.score, table.game.lives) == (3, 0, 1)
    assert len(table.game.field.remaining) == 8


def test_with_lives_left_the_round_goes_on_by_itself() -> None:
    table = Table(lives=2).play()
    table.step((-1.0, 1.2))
    table.die()
    assert not table.game.over
    with pytest.raises(ArenaTreesError, match="round 1 is being played"):
        table.game.start(table.now)
    table.step(CENTRE, "DEATH_SHOWN")
    assert table.game.phase is PacmanPhase.RETURNING_HOME
    table.play()
    assert (table.game.round, table.game.score, table.game.lives) == (1, 1, 1)
    assert len(table.game.field.remaining) == 7
    table.die()
    table.step(CENTRE, "DEATH_SHOWN")
    table.step(CENTRE, "DEATH_SHOWN")
    assert table.game.phase is PacmanPhase.DYING
    start = ["START_THEATRICAL"]
    assert table.events == [*start, "PELLET", "DEATH", *start, "DEATH", "GAME_OVER"]


def test_the_game_goes_on_without_the_robots_word() -> None:
    table = Table(lives=1, theatrics_limit=5.0)
    table.step(CENTRE, "READY")
    table.game.start(table.now)
    table.step(CENTRE, "AT_HOME")
    table.step(ticks=251)
    assert table.game.phase is PacmanPhase.RUNNING
    table.die()
    table.step(ticks=251)
    assert table.events[-1] == "GAME_OVER"
    assert table.events.count("GAME_OVER") == 1


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_a_reset_leads_to_the_menu_from_everywhere(steps: int) -> None:
    table = Table()
    if steps > 0:
        table.play()
        table.step((-1.0, 1.2))
    if steps == 2:
        table.die()
    if steps == 3:
        table.collect_all()
    table.game.reset(table.now)
    assert table.game.phase is PacmanPhase.MENU
    assert (table.game.round, table.game.score, table.game.lives) == (1, 0, 1)
    assert len(table.game.field.remaining) == 8
    assert table.events[-1] == "RESET"
    table.play()


def test_nothing_counts_but_in_running() -> None:
    table = Table()
    table.step((-1.0, 1.2), "READY")
    table.game.start(table.now)
    table.step((-1.0, 1.2), "AT_HOME")
    table.step(table.game.ghosts[0].position)
    assert (table.game.score, table.game.lives) == (0, 1)
    table.step(CENTRE, "STARTED")
    table.die()
    table.step((-1.0, 1.2))
    assert (table.game.score, table.game.lives) == (0, 0)


def test_ghosts_stand_still_but_in_running() -> None:
    table = Table(**{"motion.base_speed": 0.25})
    before = table.game.ghosts[0].position
    table.step(CENTRE, "READY", ticks=100)
    assert table.game.ghosts[0].position == before
    table.play()
    before = table.game.ghosts[0].position
    table.step(ticks=50)
    assert 0.0 < math.dist(before, table.game.ghosts[0].position) <= 0.25 + 1e-9


def test_a_pellet_between_two_places_is_collected_at_its_instant() -> None:
    table = Table().play()
    # Past (-1.0, -0.8), 0.6 m in half a second; neither end is within 0.25 m.
    table.step((-1.3, -0.8 + 0.1))
    table.now += SECOND // 2 - TICK
    table.step((-0.7, -0.8 + 0.1))
    event = table.game.events[-1]
    assert event.event is PacmanEvent.PELLET
    before = (0.3 - math.sqrt(0.25**2 - 0.1**2)) / 0.6
    assert event.now == pytest.approx(table.now - (1.0 - before) * SECOND / 2, abs=1e3)


def test_a_ghost_between_two_places_is_a_death_and_a_jump_is_none() -> None:
    table = Table().play()
    x, y = table.game.ghosts[0].position
    table.step((x - 0.3, y))
    table.now += SECOND // 2 - TICK
    table.step((x + 0.3, y))
    assert table.game.phase is PacmanPhase.DYING
    assert table.game.events[-1].ghost == "clyde"
    jumping = Table().play()
    x, y = jumping.game.ghosts[0].position
    jumping.step((x - 1.0, y))
    jumping.step((x + 1.0, y))
    assert jumping.game.phase is PacmanPhase.RUNNING


def test_the_radii_are_exact() -> None:
    for gap, counts in ((0.249, True), (0.252, False)):
        table = Table().play()
        table.step((-1.0 + gap, 1.2))
        assert (table.game.score == 1) is counts
        x, y = table.game.ghosts[0].position
        table.step((x + gap, y))
        assert (table.game.phase is PacmanPhase.DYING) is counts


def test_what_comes_first_counts_first():
    # The ghost stands 0.6 m behind the far pellet: who comes from this side has the pellet first, and then dies.
    table = Table(ghosts=({"start": (5.0, -5.4)},)).play()
    table.step((5.0, -4.4))
    table.now += SECOND - TICK
    table.step((5.0, -5.3))
    assert table.events[-2:] == ["PELLET", "DEATH"]
    first = Table(ghosts=({"start": (5.0, -4.2)},)).play()
    first.step((5.0, -3.9))
    first.now += SECOND - TICK
    first.step((5.0, -4.8))
    assert first.events[-1] == "DEATH"
    assert first.game.score == 0


def test_the_last_pellet_wins_though_a_ghost_stands_behind_it() -> None:
    table = Table(ghosts=({"start": (5.0, -5.4)},)).play()
    for pellet in list(table.game.field.remaining.values())[:-1]:
        table.step((pellet.x, pellet.y))
    table.step((5.0, -4.4))
    table.now += SECOND - TICK
    table.step((5.0, -5.3))
    assert table.game.phase is PacmanPhase.COMPLETE
    assert table.game.lives == 1


def test_without_a_place_nothing_is_judged_and_the_gap_is_bridged() -> None:
    table = Table().play()
    table.step((-1.3, -0.7))
    for place in (None, (math.nan, 0.0), (0.0, math.inf)):
        table.step(place)
    assert table.game.score == 0
    table.step((-1.05, -0.7))
    assert table.game.score == 1


def test_a_pellet_removed_by_hand_is_no_score_and_no_completion() -> None:
    table = Table().play()
    assert table.game.remove_pellet(7)
    assert not table.game.remove_pellet(7)
    table.collect_all()
    assert table.game.phase is PacmanPhase.RUNNING
    assert table.game.score == 7
    assert not table.game.field.remaining
    table.game.reset_pellets()
    table.collect_all()
    assert table.game.phase is PacmanPhase.COMPLETE
    assert table.game.score == 15


def test_a_power_pellet_makes_ghosts_harmless_for_a_while() -> None:
    table = Table(**{"pellets.power_pellets": 8, "motion.fright_time": 8.0}).play()
    table.step((-1.0, 1.2))
    assert table.events[-1] == "POWER_PELLET"
    ghost = table.game.ghosts[0]
    table.step(ghost.position, ticks=390)
    assert table.game.phase is PacmanPhase.RUNNING
    assert ghost.frightened
    table.step(ghost.position, ticks=20)
    assert not ghost.frightened
    assert table.game.phase is PacmanPhase.DYING


def test_messages_that_are_none_of_ours_change_nothing() -> None:
    table = Table()
    table.step(CENTRE, "READY")
    table.game.start(table.now)
    old = table.message("AT_HOME")
    strange: list[Message] = [
        table.message("AT_HOME", sender="other"),
        table.message("AT_HOME", round=2),
        table.message("HOME"),
        Message("game", "robot", 1, 100, 0, {"status": "AT_HOME", "round": 1}),
    ]
    table.sequence = 200
    for message in strange:
        table.hear(CENTRE, [message])
        assert table.game.phase is PacmanPhase.RETURNING_HOME
    table.step(CENTRE, "AT_HOME")
    table.hear(CENTRE, [old])
    assert table.game.phase is PacmanPhase.STARTING


def test_the_state_is_told_at_once_and_ten_times_a_second() -> None:
    table = Table().play()
    table.reported.clear()
    table.step(ticks=50)
    assert 10 <= len(table.reported) <= 12
    table.reported.clear()
    table.step((-1.0, 1.2))
    assert len(table.reported) == 1
    reported = PacmanGame.decode(table.reported[0].encode())
    assert reported == table.reported[0] == table.game.game()
    assert reported.spawned == 8
    assert len(reported.pellets) == 7
    assert reported.home == HOME


def test_no_ghosts_and_many_ghosts() -> None:
    lonely = Table(ghosts=()).play()
    lonely.collect_all()
    assert lonely.game.phase is PacmanPhase.COMPLETE
    kinds = ("clyde_source", "clyde", "chase", "puppy_guard")
    crowd = Table(ghosts=[{"name": f"{kind}_{n}", "kind": kind} for kind in kinds for n in range(4)]).play()
    crowd.step(ticks=20)
    places = [ghost.position for ghost in crowd.game.ghosts]
    assert len(set(places)) > 10
    assert crowd.game.ghosts[15].kind == "puppy_guard"
    assert math.dist(places[15], (5.0, -4.8)) <= 1.5


def test_the_same_seed_is_the_same_game() -> None:
    def reported(seed: int) -> list[PacmanGame]:
        table = Table(seed, ghosts=[{"kind": "clyde_source"}], **{"motion.base_speed": 0.3}).play()
        table.step(ticks=500)
        return table.reported

    assert reported(7) == reported(7)
    assert reported(7) != reported(8)


def test_a_ghosts_speed_can_be_set_until_it_is_reset() -> None:
    table = Table()
    table.game.set_ghost_speed(0.7)
    assert table.game.game().ghosts[0].speed == 0.7
    table.game.reset_ghosts(0)
    assert table.game.game().ghosts[0].speed == 0.001
    for speed in (0.0, -1.0, math.nan, math.inf, 2.1):
        with pytest.raises(ConfigError, match="speed"):
            table.game.set_ghost_speed(speed)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"lives": 0}, "lives"),
        ({"death_radius": math.nan}, "death_radius"),
        ({"ghosts": [{"kind": "sue"}]}, "ghosts.0.kind"),
        ({"ghosts": [{}, {}]}, "the same name"),
        ({"ghosts": [{"name": str(n)} for n in range(65)]}, "64"),
        ({"motion.speed_step": math.inf}, "speed_step"),
        ({"pellets.spacing": 0.0}, "spacing"),
    ],
)
def test_bad_rules_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        PacmanRules().with_changes(changes)
