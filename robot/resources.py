"""The one locator of the files that ship with the code: configuration, models and launch files.

They lie beside the code in a checkout and in an editable installation, and under
``share/arena_trees`` in an ament workspace or a virtual environment. Nothing is looked up in the
environment: the files that belong to the code that runs are found even where another version of
Arena Trees is sourced.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from arena_trees.robot.errors import ArenaTreesError

__all__ = ["ResourceNotFoundError", "resource_path", "resource_roots"]

_PACKAGE = "arena_trees"
_INSTALLED = ("site-packages", "dist-packages")
_MARKER = Path("share", "ament_index", "resource_index", "packages", _PACKAGE)
_PREFIX_LEVELS = 5
"""How far above the package its prefix can be: ``<prefix>/local/lib/python3.12/dist-packages``."""


class ResourceNotFoundError(ArenaTreesError, FileNotFoundError):
    """A file or folder that should ship with the code is not there."""


def resource_path(*parts: str) -> Path:
    """Return the path of a shipped file or folder, as in ``resource_path("config", "wolf.yaml")``.

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


def resource_roots() -> tuple[Path, ...]:
    """Return the folders that may hold ``config``, ``models`` and ``launch``, the preferred first."""
    # Not resolved: the package's folder holds links to the rooms, and config stands beside them.
    package = Path(__file__).parent.parent
    share = _share_folder(package)
    return (package,) if share is None else (share, package)


def _share_folder(package: Path) -> Path | None:
    """Return the share folder of the same installation, where ROS users look for files and edit them."""
    if package.parent.name not in _INSTALLED:
        return None
    for prefix in package.parents[:_PREFIX_LEVELS]:
        if (prefix / _MARKER).is_file():
            return prefix / "share" / _PACKAGE
    return None
