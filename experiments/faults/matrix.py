"""The matrix of faults as it is played: every row in every scenario with every seed, resumable as a sweep is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

from arena_trees.experiments.faults.rows import FaultMatrix, FaultRow
from arena_trees.experiments.faults.watch import FaultWatch
from arena_trees.experiments.plan import TrialPlan, make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.sweeps.records import Record, Records
from arena_trees.experiments.sweeps.sweep import OF_THE_MACHINE, error_text, text_of
from arena_trees.experiments.sweeps.sweep_plan import difference
from arena_trees.experiments.trial import run_trial
from arena_trees.experiments.workers import Workers, spread
from arena_trees.robot.errors import ConfigError

__all__ = ["Cell", "MatrixPlan", "again", "cells", "changes_of", "play_matrix"]

_DIFFERENCES = {
    "version": "another version of Arena Trees",
    "scenarios": "other scenarios",
    "rows": "other rows",
    "trials": "another number of trials",
    "seed": "another seed",
    "fingerprint": "the matrix or a scenario as it was before a change",
}


@dataclass(frozen=True, slots=True)
class MatrixPlan:
    """What is played into a folder: a point is a row in a scenario.

    Attributes:
        version: of Arena Trees
        scenarios: their names or files
        rows: names of the rows
        trials: of each cell
        seed: of the first trial of each cell
        fingerprint: of the matrix and the scenarios
    """

    version: str
    scenarios: tuple[str, ...]
    rows: tuple[str, ...]
    trials: int
    seed: int
    fingerprint: str

    noun: ClassVar[str] = "matrix of faults"

    @classmethod
    def of(cls, version: str, matrix: FaultMatrix, scenarios: Sequence[str], rows: Sequence[str]) -> MatrixPlan:
        """Return the plan of what is asked for.

        Raises:
            ConfigError: there is no such scenario
        """
        digest = hashlib.sha256(matrix.model_dump_json(exclude={"rows", "trials", "seed"}).encode())
        for row in rows:
            digest.update(matrix.rows[row].model_dump_json().encode())
        for scenario in scenarios:
            digest.update(find_scenario(scenario).read_bytes())
        return cls(version, tuple(scenarios), tuple(rows), matrix.trials, matrix.seed, digest.hexdigest())

    @property
    def jobs(self) -> int:
        """Number of trials."""
        return len(self.scenarios) * len(self.rows) * self.trials

    def point(self, number: int) -> tuple[str, str]:
        """Return scenario and row of a point."""
        scenario, row = divmod(number, len(self.rows))
        return self.scenarios[scenario], self.rows[row]

    def to_json(self) -> bytes:
        """Return the text of the plan's file."""
        return json.dumps(asdict(self), indent=1).encode() + b"\n"

    @classmethod
    def from_json(cls, text: bytes, file: Path) -> MatrixPlan:
        """Return the plan that a file holds.

        Raises:
            ConfigError: it is none
        """
        try:
            values = json.loads(text)
            return cls(**{**values, "scenarios": tuple(values["scenarios"]), "rows": tuple(values["rows"])})
        except (ValueError, TypeError, KeyError) as error:
            raise ConfigError("is no plan of a matrix of faults", file=file) from error

    def difference(self, other: MatrixPlan) -> str | None:
        """Return what another plan has that this one has not, in words; None where both are one."""
        return difference(self.to_json(), other.to_json(), _DIFFERENCES)


@dataclass(frozen=True, slots=True)
class MatrixJob:
    """One trial of a cell."""

    point: int
    index: int
    scenario: str
    row: str
    matrix: FaultMatrix
    seed: int


def play_matrix(
    plan: MatrixPlan,
    matrix: FaultMatrix,
    records: Records,
    workers: Workers,
    on_record: Callable[[Record], object] | None = None,
) -> None:
    """Play every trial that has no record, and write its record. Whatever ends this early is raised.

    Args:
        plan: of the matrix
        matrix: its rows
        records: where records are, and go
        workers: who plays
        on_record: called with each new record once it is on the disk

    Raises:
        ArenaTreesError: a process that played was killed, or a record cannot be written
    """
    left = plan.jobs - len(records.done)
    if not left:
        return
    with spread(_attempt, _jobs(plan, matrix, frozenset(records.done)), workers.at_most(left)) as results:
        for point, index, text in results:
            records.write(point, index, text)
            if on_record is not None:
                on_record(json.loads(text))


def _jobs(plan: MatrixPlan, matrix: FaultMatrix, done: frozenset[tuple[int, int]]) -> Iterator[MatrixJob]:
    # Trial by trial, so that an interrupted matrix has something of every cell.
    for index in range(plan.trials):
        for point in range(len(plan.scenarios) * len(plan.rows)):
            if (point, index) not in done:
                scenario, row = plan.point(point)
                yield MatrixJob(point, index, scenario, row, matrix, plan.seed)


def changes_of(matrix: FaultMatrix, scenario: str, row: str, index: int) -> tuple[str, dict[str, Any]]:
    """Return whose fault it is in a trial, and the changes of the scenario.

    Args:
        matrix: of the faults
        scenario: its name or file
        row: its name
        index: of the trial: robots have the fault in turn
    """
    changes = dict(matrix.scenarios.get(scenario, {}))
    robots = tuple(apply_changes(load_scenario(find_scenario(scenario)), changes).entries)
    robot = robots[index % len(robots)]
    return robot, {**changes, "duration_s": matrix.duration_s, "faults": matrix.faults_of(row, robot)}


def again(matrix: FaultMatrix, scenario: str, row: str, index: int, seed: int) -> str:
    """Return the command that plays a trial of a cell once more, and records it."""
    _, changes = changes_of(matrix, scenario, row, index)
    given = " ".join(f"--set '{key}={json.dumps(value)}'" for key, value in changes.items())
    return f"arena-trees run {scenario} --trials 1 --seed {seed + index} {given} --record results/{row}"


def _plan(job: MatrixJob) -> tuple[str, TrialPlan]:
    robot, changes = changes_of(job.matrix, job.scenario, job.row, job.index)
    path = find_scenario(job.scenario)
    scenario = apply_changes(load_scenario(path), {"variants": {}, "seed": job.seed, **changes})
    return robot, make_plan(scenario, path, path.parent)


def _attempt(job: MatrixJob) -> tuple[int, int, bytes]:
    """Return point, trial and record of a job, in whichever process."""
    place: Record = {"point": job.point, "trial": job.index, "seed": job.seed + job.index}
    try:
        robot, plan = _plan(job)
    except ConfigError as error:
        return job.point, job.index, text_of({**place, "status": "refused", "reason": error.reason})
    watch = FaultWatch(robot)
    try:
        result = run_trial(plan, job.index, watch=lambda arm, trial: watch)
    except OF_THE_MACHINE:
        raise
    except Exception as error:
        return job.point, job.index, text_of({**place, "status": "raised", "reason": error_text(error)})
    seen = watch.seen()
    values = {
        "robot": robot,
        "outcome": result.outcome,
        "seen": None if seen is None else seen.to_dict(),
    }
    # What latches a robot of the arena is a tree or a gate that raised or commanded nonsense, whatever came.
    if result.faults:
        reason = "; ".join(f"{name}: {fault}" for name, fault in result.faults.items())
        return job.point, job.index, text_of({**place, "status": "raised", "reason": reason, **values})
    return job.point, job.index, text_of({**place, "status": "played", **values})


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of a row in a scenario.

    Attributes:
        row: its name
        scenario: its name
        trials: in which the robot had the fault
        beyond: of them, in which it went beyond a bound
        raised: trials in which something raised, or latched a robot
        refused: why the scenario cannot have the fault; empty where it can
        bounds: what binds the robot, in words
        share: largest share of a bound that any trial took; above 1 is beyond it
        nearest: what was measured there, in words; the greatest speed where nothing binds; empty without a trial
        worst: number of the trial in which it came nearest to a bound, or moved for longest; None where it had no fault
        moved_s: greatest time until a robot moved for the last time
        fastest: greatest speed of any trial's second half, m/s
        outside_m: how far any trial's robot was outside its fence; None where it has none
        contacts: in all trials
        outcomes: outcome to number of trials
    """

    row: str
    scenario: str
    trials: int
    beyond: int
    raised: int
    refused: str
    bounds: str
    share: float
    nearest: str
    worst: int | None
    moved_s: float | None
    fastest: float | None
    outside_m: float | None
    contacts: int
    outcomes: Mapping[str, int]

    @property
    def kept(self) -> bool:
        """Whether no trial went beyond a bound, or raised."""
        return not (self.beyond or self.raised)


def cells(plan: MatrixPlan, matrix: FaultMatrix, records: Iterable[Record]) -> list[Cell]:
    """Return the cells of a matrix, scenario by scenario."""
    by_point: dict[int, list[Record]] = {}
    for record in records:
        by_point.setdefault(record["point"], []).append(record)
    found = []
    for point in range(len(plan.scenarios) * len(plan.rows)):
        scenario, row = plan.point(point)
        found.append(_cell(scenario, row, matrix, by_point.get(point, [])))
    return found


def _cell(scenario: str, name: str, matrix: FaultMatrix, records: Sequence[Record]) -> Cell:
    row, outside = matrix.rows[name], matrix.outside_of(name)
    shown = [record for record in records if record["status"] != "refused" and record.get("seen")]
    seen = [record["seen"] for record in shown]
    # How much of its bound each trial takes; above 1 is beyond it.
    taken = [_taken(row, outside, one) for one in seen]
    shares = [share for share, _ in taken]
    worst = max(range(len(shown)), key=lambda number: (shares[number], seen[number]["moved_s"]), default=None)
    outsides = [one["outside_m"] for one in seen if one["outside_m"] is not None]
    outcomes: dict[str, int] = {}
    for record in shown:
        outcomes[record["outcome"]] = outcomes.get(record["outcome"], 0) + 1
    return Cell(
        row=name,
        scenario=scenario,
        trials=len(shown),
        beyond=sum(share > 1.0 for share in shares),
        raised=sum(record["status"] == "raised" for record in records),
        refused=next((record["reason"] for record in records if record["status"] == "refused"), ""),
        bounds=_bounds(row, outside, seen),
        share=max(shares, default=0.0),
        nearest="" if worst is None else taken[worst][1] or f"{max(one['fastest'] for one in seen):.2f} m/s",
        worst=None if worst is None else shown[worst]["trial"],
        moved_s=max((one["moved_s"] for one in seen), default=None),
        fastest=max((one["fastest"] for one in seen), default=None),
        outside_m=max(outsides, default=None),
        contacts=sum(one["contacts"] for one in seen),
        outcomes=outcomes,
    )


def _binds(row: FaultRow, seen: Mapping[str, Any]) -> bool:
    return row.needs is None or bool(seen["placed"])


def _taken(row: FaultRow, outside: float, seen: Mapping[str, Any]) -> tuple[float, str]:
    """Return the largest share of any bound that a robot took, and what was measured there."""
    taken = []
    if row.stands_s is not None and _binds(row, seen):
        taken.append((seen["moved_s"] / row.stands_s, f"{seen['moved_s']:.2f} s"))
    if row.speed is not None and _binds(row, seen):
        taken.append((seen["fastest"] / row.speed, f"{seen['fastest']:.2f} m/s"))
    if row.way_m is not None:
        taken.append((seen["way_m"] / row.way_m, f"{seen['way_m']:.2f} m"))
    if seen["outside_m"] is not None:
        share = seen["outside_m"] / outside if outside > 0.0 else 2.0 * (seen["outside_m"] > 0.0)
        taken.append((share, f"{seen['outside_m']:.2f} m outside"))
    return max(taken, key=itemgetter(0), default=(0.0, ""))


def _bounds(row: FaultRow, outside: float, seen: Sequence[Mapping[str, Any]]) -> str:
    """Return what binds any of the robots, in words."""
    words = []
    if any(_binds(row, one) for one in seen):
        words += [] if row.stands_s is None else [f"stands after {row.stands_s:g} s"]
        words += [] if row.speed is None else [f"no faster than {row.speed:g} m/s"]
    words += [] if row.way_m is None else [f"drives {row.way_m:g} m at most"]
    if any(one["outside_m"] is not None for one in seen):
        words.append(f"{outside:g} m outside its fence")
    return ", ".join(words)
