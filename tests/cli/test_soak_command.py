"""A soak as a user meets it: played, refused, grown and interrupted."""

import json

import pytest
from helpers.arena import needs_arena
from helpers.commands import call, complaint

from arena_trees.cli import main
from arena_trees.experiments.soaking.passage import Pace
from arena_trees.experiments.soaking.soak import TENTHS, Tenth
from arena_trees.experiments.soaking.verdict import GREW, MEASURES
from arena_trees.experiments.soaking.vitals import Vitals

pytestmark = pytest.mark.usefixtures("empty_folder")


def tenth(number: int, descriptors: int = 8, stopped: int = 0) -> Tenth:
    vitals = Vitals(
        memory_mb=150.0,
        descriptors=descriptors,
        threads=2,
        children=0,
        board_keys=0,
        board_metadata=0,
        board_clients=0,
        objects=30_000,
    )
    return Tenth(
        number=number,
        simulated_s=60.0 * number,
        trials=3,
        stopped=stopped,
        vitals=vitals,
        tick_p50_ms=1.0,
        tick_p99_ms=4.0,
        pace=Pace(3.0, 0.2),
    )


def played(monkeypatch, rows, error: type[BaseException] | None = None) -> None:
    """Let a soak measure what is given, and end so."""

    def soak(plan, hours):
        yield from rows
        if error is not None:
            raise error

    monkeypatch.setattr("arena_trees.experiments.soaking.soak.soak", soak)


def ended(capsys, *arguments: str) -> tuple[int, str]:
    """Return the exit code of a soak and what it prints."""
    with pytest.raises(SystemExit) as end:
        main(["soak", "crossroads", *arguments])
    return end.value.code, capsys.readouterr().out


@needs_arena
def test_a_soak_is_played_and_written(capsys, empty_folder):
    command = ["soak", "wolf_rabbit", "--hours", "5e-4", "--set", "duration_s=0.2", "--seed", "40", "--json", "a.json"]
    with pytest.raises(SystemExit) as end:
        main(command)
    printed = capsys.readouterr().out
    found = json.loads((empty_folder / "a.json").read_text())
    assert (found["scenario"], found["seed"], found["hours"]) == ("wolf_rabbit", 40, 0.0005)
    assert found["settings"] == {"seed": 40, "duration_s": 0.2}
    assert [row["number"] for row in found["tenths"]] == list(range(1, TENTHS + 1))
    verdicts = {one["measure"]: one["verdict"] for one in found["verdicts"]}
    assert set(verdicts) == set(MEASURES)
    grown = {name for name, verdict in verdicts.items() if verdict == GREW}
    # How long a tick takes is the machine's affair.
    assert grown <= {"calibrated_p99"}
    assert end.value.code == (4 if grown else 0)
    assert "tenth 10 of 10: trials 1" in printed
    assert "board clients" in printed


def test_all_flat_ends_well_and_what_grew_with_4(monkeypatch, capsys):
    played(monkeypatch, [tenth(n) for n in range(1, 11)])
    code, printed = ended(capsys)
    assert code == 0
    assert "flat" in printed and GREW not in printed
    played(monkeypatch, [tenth(n, descriptors=8 + n) for n in range(1, 11)])
    code, printed = ended(capsys)
    assert code == 4
    assert "+100.0 %" in printed and GREW in printed


def test_a_robot_that_was_stopped_ends_with_3(monkeypatch, capsys):
    played(monkeypatch, [tenth(n, stopped=2) for n in range(1, 11)])
    code, printed = ended(capsys)
    assert code == 3
    assert "robots stopped by a fault, over all trials: 20" in printed


@pytest.mark.parametrize(("number", "words"), [(0, "nothing was measured"), (1, "memory, MB"), (3, "flat")])
def test_what_was_measured_until_ctrl_c_is_kept(monkeypatch, capsys, empty_folder, number, words):
    played(monkeypatch, [tenth(n) for n in range(1, number + 1)], KeyboardInterrupt)
    code, printed = ended(capsys, "--json", "a.json")
    assert code == 130
    assert words in printed
    found = json.loads((empty_folder / "a.json").read_text())
    assert len(found["tenths"]) == number
    assert bool(found["verdicts"]) == (number > 1)


def test_a_file_is_kept_unless_forced_and_the_standard_output_is_for_it_alone(monkeypatch, capfd, empty_folder):
    played(monkeypatch, [tenth(n) for n in range(1, 11)])
    (empty_folder / "a.json").write_text("mine")
    call(capfd, "soak", "crossroads", "--json", "a.json")
    assert (empty_folder / "a.json").read_text() == "mine"
    assert json.loads((empty_folder / "a_2.json").read_text())["tenths"]
    call(capfd, "soak", "crossroads", "--json", "a.json", "--force")
    assert json.loads((empty_folder / "a.json").read_text())["tenths"]
    assert len(json.loads(call(capfd, "soak", "crossroads", "--json", "-"))["tenths"]) == TENTHS


def test_a_narrow_terminal_is_shown_the_ends(monkeypatch, capsys):
    monkeypatch.setattr("arena_trees.commands.console._WIDTH", 80)
    played(monkeypatch, [tenth(n) for n in range(1, 11)])
    _, printed = ended(capsys)
    (heading,) = (line for line in printed.splitlines() if "after tenth" in line)
    assert [word for word in heading.split() if word.isdigit()] == ["1", "10"]


@pytest.mark.parametrize(
    ("more", "reasons"),
    [
        *((("--hours", hours), ("--hours: must be above 0", f"(got {got})")) for hours, got in (
            ("nan", "nan"), ("inf", "inf"), ("-inf", "-inf"), ("0", "0.0"), ("-1", "-1.0"), ("1001", "1001.0"),
        )),
        (("--hours", "x"), ("--hours", "valid number")),
        (("--seed", "x"), ("seed", "'x'")),
        (("--set", "duration=1"), ("duration",)),
        (("--json", "a.txt"), ("--json", ".json")),
        (("--json", "no.json/a.json"), ("--json",)),
    ],
)  # fmt: skip
def test_what_cannot_be_soaked_is_refused(capsys, empty_folder, more, reasons):
    (empty_folder / "no.json").write_text("a file, and no folder")
    said = complaint(capsys, "soak", "crossroads", *more)
    assert all(reason in said for reason in reasons), said


def test_a_scenario_that_is_none_is_refused(capsys):
    assert "did you mean wolf_rabbit" in complaint(capsys, "soak", "wolf_rabit", "--hours", "0.01")
