"""``arena-trees run --wav`` as a user meets it."""

import json
import wave

from helpers.arena import needs_arena
from helpers.commands import call


@needs_arena
def test_the_first_trial_of_the_first_arm_becomes_a_sound_file(capsys, tmp_path):
    files = {
        option: tmp_path / name for option, name in (("--json", "r.json"), ("--plot", "r.png"), ("--wav", "r.wav"))
    }
    arguments = ["run", "breach_recovery", "--trials", "2", "--jobs", "1", "--set", "duration_s=1"]
    assert "r.wav" in call(capsys, *arguments, *(part for item in files.items() for part in item))
    result = json.loads(files["--json"].read_text())
    with wave.open(str(files["--wav"])) as sound:
        assert sound.getnframes() / sound.getframerate() == result["trials"][0]["simulated_s"]
        assert any(sound.readframes(sound.getnframes()))
    assert result["trials"][0]["shown"][0]["event"] == "BREACH"
