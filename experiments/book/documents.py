"""Documents: results of the book's runs and sweeps, checked against what the book asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena_trees import __version__
from arena_trees.experiments.intervals import Estimate
from arena_trees.experiments.metrics import summarise
from arena_trees.experiments.sweeps.grid import parse_grid
from arena_trees.experiments.sweeps.records import PLAN, Record, read_plan, read_records
from arena_trees.experiments.sweeps.sweep_plan import SweepPlan
from arena_trees.experiments.sweeps.table import Table, point_table
from arena_trees.games.book import Measurement, Run
from arena_trees.games.metrics import Metric
from arena_trees.robot.configuration.assignments import parse_assignments
from arena_trees.robot.errors import ConfigError

__all__ = ["ArmDocument", "Document", "MeasurementDocument", "RunDocument", "SweepDocument", "find_document"]

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ArmDocument:
    """One arm of a run.

    Attributes:
        name: of the arm; empty where there is but one
        trials: what results files hold of each
        summary: every metric, by name
    """

    name: str
    trials: Sequence[Values]
    summary: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class RunDocument:
    """What ``arena-trees run --json`` writes.

    Attributes:
        version: of Arena Trees
        seed: of the first trial
        arms: the first is the one that others are compared with
    """

    version: str
    seed: int
    arms: Sequence[ArmDocument]

    @property
    def seeds(self) -> str:
        """The seeds of its trials, in words."""
        last = self.seed + len(self.arms[0].trials) - 1
        return str(self.seed) if last == self.seed else f"{self.seed} to {last}"

    def arm(self, name: str) -> ArmDocument:
        """Return an arm; the first for an empty name.

        Raises:
            KeyError: there is no such arm
        """
        if not name:
            return self.arms[0]
        return {arm.name: arm for arm in self.arms}[name]


@dataclass(frozen=True, slots=True)
class SweepDocument:
    """What ``arena-trees sweep --out`` writes; as a run it has one arm, of all trials of all points.

    Attributes:
        run: all trials that were played
        plan: of the sweep
        points: its table of points
    """

    run: RunDocument
    plan: SweepPlan
    points: Table


@dataclass(frozen=True, slots=True)
class MeasurementDocument:
    """What another command has measured.

    Attributes:
        version: of Arena Trees
        number: of the things that were looked at
        values: its whole content
    """

    version: str
    number: int
    values: Values


Document = RunDocument | SweepDocument | MeasurementDocument


def find_document(
    folder: Path, name: str, run: Run | Measurement, metrics: Sequence[Metric], shorter: bool = False
) -> Document | None:
    """Return the document of a run; None where it has not been played, or a sweep is not finished.

    Args:
        folder: of all documents
        name: of the run
        run: of that name
        metrics: of the game
        shorter: take a document with fewer trials, too

    Raises:
        ConfigError: there is something else; names file, key and what is asked for
    """
    if isinstance(run, Run) and run.grid:
        return _read_sweep(folder / name, run, metrics) if (folder / name / PLAN).exists() else None
    path = folder / f"{name}.json"
    if not path.exists():
        return None
    return _read_run(path, run, shorter) if isinstance(run, Run) else _read_measurement(path, run)


def _read_measurement(path: Path, measurement: Measurement) -> MeasurementDocument:
    values = _read(path)
    try:
        document = MeasurementDocument(values["version"], int(values[measurement.number]), values)
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError("is no document of a measurement", file=path) from error
    if document.version != __version__:
        raise _differs(path, "version", document.version, __version__, measurement)
    return document


def _read(path: Path) -> Any:
    """Return what a JSON file holds; None where it holds no JSON."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(error.strerror or "cannot be read", file=path) from error
    except ValueError:
        return None


def _read_run(path: Path, run: Run, shorter: bool) -> RunDocument:
    values = _read(path)
    try:
        first = ArmDocument(values.get("arm", ""), values["trials"], _summary(values))
        others = [ArmDocument(name, arm["trials"], _summary(arm)) for name, arm in values.get("arms", {}).items()]
        document = RunDocument(values["version"], values["seed"], (first, *others))
        recorded = {key: values[key] for key in ("scenario", "version", "seed")}
        settings = dict(values["settings"])
    except (TypeError, KeyError, AttributeError) as error:
        raise ConfigError("is no document of a run", file=path) from error
    if not run.compare and settings.pop("compare", None) is not None:
        # The first arm of a comparison is what is played without one.
        document = replace(document, arms=(first,))
    wanted = {"scenario": run.scenario, "version": __version__, "seed": run.seed}
    for key, value in wanted.items():
        if recorded[key] != value:
            raise _differs(path, key, recorded[key], value, run)
    _check_settings(path, {key: value for key, value in settings.items() if key not in ("trials", "seed")}, run)
    if run.compare and len(document.arms) < 2:
        raise _differs(path, "arms", document.arms[0].name or "one", run.compare, run)
    for arm in document.arms:
        _check_trials(path, arm, run, shorter)
    return document


def _check_settings(path: Path, settings: Values, run: Run) -> None:
    """Refuse settings that differ from those of the run, by the first key that does."""
    wanted = json.loads(json.dumps({**run.options, **parse_assignments(list(run.settings))}))
    for key in (*wanted, *settings):
        if settings.get(key) != wanted.get(key):
            raise _differs(path, f"settings.{key}", settings.get(key), wanted.get(key), run)


def _check_trials(path: Path, arm: ArmDocument, run: Run, shorter: bool) -> None:
    """Refuse trials that are not those of the run: another number, or other seeds."""
    seeds = [trial.get("seed") for trial in arm.trials]
    key = f"trials of {arm.name}" if arm.name else "trials"
    if len(seeds) != run.trials and not (shorter and 0 < len(seeds) < run.trials):
        raise _differs(path, key, len(seeds), run.trials, run, " (--shorter takes fewer)" if seeds else "")
    if seeds != list(range(run.seed, run.seed + len(seeds))):
        raise _differs(path, key, "other seeds", run.seeds, run)


def _differs(path: Path, key: str, value: Any, wanted: Any, run: Run | Measurement, hint: str = "") -> ConfigError:
    reason = (
        f"is not what the book asks for, {_value_text(wanted)}{hint}; away with the file, or play it: {run.command}"
    )
    return ConfigError(reason, file=path, key=key, value=_value_text(value))


def _value_text(value: Any) -> str:
    return "nothing" if value is None else str(value)


def _summary(arm: Values) -> dict[str, Estimate]:
    return {name: Estimate.from_dict(values) for name, values in arm["summary"].items()}


def _read_sweep(folder: Path, run: Run, metrics: Sequence[Metric]) -> SweepDocument | None:
    """Return a sweep whose every job has its record."""
    plan = read_plan(folder, SweepPlan)
    recorded = {key: value for key, value in plan.to_dict().items() if key in ("scenario", "version", "grid", "seed")}
    grid = json.loads(json.dumps(parse_grid(run.grid).to_dict()))
    wanted = {"scenario": run.scenario, "version": __version__, "grid": grid, "seed": run.seed}
    for key, value in wanted.items():
        if recorded[key] != value:
            raise _differs(folder, key, recorded[key], value, run)
    if plan.trials != run.trials:
        raise _differs(folder, "trials", plan.trials, run.trials, run)
    _check_settings(folder, plan.settings, run)
    records: list[Record] = list(read_records(folder))
    if len(records) < plan.jobs:
        return None
    played = [record for record in records if record["status"] == "played"]
    arm = ArmDocument("", played, summarise(played, metrics))
    return SweepDocument(RunDocument(plan.version, plan.seed, (arm,)), plan, point_table(plan.grid, records, metrics))
