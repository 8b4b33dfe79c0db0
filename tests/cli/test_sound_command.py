"""``arena-trees run --wav`` as a user meets it."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import pytest
from helpers.arena import needs_arena

from arena_trees.cli import main


@needs_arena
def test_the_first_trial_of_the_first_arm_becomes_a_sound_file(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    files = {
        option: tmp_path / name for option, name in (("--json", "r.json"), ("--plot", "r.png"), ("--wav", "r.wav"))
    }
    arguments = ["run", "breach_recovery", "--trials", "2", "--jobs", "1", "--set", "duration_s=1"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, *(part for option, path in files.items() for part in (option, str(path)))])
    assert ended.value.code == 0
    assert "r.wav" in capsys.readouterr().out
    result = json.loads(files["--json"].read_text())
    with wave.open(str(files["--wav"])) as sound:
        assert sound.getnframes() / sound.getframerate() == result["trials"][0]["simulated_s"]
        assert any(sound.readframes(sound.getnframes()))
    assert result["trials"][0]["shown"][0]["event"] == "BREACH"


@needs_arena
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_played(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["run", "breach_recovery", "--trials", "1", "--wav", "."])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "error: --wav: cannot be written: is a folder (got '.')\n"
    assert not list(tmp_path.iterdir())
