"""Whatever a user gets wrong: one line that names file, key and value, exit code 2, nothing written."""

import subprocess
import sys

import pytest
from helpers.commands import call, complaint

pytestmark = pytest.mark.usefixtures("empty_folder")

GOOD = """\
description: a short game
game: wolf_rabbit
arena: arena_4x4.yaml
duration_s: 2.0
trials: 1
robots:
  wolf: {role: wolf}
  rabbit: {role: rabbit}
"""
ARENA = """\
name: room
walls:
  - {name: north, start: [-2.0, 2.0], end: [2.0, 2.0]}
fences:
  wolf: [[-1.5, -1.5], [1.5, -1.5], [1.5, 1.5], [-1.5, 1.5]]
starts:
  wolf: {position: [0.0, 0.0], yaw: 0.0}
"""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "wolf_rabit"), ("wolf_rabit", "did you mean wolf_rabbit")),
        (("run", "missing.yaml"), ("missing.yaml", "no such file")),
        (("run", "pursuit"), ("is a game", "pursuit_hiding", "got 'pursuit'")),
        (("pursuit_hiding",), ("No such command", "arena-trees run pursuit_hiding")),
        (("mine.yaml",), ("No such command", "arena-trees run mine.yaml")),
        ((".",), ("No such command", "arena-trees report .")),
        (("nonsense",), ("No such command 'nonsense'.\n",)),
        (("run", "wolf_rabbit", "--trials", "0"), ("--trials", "0")),
        (("run", "wolf_rabbit", "--trials", "-3"), ("--trials", "-3")),
        (("run", "wolf_rabbit", "--trials", "ten"), ("--trials", "ten")),
        (("run", "wolf_rabbit", "--seed", "-1"), ("--seed", "-1")),
        (("run", "wolf_rabbit", "--jobs", "0"), ("--jobs", "0")),
        (("run", "wolf_rabbit", "--strategy", "clever"), ("--strategy", "clever", "source")),
        (("run", "wolf_rabbit", "--compare", "clever"), ("--compare", "clever", "source")),
        (("run", "wolf_rabbit", "--compare", "arena"), ("--compare", "arena")),
        (("run", "error_analysis", "--compare", "source"), ("--compare", "variants")),
        (("run", "wolf_rabbit", "--set", "nonsense"), ("--set", "nonsense", "key=value")),
        (("run", "wolf_rabbit", "--set", "nonsense=1"), ("--set", "nonsense", "unknown key")),
        (("run", "wolf_rabbit", "--set", "wolf.nonsense=1"), ("--set", "wolf.nonsense", "unknown key")),
        (("run", "wolf_rabbit", "--set", "fox.chase_kp=1"), ("--set", "fox")),
        (("run", "wolf_rabbit", "--set", "wolf.chase_kp=fast"), ("--set", "wolf.chase_kp", "fast")),
        (("run", "wolf_rabbit", "--set", "wolf.chase_kp=.nan"), ("--set", "wolf.chase_kp", "nan")),
        (("run", "wolf_rabbit", "--set", "wolf.chase_kp=.inf"), ("--set", "wolf.chase_kp", "inf")),
        (("run", "wolf_rabbit", "--set", "wolf.chase_kp=[1"), ("--set", "wolf.chase_kp")),
        (("run", "wolf_rabbit", "--set", "wolf.chase_kp=!!python/name:os.system"), ("--set", "wolf.chase_kp")),
        (("run", "wolf_rabbit", "--set", "seed=1", "--set", "seed=2"), ("--set", "seed", "twice")),
        (("run", "wolf_rabbit", "--set", "wolf.sensors.camera.hfov_deg=0"), ("camera.hfov_deg", "0")),
        (("run", "wolf_rabbit", "--set", "wolf.sensors.nose=1"), ("--set", "wolf.sensors.nose")),
        (("run", "wolf_rabbit", "--set", "robots.wolf.role=fox"), ("--set", "wolf.role", "fox", "rabbit")),
        (("run", "wolf_rabbit", "--set", "duration_s=-1"), ("duration_s", "-1")),
        (("run", "wolf_rabbit", "--set", "arena=moon.yaml"), ("arena", "moon.yaml")),
        (
            ("run", "wolf_rabbit", "--set", "wolf.start={x: 2.65, y: 0.0, yaw_deg: 0.0}"),
            ("--set", "wolf.start", "wall_east"),
        ),
        (("run", "wolf_rabbit", "--set", "wolf.start={x: 1.0}"), ("--set", "wolf.start", "yaw_deg")),
        (("run", "wolf_rabbit", "--json", "/proc/none/x.json"), ("--json", "/proc/none")),
        (("run", "wolf_rabbit", "--plot", "."), ("--plot",)),
        (("run", "breach_recovery", "--wav", "."), ("--wav: cannot be written: is a folder (got '.')",)),
        (("run", "wolf_rabbit", "--bogus"), ("--bogus",)),
        (("run",), ("name_or_file",)),
        (("dance",), ("dance",)),
        (("render", "fox"), ("fox", "wolf")),
        (("render", "wolf", "--format", "png"), ("--format", "png", "svg")),
        (("render", "wolf", "--strategy", "clever"), ("strategy", "clever")),
        (("render", "wulf"), ("did you mean wolf?",)),
        (("check", "wolf_rabit.yaml"), ("wolf_rabit.yaml", "no such file")),
        (("run", "wolf_rabbit", "--set", "chase_kp=2"), ("--set: chase_kp", "wolf.chase_kp")),
        (("run", "wolf_rabbit", "--set", "wolf.chase_kb=2"), ("did you mean chase_kp",)),
        (("run", "wolf_rabbit", "--set", "wulf.chase_kp=2"), ("no such robot: did you mean wolf?",)),
        (("run", "wolf_rabbit", "--set", "roam_linear_speed=1"), ("wolf.roam_linear_speed or rabbit.roam_linear",)),
        (("run", "wolf_rabbit", "--set", "gate.max_linear=1"), ("wolf.gate.max_linear or rabbit.gate.max_linear",)),
        (("run", "wolf_rabbit", "--set", "trails=1"), ("did you mean trials?",)),
        (("run", "wolf_rabbit", "--set", "bus.los=1"), ("did you mean loss?",)),
        (("run", "wolf_rabbit", "--set", "wolf.sensors.camera.rate_h=1"), ("did you mean rate_hz?",)),
        (("run", "wolf_rabbit", "--set", "arena=arena_4x5.yaml"), ("did you mean arena_4x4.yaml",)),
        (("run", "wolf_rabbit", "--map", "flat"), ("--map", "needs an arena with fences", "arena_4x4.yaml")),
        (("run", "wolf_rabbit", "--map"), ("--map", "map_server YAML file")),
        (("run", "pacman", "--map", "flatt"), ("--map", "did you mean flat?")),
        (("run", "wolf_rabbit", "--tree", "wolf.py"), ("--tree", "ROLE=FILE")),
        (("run", "wolf_rabbit", "--tree", "wolf=none.py"), ("none.py", "--tree", "no such file")),
        (("run", "wolf_rabbit", "--compare", "wolf=none.yaml"), ("none.yaml", "--compare", "no such file")),
        (("explain", "wolf.chase_kb"), ("did you mean wolf.chase_kp",)),
        (("explain", "xyzzy"), ("xyzzy", "nothing is called so")),
        (("explain", "black.gate.max_linear"), ()),
        (("bench", "--seconds", "0"), ("--seconds", "0")),
        (("bench", "--set", "wolf.no_such_thing=1"), ("--set", "no_such_thing")),
        (("bench", "crossroads", "--against", "HEAD"), ("crossroads", "a world of its own")),
        (("bench", "--against", "no-such-commit"), ("--against", "no-such-commit")),
        (("bench", "--against", "HEAD", "--rounds", "1"), ("--rounds", "1")),
        (("bench", "--rounds", "5"), ("--rounds", "needs --against", "5")),
        (("bench", "--against", "HEAD", "--jobs", "2"), ("--against", "HEAD")),
    ],
)
def test_bad_arguments(capsys, arguments: tuple[str, ...], words: tuple[str, ...]):
    said = complaint(capsys, *arguments)
    for word in words:
        assert word in said


@pytest.mark.parametrize(
    ("command", "option", "endings"),
    [
        (("run", "wolf_rabbit", "--json"), "--json", ".json"),
        (("run", "wolf_rabbit", "--plot"), "--plot", ".png, .svg or .pdf"),
        (("run", "wolf_rabbit", "--wav"), "--wav", ".wav"),
        (("render", "wolf", "-o"), "--output", ".txt, .dot or .svg"),
        (("render", "wolf", "--format", "svg", "-o"), "--output", ".svg"),
        (("plot-sweep", "folder", "catch_rate", "-o"), "-o", ".png, .svg or .pdf"),
        (("replay", "folder", "--json"), "--json", ".json"),
        (("report", "folder", "-o"), "--output", ".html"),
        (("report", "folder", "--video"), "--video", ".mp4, .webm or .gif"),
        (("evaluate-signs", "folder", "--json"), "--json", ".json"),
        (("evaluate-signs", "folder", "--sheet"), "--sheet", ".png"),
        (("pacman", "pellets", "flat", "-o"), "--output", ".png, .svg or .pdf"),
        (("crossroads", "print-crossing", "-o"), "--output", ".pdf"),
        (("crossroads", "calibrate-lanes", "road.png", "-o"), "--output", ".png"),
    ],
)
def test_a_file_of_a_format_that_is_not_written(capsys, command: tuple[str, ...], option: str, endings: str):
    reason = f"error: {option}: a file's name must end in {endings} here (got 'folder.png/file.odd')\n"
    assert complaint(capsys, *command, "folder.png/file.odd") == reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("must be a map",)),
        ("- 1\n", ("must be a map",)),
        ("duration_s: 2.0\n", ("game", "is required")),
        (GOOD.replace("game: wolf_rabbit", "game: wolf_rabit"), ("game", "wolf_rabit", "wolf_rabbit")),
        (GOOD.replace("game: wolf_rabbit\n", ""), ("game", "is required")),
        (GOOD + "trials: 2\n", ("duplicate key", "trials", "bad.yaml:9")),
        (GOOD.replace("trials: 1", "trials:\t1\n\tx: 1"), ("bad.yaml:",)),
        (GOOD.replace("trials: 1", "trials: many"), ("trials", "many")),
        (GOOD.replace("trials: 1", "trials: 0"), ("trials", "0")),
        (GOOD.replace("trials: 1", "trials: 1.5"), ("trials", "1.5")),
        (GOOD.replace("trials: 1", "seed: -1"), ("seed", "-1")),
        (GOOD.replace("duration_s: 2.0", "duration_s: .inf"), ("duration_s", "inf")),
        (GOOD.replace("trials: 1", "strategy: clever"), ("strategy", "clever")),
        (GOOD.replace("trials: 1", "trials: !!python/object/apply:os.getcwd []"), ("bad.yaml:5",)),
        (GOOD.replace("role: wolf", "role: fox"), ("robots.wolf.role", "fox")),
        (GOOD.replace("trials: 1", "trails: 1"), ("trails", "unknown key", "did you mean trials?")),
        (GOOD.replace("  wolf: {role", "  seed: {role"), ("robots", "seed")),
        (GOOD.replace("{role: wolf}", "{role: wolf, set: {chase_kp: -1}}"), ("wolf.chase_kp", "-1")),
        (GOOD.replace("{role: wolf}", "{role: wolf, parameters: none.yaml}"), ("wolf.parameters", "none.yaml")),
        (GOOD.replace("{role: wolf}", "{role: wolf, start: {outside: 0.6}}"), ("wolf.start", "wall_")),
        (
            GOOD.replace("{role: wolf}", "{role: wolf, start: {x: 0.0, y: 0.0, yaw_deg: .nan}}"),
            ("wolf.start.yaw_deg", "nan"),
        ),
        (GOOD + "faults: [{robot: cat}]\n", ("faults.0.robot", "cat")),
        (
            GOOD + "faults: [{robot: wolf, sensor: scan, kind: silent}, {robot: wolf, part: base, kind: killed}]\n",
            ("faults.1: there is no such fault of a base",),
        ),
        (GOOD + "bus: {bursts_per_minute: 60, burst_s: 2}\n", ("bus: bursts of 2 s leave no time between them",)),
        (GOOD + "referee: {catch_distance: 0.5}\n", ("referee", "unknown key", "rules")),
        (GOOD + "catch_distance: 0.5\n", ("catch_distance", "under the key rules")),
        (GOOD + "rules: {catch_distance: far}\n", ("rules.catch_distance", "far")),
        (GOOD + "rules: {catch_distnce: 0.5}\n", ("rules.catch_distnce", "unknown key")),
        (GOOD + "rules: {recovery: {robot: cat}}\n", ("rules.recovery.robot", "cat")),
        (GOOD + "variants: {fast: {sped: 1}}\n", ("variants.fast", "sped")),
        (GOOD + "variants: {fast: {wolf.sped: 1}}\n", ("variants.fast", "wolf.sped")),
        pytest.param(
            GOOD + "arena_set: {random_boxes.count: 49}\n", ("random_boxes.count", "49"), marks=pytest.mark.slow
        ),
        (GOOD + "arena_set: {moat: 1}\n", ("arena_set.moat", "1")),
        (GOOD + "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]\n", ("bad.yaml",)),
        ("\x00\x01\x02", ("bad.yaml",)),
        ("x: '" + "noise " * 400_000 + "'", ("bad.yaml", "bytes")),
    ],
)
@pytest.mark.parametrize("command", ["run", "check"])
def test_bad_scenario_files(capsys, tmp_path, command: str, text: str, words: tuple[str, ...]):
    (tmp_path / "bad.yaml").write_text(text, encoding="utf-8")
    said = complaint(capsys, command, "bad.yaml")
    assert "bad.yaml" in said
    if command == "run" or "robots" in text:
        for word in words:
            assert word in said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[1.5, 1.5], [-1.5, 1.5]]", "]", ("fences.wolf",)),
        ("[1.5, -1.5], [1.5, 1.5]", "[1.5, 1.5], [1.5, -1.5]", ("fences.wolf", "cross")),
        ("[1.5, -1.5]", "[.nan, -1.5]", ("fences.wolf", "nan")),
        ("[1.5, -1.5]", "[-1.5, -1.5]", ("fences.wolf",)),
        ("position: [0.0, 0.0]", "position: [0.0, 2.0]", ("starts.wolf.position", "north")),
        ("position: [0.0, 0.0]", "position: [0.0, 1.8]", ("starts.wolf.position",)),
        ("yaw: 0.0", "yaw: north", ("starts.wolf", "north")),
        ("name: north, start: [-2.0, 2.0]", "name: north, start: [2.0, 2.0]", ("walls.0.end",)),
        ("walls:", "wals:", ("wals", "unknown key")),
    ],
)
def test_bad_arenas(capsys, tmp_path, old: str, new: str, words: tuple[str, ...]):
    assert old in ARENA
    (tmp_path / "arena.yaml").write_text(ARENA.replace(old, new), encoding="utf-8")
    said = complaint(capsys, "check", "arena.yaml")
    for word in ("arena.yaml", *words):
        assert word in said


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("wolf.yaml", "/**: {ros__parameters: {chase_kp: 1e9}}", ("chase_kp", "1000000000")),
        ("wolf_fast.yaml", "/**: {ros__parameters: {chase_speed: 1}}", ("chase_speed", "unknown key")),
        ("wolf.yaml", "/**: {parameters: {}}", ("/**", "ros__parameters")),
        ("cat.yaml", "/**: {ros__parameters: {}}", ("--role",)),
        ("else.yaml", "hello: 1", ("neither",)),
        ("mine.yaml", "game: wolf_rabbit\nrobot: {}\n", ("robot", "did you mean robots?")),
        ("mine.yaml", "fenses: {}\n", ("neither", "did you mean fences?")),
        ("mine.yaml", "/**: {ros__parameters: {roam_linear_speed: 0.2}}", ("fit rabbit and wolf", "--role")),
        ("mine.yaml", "/**: {ros__parameters: {chase_kp: 1.0, chase_kx: 1.0}}", ("chase_kx", "did you mean chase_kp")),
        ("mine.yaml", "image: none.pgm\nresolution: 0.05\norigin: [0, 0, 0]\n", ("none.pgm",)),
    ],
)
def test_bad_parameter_files_and_files_whose_kind_is_guessed(
    capsys, tmp_path, name: str, text: str, words: tuple[str, ...]
):
    (tmp_path / name).write_text(text, encoding="utf-8")
    said = complaint(capsys, "check", name)
    for word in (name, *words):
        assert word in said


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("bad.py", "import math\nraise ValueError('of mine')", ("bad.py:2", "ValueError: of mine")),
        ("bad.py", "x = 1\ny = (", ("bad.py:2", "SyntaxError")),
        ("bad.py", "import sys\nsys.exit(3)", ("bad.py:2", "SystemExit")),
        ("bad.py", "create_tree = 1", ("bad.py", "no function create_root")),
        ("bad.py", "def create_root(robot): return robot", ("bad.py", "TypeError", "3 were given")),
        (
            "bad.py",
            "def create_root(robot, live, streams): return robot",
            ("bad.py", "must return a behaviour", "wolf"),
        ),
        (
            "bad.py",
            "import arena_trees as at\nclass Look(at.PerceptBehaviour):\n    def update(self): pass\n"
            "def create_root(robot, live, streams): return Look('Look', robot, ('scan', 'lidar'))",
            ("bad.py", "Look reads what nothing writes; percepts are now, scan,", "got 'lidar'"),
        ),
        ("bad.yaml", "/**: {ros__parameters: {chase_kb: 1.0}}", ("bad.yaml", "chase_kb", "did you mean chase_kp")),
        ("bad.yaml", "chase_kp: 1.0", ("bad.yaml", "/**")),
        ("bad.txt", "", ("bad.txt", "--compare", ".py")),
    ],
)
def test_bad_files_to_compare(capsys, tmp_path, name: str, text: str, words: tuple[str, ...]):
    (tmp_path / name).write_text(text, encoding="utf-8")
    said = complaint(capsys, "run", "wolf_rabbit", "--compare", f"wolf={name}")
    for word in words:
        assert word in said
    if not name.endswith(".txt"):
        assert "did you mean wolf?" in complaint(capsys, "run", "wolf_rabbit", "--compare", f"wulf={name}")


def test_good_files(capsys, tmp_path):
    for name, text, kind in (
        ("game.yaml", GOOD, "scenario"),
        ("room.yaml", ARENA, "arena"),
        ("wolf_fast.yaml", "/**: {ros__parameters: {chase_kp: 1.5e0}}", "parameters of the wolf"),
        ("mine.yaml", "/**: {ros__parameters: {chase_kp: 1.5e0}}", "parameters of the wolf"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert call(capsys, "check", name) == f"{name}: good {kind}\n"


def test_the_process_itself_ends_with_two(tmp_path):
    command = [sys.executable, "-m", "arena_trees", "run", "wolf_rabbit", "--trials", "0"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: --trials: ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
