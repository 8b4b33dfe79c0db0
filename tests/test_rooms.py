"""Keeps the order of the layers: which one may import which, and who may import ROS and MuJoCo."""

import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from affected_tests import imported

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "arena_trees"
SIMULATED = "sensors/<sensor>/simulated.py"
ROOMS = (
    "robot",
    "sensors",
    "world",
    "control",
    "safety",
    "perception",
    "games",
    "behaviours",
    "trees",
    "simulation",
    SIMULATED,
    "experiments",
    "recording",
    "nodes",
    PACKAGE,
)
"""From the lowest to the highest; a room imports itself and lower ones. The last is the face of the house. The
simulated parts of sensors are a room of their own."""

MOST_MODULES = 25
"""In one folder."""

ROS = ("ament_index_python", "launch", "launch_ros", "py_trees_ros", "rclpy")
ROS_ROOMS = ("nodes",)
ARENA_ROOMS = ("simulation", SIMULATED)
PLAYING_ROOMS = (*ARENA_ROOMS, "experiments")
"""They play in the arena, and so import MuJoCo through it."""


@cache
def text(path: Path) -> str:
    """Return what is in a file, read once."""
    return path.read_text(encoding="utf-8")


@cache
def _modules() -> list[Path]:
    folders = [ROOT / room for room in ROOMS if (ROOT / room).is_dir()]
    # The links in arena_trees/ lead to rooms that are listed themselves.
    return [
        path
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        if not any(parent.is_symlink() for parent in path.parents)
    ]


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts if parts[0] == PACKAGE else (PACKAGE, *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _room(module: str) -> str:
    parts = module.split(".")
    if len(parts) > 3 and parts[1] == "sensors" and parts[3] == "simulated":
        return SIMULATED
    return parts[1] if len(parts) > 1 and parts[1] in ROOMS else PACKAGE


def _height(module: str) -> int:
    return ROOMS.index(_room(module))


imports = cache(imported)
"""Full names of everything that a module imports, read once."""


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """Return what is wrong with the imports of one module, a line each."""
    own = _room(module)
    wrong = []
    for target in sorted(imports(source, module, is_package)):
        top = target.split(".")[0]
        if top == PACKAGE and target != f"{PACKAGE}.__version__" and _height(target) > _height(module):
            wrong.append(f"{module} imports {target}, of a higher room")
        elif top in ROOMS and top != PACKAGE:
            wrong.append(f"{module} imports {target}, which must be written {PACKAGE}.{target}")
        elif (top in ROS or top.endswith(("_msgs", "_interfaces"))) and own not in ROS_ROOMS:
            wrong.append(f"{module} imports {target}: only {', '.join(ROS_ROOMS)} and launch may import ROS")
        elif top == "mujoco" and own not in ARENA_ROOMS:
            wrong.append(f"{module} imports {target}: only {', '.join(ARENA_ROOMS)} may import MuJoCo")
    return wrong


def circles(imported: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """Return the groups of modules each of which imports, through others, itself.

    Args:
        imported: what each module imports
    """
    reached: dict[str, set[str]] = {}
    for module in imported:
        found: set[str] = set()
        ahead = [module]
        while ahead:
            news = imported[ahead.pop()] - found
            found |= news
            ahead.extend(news)
        reached[module] = found
    groups = {tuple(sorted(m for m in found if n in reached[m])) for n, found in reached.items() if n in found}
    return sorted(groups)


def test_no_modules_import_each_other():
    paths = {_name(path): path for path in _modules()}
    imported: dict[str, set[str]] = {}
    for module, path in paths.items():
        imported[module] = set()
        for target in imports(text(path), module, path.name == "__init__.py"):
            while target and target not in paths:
                target = target.rpartition(".")[0]
            imported[module] |= {target} - {"", module}
    assert not circles(imported)


def test_the_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [("a", "b", "c")]


def test_no_folder_holds_more_modules_than_one_can_read():
    beside = Counter(path.parent.relative_to(ROOT) for path in _modules() if path.name != "__init__.py")
    assert max(beside.values()) <= MOST_MODULES, beside.most_common(3)


def test_no_module_imports_what_is_above_it():
    wrong = [line for path in _modules() for line in violations(text(path), _name(path), path.name == "__init__.py")]
    assert not wrong, "\n".join(wrong)


def test_the_check_notices():
    bad = [
        ("arena_trees.robot.loop", "import arena_trees.safety.gate"),
        ("arena_trees.robot.loop", "from arena_trees import safety"),
        ("arena_trees.robot.loop", "def late():\n    from ..trees import wolf"),
        ("arena_trees.robot.loop", "from arena_trees.cli import main"),
        ("arena_trees.robot.loop", "import control.pid"),
        ("arena_trees.behaviours.wolf_rabbit.chase", "from geometry_msgs.msg import Twist"),
        ("arena_trees.trees.wolf_rabbit.wolf", "import py_trees_ros"),
        ("arena_trees.cli", "import mujoco"),
    ]
    assert [one for one in bad if not violations(one[1], one[0])] == []


def test_the_check_allows():
    good = [
        ("arena_trees.robot.loop", "from . import clock\nfrom .clock import Clock\nimport py_trees, numpy"),
        ("arena_trees.trees.wolf_rabbit.wolf", "from arena_trees.behaviours import chase\nfrom . import shared"),
        ("arena_trees.experiments.runner", "from arena_trees import __version__, simulation"),
        ("arena_trees.nodes.tree", "import rclpy\nfrom ..robot import loop"),
        ("arena_trees.cli", "from arena_trees.experiments import runner"),
    ]
    assert [wrong for module, source in good for wrong in violations(source, module)] == []


def test_every_room_has_its_link():
    rooms = [room for room in ROOMS[:-1] if (ROOT / room / "__init__.py").exists()]
    links = {path.name: path.readlink() for path in (ROOT / PACKAGE).iterdir() if path.is_symlink()}
    shared = [folder for folder in ("config", "launch", "models") if (ROOT / folder).is_dir()]
    assert links == {name: Path("..", name) for name in (*rooms, *shared)}


def test_a_robot_needs_neither_the_arena_nor_ros_to_import_its_rooms(tmp_path):
    modules = [_name(path) for path in _modules()]
    wanted = [name for name in modules if _room(name) not in (*PLAYING_ROOMS, *ROS_ROOMS)]
    wanted.remove(f"{PACKAGE}.__main__")
    # It watches ROS, in a process of its own.
    wanted.remove(f"{PACKAGE}.console.graph_process")
    # The check of games plays them.
    wanted = [name for name in wanted if not name.startswith(f"{PACKAGE}.testing")]
    script = f"""
import importlib, sys
for name in {wanted!r}:
    importlib.import_module(name)
    heavy = [top for top in ("mujoco", "rclpy") if top in sys.modules]
    assert not heavy, f"importing {{name}} brings {{heavy}}"
"""
    # Not in the root of the repository, where the rooms would also answer to their short names.
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
