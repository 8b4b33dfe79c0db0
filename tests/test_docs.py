"""What of the documents is made is current, and what they name exists."""

import importlib.util
import os
import re
from pathlib import Path
from types import ModuleType

import pytest
from helpers.arena import needs_arena
from helpers.commands import call

from arena_trees.command_table import COMMANDS
from arena_trees.experiments.metrics import COMMON
from arena_trees.experiments.scenario import scenario_names
from arena_trees.games.registry import game_names, load_games

ROOT = Path(__file__).resolve().parents[1]
# What commands write where they are called, as results/, is no part of the project.
IGNORED = {
    line.strip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines() if line.startswith("/")
}
FOLDERS = "|".join(
    path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "." and path.name not in IGNORED
)
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]


def make_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "scripts" / "make_docs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_made_documents_are_current():
    for path, text in make_docs().documents().items():
        old = not path.exists() or path.read_text(encoding="utf-8") != text
        assert not old, f"{path.relative_to(ROOT)} is old; write it anew: make docs"


def test_pictures_of_trees_are_those_of_roles_and_linked():
    made = {path.name for path in make_docs().tree_pictures()}
    assert {path.name for path in (ROOT / "docs" / "trees").iterdir()} == made
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    for name in made:
        assert f"trees/{name})" in pages, f"no page links docs/trees/{name}"


def test_the_architecture_page_lists_every_package_and_no_other():
    listed = re.findall(r"^\| \**`([\w/]+)/`\** \|", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE)
    packages = {Path(folder).relative_to(ROOT) for folder, _, files in os.walk(ROOT) if "__init__.py" in files}
    found = [path.as_posix() for path in packages if (ROOT / path.parts[0] / "__init__.py").exists()]
    found = [name for name in found if not name.startswith("tests")]
    assert sorted(listed) == sorted(found)


@needs_arena
@pytest.mark.parametrize("trials", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_the_readme_shows_what_the_first_command_prints(capsys, tmp_path, monkeypatch, trials):
    monkeypatch.chdir(tmp_path)
    (shown,) = re.findall(
        r"    make run\n.*?```\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    printed = call(capsys, "run", "wolf_rabbit", "--trials", trials)
    games = [line for line in shown.splitlines() if "seed" in line and "/10" in line]
    assert len(games) == 2
    for line in games:
        assert line.replace("/10", f"/{trials}", 1) in printed
    if trials == 10:
        # The last row is the machine's speed, and how wide it is decides how far apart the columns are.
        rows = [line.split() for line in printed.splitlines()]
        left = [line for line in shown.splitlines() if line.split() not in rows and not re.search(r"\.\.\.|───", line)]
        assert not left


def test_the_glossary_names_classes_that_exist():
    named = set(re.findall(r"`([A-Z][a-z]\w+)`", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")))
    sources = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("[!.t]*/**/*.py"))
    assert not named - set(re.findall(r"^(?:class )?([A-Z]\w+)\b", sources, re.MULTILINE))


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives the headings of a document."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_dead(document: Path, target: str) -> bool:
    """Return whether a link of a document leads nowhere."""
    name, _, anchor = target.partition("#")
    path = (document.parent / name) if name else document
    return not path.exists() or (anchor != "" and anchor not in anchors(path.read_text(encoding="utf-8")))


def test_links_lead_somewhere_and_files_that_are_named_exist():
    dead = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        targets = [
            target for target in re.findall(r"\]\(([^)]+)\)", text) if not target.startswith(("http:", "https:"))
        ]
        named = re.findall(rf"`((?:{FOLDERS})/[\w./]+\.\w+)`", text)
        dead += [f"{document.name}: {target}" for target in targets if is_dead(document, target)]
        dead += [f"{document.name}: {name}" for name in named if not (ROOT / name).exists()]
    assert not dead, "\n".join(dead)


def test_the_page_of_commands_names_every_scenario_and_no_command_that_is_not():
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for name in scenario_names():
        assert f"arena-trees run {name}" in page
    named = set(re.findall(r"`(?:\.venv/bin/)?arena-trees ([a-z][a-z0-9-]*)", page))
    commands = set(COMMANDS)
    assert commands <= named <= commands | set(game_names())


def test_measuring_explains_every_metric():
    text = (ROOT / "docs" / "measuring.md").read_text(encoding="utf-8")
    metrics = [metric for game in load_games().values() for metric in game.metrics]
    for metric in (*metrics, *COMMON):
        assert f"`{metric.name}`" in text


SHOWN = re.compile(r"^<!-- (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["adding_a_game.md", "adding_a_sensor.md"])
def test_the_pages_on_adding_say_of_what_each_block_is(name: str):
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert len(SHOWN.findall(page)) == page.count("```") // 2, "a block of code does not say what it is of"


@pytest.mark.parametrize(
    "page",
    ["adding_a_game.md", "adding_a_sensor.md", "gate_in_a_loop.md", "percepts_on_a_blackboard.md", "your_own.md"],
)
def test_pages_show_examples_as_they_are(page: str):
    shown = SHOWN.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert shown
    for name, code in shown:
        assert code in (ROOT / name).read_text(encoding="utf-8"), f"{name} has not this code:\n{code}"
