"""The commands as a user meets them."""

import inspect
import io
import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from importlib import import_module
from importlib.metadata import EntryPoint

import pytest
import typer
from helpers.arena import needs_arena
from helpers.commands import call
from helpers.documents import ROOT
from rich.console import Console

from arena_trees import __version__
from arena_trees.cli import app, main
from arena_trees.command_table import COMMANDS
from arena_trees.commands import game_commands, help_groups, listing
from arena_trees.commands.glossary import Glossary
from arena_trees.commands.reading import readers_of
from arena_trees.experiments.scenario import scenario_names
from arena_trees.games.registry import find_role, load_games
from arena_trees.safety.gate import STOPS


def test_version_help_and_nothing(capsys):
    for word in ("--version", "version"):
        assert call(capsys, word) == f"arena-trees {__version__}\n"
    assert call(capsys, "help") == call(capsys, "--help")
    assert call(capsys, "help", "run") == call(capsys, "run", "--help")
    assert "wolf_rabbit_open" in call(capsys, "wolf_rabbit", "--help")
    call(capsys, code=2)


def test_help_lists_each_command_under_a_heading_on_one_line_of_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = call(capsys, "--help")
    headings = [line for line in said.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings[1:] == [
        "Play:",
        "Experiments:",
        "Look at what was played:",
        "Robots on ROS 2:",
        "Signs and their detector:",
        "Games' own commands (arena-trees GAME --help):",
    ]
    names = [line.split()[0] for line in said.splitlines() if line.startswith("  ") and "--" not in line]
    assert set(names) >= set(COMMANDS) | {"pacman", "crossroads"}
    assert "..." not in said.replace("[ARGS]...", "")
    assert max(map(len, said.splitlines())) <= 80


def test_who_mistypes_a_command_is_asked_for_the_one_like_it(capsys):
    assert call(capsys, "rnu", code=2) == "error: No such command 'rnu'. Did you mean 'run'?\n"
    assert call(capsys, "qqqq", code=2) == "error: No such command 'qqqq'.\n"


def test_the_table_of_commands_says_what_each_says_of_itself():
    group = typer.main.get_command(app)
    for name, entry in COMMANDS.items():
        module, _, function = entry.target.partition(":")
        text = inspect.getdoc(getattr(import_module(f"arena_trees.{module}"), function))
        assert text is not None and text.split("\n\n")[0].replace("\n", " ") == entry.help, name
        assert group.get_command(None, name).name == name


def test_a_game_whose_commands_cannot_be_loaded_leaves_the_help_readable(capsys, monkeypatch):
    broken = EntryPoint("pacman.pellets", "arena_trees.nowhere:pellets", game_commands.GROUP)
    monkeypatch.setattr(help_groups, "commands_of_games", lambda: {"pacman": {"pellets": [broken]}})
    monkeypatch.setattr(game_commands, "commands_of_games", lambda: {"pacman": {"pellets": [broken]}})
    assert re.search(r"^  pacman +pellets$", call(capsys, "--help"), re.MULTILINE)
    assert "cannot be loaded from arena_trees.nowhere:pellets" in call(capsys, "pacman", "pellets", code=2)


def test_a_command_of_a_game_that_two_packages_bring_is_refused(capsys, monkeypatch):
    rivals = [EntryPoint("pacman.eat", f"{package}:eat", game_commands.GROUP) for package in ("json", "ast", "json")]
    monkeypatch.setattr(game_commands, "commands_of_games", lambda: {"pacman": {"eat": rivals}})
    assert "command: several packages bring it: ast:eat, json:eat" in call(capsys, "pacman", "eat", code=2)


def test_who_reads_no_further_ends_a_command_without_a_complaint():
    command = [sys.executable, "-m", "arena_trees", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_list_shows_scenarios_games_roles_and_what_is_measured(capsys):
    said = call(capsys, "list")
    assert len(scenario_names()) >= 6
    for words in (
        *scenario_names(),
        "game: wolf_rabbit",
        "roles: wolf, rabbit",
        "measured by: catch_rate",
        "8 x crosser",
    ):
        assert words in said


def test_a_narrow_terminal_lists_the_same(capsys, monkeypatch):
    wide = call(capsys, "list")
    narrow = Console(width=80, file=io.StringIO(), color_system=None)
    monkeypatch.setattr(listing, "plain_console", lambda: narrow)
    call(capsys, "list")
    said = narrow.file.getvalue()
    assert max(map(len, said.splitlines())) <= 80
    assert "a robot follows the wall of a tilde, and a faster one follows it, 18 m" in " ".join(said.split())
    names = {word.strip(":") for word in said.split()}
    assert names >= {name for name in scenario_names() if name in wide}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wolf.chase_kp", ("rad/s", ">= 0, <= 20", "default: 2", "Live: yes", "Chase the rabbit (ChaseSign)")),
        ("catch_range", ("wolf.catch_range", "strategy arena by: Within reach? (CatchConfirmed)")),
        ("chase_linear_speed", ("Scenario wolf_rabbit: 0.306", "default: 0.306")),
        ("pacman.strategy", ("Live: no", "pacman.yaml")),
        ("wolf.gate.max_linear", ("limit of the velocity gate", "m/s")),
        ("wolf.body.radius", ("what a robot is made of", "0.17")),
        ("duration_s", ("key of a scenario", "default: 180")),
        ("rules.catch_distance", ("rule of wolf_rabbit",)),
        ("catch_rate", ("metric of wolf_rabbit", "share of trials", "more is better")),
        ("collisions", ("metric of every game",)),
        ("scan stale", ("velocity gate (stop)", "0.5 s")),
        ("caught", ("outcome of wolf_rabbit", "catch_rate: metric")),
        ("CATCH", ("event",)),
        ("catch_claim", ("message of wolf_rabbit",)),
        ("Look round", ("behaviour in the tree of the wolf", "LookAround")),
        ("crossroads_lidar", ("scenario",)),
        ("crosser", ("role of crossroads",)),
    ],
)
def test_explain(capsys, name: str, words: tuple[str, ...]):
    said = call(capsys, "explain", name)
    for word in words:
        assert word in said


def test_what_games_and_the_gate_declare_is_in_the_glossary():
    games = load_games().values()
    metrics = {metric.name for game in games for metric in game.metrics}
    assert metrics | STOPS | {role.name for game in games for role in game.roles} <= set(Glossary().names)


@pytest.mark.slow
def test_every_name_that_is_declared_can_be_explained():
    glossary = Glossary()
    for name in glossary.names:
        assert all(line for one in glossary.find(name) for line in one.lines()), name


def test_a_parameter_is_read_by_the_leaves_that_have_it_in_their_code_and_by_no_other():
    role = find_role("wolf")
    search, source = list(readers_of(role, "look_turn_deg")), list(readers_of(role, "return_turn_deg"))
    assert search == ["Read in the tree of strategy arena by: Scan (LookRound)."]
    # The source's chase has a gain of its own, in a method that overrides ours.
    assert list(readers_of(role, "chase_kp")) == [
        "Read in the tree of strategy arena by: Chase the rabbit (ChaseSign)."
    ]
    assert source == ["Read in the tree of strategy source by: Return turn (ReturnTurn)."]


@pytest.mark.parametrize("role", ["wolf", "rabbit"])
def test_render(capsys, tmp_path, role: str):
    text = call(capsys, "render", role)
    names = [line.split(maxsplit=1)[1] for line in text.splitlines()]
    assert "digraph" in call(capsys, "render", role, "--format", "dot")
    file = tmp_path / "pictures" / "tree.svg"
    assert call(capsys, "render", role, "-o", str(file)) == ""
    call(capsys, "render", role, "--format", "text", "-o", str(file.with_suffix(".txt")))
    assert file.with_suffix(".txt").read_text() == text
    root = ElementTree.parse(file).getroot()
    labels = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
    # A sign stands before a composite's name; the title and the legend name no node.
    named = [label.rpartition("  ")[2] for label in labels]
    assert [label for label in named if label in names] == names


def test_the_two_strategies_of_the_wolf_are_two_trees(capsys):
    assert call(capsys, "render", "wolf") != call(capsys, "render", "wolf", "--strategy", "source")


@needs_arena
def test_run_leaves_results_and_a_picture(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = call(
        capsys, "run", "wolf_rabbit", "--trials", "2", "--seed", "300", "--jobs", "1", "--set", "duration_s=1.5"
    )
    assert "catch_rate" in said
    assert "2/2 seed 301: survived after 1.50 s" in said
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["wolf_rabbit.json", "wolf_rabbit.png"]
    assert (tmp_path / "results" / "wolf_rabbit.png").read_bytes().startswith(b"\x89PNG")
    results = json.loads((tmp_path / "results" / "wolf_rabbit.json").read_text())
    assert (results["scenario"], results["version"], results["seed"]) == ("wolf_rabbit", __version__, 300)
    assert [trial["seed"] for trial in results["trials"]] == [300, 301]
    assert results["complete"]
    assert results["settings"] == {"trials": 2, "seed": 300, "duration_s": 1.5}
    assert set(results["summary"]["catch_rate"]) == {"rate", "low", "high", "n"}
    assert {"mean", "low", "high", "n"} <= set(results["summary"]["collisions"])


@needs_arena
def test_compare_and_quiet(capsys, tmp_path):
    json_file, plot_file = tmp_path / "a" / "c.json", tmp_path / "a" / "c.png"
    arguments = ("--trials", "2", "--seed", "310", "--jobs", "1", "--set", "duration_s=1.0", "--quiet")
    files = ("--json", str(json_file), "--plot", str(plot_file))
    assert call(capsys, "run", "wolf_rabbit", "--compare", "source", *arguments, *files) == ""
    results = json.loads(json_file.read_text())
    assert results["arm"] == "arena"
    other = results["arms"]["source"]
    assert [trial["seed"] for trial in other["trials"]] == [310, 311]
    assert other["difference"]["catch_rate"]["n"] == 2
    assert plot_file.stat().st_size > 10_000


@needs_arena
@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_files_are_compared_in_any_process_as_strategies_are(capsys, tmp_path, monkeypatch, jobs: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lazy.py").write_text("from leaves import create_root\n", encoding="utf-8")
    (tmp_path / "leaves.py").write_text(
        "import arena_trees as at\n"
        "def create_root(robot, live, streams):\n"
        "    return at.robot_root('Lazy', [at.Sense('Percepts', robot)], [at.StandStill('Wait', robot)])\n",
        encoding="utf-8",
    )
    (tmp_path / "slow.yaml").write_text("/**: {ros__parameters: {chase_linear_speed: 0.1}}\n", encoding="utf-8")
    arguments = ("--trials", "2", "--seed", "310", "--set", "duration_s=2.0", "--quiet", "--trace", "--force")
    results = {}
    for text in ("wolf=lazy.py", "wolf=slow.yaml"):
        call(capsys, "run", "wolf_rabbit_open", "--compare", text, *arguments, "--jobs", jobs)
        results[text] = json.loads((tmp_path / "results" / "wolf_rabbit_open.json").read_text())
    lazy, slow = results["wolf=lazy.py"], results["wolf=slow.yaml"]
    assert (lazy["arm"], list(lazy["arms"]), list(slow["arms"])) == ("stock", ["lazy.py"], ["slow.yaml"])
    assert lazy["arms"]["lazy.py"]["difference"]["catch_rate"]["n"] == 2
    stock, others = lazy["trials"], [lazy["arms"]["lazy.py"]["trials"], slow["arms"]["slow.yaml"]["trials"]]
    assert [trial["trace_sha256"] for trial in stock] == [trial["trace_sha256"] for trial in slow["trials"]]
    assert len({side[0]["trace_sha256"] for side in (stock, *others)}) == 3, "each plays otherwise"
    call(capsys, "run", "wolf_rabbit_open", "--tree", "wolf=lazy.py", *arguments, "--jobs", "1")
    alone = json.loads((tmp_path / "results" / "wolf_rabbit_open.json").read_text())
    assert [t["trace_sha256"] for t in alone["trials"]] == [t["trace_sha256"] for t in others[0]]


@needs_arena
def test_a_fault_in_a_tree_of_the_users_is_told_once_with_its_place(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "import arena_trees as at\n"
        "class Look(at.ActionBehaviour):\n"
        "    def update(self):\n"
        "        return self.reckon()\n"
        "    def reckon(self):\n"
        "        self.drive(0.0, 0.0)\n"
        "        return at.Status.RUNNING if self.now < 10**9 else 1 / 0\n"
        "def create_root(robot, live, streams):\n"
        "    return at.robot_root('Mine', [at.Sense('Percepts', robot)], [Look('Look', robot)])\n",
        encoding="utf-8",
    )
    arguments = ("--trials", "2", "--jobs", "1", "--set", "duration_s=2")
    command = ("run", "wolf_rabbit_open", "--tree", "wolf=mine.py", *arguments)
    with pytest.raises(SystemExit) as ended:
        main(list(command))
    assert ended.value.code == 3
    told = [line for line in capsys.readouterr().out.splitlines() if "was stopped" in line]
    why = "mine.py:7: Look raised ZeroDivisionError: division by zero"
    assert told == [f"wolf was stopped in 2 of 2 trials (seed 1000): {why}"]
    trials = json.loads((tmp_path / "results" / "wolf_rabbit_open.json").read_text())["trials"]
    assert [(trial["outcome"], trial["reason"]) for trial in trials] == [("fault", f"wolf: {why}")] * 2
    assert all(1.0 <= trial["simulated_s"] < 1.1 for trial in trials), "it ends at once"
    assert call(capsys, *command, "--quiet", "--force", code=3) == f"{told[0]}\n"
    with pytest.raises(SystemExit):
        main([*command, "--quiet", "--force", "--debug"])
    shown = capsys.readouterr().err
    assert shown.count("Traceback") == 1, "once for a run"
    assert "in reckon" in shown and shown.endswith("ZeroDivisionError: division by zero\n")


@needs_arena
def test_bench(capsys):
    said = call(capsys, "bench", "wolf_rabbit_open", "--seconds", "1", "--set", "isolated=true")
    assert "wolf_rabbit_open: 2 robots, 50 ticks" in said and "times real time" in said
    shares = [float(share) for share in re.findall(r"([0-9.]+) % │", said)]
    assert len(shares) == 10 and sum(shares) == pytest.approx(100.0, abs=0.6)
    stock = re.search(r"the same by py_trees alone *│ *([0-9.]+) │ *([0-9.]+)", said)
    assert stock and float(stock[1]) > 0.0 and float(stock[2]) > 0.0


@pytest.mark.slow
@needs_arena
def test_bench_of_versions(capsys, tmp_path):
    other = tmp_path / "other"
    unused = shutil.ignore_patterns(".*", "results", "docs", "tests", "__pycache__", "*.egg-info", "build")
    shutil.copytree(ROOT, other, symlinks=True, ignore=unused)
    short = ("bench", "wolf_rabbit", "--seconds", "1", "--rounds", "3", "--against")
    alike = call(capsys, *short, str(other))
    assert "this version over itself" in alike and "Both play the same games" in alike
    speeds = other / "behaviours" / "wolf_rabbit" / "parameters.py"
    speeds.write_text(
        speeds.read_text().replace('parameter(0.306, "speed of the search', 'parameter(0.2, "speed of the search')
    )
    assert "The two play otherwise with seed 900, 901" in call(capsys, *short, str(other))
    (other / "safety" / "gate.py").write_text("raise RuntimeError('no gate')")
    with pytest.raises(SystemExit):
        main([*short, str(other)])
    assert f"the version in {other} cannot play wolf_rabbit" in capsys.readouterr().err


@pytest.mark.slow
@needs_arena
def test_bench_of_processes(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = call(capsys, "bench", "crossroads", "--seconds", "5", "--jobs", "2")
    assert "crossroads: 24 trials of 5 s at most, by 1 and by 2 processes" in said
    assert re.search(r"2 processes play \d+\.\d\d times as much as one", said)
    assert list(tmp_path.iterdir()) == []
