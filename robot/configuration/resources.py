"""Finds the files that ship with the code: configuration, models and launch files.

They lie next to the code in a checkout and in an editable installation, and under
``share/arena_trees`` in an ament workspace or a virtual environment. Nothing is looked up in the
environment: the files that belong to the code that runs are found even where another version of
Arena Trees is sourced.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from arena_trees.robot.errors import ArenaTreesError

__all__ = ["ResourceNotFoundError", "config_files", "config_path", "resource_path", "resource_roots"]

_PACKAGE = "arena_trees"
_INSTALLED = ("site-packages", "dist-packages")
_MARKER = Path("share", "ament_index", "resource_index", "packages", _PACKAGE)
_GAMES = "arena_trees.games"
"""Entry points by which packages outside this one bring games, and configuration with them."""
_PREFIX_LEVELS = 5
"""How far above the package its prefix can be: ``<prefix>/local/lib/python3.12/dist-packages``."""


class ResourceNotFoundError(ArenaTreesError, FileNotFoundError):
    """A file or folder that should ship with the code is not there."""


def resource_path(*parts: str) -> Path:
    """Return the path of a shipped file or folder, as in ``resource_path("config", "nav2.yaml")``.

    Args:
        parts: folders and file name below the shared root; "/" may separate them within a part

    Raises:
        ResourceNotFoundError: there is no such file or folder, or the name leads out of the root
    """
    relative = PurePosixPath(*parts)
    if not relative.parts or relative.is_absolute() or ".." in relative.parts:
        raise ResourceNotFoundError(f"'{relative}' does not name a file of {_PACKAGE}")
    roots = resource_roots()
    for root in roots:
        path = root / relative
        if path.exists():
            return path
    searched = " or ".join(str(root) for root in roots)
    raise ResourceNotFoundError(f"'{relative}' not found in {searched}")


def config_path(*parts: str) -> Path:
    """Return a configuration file of whichever game has it.

    ``config_path("arenas", "field.yaml")`` finds ``config/<game>/arenas/field.yaml``, of a game that ships with this
    package or of one that was installed next to it.

    Args:
        parts: folders and file name below a game's folder

    Raises:
        ResourceNotFoundError: no game has such a file
    """
    name = PurePosixPath(*parts)
    found = config_files(*parts[:-1], suffix=name.suffix).get(name.stem)
    if found is None:
        raise ResourceNotFoundError(f"no game has a file 'config/<game>/{name}'")
    return found


def config_files(*folder: str, suffix: str = ".yaml") -> dict[str, Path]:
    """Return the files of a folder that every game may have, such as ``scenarios``: stem to path, sorted by stem.

    Where several games have a file of one name, the first in the order of :func:`resource_roots` counts.
    """
    below = "/".join((*folder, "*"))
    found: dict[str, Path] = {}
    for root in (*resource_roots(), *_game_roots()):
        for path in sorted(root.glob(f"config/*/{below}")):
            if path.suffix == suffix:
                found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def resource_roots() -> tuple[Path, ...]:
    """Return the folders that may hold ``config``, ``models`` and ``launch``, the preferred first."""
    # Not resolved: the package's folder holds links to the rooms, and config stands next to them.
    package = Path(__file__).parents[2]
    share = _share_folder(package)
    return (package,) if share is None else (share, package)


@lru_cache(maxsize=1)
def _game_roots() -> tuple[Path, ...]:
    """Return the folders of the packages that bring games of their own; none of them is imported."""
    roots: dict[Path, None] = {}
    for entry in entry_points(group=_GAMES):
        spec = find_spec(entry.module.partition(".")[0])
        for folder in () if spec is None else spec.submodule_search_locations or ():
            roots[Path(folder)] = None
    return tuple(roots)


def _share_folder(package: Path) -> Path | None:
    """Return the share folder of the same installation, where ROS users look for files and edit them."""
    if package.parent.name not in _INSTALLED:
        return None
    for prefix in package.parents[:_PREFIX_LEVELS]:
        if (prefix / _MARKER).is_file():
            return prefix / "share" / _PACKAGE
    return None
