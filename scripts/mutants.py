"""Counts how many small faults the fast tests catch, in what keeps robots and games safe.

Each mutant is one change of cosmic-ray's to one place of one module: another operator, comparison, number or keyword.
Drawn by the seed, as many from each group of modules; equal commits and seeds give equal mutants, whatever the tests
are. A mutant is caught where the group's tests fail or do not end. Played in copies of the working tree:

    make mutants NUMBER=160
    python scripts/mutants.py --number 160 --jobs 2 --out mutants.json --group safety --group schedulers
    python scripts/mutants.py --number 160 --jobs 2 --out before.json --tests ../other_checkout/tests

The second compares: the same mutants of this checkout, and the tests of another.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

ROOT = Path(__file__).resolve().parents[1]
GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "safety": (("safety/*.py",), ("tests/safety",)),
    "referees": (
        ("games/wolf_rabbit/re*.py", "games/wolf_rabbit/rules.py", "games/pursuit/rules.py", "games/pursuit/laser.py"),
        ("tests/games/wolf_rabbit", "tests/games/pursuit"),
    ),
    "game controllers": (("games/pacman/rules.py", "games/pacman/*controller.py"), ("tests/games/pacman",)),
    "schedulers": (("games/crossroads/scheduling/*.py", "games/crossroads/rules.py"), ("tests/games/crossroads",)),
    "percept checks": (
        ("perception/checks.py", "perception/percept_filter.py", "perception/supervisor.py"),
        ("tests/perception", "tests/robot"),
    ),
}
"""Name to the modules that are changed, and the tests that shall notice."""
FILTERS = ("RemoveDecorator", "ReplaceBinaryOperator_", "VariableReplacer", "VariableInserter")
"""Operators of cosmic-ray that are left out: most of what they make is refused where it is imported."""
EQUIVALENT = ("Operator_Eq_Is", "Operator_NotEq_IsNot", "Operator_Is_Eq", "Operator_IsNot_NotEq")
"""Operators whose mutants are mostly equivalent: texts of code are interned, and None equals itself alone."""
WITHOUT_EFFECT = ("@dataclass(", "slots=True", "# pragma")
"""Parts of lines in which a change is of how objects are stored or shown, and not of what is decided."""
DOCUMENTS = "tests/test_docs.py"
"""Compares defaults and bounds of all parameters with the pages of them; for every group."""
PLAYED = ("test_crossing_drive.py", "test_crosser_tree.py", "test_crossing_commands.py", "test_pacman_game.py",
          "test_pursuit_game.py")  # fmt: skip
"""Tests that play in the arena, for minutes where nothing is caught: they are left out."""
LIMIT_S = 300.0
"""Longest run of a group's tests, s."""


def main() -> None:
    """Make mutants, run the tests, and write what became of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=160)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    parser.add_argument("--marker", default="not slow and not alone")
    parser.add_argument("--group", action="append", choices=GROUPS, help="of modules; all where none is given")
    parser.add_argument("--out", type=Path, required=True)
    wanted = parser.parse_args()
    groups = wanted.group or list(GROUPS)
    mutants = draw(wanted.number, groups, random.Random(wanted.seed))
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(wanted.jobs) as pool:
        for number in range(wanted.jobs):
            copies.put(copy_tree(Path(folder) / str(number), wanted.tests))

        def play(mutant: dict[str, Any]) -> dict[str, Any]:
            copy = copies.get()
            try:
                return {**mutant, "caught": is_caught(copy, mutant, wanted.marker)}
            finally:
                copies.put(copy)

        copy = copies.get()
        for group in groups:
            if _tests_fail(copy, GROUPS[group][1], wanted.marker):
                raise SystemExit(f"the tests of {group} fail without any mutant")
        copies.put(copy)
        results = []
        for result in pool.map(play, mutants):
            results.append({key: value for key, value in result.items() if key != "code"})
            print(f"{len(results)}/{len(mutants)} {'caught  ' if result['caught'] else 'SURVIVED'} {result['what']}")
            wanted.out.write_text(json.dumps(results, indent=1), encoding="utf-8")
    for group in groups:
        own = [result["caught"] for result in results if result["group"] == group]
        print(f"{group:18}{sum(own)} of {len(own)} caught, {100.0 * sum(own) / max(1, len(own)):.0f} %")


def draw(number: int, groups: Sequence[str], rng: random.Random) -> list[dict[str, Any]]:
    """Return so many mutants, as many of each group."""
    found: list[dict[str, Any]] = []
    for group in groups:
        patterns, _ = GROUPS[group]
        files = sorted({path for pattern in patterns for path in ROOT.glob(pattern) if path.name != "__init__.py"})
        every = [place for file in files for place in places_of(file)]
        rng.shuffle(every)
        made = (mutant for place in every if (mutant := make(group, *place)) is not None)
        found += islice(made, number // len(groups))
    return found


def places_of(file: Path) -> Iterator[tuple[Path, str, int, int]]:
    """Yield what can be changed in a module: its path, the operator's name, which occurrence, and its line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    nodes = list(ast_nodes(get_ast("\n".join(lines))))
    for name in plugins.operator_names():
        if any(part in name for part in (*FILTERS, *EQUIVALENT)):
            continue
        operator = plugins.get_operator(name)()
        places = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, (line, _) in enumerate(places):
            yield file, name, occurrence, line


def make(group: str, file: Path, name: str, occurrence: int, line: int) -> dict[str, Any] | None:
    """Return a mutant, or None where the change makes none that runs, or only of an annotation."""
    source = file.read_text(encoding="utf-8")
    code = mutate_code(source, plugins.get_operator(name)(), occurrence)
    changed = source.splitlines()[line - 1]
    if code is None or "->" in changed or any(part in changed for part in WITHOUT_EFFECT):
        return None
    # Cosmic-ray adds one to a number, or takes one away: of a great one nobody could tell.
    if "NumberReplacer" in name and re.search(r"\b1e[3-9]\b|\b\d{4,}", changed):
        return None
    place = file.relative_to(ROOT).as_posix()
    return {"group": group, "file": place, "what": f"{place}:{line} {name.split('/')[1]} {occurrence}", "code": code}


def copy_tree(folder: Path, tests: Path) -> Path:
    """Return a copy of the working tree with some tests."""
    anywhere = shutil.ignore_patterns("__pycache__", ".*_cache")
    at_top = shutil.ignore_patterns(".git", ".venv", "results", "tests")

    def left(directory: str, names: list[str]) -> set[str]:
        return anywhere(directory, names) | (at_top(directory, names) if Path(directory) == ROOT else set())

    shutil.copytree(ROOT, folder, symlinks=True, ignore=left)
    shutil.copytree(tests, folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def is_caught(root: Path, mutant: dict[str, Any], marker: str) -> bool:
    """Return whether the tests of a mutant's group fail on it, in a copy of the working tree."""
    file = root / mutant["file"]
    before = file.read_text(encoding="utf-8")
    file.write_text(mutant["code"], encoding="utf-8")
    try:
        return _tests_fail(root, GROUPS[mutant["group"]][1], marker)
    finally:
        file.write_text(before, encoding="utf-8")


def _tests_fail(root: Path, tests: Sequence[str], marker: str) -> bool:
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", marker]
    options += [f"--ignore-glob=*/{name}" for name in PLAYED]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *tests, DOCUMENTS],
            cwd=root, env=environment, capture_output=True, timeout=LIMIT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


if __name__ == "__main__":
    main()
