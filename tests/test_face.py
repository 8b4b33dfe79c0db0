"""What ``import arena_trees`` offers."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from helpers.arena import needs_arena

import arena_trees

FACE = Path(arena_trees.__file__)


def test_every_name_is_what_its_home_has():
    homes = arena_trees._homes()
    assert len(homes) > 80
    assert set(homes) <= set(dir(arena_trees))
    for name, module in homes.items():
        assert getattr(arena_trees, name) is getattr(import_module(module), name)


def test_the_stub_offers_each_name_under_its_own_name_and_says_nothing_else():
    tree = ast.parse(FACE.with_suffix(".pyi").read_text(encoding="utf-8"))
    reported = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    names = [alias.name for node in reported for alias in node.names]
    assert len(set(names)) == len(names)
    assert all(alias.asname == alias.name for node in reported for alias in node.names)
    # Besides these, its docstring and the version.
    assert len(tree.body) == len(reported) + 2


def test_it_names_no_game():
    rooms = [path.parent.name for path in FACE.parent.glob("trees/*/game.py")]
    assert rooms
    text = "\n".join(FACE.with_suffix(suffix).read_text(encoding="utf-8") for suffix in (".py", ".pyi"))
    assert not [room for room in rooms if room in text]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'wolves'"):
        arena_trees.wolves  # noqa: B018 - the access is what is tested


def test_importing_it_is_light(tmp_path: Path):
    script = "import sys, arena_trees; print(sorted({'numpy', 'py_trees', 'pydantic', 'mujoco'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], {"numpy", "pydantic", "py_trees", "mujoco", "yaml", "arena_trees.games"}),
        (["run", "--help"], {"mujoco", "joblib", "scipy", "matplotlib"}),
        (["list"], {"mujoco", "joblib", "scipy", "matplotlib"}),
    ],
)
def test_a_command_imports_nothing_heavy_before_it_is_needed(arguments: list[str], heavy: set[str], tmp_path: Path):
    assert not heavy & imported_by(arguments, tmp_path)


@needs_arena
def test_a_short_run_imports_no_library_for_what_it_does_not_do(tmp_path: Path):
    """One trial needs no other process, no interval and no map."""
    command = ["run", "wolf_rabbit", "--trials", "1", "--seed", "1", "--set", "duration_s=0.5", "--quiet"]
    assert not {"scipy", "joblib", "asyncio"} & imported_by(command, tmp_path)


@needs_arena
def test_a_worker_imports_nothing_that_prints_or_draws(tmp_path: Path):
    script = "import sys; from arena_trees.experiments.trial import run_trial; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert not {"typer", "rich", "matplotlib", "scipy.stats", "joblib"} & set(done.stdout.split())


def imported_by(arguments: list[str], folder: Path) -> set[str]:
    """Return the modules that a command has imported when it ends."""
    script = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=open('modules', 'w')));"
        f"from arena_trees.cli import main; main({arguments!r})"
    )
    subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    return set((folder / "modules").read_text(encoding="utf-8").split())


def test_a_machine_without_mujoco_is_told_so_in_one_line(tmp_path: Path):
    script = "import sys; sys.modules['mujoco'] = None; from arena_trees.cli import main; main(['run', 'wolf_rabbit'])"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: the arena needs MuJoCo")
    assert done.stderr.count("\n") == 1


def test_gate_filter_and_writer_need_neither_pictures_nor_recordings(tmp_path: Path):
    script = (
        "import sys; sys.modules.update(dict.fromkeys(('onnxruntime', 'cv2', 'PIL', 'rosbags', 'matplotlib')));"
        "import arena_trees as at; at.VelocityGate(); at.PerceptFilter(); at.PerceptionBlackboardWriter('robot')"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
