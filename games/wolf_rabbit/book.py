"""The chapter of wolf and rabbit: sections 3.1 to 3.4 of the Wolf and Rabbit report, and who catches where."""

from __future__ import annotations

from collections.abc import Iterator

from arena_trees.games.book import (
    Cell,
    Chapter,
    Figure,
    Measurement,
    Reading,
    Run,
    Table,
    Trials,
    changes_table,
    field_run,
)

__all__ = ["CHAPTER"]

_BLIND = ("wolf.cone_check=patrol",)
_CODE = ("rabbit.return_linear_speed=0.28", "rabbit.wander_radius=1.3")

_RUNS = {
    "boxes": Run("wolf_rabbit", 200, compare="source"),
    "open": Run("wolf_rabbit_open", 60, compare="source"),
    "slow": Run("wolf_rabbit_slow_vision", 100, compare="source"),
    "rabbit_by_code": Run("wolf_rabbit", 60, compare="source", settings=_CODE),
    "boxes_by_code": Run("wolf_rabbit", 100, strategy="source", settings=_BLIND),
    "open_by_code": Run("wolf_rabbit_open", 60, strategy="source", settings=_BLIND),
    "claims_at_65_px": Run("wolf_rabbit", 60, strategy="source", settings=("wolf.catch_bbox_width_px=65",)),
    "recovery": Run("breach_recovery", 96, compare="source"),
    "no_false_boxes": Run("breach_recovery", 96, strategy="source", settings=("wolf.sensors.camera.false_alarms=0",)),
    "errors": Run("error_analysis", 60),
    "wolf_changes": Run("wolf_rabbit_sensitivity", 40, 30_000),
    "wolf_field": field_run("wolf_rabbit", 200, compare="source"),
    "rabbits_field": field_run("wolf_rabbit_rabbits", 40),
    "rabbits_field_source": field_run("wolf_rabbit_rabbits", 40, strategy="source"),
    "pack_field": field_run("wolf_rabbit_pack", 40),
    "carrots_field": field_run("wolf_rabbit_carrots", 40),
    "several_field": field_run("wolf_rabbit_several", 40),
    "several_field_source": field_run("wolf_rabbit_several", 40, strategy="source"),
}

_MEASUREMENTS = {
    f"signs_{robot}": Measurement(
        "python benchmarks/record_camera_frames.py FOLDER --trials 100 --seed 9700 && "
        f"arena-trees evaluate-signs FOLDER/{robot} --json signs_{robot}.json",
        "9700 to 9799",
        "images",
    )
    for robot in ("wolf", "rabbit")
}

_TIMES = ("catch_rate", "time_to_catch_s", "game_time_s")
_WORLDS = (
    ("four random boxes", "boxes"),
    ("the open room (`wolf_rabbit_open`)", "open"),
    ("slow vision (`wolf_rabbit_slow_vision`)", "slow"),
    ("boxes, the rabbit with its code's values", "rabbit_by_code"),
)
_BLIND_WORLDS = (("four random boxes", "boxes_by_code"), ("the open room", "open_by_code"))
_TRACKING = (
    ("filter and look-ahead, half images", "tracking_error_filtered"),
    ("raw detections, half images", "tracking_error_raw"),
    ("frames in the deadband", "deadband_share"),
    ("lost events", "lost_events"),
)
_BEHAVIOUR = (
    ("catch success rate", "catch_rate"),
    ("mean time to catch, s", "time_to_catch_s"),
    ("mean time to catch or end, s", "game_time_s"),
    ("true distance at the catch, m", "catch_true_distance_m"),
    ("false catches a trial", "catch_false_count"),
    ("until both stand, s", "stop_after_catch_s"),
    ("breaches a trial, wolf", "wolf_breaches_per_trial"),
    ("breaches a trial, rabbit", "rabbit_breaches_per_trial"),
    ("breach recoveries (`breach_recovery`)", "recovery_rate"),
    ("time of a recovery, s", "time_to_recover_s"),
    ("rests of the rabbit a trial", "rest_events_per_trial"),
    ("collisions a trial", "collisions"),
    ("contacts of the robots a trial", "robot_contacts"),
)
_ERRORS = (
    "pixels per radian x 0.50", "pixels per radian x 0.75", "pixels per radian x 1.25", "pixels per radian x 1.50",
    "10 % of images lost", "20 % of images lost", "40 % of images lost", "pose drifts 0.1 m/min",
    "pose drifts 0.3 m/min", "home slips 0.3 m", "home slips 0.6 m",
)  # fmt: skip
_ERROR_METRICS = (
    "catch_rate", "time_to_catch_s", "tracking_error_filtered", "lost_events", "wolf_breaches_per_trial",
    "rabbit_breaches_per_trial",
)  # fmt: skip


def _signs() -> Iterator[tuple[Cell, ...]]:
    for label, robot in (("rabbit_sign", "wolf"), ("wolf_sign", "rabbit"), ("carrot", "wolf"), ("carrot", "rabbit")):
        run, where = f"signs_{robot}", (("class", label), ("size_px", "all"))
        scores = (Reading(run, name, "scores", where) for name in ("precision", "recall", "map50"))
        yield f"`{label}`", robot, *scores, Reading(run, "images")


def _catches() -> Iterator[tuple[Cell, ...]]:
    for label, run in _WORLDS:
        pairs = (Figure(run, metric, arm) for metric in _TIMES for arm in ("", "source"))
        yield label, Trials(run), *pairs
    for label, run in _BLIND_WORLDS:
        cells = (cell for metric in _TIMES for cell in ("", Figure(run, metric)))
        yield f"{label}, the source as its code has it: blind in the chase", Trials(run), *cells


def _claims() -> Iterator[tuple[Cell, ...]]:
    names = ("claim_rate", "time_to_claim_s", "claim_true_distance_m", "catch_false_count")
    wolves = (
        ("arena: range at most 0.54 m", "boxes", ""),
        ("source: box of 140 px", "boxes", "source"),
        ("source: box of 65 px, its code's", "claims_at_65_px", ""),
    )
    for label, run, arm in wolves:
        yield label, Trials(run), *(Figure(run, name, arm) for name in names)


def _tracking() -> Iterator[tuple[Cell, ...]]:
    for world, run in (("", "boxes"), ("slow vision: ", "slow")):
        for label, metric in _TRACKING:
            among = "caught"
            yield (
                world + label,
                f"`{metric}`",
                Figure(run, metric, "source", "n", among=among, less="arena"),
                Figure(run, metric, among=among),
                Figure(run, metric, "source", among=among),
                Figure(run, metric, "source", among=among, less="arena"),
                Figure(run, metric),
                Figure(run, metric, "source"),
            )


def _behaviour() -> Iterator[tuple[Cell, ...]]:
    for label, metric in _BEHAVIOUR:
        run = "recovery" if "recover" in metric else "boxes"
        yield label, f"`{metric}`", Figure(run, metric), Figure(run, metric, "source")
    yield "breach recoveries without false boxes", "`recovery_rate`", "", Figure("no_false_boxes", "recovery_rate")


def _field() -> Iterator[tuple[Cell, ...]]:
    names = ("rest_events_per_trial", "wolf_breaches_per_trial", "rabbit_breaches_per_trial", "collisions")
    rows = [("the document's rabbit (`wolf_rabbit`)", "arena", "wolf_field", "arena")]
    rows += [("the document's rabbit (`wolf_rabbit`)", "source", "wolf_field", "source")]
    for label, arm in (
        ("with its code's values", ""), ("it tires soon", "tires soon"), ("it is safe at home", "is safe at home"),
        ("it keeps away", "keeps away"),
        ("it hides", "hides"),
    ):  # fmt: skip
        rows += [(label, "arena", "rabbits_field", arm), (label, "source", "rabbits_field_source", arm)]
    rows += [("it keeps away from two wolves", "arena, each by itself", "pack_field", "")]
    rows += [("it keeps away from two wolves", "arena, as a pack", "pack_field", "pack")]
    rows += [("it runs and tires", "arena", "carrots_field", "")]
    rows += [("it runs and tires, and eats carrots", "arena", "carrots_field", "goes for carrots")]
    rows += [("three rabbits, two wolves as a pack", "arena", "several_field", "")]
    rows += [("three rabbits, two wolves", "source", "several_field_source", "")]
    for label, strategy, run, arm in rows:
        cells = (Figure(run, name, arm, "sum") for name in names)
        figures = (Figure(run, name, arm) for name in ("catch_rate", "time_to_catch_s"))
        yield label, strategy, Trials(run), *figures, *cells


def _errors() -> Iterator[tuple[Cell, ...]]:
    for arm in ("", *_ERRORS):
        yield arm or "nothing", *(Figure("errors", metric, arm) for metric in _ERROR_METRICS)


_CHANGED = ("half the gains", "vision 0.5 s later")
_TOLD_BY = ("time_to_catch_s", "tracking_error_filtered", "tracking_error_raw", "deadband_share")

_HEADS = ("caught", "time to the catch, s", "time to the catch or the end, s")
_ARMS = ("arena", "source")

CHAPTER = Chapter(
    _RUNS,
    (
        Table(
            "signs",
            "The detector of signs, section 3.1",
            ("class", "robot", "precision", "recall", "mAP@0.5", "frames evaluated"),
            tuple(_signs()),
        ),
        Table(
            "catches",
            "Who catches how often, and how soon",
            ("", "games", *(f"{head}: {arm}" for head in _HEADS for arm in _ARMS)),
            tuple(_catches()),
        ),
        Table(
            "claims",
            "When the wolf itself says that it has caught",
            ("", "games", "the wolf claims", "after, s", "true distance then, m", "claims that were false, a game"),
            tuple(_claims()),
        ),
        Table(
            "tracking",
            "Tracking while chasing, section 3.2",
            ("", "name", "pairs", *_ARMS, "source less arena", "all games: arena", "all games: source"),
            tuple(_tracking()),
        ),
        Table(
            "behaviour",
            "Behaviour, section 3.3",
            ("metric", "name in the summary", *_ARMS),
            tuple(_behaviour()),
        ),
        Table(
            "errors",
            "Error analysis, section 3.4",
            ("what is wrong", *(f"`{metric}`" for metric in _ERROR_METRICS)),
            tuple(_errors()),
        ),
        Table(
            "field",
            "In the field",
            (
                "rabbit",
                "wolf",
                "games",
                "caught",
                "time to the catch, s",
                "rests, all games",
                "the wolf breaches",
                "the rabbit breaches",
                "walls and boxes touched",
            ),
            tuple(_field()),
        ),
        changes_table("wolf_changes", _CHANGED, _TOLD_BY),
    ),
    measurements=_MEASUREMENTS,
)
