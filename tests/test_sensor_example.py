"""Sensors in packages of their own, found by their entry points: the IMU of the examples, and a microphone.

What sensors there are is settled when the first is asked for, so all of it happens in processes of their own.
"""

import base64
import json
import os
import re
import sys
import zlib
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers import patience
from helpers.arena import needs_arena

ROOT = Path(__file__).resolve().parents[1]
IMU = ROOT / "examples" / "imu"
POINTS = """[arena_trees.sensors]
imu = arena_trees_imu.sensor:SENSOR
sound_level = helpers.sound_level:SENSOR
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with which on its path Python has both sensors, as if pip had installed them."""
    folder = tmp_path_factory.mktemp("installed")
    information = folder / "sensors_of_tests-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: sensors-of-tests\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    return folder


def run(installed: Path, folder: Path, *command: str) -> str:
    """Run Python in a folder, with the sensors, and return what it printed."""
    path = os.pathsep.join(map(str, (installed, IMU, ROOT / "tests", ROOT)))
    done = patience.run([sys.executable, *command], cwd=folder, env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@needs_arena
def test_both_keep_the_contract_of_sensors(installed: Path, tmp_path: Path):
    microphone = tmp_path / "test_microphone.py"
    microphone.write_text(
        "from arena_trees.testing import check_sensor\nfrom helpers.sound_level import SENSOR\n\n\n"
        "def test_it_keeps_the_contract():\n    assert check_sensor(SENSOR)\n",
        encoding="utf-8",
    )
    tests = (str(IMU / "tests"), str(microphone))
    assert "7 passed" in run(
        installed, tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(IMU / "tests"), *tests
    )


READ_BY_A_LEAF = """
import json

import arena_trees as at
from arena_trees.recording.loading import load_recording
from arena_trees.experiments.plan import make_plan
from arena_trees.experiments.scenario import apply_changes, find_scenario, load_scenario
from arena_trees.experiments.trial import run_trial
from arena_trees.recording.trial_recorder import RecordTrials
from pathlib import Path

rates = []


class Feel(at.PerceptBehaviour):
    def __init__(self, robot):
        super().__init__("Feel", robot, reads=("imu", "sound_level"))

    def update(self):
        if self.fresh(self.percepts.imu, 0.1) and self.percepts.sound_level is not None:
            rates.append(self.percepts.imu.yaw_rate)
        return at.Status.SUCCESS


path = find_scenario("wolf_rabbit_open")
changes = {"duration_s": 3.0, "wolf.sensors.imu.rate_bias": 0.0, "wolf.sensors.imu.rate_noise": 0.0}
changes["faults"] = [{"robot": "wolf", "sensor": "imu", "at_s": 2.0}]
plan = make_plan(apply_changes(load_scenario(path), changes), path, path.parent)
plan = plan.with_trees({"wolf": lambda robot, live, streams: Feel(robot)})
run_trial(plan, 0, watch=RecordTrials(Path("recordings")))
wolf = load_recording("recordings/trial_000").robots["wolf"]
print(json.dumps({"felt": len(rates), "turned": max(map(abs, rates)), "recorded": len(wolf.more["imu"])}))
"""


@needs_arena
def test_a_leaf_reads_them_and_a_scenario_changes_and_silences_them(installed: Path, tmp_path: Path):
    told = json.loads(run(installed, tmp_path, "-c", READ_BY_A_LEAF).splitlines()[-1])
    # The wolf stands, for its tree commands nothing: without noise and bias its gyroscope says so. Of its 150 ticks
    # the IMU is fresh until 0.1 s after it fell silent.
    assert 95 <= told["felt"] <= 106
    assert told["turned"] < 1e-6
    assert told["recorded"] == pytest.approx(100, abs=1)


@needs_arena
def test_commands_know_them(installed: Path, tmp_path: Path):
    arguments = ("--trials", "1", "--jobs", "1", "--set", "duration_s=1", "--record", "recordings")
    run(installed, tmp_path, "-m", "arena_trees", "run", "wolf_rabbit_open", *arguments)
    run(installed, tmp_path, "-m", "arena_trees", "report", "recordings/trial_000", "-o", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    packed = re.search(r'id="recording">([A-Za-z0-9+/=]*)</script>', page)
    assert packed is not None
    header, _ = json.JSONDecoder().raw_decode(
        zlib.decompress(base64.b64decode(packed[1]))[4:].decode("utf-8", "replace")
    )
    for robot in header["robots"]:
        assert robot["sensors"]["imu"]["units"] == {"yaw rate": "rad/s", "forward": "m/s²", "leftward": "m/s²"}
        assert robot["sensors"]["sound_level"]["units"] == {"level": "dB"}


@pytest.mark.slow
@needs_arena
def test_the_imu_is_published_recorded_and_read_on_ros(installed: Path, tmp_path: Path):
    lacking = [name for name in ("rclpy", "tf2_msgs", "vision_msgs") if find_spec(name) is None]
    if lacking:
        pytest.skip(f"{', '.join(lacking)} not installed: make ros")
    arguments = ("--trials", "1", "--set", "duration_s=5", "--record", "recordings")
    run(installed, tmp_path, "-m", "arena_trees", "run-ros", "wolf_rabbit_open", *arguments)
    count = "from arena_trees.recording.loading import load_recording as load\n"
    count += "print(min(len(robot.more['imu']) for robot in load('recordings/trial_000').robots.values()))"
    assert int(run(installed, tmp_path, "-c", count)) > 100


def test_the_imu_is_short():
    files = [*(IMU / "arena_trees_imu").glob("*.py"), IMU / "pyproject.toml"]
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= 120
