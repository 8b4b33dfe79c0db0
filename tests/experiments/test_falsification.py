"""Falsification: what breaks a promise is found, is the same each time, and is shrunk to the least."""

import pytest
from helpers.arena import needs_arena
from helpers.commands import bytes_of, call, complaint, refused
from helpers.interruption import interrupt_after

pytest.importorskip("cmaes", reason="cmaes is not installed (the extra tune)")

from arena_trees.cli import main
from arena_trees.commands.experiments.varied import Varied
from arena_trees.commands.run_request import read_request
from arena_trees.experiments.falsification.search import Falsifier, Try
from arena_trees.experiments.falsification.shrinking import shrink
from arena_trees.experiments.scenario import load_scenario
from arena_trees.experiments.tuning.space import parse_space
from arena_trees.experiments.workers import Workers
from arena_trees.recording.loading import load_recording
from arena_trees.recording.play import play
from arena_trees.recording.trial_recorder import RecordTrials
from arena_trees.robot.errors import ConfigError

SPACE = ["a=0:10", "b=0:10", "c=x,y", "n=1:4"]


class Imagined(Falsifier):
    """Plays a function of the values in place of a scenario; what is not given is as by default."""

    def __init__(self, robustness, points=SPACE):
        super().__init__(lambda values: None, parse_space(points), "p", 2, 1, Workers(1))
        self.robustness = robustness
        self.played = 0

    def play(self, points):
        self.played += len(points)
        usual = {"a": 5.0, "b": 5.0, "c": "x", "n": 1}
        return [Try(values, 1, self.robustness({**usual, **values}), "told") for values in points]


def test_the_search_goes_downhill_and_stops_at_what_breaks():
    found = Imagined(lambda v: (v["a"] - 8.0) ** 2 + (v["b"] - 2.0) ** 2 - 0.05)
    broken = found.search(400, {"a": 5.0, "b": 5.0, "c": "x", "n": 1})
    assert broken is not None
    assert broken.values["a"] == pytest.approx(8.0, abs=0.3)
    assert found.tries[0].values == {"a": 5.0, "b": 5.0, "c": "x", "n": 1}
    assert found.played < 400
    first = next(number for number, one in enumerate(found.tries) if one.broken)
    assert first + 12 <= found.played <= first + 16
    assert broken is found.nearest
    blind = Imagined(lambda v: 1.0 + v["a"])
    assert blind.search(30, None) is None
    assert blind.nearest.robustness == pytest.approx(1.0, abs=1.0)
    assert len(blind.tries) == 30


def test_the_same_seed_draws_the_same_points():
    drawn = []
    for _ in range(2):
        made = Imagined(lambda v: 1.0 + (v["a"] - 3.0) ** 2)
        made.search(25, None)
        drawn.append([one.values for one in made.tries])
    assert drawn[0] == drawn[1]


def test_what_breaks_is_shrunk_to_the_keys_and_digits_that_it_takes():
    imagined = Imagined(lambda v: -1.0 if v["a"] > 7.2 and v["c"] == "y" else 1.0)
    least = shrink(imagined, Try({"a": 8.391827, "b": 1.2, "c": "y", "n": 3}, 1, -1.0, "found"))
    assert least.values == {"a": 8.0, "c": "y"}
    assert least.index == 1
    narrow = shrink(imagined, Try({"a": 7.2391827, "b": 1.2, "c": "y"}, 0, -1.0, "found"))
    assert narrow.values == {"a": 7.24, "c": "y"}
    always = shrink(Imagined(lambda v: -1.0), Try({"a": 1.0, "b": 2.0}, 0, -1.0))
    assert always.values == {}


SCENARIO = """
game: wolf_rabbit
arena: arena_4x4.yaml
arena_set: {random_boxes: {count: 0}}
duration_s: 2.6
trials: 2
seed: 100
robots:
  wolf: {role: wolf, set: {chase_linear_speed: 0.15}}
  rabbit: {role: rabbit}
faults: [{robot: wolf, part: line, kind: silent, at_s: 2.0}]
promises:
  slow: {robot: wolf, statement: never(faster_than(0.2))}
  calm: {statement: never(latched)}
"""
CROSSING = """
game: crossroads
duration_s: 20.0
trials: 1
seed: 100
robots: {role: crosser, count: 4}
rules: {sensing: kinematic, arrivals_per_min: 2.0}
promises:
  few: {metric: crossings, at_most: 2}
"""
SEARCH = (
    "--param",
    "wolf.chase_linear_speed=0.1:0.306",
    "--param",
    "rabbit.wander_radius=0.5:1.2",
    "--param",
    "faults.0.at_s=0:2",
)


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path


@needs_arena
def test_a_scenario_is_falsified_shrunk_and_left_to_be_played_again(scenario, capsys):
    command = ("falsify", "mine.yaml", "--violates", "slow", "--points", 4, "--jobs", 1, *SEARCH)
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, command)))
    assert ended.value.code == 4
    printed = capsys.readouterr().out
    assert "broken with seed 10" in printed
    assert "what it takes:\n  wolf.chase_linear_speed: 0." in printed
    assert "wander" not in printed and "faults" not in printed
    found = load_scenario(scenario / "results" / "mine_found" / "found.yaml")
    assert found.trials == 1
    (trial,) = play("results/mine_found/found.yaml").trials
    assert trial.promises["slow"].broken
    assert (scenario / "results" / "mine_found" / "recording" / "trial_000" / "metadata.yaml").is_file()
    assert "--force" in complaint(capsys, *command)


def test_a_world_without_trees_is_falsified_by_its_metrics_and_leaves_no_recording(scenario, capsys):
    (scenario / "mine.yaml").write_text(CROSSING, encoding="utf-8")
    space = ("--param", "rules.arrivals_per_min=1:60", "--param", "bus.delay_s=0:0.5")
    with pytest.raises(SystemExit) as ended:
        main(["falsify", "mine.yaml", "--violates", "few", "--points", "2", "--jobs", "1", *space])
    assert ended.value.code == 4
    printed = capsys.readouterr().out
    assert "crossings is " in printed
    assert "what it takes:\n  rules.arrivals_per_min: " in printed and "bus.delay_s" not in printed
    assert {path.name for path in (scenario / "results" / "mine_found").iterdir()} == {"found.yaml", "tries"}


@needs_arena
def test_a_search_that_was_interrupted_goes_on_and_finds_the_same(scenario, capsys, monkeypatch):
    command = ("falsify", "mine.yaml", "--violates", "slow", "--points", 3, "--jobs", 1)
    command += ("--param", "wolf.chase_linear_speed=0.1:0.19", "--set", "duration_s=1")
    said = call(capsys, *command, "--out", "alone")
    with monkeypatch.context() as patch:
        interrupt_after(patch, 3)
        call(capsys, *command, "--out", "broken", code=130)
    kept = bytes_of(scenario / "broken")
    other = (*command, "--points", 4, "--out", "broken")
    assert "holds another number of points: 3, not 4" in refused(capsys, *other)
    again = call(capsys, *command, "--out", "broken")
    assert again.startswith("3 trials were played before\n") and again.endswith(said.splitlines()[-1] + "\n")
    whole = bytes_of(scenario / "broken")
    assert whole == bytes_of(scenario / "alone")
    assert kept.items() < whole.items()
    assert "was kept at all 4 points" in call(capsys, *other, "--force"), "another search made way"


@needs_arena
def test_a_search_that_was_interrupted_while_it_recorded_records_again(scenario, capsys, monkeypatch):
    command = ("falsify", "mine.yaml", "--violates", "slow", "--points", 1, "--jobs", 1)
    command += ("--param", "wolf.chase_linear_speed=0.1:0.306", "--set", "wolf.chase_linear_speed=0.3")
    with monkeypatch.context() as patch:

        def interrupted(recorder, runs):
            raise KeyboardInterrupt

        patch.setattr(RecordTrials, "check", interrupted)
        call(capsys, *command, code=130)
    folder = scenario / "results" / "mine_found"
    assert not (folder / "recording").exists()
    call(capsys, *command, code=4)
    assert load_recording(folder / "recording" / "trial_000").info["scenario"] == "results/mine_found/found.yaml"
    assert "--force" in complaint(capsys, *command)


@needs_arena
def test_what_is_kept_is_said_with_how_near_it_was(scenario, capsys):
    given = ("--points", 3, "--trials", 1, "--jobs", 1, "--param", "wolf.chase_linear_speed=0.1:0.19")
    assert "slow was kept at all 3 points, by 0." in call(capsys, "falsify", "mine.yaml", "--violates", "slow", *given)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--violates", "slw"), "did you mean slow"),
        (("--violates", "calm"), "there are slow, calm.wolf, calm.rabbit"),
        (("--violates", "slow", "--points", "0"), "must be 1 or more"),
        (("--violates", "slow", "--out", "/proc/found"), "--out: cannot be written: "),
        (("--violates", "slow", "--points", "x"), "must be a whole number"),
        (("--violates", "slow", "--param", "seed=1:5"), "cannot be varied"),
        (("--violates", "slow", "--param", "faults.7.at_s=1:5"), "unknown key"),
    ],
)
def test_what_cannot_be_searched_is_refused(scenario, capsys, more, reason):
    assert reason in complaint(capsys, "falsify", "mine.yaml", *SEARCH, *more)


def test_a_scenario_that_promises_nothing_is_refused(scenario, capsys):
    assert "promises nothing" in complaint(capsys, "falsify", "wolf_rabbit", "--violates", "slow", *SEARCH[:2])


@needs_arena
def test_what_a_scenario_refuses_or_raises_is_no_way_to_keep_a_promise(scenario):
    varied = Varied.of(read_request("mine.yaml", {}, []), [], ["wolf.chase_linear_speed"], "--param")
    falsifier = Falsifier(varied, parse_space(["wolf.chase_linear_speed=0.1:0.3"]), "slow", 1, 1, Workers(1))
    refused, played = falsifier.play([{"wolf.chase_linear_speed": -1.0}, {"wolf.chase_linear_speed": 0.1}])
    assert refused.robustness == float("inf") and not refused.broken
    assert 0.0 <= played.robustness <= 0.2
    raised = falsifier._judged({"status": "raised", "reason": "ZeroDivisionError"})
    assert raised[0] < 0.0 and "ZeroDivisionError" in raised[1]
    with pytest.raises(ConfigError):
        varied({"wolf.chase_linear_speed": -1.0})
