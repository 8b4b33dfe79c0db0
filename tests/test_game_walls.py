"""Keeps games apart: no shared module imports or names a game, and no game imports another one."""

import re
from functools import cache
from pathlib import Path

from test_rooms import PACKAGE, ROOMS, ROOT, imports, text

GAMES = sorted(path.parent.name for path in (ROOT / "trees").glob("*/game.py"))
FOLDERS = {f"{room}/{game}": game for room in ("games", "behaviours", "trees", "nodes") for game in GAMES}
"""Folder to the game that it belongs to."""

WORDS = re.compile(
    "wolf|rabbit|pacman|ghost|pellet|crossing|crosser|crossroads|chaser|evader|wall_following|wall_chase|pursuit_",
    re.IGNORECASE,
)
"""What shared files do not say."""
SUFFIXES = (".css", ".html", ".js", ".json", ".py", ".pyi", ".yaml")
LAUNCHED = re.compile(rf"launch/({'|'.join(GAMES)})\.")
"""Launch files of a game."""


@cache
def _files() -> list[Path]:
    folders = [ROOT / room for room in (*ROOMS, "launch")]
    return [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in SUFFIXES
        and not any(parent.is_symlink() for parent in path.parents)
        and "__pycache__" not in path.parts
    ]


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _owner(place: str) -> str | None:
    """Return the game that a file belongs to, or None where it is shared."""
    for folder, game in FOLDERS.items():
        if place.startswith(f"{folder}/"):
            return game
    launched = LAUNCHED.match(place)
    return launched[1] if launched else None


def _game_of_module(module: str) -> str | None:
    """Return the game that a module belongs to, or None where it is shared."""
    return _owner(module.removeprefix(f"{PACKAGE}.").replace(".", "/") + "/")


def foreign_imports(source: str, place: str) -> list[str]:
    """Return what a file imports of games that it does not belong to."""
    module = place.removesuffix(".py").replace("/", ".")
    module = module if module.startswith(PACKAGE) else f"{PACKAGE}.{module}"
    own, found = _owner(place), imports(source, module, place.endswith("__init__.py"))
    return sorted(name for name in found if _game_of_module(name) not in (None, own))


def test_nobody_imports_a_game_but_itself():
    places = [(_place(path), text(path)) for path in _files() if path.suffix == ".py"]
    wrong = [f"{place} imports {name}" for place, source in places for name in foreign_imports(source, place)]
    assert not wrong, "\n".join(wrong)


def test_the_check_notices():
    bad = [
        ("experiments/trial.py", "from arena_trees.games.pacman.rules import PacmanRules"),
        ("behaviours/roam.py", "def late():\n    import arena_trees.behaviours.wolf_rabbit.chase"),
        ("safety/gate.py", "from arena_trees.games.crossroads.layout.plan import CrossingPlan"),
        ("games/pacman/rules.py", "from arena_trees.games.wolf_rabbit.rules import WolfRabbitRules"),
        ("trees/pacman/pacman.py", "from ..crossroads import crosser"),
    ]
    assert [one for one in bad if not foreign_imports(one[1], one[0])] == []


def test_the_check_allows():
    good = [
        ("trees/pacman/game.py", "from arena_trees.trees.pacman import pacman\nfrom . import rules"),
        ("games/crossroads/evaluation/judge.py", "from arena_trees.games.crossroads.layout.plan import CrossingPlan"),
        ("experiments/trial.py", "from arena_trees.games.registry import find_game"),
    ]
    assert [name for place, source in good for name in foreign_imports(source, place)] == []


def test_nobody_names_a_game_but_itself():
    shared = [path for path in _files() if _owner(_place(path)) is None]
    wrong = [
        f"{_place(path)}:{number}: {line}"
        for path in shared
        for number, line in enumerate(text(path).splitlines(), 1)
        if WORDS.search(line)
    ]
    assert not wrong, "\n".join(wrong)
