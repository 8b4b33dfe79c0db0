"""The judge of PacMan: what it makes of true ways and of what the game declares."""

from __future__ import annotations

from arena_trees.games.pacman.controller import GameEvent, PacmanEvent
from arena_trees.games.pacman.judge import PacmanJudge
from arena_trees.games.pacman.messages import GhostView, Pellet
from arena_trees.robot.clock import SECOND

TICK = SECOND // 50
PELLETS = (Pellet(0, 1.0, 0.0), Pellet(1, 2.0, 0.0))


def judged(
    robots: list[tuple[float, float]],
    ghosts: list[tuple[float, float]],
    events: dict[int, GameEvent] | None = None,
    frightened: bool = False,
) -> PacmanJudge:
    """Return the judge after ticks with these places; the last one lasts for two more seconds."""
    judge = PacmanJudge(PELLETS, 0.25, 0.25)
    for tick in range(len(robots) + 100):
        robot, ghost = robots[min(tick, len(robots) - 1)], ghosts[min(tick, len(ghosts) - 1)]
        view = GhostView("clyde", *ghost, frightened=frightened)
        found = [event for number, event in (events or {}).items() if number == tick]
        judge.look(tick * TICK, robot, [view], True, found)
    judge.end()
    return judge


def death(tick: int) -> GameEvent:
    return GameEvent(PacmanEvent.DEATH, tick * TICK, 1, ghost="clyde")


def pickup(tick: int, pellet: int) -> GameEvent:
    return GameEvent(PacmanEvent.PELLET, tick * TICK, 1, pellet=pellet)


def test_a_touch_between_two_samples_is_one():
    # They pass each other at 0.2 m, from 0.5 m before to 0.5 m behind in one tick.
    judge = judged([(0.0, 0.0), (1.0, 0.0)], [(0.5, 0.2), (0.5, 0.2), (9.0, 9.0)], {1: death(1)})
    assert (judge.deaths, judge.false_deaths, judge.missed_deaths) == (1, 0, 0)


def test_a_touch_without_a_death_is_missed_once():
    judge = judged([(0.0, 0.0)] * 30, [(0.2, 0.0)] * 30)
    assert (judge.deaths, judge.false_deaths, judge.missed_deaths) == (0, 0, 1)


def test_a_death_without_a_touch_is_false():
    judge = judged([(0.0, 0.0)] * 5, [(0.26, 0.0)], {3: death(3)})
    assert (judge.deaths, judge.false_deaths, judge.missed_deaths) == (1, 1, 0)


def test_a_frightened_ghost_does_no_harm():
    judge = judged([(0.0, 0.0)] * 5, [(0.1, 0.0)], frightened=True)
    assert judge.missed_deaths == 0


def test_a_pellet_counts_when_it_was_touched_and_scored():
    way = [(0.1 * step, 0.0) for step in range(9)]
    judge = judged(way, [(9.0, 9.0)], {8: pickup(8, 0)})
    assert (len(judge.collected), judge.left, judge.complete, judge.false_pickups) == (1, 1, False, 0)
    judge = judged(way, [(9.0, 9.0)], {8: pickup(8, 0), 9: pickup(9, 1)})
    assert (judge.left, judge.complete, judge.false_pickups) == (0, True, 1)


def test_a_cue_answers_the_oldest_event_of_its_name():
    judge = PacmanJudge(PELLETS, 0.25, 0.25)
    for tick, event in ((0, pickup(0, 0)), (5, pickup(5, 1))):
        judge.look(tick * TICK, (0.0, 0.0), [], True, [event])
    judge.hear(6 * TICK, ["PELLET", "WIN"])
    assert (judge.latencies, judge.missing_cues) == ([6 * TICK], 1)
    judge.hear(7 * TICK, ["PELLET"])
    assert (judge.latencies, judge.missing_cues) == ([6 * TICK, 2 * TICK], 0)
    assert judge.mean_latency_s() == 0.08


def test_a_pellet_that_the_robot_stands_on_counts_when_the_game_begins_to_run():
    judge = PacmanJudge(PELLETS, 0.25, 0.25)
    judge.look(0, (1.0, 0.2), [], False, [])
    judge.look(TICK, (1.0, 0.2), [], False, [pickup(1, 0), pickup(1, 1)])
    assert judge.false_pickups == 1
