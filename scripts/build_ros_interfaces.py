"""Builds ROS 2 interface packages that are not on PyPI into the running virtual environment, for the tests.

Uses the generators that come with the wheels of the extra `ros`, and gcc; no CMake. A package that is there already
and unchanged, or that came by other means (such as apt), is left alone. With --if-possible it is no failure if nothing
can be built here; the tests that need the packages are then skipped. Packages that are named are taken from another
folder of sources (--from), and are built into another folder (--into).
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import importlib
import importlib.metadata
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

PREFIX = Path(sys.prefix)
KINDS = ("msg", "srv", "action")
STAMP = ".built_from"
"""File in a built package that states what it was built from."""

# With one of the two only, Fast DDS refuses the types.
DDS, INTROSPECTION = "rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c"
RUNTIME = (
    "rosidl_runtime_c",
    "rosidl_runtime_cpp",
    "rosidl_typesupport_interface",
    "rosidl_typesupport_c",
    "rosidl_typesupport_fastrtps_cpp",
    "rosidl_dynamic_typesupport",
    DDS,
    INTROSPECTION,
    "rcutils",
    "rmw",
    "fastcdr",
)


def main() -> int:
    """Build what is missing or changed; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--if-possible", action="store_true", help="no failure where nothing can be built here")
    sources = Path(__file__).resolve().parents[1] / "tests" / "ros" / "interfaces"
    parser.add_argument("--from", dest="sources", type=Path, default=sources, help="where the packages' folders are")
    site = Path(sysconfig.get_path("purelib"))
    parser.add_argument("--into", type=Path, default=site, help="where to build; by default site-packages")
    parser.add_argument("packages", nargs="*", help="all that there are by default")
    given = parser.parse_args()
    problem = _problem()
    if problem is not None:
        print(f"The ROS interface packages are not built: {problem}", file=sys.stderr)
        return 0 if given.if_possible else 2
    given.into.mkdir(parents=True, exist_ok=True)
    with (given.into / ".ros_interfaces.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        names = given.packages or [path.name for path in sorted(given.sources.iterdir()) if path.is_dir()]
        packages = [Package(name, given.sources.resolve() / name, given.into.resolve()) for name in names]
        wanted = [package for package in packages if package.is_due]
        if wanted:
            _build_all(wanted)
    return 0


@dataclass(frozen=True)
class Package:
    """An interface package: its name, where its definitions are, and where it is built."""

    name: str
    folder: Path
    site: Path

    @property
    def sources(self) -> list[Path]:
        """Its definitions."""
        return [path for kind in KINDS for path in sorted((self.folder / kind).glob(f"*.{kind}"))]

    @property
    def digest(self) -> str:
        """A hash of all that a built package depends on."""
        digest = hashlib.sha256(f"{sys.version} {importlib.metadata.version('ros-rosidl-generator-py')}".encode())
        for path in (Path(__file__), *self.sources):
            digest.update(f"\n{path.name}\n".encode() + path.read_bytes())
        return digest.hexdigest()

    @property
    def is_due(self) -> bool:
        """Whether it is missing, or was built of something else."""
        found = PathFinder.find_spec(self.name, [str(self.site), *sys.path])
        if found is None or found.origin is None:
            return True
        stamp = Path(found.origin).with_name(STAMP)
        return stamp.is_file() and stamp.read_text() != self.digest


def _build_all(wanted: list[Package]) -> None:
    names = ", ".join(package.name for package in wanted)
    print(f"Building {names}; all of them take half a minute on two idle cores.", flush=True)
    # The package with most to do first. A process each, because the generators share state.
    wanted.sort(key=lambda package: -len(package.sources))
    begun = time.monotonic()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        building = {pool.submit(_build, package): package.name for package in wanted}
        for number, done in enumerate(as_completed(building), start=1):
            done.result()
            print(f"  {number}/{len(wanted)} {building[done]}, after {time.monotonic() - begun:.0f} s", flush=True)


def _problem() -> str | None:
    """Return why nothing can be built here, or None."""
    if shutil.which("gcc") is None or shutil.which("g++") is None:
        return "there is no g++ (on Debian and Ubuntu, sudo apt install g++)"
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        return "Python's headers are missing (on Debian and Ubuntu, sudo apt install python3-dev)"
    if importlib.util.find_spec("rosidl_generator_py") is None:
        return "the generators are missing (pip install -e '.[ros]', on Linux and x86-64)"
    return None


def _build(package: Package) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{package.name}-", dir=package.site) as folder:
        work = Path(folder)
        # The generators name every file that they touch.
        with contextlib.redirect_stdout(io.StringIO()):
            _generate(package, work)
        built = work / "py" / package.name
        _compile(package.name, work, built)
        for source in built.rglob("*.c"):
            source.unlink()
        (built / "__init__.py").touch()
        (built / STAMP).write_text(package.digest)
        shutil.rmtree(package.site / package.name, ignore_errors=True)
        built.rename(package.site / package.name)


def _generate(package: Package, work: Path) -> None:
    """Write the sources of a package: below src the types, intro and ts their descriptions, py the Python side."""
    from rosidl_adapter import convert_to_idl

    own = package.name
    idl = work / "idl" / own
    names = []
    for source in package.sources:
        relative = source.relative_to(package.folder)
        convert_to_idl(package.folder, own, relative, idl)
        names.append(relative.with_suffix(".idl").as_posix())
    base: dict[str, Any] = {"package_name": own, "idl_tuples": [f"{idl}:{name}" for name in names]}

    def run(module: str, function: str, folder: str, *more: Any, **arguments: Any) -> None:
        file = work / f"{module}.json"
        values = {**base, "output_dir": str(work / folder / own), **arguments}
        file.write_text(json.dumps({**values, "template_dir": str(PREFIX / "share" / module / "resource")}))
        getattr(importlib.import_module(module), function)(str(file), *more)

    others = [f"{name}:{PREFIX / 'share' / name}" for name in _installed()]
    run("rosidl_generator_type_description", "generate_type_hash", "types", include_paths=others)
    base["type_description_tuples"] = [f"{name}:{work / 'types' / own / name[:-4]}.json" for name in names]
    base |= {"ros_interface_dependencies": [], "target_dependencies": []}
    run("rosidl_generator_c", "generate_c", "src")
    run(DDS, "generate_typesupport_fastrtps_c", "src")
    # Both make files of the same name as others do, so each has a folder of its own.
    run(INTROSPECTION, "generate_c", "intro")
    run("rosidl_typesupport_c", "generate_c", "ts", [DDS, INTROSPECTION])
    run("rosidl_generator_py", "generate_py", "py", ["rosidl_typesupport_c"])
    _write_visibility(own, work / "src" / own / "msg")


def _installed() -> list[str]:
    """Return the interface packages that the wheels brought."""
    return sorted(path.name for path in (PREFIX / "share/ament_index/resource_index/rosidl_interfaces").iterdir())


def _write_visibility(package: str, folder: Path) -> None:
    """Write the headers that CMake would make; in one library everything sees everything."""
    folder.mkdir(parents=True, exist_ok=True)
    for header in ("rosidl_generator_c", "rosidl_typesupport_c", DDS, INTROSPECTION):
        macros = [f"#define {header.upper()}_{side}_{package}" for side in ("PUBLIC", "IMPORT", "EXPORT")]
        (folder / f"{header}__visibility_control.h").write_text("\n".join(("#pragma once", *macros, "")))


def _compile(package: str, work: Path, built: Path) -> None:
    """Make the extension, and next to it the two libraries that Fast DDS opens by name."""
    # A library of the wheels only where it is used, but the package's own two always: that loads them.
    libraries = [f"{name}__{kind}" for name in _installed() for kind in ("rosidl_generator_c", DDS, INTROSPECTION)]
    libraries += [f"{name}__rosidl_typesupport_c" for name in _installed()]
    libraries += [f"{name}__rosidl_generator_py" for name in _installed()]
    wheels = ["-Wl,--as-needed", *(f"-l{name}" for name in (*libraries, *RUNTIME) if _is_library(name))]
    own = [f"{package}__{kind}" for kind in (DDS, INTROSPECTION)]

    def link(name: str, objects: Iterable[Path], *options: str) -> None:
        where = (f"-L{built}", f"-L{PREFIX / 'lib'}", f"-Wl,-soname,{name},-rpath,$ORIGIN:$ORIGIN/../../..")
        _run("g++", "-shared", "-o", built / name, *objects, *where, "-Wl,--no-as-needed", *options)

    objects = _objects(package, work)
    link(f"lib{own[0]}.so", [*objects["src"], *objects["intro"]], *wheels)
    link(f"lib{own[1]}.so", (), f"-l{own[0]}")
    extension = f"{package}_s__rosidl_typesupport_c.so"
    link(extension, [*objects["ts"], *objects["py"]], *(f"-l{name}" for name in own), *wheels)


def _is_library(name: str) -> bool:
    return (PREFIX / "lib" / f"lib{name}.so").is_file()


def _objects(package: str, work: Path) -> dict[str, list[Path]]:
    """Compile the sources; return the objects by the folder of their sources."""
    import numpy

    includes = [work / "src", work / "intro", sysconfig.get_path("include"), numpy.get_include(), PREFIX / "include"]
    includes += [PREFIX / "include" / name for name in (*_installed(), *RUNTIME)]
    options = ["-O0", "-fPIC", "-w", f'-DROS_PACKAGE_NAME="{package}"', *(f"-I{path}" for path in includes)]

    def compile_one(unit: Path) -> Path:
        made = unit.with_suffix(unit.suffix + ".o")
        compiler = ("g++", "-std=c++17") if unit.suffix == ".cpp" else ("gcc", "-std=c11")
        _run(*compiler, *options, "-c", unit, "-o", made)
        return made

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {name: list(pool.map(compile_one, _units(work / name))) for name in ("src", "intro", "ts", "py")}


def _units(folder: Path) -> list[Path]:
    """Put the sources of a kind into one file each: most of a compiler's time goes into headers."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for source in sorted(path for suffix in (".c", ".cpp") for path in folder.rglob(f"*{suffix}")):
        # Descriptions of different types define the same names.
        kind = source.stem if source.stem.endswith("description") else source.stem.rpartition("_")[2]
        groups[f"unit_{kind}{source.suffix}"].append(source)
    for name, sources in groups.items():
        (folder / name).write_text("".join(f'#include "{source}"\n' for source in sources))
    return [folder / name for name in groups]


def _run(*command: str | Path) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command[:1]))} failed:\n{done.stderr}")


if __name__ == "__main__":
    sys.exit(main())
