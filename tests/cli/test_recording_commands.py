"""Recording, replay and samples as a user meets them."""

import json
import shutil
from pathlib import Path

import pytest
from helpers.arena import needs_arena
from helpers.commands import call, refused
from helpers.full_disk import files_limited_to

from arena_trees.cli import main
from arena_trees.recording.loading import load_recording


@pytest.fixture(scope="module")
def bags(tmp_path_factory) -> Path:
    """Record a run of two arms and two trials."""
    pytest.importorskip("mujoco", reason="there is no MuJoCo here")
    return run_recorded(tmp_path_factory.mktemp("run"), "1")


def run_recorded(folder: Path, jobs: str) -> Path:
    arguments = ["run", "wolf_rabbit", "--trials", "2", "--jobs", jobs, "--set", "duration_s=2", "--compare", "source"]
    files = ["--json", str(folder / "r.json"), "--plot", str(folder / "r.png"), "--record", str(folder / "bags")]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, *files, "--quiet"])
    assert ended.value.code == 0
    return folder / "bags"


def test_every_trial_of_every_arm_has_its_own_recording(bags: Path):
    assert sorted(path.relative_to(bags).as_posix() for path in bags.glob("*/*")) == [
        "arena/trial_000", "arena/trial_001", "source/trial_000", "source/trial_001",
    ]  # fmt: skip
    recording = load_recording(bags / "source" / "trial_001")
    assert (recording.info["seed"], recording.info["strategy"], recording.info["arm"]) == (1001, "source", "source")


@pytest.mark.slow
def test_other_processes_record_the_same(bags: Path, tmp_path):
    others = run_recorded(tmp_path, "2")
    for arm in ("arena", "source"):
        one, other = (load_recording(folder / arm / "trial_001") for folder in (bags, others))
        for name, robot in one.robots.items():
            assert robot.ticks == other.robots[name].ticks


@needs_arena
def test_a_recording_that_a_full_disk_cut_off_is_an_error_and_the_results_are_kept(capsys, tmp_path):
    arguments = ("run", "wolf_rabbit", "--trials", 2, "--jobs", 1, "--set", "duration_s=1", "--quiet")
    files = ("--json", tmp_path / "r.json", "--plot", "/dev/null", "--record", tmp_path / "bags")
    with files_limited_to(20_000):
        said = call(capsys, *arguments, *files, code=2)
    cut = tmp_path / "bags" / "trial_000"
    assert said.endswith(f"error: {cut}: is not recorded whole, for the reason given above (2 of 2 trials)\n")
    assert json.loads((tmp_path / "r.json").read_text())["complete"]


def test_identical(capsys, bags: Path, tmp_path):
    for arm in ("arena", "source"):
        bag = bags / arm / "trial_000"
        out = call(capsys, "replay", bag, "--robot", "wolf", "--json", tmp_path / "r.json")
        assert out.splitlines()[-1] == "identical: 100 ticks"
        values = json.loads((tmp_path / "r.json").read_text())
        assert (values["different_ticks"], values["first"], values["compared_ticks"]) == (0, None, 100)


def test_what_if_ends_well_unless_strict(capsys, bags: Path):
    bag = str(bags / "arena" / "trial_000")
    changed = ("replay", bag, "--robot", "rabbit", "--set", "gate.max_angular=0.3", "--set", "gate.max_linear=0.1")
    out = call(capsys, *changed)
    assert "ticks are different" in out
    assert "recorded:" in out and "replayed:" in out
    assert "Decide" in out
    call(capsys, *changed, "--strict", code=1)


def test_a_recording_that_was_tampered_with_ends_with_1(capsys, bags: Path, tmp_path):
    from helpers.sick_bags import rewrite

    bag = tmp_path / "bag"
    shutil.copytree(bags / "arena" / "trial_000", bag)
    rewrite(
        bag,
        lambda message: [
            (*message[:3], message[3].replace(b"Look round", b"Gaze round") if "ticks" in message[0] else message[3]),
        ],
    )
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(bag), "--robot", "wolf"])
    assert ended.value.code == 1
    assert "leaf Gaze round, now Look round" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("replay", "nowhere"), "error: nowhere: there is no such bag"),
        (("replay", "{bag}"), "--robot: is needed; there are wolf, rabbit"),
        (("replay", "{bag}", "--robot", "fox"), "there is no such robot"),
        (("replay", "{bag}", "--robot", "wolf", "--role", "fox"), "--role: there is no such role"),
        (("replay", "{bag}", "--robot", "wolf", "--set", "speed=1"), "--set: speed: unknown key"),
        (("replay", "{bag}", "--robot", "wolf", "--set", "chase_kp"), "must have the form key=value"),
        (("replay", "{bag}", "--topic", "scan"), "must have the form scan=/topic"),
        (("replay", "{bag}", "--topic", "scan=/a", "--topic", "scan=/b"), "is given twice"),
        (("replay", "{bag}", "--robot", "wolf", "--tolerance", "nan"), "--tolerance: must be 0 to 1"),
        (("sample-frames", "{bag}", "-o", "{folder}"), "has no pictures"),
        (("sample-frames", "{bag}", "-o", "{folder}", "--count", "0"), "--count"),
        (("run", "wolf_rabbit", "--record", "{bag}"), "--record: exists and is not an empty folder"),
        (("run", "wolf_rabbit", "--images", "whole"), "--images: needs --record, and --camera rendered"),
        (("run", "wolf_rabbit", "--record", "{folder}", "--images", "some"), "--images: must be blurred or whole"),
    ],
)
def test_bad_input_ends_in_one_line(
    capsys, monkeypatch, bags: Path, tmp_path, arguments: tuple[str, ...], reported: str
):
    monkeypatch.chdir(tmp_path)
    places = {"bag": bags / "arena" / "trial_000", "folder": tmp_path / "out"}
    assert reported in refused(capsys, *(argument.format(**places) for argument in arguments))
    assert not (tmp_path / "out").exists()
