"""Prints the test files that a change can touch: those that import, through others, what has changed.

``make check`` runs them. Imports are read from the sources, those within functions too. What is reached by a name
alone, as a game by its scenario, is left to ``make test``. A changed file that is no Python counts for the tests that
name it. Of the changes only those matter that are not on the branch ``main``, committed or not; on ``main`` itself,
those that are not committed.

    python scripts/affected_tests.py [--since BRANCH]
"""

from __future__ import annotations

import argparse
import ast
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "arena_trees"
EVERYTHING = ("pyproject.toml", "setup.py", "Makefile")
"""What any test may depend on."""
READERS = ("tests/test_rooms.py", "tests/test_game_walls.py", "tests/behaviours/test_leaf_docstrings.py")
"""Tests that read all sources."""


def main() -> None:
    """Print one path a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", default="main", metavar="BRANCH")
    changed = changed_files(parser.parse_args().since)
    print("\n".join(affected(changed)))


def changed_files(branch: str) -> list[str]:
    """Return the files that differ from where this branch left another, relative to the root."""
    base = _git("merge-base", "HEAD", branch).strip()
    differing = _git("diff", "--name-only", base).splitlines()
    return sorted({*differing, *_git("ls-files", "--others", "--exclude-standard").splitlines()})


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def affected(changed: Iterable[str]) -> list[str]:
    """Return the test files that changed files can touch, relative to the root."""
    changed = list(changed)
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    if any(name in EVERYTHING for name in changed):
        return sorted(tests)
    sources, texts, importers = _read()
    ahead = [name for name in map(_module_of, changed) if name in sources]
    ahead += [
        name
        for file in changed
        if not file.endswith(".py")
        for name, text in texts.items()
        if name.startswith("tests.") and Path(file).stem in text
    ]
    reached: set[str] = set()
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += importers.get(name, ())
    files = {sources[name].relative_to(ROOT).as_posix() for name in reached}
    # Nobody imports a conftest.py: it is for every test below its folder.
    shared = tuple(file.removesuffix("conftest.py") for file in files if file.endswith("/conftest.py"))
    touched = {test for test in tests if test in files or test.startswith(shared)}
    return sorted(touched | set(READERS) if reached else touched)


@cache
def _read() -> tuple[dict[str, Path], dict[str, str], dict[str, set[str]]]:
    """Return the path and the text of each module, and the modules that import it, each by its name."""
    sources = {module_name(path): path for path in source_files()}
    texts = {name: path.read_text(encoding="utf-8") for name, path in sources.items()}
    importers: dict[str, set[str]] = {}
    for name, text in texts.items():
        for target in imported(text, name, sources[name].name == "__init__.py"):
            found = _known(target, sources)
            if found is not None:
                importers.setdefault(found, set()).add(name)
    return sources, texts, importers


def source_files() -> Iterator[Path]:
    """Yield every Python file that git knows or would add; links are not followed."""
    for name in _git("ls-files", "--cached", "--others", "--exclude-standard", "*.py").splitlines():
        path = ROOT / name
        if path.is_file():
            yield path


def module_name(path: Path) -> str:
    """Return the full name of a file's module; rooms belong to the package."""
    return _module_of(path.relative_to(ROOT).as_posix())


def _module_of(file: str) -> str:
    parts = file.removesuffix(".py").removesuffix("/__init__").split("/")
    outside = parts[0] in (PACKAGE, "tests", "scripts", "benchmarks", "examples") or len(parts) == 1
    return ".".join(parts if outside else [PACKAGE, *parts])


def imported(source: str, module: str, is_package: bool = False) -> set[str]:
    """Return the full names of all that a module imports, wherever in it the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            above = parts[: len(parts) - node.level + is_package] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            found.update(f"{base}.{alias.name}" for alias in node.names)
    return found


def _known(target: str, sources: Iterable[str]) -> str | None:
    """Return the module in which an imported name is; tests name what is in tests/ and scripts/ without the folder."""
    for name in (target, f"tests.{target}", f"scripts.{target}"):
        while name not in ("", "tests", "scripts"):
            if name in sources:
                return name
            name = name.rpartition(".")[0]
    return None


if __name__ == "__main__":
    main()
