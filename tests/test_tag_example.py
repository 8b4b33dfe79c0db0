"""The game of tag, in a package of its own: found by its entry point and played; installed as a user does it."""

import os
import shutil
import sys
import sysconfig
import venv
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers import patience
from helpers.arena import needs_arena
from helpers.commands import call
from helpers.installed_games import TAG, installed

import arena_trees as at

ROOT = Path(__file__).resolve().parents[1]

# One process installs it.
pytestmark = pytest.mark.xdist_group("tag")


@pytest.fixture
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have the game, as if pip had installed it."""
    with installed(tmp_path_factory.mktemp("installed"), {"tag": "arena_trees_tag.game:GAME"}, TAG):
        yield


@needs_arena
@pytest.mark.usefixtures("game")
def test_it_is_played_recorded_replayed_and_reported(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "tag for two robots" in call(capsys, "list")
    assert "--> Must I stand?" in call(capsys, "render", "tagger")
    play = ("run", "tag", "--trials", "1", "--jobs", "1", "--set", "duration_s=1", "--record", "recordings")
    assert "blue_it_share" in call(capsys, *play)
    for robot in ("red", "blue"):
        assert "identical: 50 ticks" in call(capsys, "replay", "recordings/trial_000", "--robot", robot)
    (trial,) = at.play("tag", changes={"duration_s": 0.1}, trials=1).trials
    assert {shape.group for shape in trial.shapes} == {"it", "scores"}, "the picture of the run shows them"
    for option in ("--strategy", "--compare"):
        assert "its robots have no choice of strategies" in call(capsys, "run", "tag", option, "source", code=2)
    assert "name one, such as recordings/trial_000" in call(capsys, "report", "recordings", code=2)
    call(capsys, "report", "recordings/trial_000", "-o", "page.html")
    assert "tag" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("game")
def test_its_files_are_good(capsys: pytest.CaptureFixture[str]):
    for file in sorted((TAG / "arena_trees_tag" / "config").rglob("*.yaml")):
        assert ": good " in call(capsys, "check", str(file))


def test_it_is_short():
    files = (TAG / "arena_trees_tag").rglob("*.py")
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) < 300


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of a virtual environment that has the game, and the libraries of this one."""
    folder = tmp_path_factory.mktemp("tag")
    venv.create(folder / "environment", symlinks=True)
    base = str(folder / "environment")
    site = Path(sysconfig.get_path("purelib", vars={"base": base, "platbase": base}))
    libraries = dict.fromkeys(sysconfig.get_path(key) for key in ("purelib", "platlib"))
    # Editable installations of those folders stay unseen: this very checkout comes last.
    (site / "libraries.pth").write_text("\n".join([*libraries, str(ROOT)]), encoding="utf-8")
    python = folder / "environment" / "bin" / "python"
    # A build leaves folders behind.
    package = shutil.copytree(TAG, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    run(Path(sys.executable), folder, "-m", "pip", "--python", str(python), "install", *options, str(package))
    return python


def run(python: Path, folder: Path, *command: str) -> str:
    """Run Python in a folder, without the settings of this environment, and return what it printed."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = patience.run([str(python), *command], cwd=folder, env=kept)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.slow
@needs_arena
def test_installed_it_is_played_and_keeps_the_contract_and_its_rules(python: Path, tmp_path: Path):
    play = ("run", "tag", "--trials", "1", "--jobs", "1", "--set", "duration_s=2")
    assert "blue_it_share" in run(python, tmp_path, "-m", "arena_trees", *play)
    tests = str(TAG / "tests")
    run(python, tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tests, tests)


@pytest.mark.slow
@needs_arena
def test_it_is_played_on_ros(python: Path, tmp_path: Path):
    lacking = [name for name in ("rclpy", "tf2_msgs", "vision_msgs") if find_spec(name) is None]
    if lacking:
        pytest.skip(f"{', '.join(lacking)} not installed: make ros")
    assert "over after" in run(
        python, tmp_path, "-m", "arena_trees", "run-ros", "tag", "--trials", "1", "--set", "duration_s=5"
    )
