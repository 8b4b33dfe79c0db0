"""The matrix of faults as a user meets it: played, gone on with, refused, and beyond a bound."""

import csv

import pytest
import yaml
from helpers.arena import needs_arena
from helpers.commands import call, complaint

MATRIX = """
begin_s: 0.5
random_s: 0.2
duration_s: 2.0
outside_m: 0.1
scenarios: {wolf_rabbit_open: {}}
rows:
  blind: {what: the LiDAR is silent, faults: [{sensor: scan}], stands_s: 1.0}
  ranges: {what: the range sensors are silent, faults: [{sensor: ranges}]}
  killed: {what: the tree is killed, elsewhere: there are no processes, tested_by: [tests/ros]}
"""


@pytest.fixture
def matrix(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(MATRIX, encoding="utf-8")
    return tmp_path


@needs_arena
def test_a_matrix_is_played_and_gone_on_with(matrix, capsys):
    command = ("faults", "--matrix", "mine.yaml", "--trials", 2, "--seed", 50, "--jobs", 1)
    printed = call(capsys, *command)
    assert "2 trials with a fault in 1 cells; beyond a bound 0, raised 0" in printed
    assert "failed" not in printed
    assert "4 of 4 trials were played before" in call(capsys, *command)
    lines = list(csv.DictReader((matrix / "results" / "faults" / "matrix.csv").read_text().splitlines()))
    assert [line["trials"] for line in lines] == ["2", "0", ""]
    assert (matrix / "results" / "faults" / "matrix.png").stat().st_size > 1000
    assert "other number of trials" in complaint(capsys, *command, "--trials", 3)


@needs_arena
def test_a_robot_beyond_its_bound_is_an_error_that_says_how_to_see_it_again(matrix, capsys):
    values = yaml.safe_load(MATRIX)
    values["rows"]["blind"]["stands_s"] = 0.1
    (matrix / "mine.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        from arena_trees.cli import main

        main(["faults", "--matrix", "mine.yaml", "--row", "blind", "--trials", "1", "--seed", "50", "--jobs", "1"])
    assert ended.value.code == 1
    printed = capsys.readouterr().out
    assert "beyond a bound 1, raised 0" in printed
    assert "Faults: 1 trial a cell from seed 50" in " ".join(printed.split())
    assert "blind, stands after 0.1 s, 0.1 m outside its fence: arena-trees run wolf_rabbit_open --trials 1" in printed


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--row", "blnd"), "did you mean blind"),
        (("--row", "killed"), "cannot be played: there are no processes; see tests/ros"),
        (("--trials", "0"), "trials: "),
        (("--trials", "x"), "trials: "),
        (("--seed", "-1"), "seed: "),
        (("wolf_rabit",), "did you mean wolf_rabbit"),
        (("--matrix", "nothing.yaml"), "nothing.yaml"),
    ],
)
def test_what_cannot_be_played_is_refused(matrix, capsys, more, reason):
    assert reason in complaint(capsys, "faults", "--matrix", "mine.yaml", *more)
