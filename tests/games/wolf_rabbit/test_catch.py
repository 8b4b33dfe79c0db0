"""The catch: confirmed over images, claimed until answered, paused, and then back to the patrol."""

from typing import Any

import pytest
from helpers.tree_bench import TreeBench, box, target
from py_trees.common import Status

from arena_trees.behaviours.wolf_rabbit.catch import CatchConfirmed, ClaimCatch, near_enough, wide_enough
from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.games.wolf_rabbit.messages import CatchClaim
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.trees.wolf_rabbit.wolf import create_root

S, F, R = Status.SUCCESS, Status.FAILURE, Status.RUNNING
QUICK = {
    "catch_confirm_frames": 2,
    "catch_cooldown_sec": 0.2,
    "catch_pause_sec": 0.1,
    "catch_range": 0.5,
    "catch_bbox_width_px": 65.0,
}

REACH = {"arena": near_enough, "source": wide_enough}


def live(**values: Any) -> Live[WolfParameters]:
    return Live(WolfParameters(**{**QUICK, **values}))


# Rows of one tick each: n a new image within reach, f one out of reach, m one without the sign, . no new image.
CONFIRM = {
    "two images": ("nn", [F, S]),
    "two images with ticks between": ("n.n.", [F, F, S, F]),
    "an image counts once": ("n...", [F] * 4),
    "out of reach between": ("nfnn", [F, F, F, S]),
    "a miss between": ("nmnn", [F, F, F, S]),
    "never in reach": ("ffff", [F] * 4),
    "cooldown of ten ticks": ("nn" + "n" * 10 + "n", [F, S, *[F] * 9, S, F]),
    "no target": ("xx", [F, F]),
}


@pytest.mark.parametrize("strategy", ["arena", "source"])
@pytest.mark.parametrize(("rows", "statuses"), CONFIRM.values(), ids=CONFIRM.keys())
def test_a_catch_is_confirmed_by_images_in_a_row(strategy: str, rows: str, statuses: list[Status]) -> None:
    bench = TreeBench().set_up(CatchConfirmed("Reach?", "robot", live(), REACH[strategy]))
    hits = 0
    answers = []
    for row in rows:
        hits = hits + 1 if row in "nf" else (0 if row == "m" else hits)
        if row in "nf":
            size, away = (70.0, 0.45) if row == "n" else (60.0, 0.55)
            bench.follow(target(bench, box=box(width=size), range=away, hits=hits))
        elif row == "m":
            bench.follow(target(bench, box=box(width=70.0), range=0.45, hits=0, stamp=0))
        answers.append(bench.tick().status)
    assert answers == statuses


@pytest.mark.parametrize(
    ("strategy", "width", "away", "status"),
    [
        ("arena", 10.0, 0.50, S),
        ("arena", 200.0, 0.51, F),
        ("arena", 200.0, None, F),
        ("source", 65.0, 9.0, S),
        ("source", 64.9, 0.1, F),
        ("source", 65.0, None, S),
    ],
)
def test_reach_is_a_range_with_ours_and_a_box_width_with_the_source(strategy, width, away, status):
    leaf = CatchConfirmed("Reach?", "robot", live(catch_confirm_frames=1), REACH[strategy])
    bench = TreeBench().set_up(leaf)
    assert bench.follow(target(bench, box=box(width=width), range=away)).tick().status is status


def test_an_old_image_confirms_nothing() -> None:
    bench = TreeBench().set_up(CatchConfirmed("Reach?", "robot", live(catch_confirm_frames=1), near_enough))
    old = bench.now - SECOND
    assert bench.follow(target(bench, range=0.4, stamp=old, seen=old)).tick().status is F


def claims(bench: TreeBench, ticks: int) -> list[tuple[int, Any]]:
    found = []
    for k in range(ticks):
        found += [(k, claim.encode()) for claim in bench.tick().outbox]
    return found


def test_a_claim_is_repeated_until_there_is_a_verdict() -> None:
    bench = TreeBench().set_up(ClaimCatch("Claim", "robot", live(catch_pause_sec=1.0))).game(round=4)
    assert claims(bench, 21) == [(k, {"claim": 1, "round": 4}) for k in (0, 5, 10, 15, 20)]
    bench.game(round=4, verdicts={7: True})
    assert len(claims(bench, 10)) == 2
    bench.game(round=4, verdicts={1: False})
    assert claims(bench, 10) == []
    assert bench.root.feedback_message == "claim 1 rejected"


def test_a_tree_that_is_built_anew_claims_by_a_number_without_a_verdict() -> None:
    bench = TreeBench().set_up(ClaimCatch("Claim", "robot", live(catch_pause_sec=1.0)))
    bench.game(round=5, verdicts={1: True, 3: False})
    assert claims(bench, 1) == [(0, {"claim": 4, "round": 5})]


def test_it_stands_for_the_pause_and_each_claim_has_its_number() -> None:
    bench = TreeBench().set_up(ClaimCatch("Claim", "robot", live(catch_pause_sec=0.1)))
    for number in (1, 2, 3):
        outcomes = bench.ticks(6)
        assert [outcome.status for outcome in outcomes] == [R] * 5 + [S]
        assert [outcome.command for outcome in outcomes] == [(0.0, 0.0)] * 5 + [None]
        assert [outcome.cues for outcome in outcomes] == [["CATCH"], *[[]] * 5]
        assert outcomes[0].outbox == [CatchClaim(claim=number, round=0)]


def wolf(strategy: str) -> TreeBench:
    bench = TreeBench("wolf").set_up(create_root("wolf", live(strategy=strategy, leg_min_s=1.0), RandomStreams(0)))
    return bench.points().odometry()


def near(bench: TreeBench, ticks: int) -> list[str]:
    """Show the sign from 0.4 m in each third tick and return the active leaves without repetitions."""
    names: list[str] = []
    for k in range(ticks):
        bench.odometry()
        if k % 3 == 0:
            bench.see(box_at(0.40))
        outcome = bench.tick()
        if names[-1:] != [outcome.active]:
            names.append(outcome.active)
    return names


def box_at(distance: float) -> Any:
    """Return the box of a sign whose axis is straight ahead, face on, cut off by the image's upper edge."""
    parameters = WolfParameters()
    camera, sign = parameters.camera, parameters.sign
    depth = distance - camera.x - sign.size / 2.0
    focal = camera.focal_px(250)
    bottom = 125.0 - focal * (sign.z - sign.size / 2.0 - camera.z) / depth
    width = focal * sign.size / depth
    return type(box())("rabbit_sign", 1.0, 125.0, bottom / 2.0, width, bottom)


@pytest.mark.parametrize("strategy", ["arena", "source"])
def test_an_isolated_wolf_claims_pauses_and_hunts_on(strategy: str) -> None:
    """No referee answers: the wolf pauses, and while the rabbit stays near it claims again after the cooldown."""
    bench = wolf(strategy)
    names = near(bench, 60)
    assert names.count("Claim and pause") >= 2
    assert names[-1] in ("Chase the rabbit", "Claim and pause")
    away = [bench.odometry().see().tick().active for _ in range(120)]
    assert away[-1] in {"Forward", "Scan", "Search"}
    if strategy == "source":
        assert "Search" not in away
