"""Tests the launch files with the real launch, from checkouts of it, because PyPI has none.

The folder holds checkouts of ros2/launch, ros2/launch_ros, ros2/rcl_interfaces and osrf/osrf_pycommon, for Jazzy of the
branch `jazzy`; where in it does not matter. What is needed of them is installed into a temporary folder, and nothing
else changes. The rest of ROS is that of the running Python: `make test-launch ROS_SOURCES=FOLDER` has the wheels of
PyPI. Prints what of which version is run, and ends with pytest's exit code.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON_PACKAGES = ("osrf_pycommon", "launch", "launch_xml", "launch_yaml", "launch_ros")
INTERFACES = "composition_interfaces"
"""What launch_ros imports that the wheels do not have."""
TESTS = ("tests/ros/test_launch_files.py",)


def main() -> int:
    """Run the tests; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sources", type=Path, help="folder with the checkouts")
    parser.add_argument("options", nargs="*", help="of pytest; after --")
    given = parser.parse_args()
    found = find_packages(given.sources)
    missing = [name for name in (*PYTHON_PACKAGES, INTERFACES) if name not in found]
    if missing:
        print(f"error: {given.sources}: there is no package {', '.join(missing)} in it", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="arena_trees_launch-") as folder:
        site = Path(folder) / "site"
        for name in PYTHON_PACKAGES:
            _install(found[name], Path(folder) / "sources", site)
        _build(found[INTERFACES].parent, site)
        print("Launch files are tested with", flush=True)
        for name in (*PYTHON_PACKAGES, INTERFACES):
            print(f"  {name} {version(found[name])} of {found[name]}", flush=True)
        print(f"  rclpy {importlib.metadata.version('rclpy')}, Python {platform.python_version()}", flush=True)
        path = os.pathsep.join((str(ROOT), str(site)))
        command = [sys.executable, "-m", "pytest", *TESTS, *given.options]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, check=False).returncode


def find_packages(folder: Path) -> dict[str, Path]:
    """Return the folders of the ROS packages that are somewhere in a folder, by name."""
    manifests = sorted(folder.resolve().rglob("package.xml"))
    return {str(ElementTree.parse(path).findtext("name")): path.parent for path in manifests}


def version(package: Path) -> str:
    """Return the version that a package states, and the commit that it is of where that is known."""
    stated = ElementTree.parse(package / "package.xml").findtext("version")
    command = ["git", "-C", str(package), "log", "-1", "--format=%h of %cs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{stated} ({done.stdout.strip()})" if done.returncode == 0 else str(stated)


def _install(package: Path, copies: Path, site: Path) -> None:
    # A copy, because a build leaves files behind.
    copy = shutil.copytree(package, copies / package.name)
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--root-user-action=ignore"]
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--target", str(site), str(copy)], check=True)


def _build(sources: Path, site: Path) -> None:
    builder = ROOT / "scripts" / "build_ros_interfaces.py"
    subprocess.run([sys.executable, str(builder), "--from", str(sources), "--into", str(site), INTERFACES], check=True)


if __name__ == "__main__":
    sys.exit(main())
