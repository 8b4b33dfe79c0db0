"""Builds ROS 2 interface packages that are not on PyPI into the running virtual environment, for the tests.

Uses the generators that come with the wheels of the extra `ros`, and gcc; no CMake. A package that is there already
and unchanged, or that came by other means (such as apt), is left alone. With --if-possible it is no failure if nothing
can be built here; the tests that need the packages are then skipped.
"""

from __future__ import annotations

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
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

DEFINITIONS = Path(__file__).resolve().parents[1] / "tests" / "ros" / "interfaces"
PREFIX = Path(sys.prefix)
SITE = Path(sysconfig.get_path("purelib"))
KINDS = ("msg", "srv", "action")
STAMP = ".built_from"
"""File in a built package that says what of."""

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
    problem = _problem()
    if problem is not None:
        print(f"The ROS interface packages are not built: {problem}", file=sys.stderr)
        return 0 if "--if-possible" in sys.argv[1:] else 2
    SITE.mkdir(parents=True, exist_ok=True)
    with (SITE / ".ros_interfaces.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = [path.name for path in sorted(DEFINITIONS.iterdir()) if path.is_dir() and _is_due(path.name)]
        if wanted:
            print(f"Building {', '.join(wanted)}; this takes half a minute.", flush=True)
            # The package with most to do first. A process each, because the generators share state.
            wanted.sort(key=lambda name: -len(_sources(name)))
            with ProcessPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(_build, wanted))
    return 0


def _problem() -> str | None:
    """Return why nothing can be built here, or None."""
    if shutil.which("gcc") is None or shutil.which("g++") is None:
        return "there is no g++ (on Debian and Ubuntu, sudo apt install g++)"
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        return "Python's headers are missing (on Debian and Ubuntu, sudo apt install python3-dev)"
    if importlib.util.find_spec("rosidl_generator_py") is None:
        return "the generators are missing (pip install -e '.[ros]', on Linux and x86-64)"
    return None


def _sources(package: str) -> list[Path]:
    return [path for kind in KINDS for path in sorted((DEFINITIONS / package / kind).glob(f"*.{kind}"))]


def _digest(package: str) -> str:
    """Return a hash of all that a built package depends on."""
    digest = hashlib.sha256(f"{sys.version} {importlib.metadata.version('ros-rosidl-generator-py')}".encode())
    for path in (Path(__file__), *_sources(package)):
        digest.update(f"\n{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _is_due(package: str) -> bool:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        return True
    stamp = Path(found.origin).with_name(STAMP)
    return stamp.is_file() and stamp.read_text() != _digest(package)


def _build(package: str) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{package}-", dir=SITE) as folder:
        work = Path(folder)
        # The generators name every file that they touch.
        with contextlib.redirect_stdout(io.StringIO()):
            _generate(package, work)
        built = work / "py" / package
        _compile(package, work, built)
        for source in built.rglob("*.c"):
            source.unlink()
        (built / "__init__.py").touch()
        (built / STAMP).write_text(_digest(package))
        shutil.rmtree(SITE / package, ignore_errors=True)
        built.rename(SITE / package)


def _generate(package: str, work: Path) -> None:
    """Write the sources of a package: below src the types, intro and ts their descriptions, py the Python side."""
    from rosidl_adapter import convert_to_idl

    idl = work / "idl" / package
    names = []
    for source in _sources(package):
        relative = source.relative_to(DEFINITIONS / package)
        convert_to_idl(DEFINITIONS / package, package, relative, idl)
        names.append(relative.with_suffix(".idl").as_posix())
    base: dict[str, Any] = {"package_name": package, "idl_tuples": [f"{idl}:{name}" for name in names]}

    def run(module: str, function: str, folder: str, *more: Any, **arguments: Any) -> None:
        file = work / f"{module}.json"
        values = {**base, "output_dir": str(work / folder / package), **arguments}
        file.write_text(json.dumps({**values, "template_dir": str(PREFIX / "share" / module / "resource")}))
        getattr(importlib.import_module(module), function)(str(file), *more)

    others = [f"{name}:{PREFIX / 'share' / name}" for name in _installed()]
    run("rosidl_generator_type_description", "generate_type_hash", "types", include_paths=others)
    base["type_description_tuples"] = [f"{name}:{work / 'types' / package / name[:-4]}.json" for name in names]
    base |= {"ros_interface_dependencies": [], "target_dependencies": []}
    run("rosidl_generator_c", "generate_c", "src")
    run(DDS, "generate_typesupport_fastrtps_c", "src")
    # Both make files of the same name as others do, so each has a folder of its own.
    run(INTROSPECTION, "generate_c", "intro")
    run("rosidl_typesupport_c", "generate_c", "ts", [DDS, INTROSPECTION])
    run("rosidl_generator_py", "generate_py", "py", ["rosidl_typesupport_c"])
    _write_visibility(package, work / "src" / package / "msg")


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
    """Make the extension, and beside it the two libraries that Fast DDS opens by name."""
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
