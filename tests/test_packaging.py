"""Builds and installs the project in every way the README names, and uses what came out."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

import arena_trees
from arena_trees.robot.sensor_registry import sensors

ROOT = Path(__file__).resolve().parents[1]
ROOMS = sorted(path.name for path in (ROOT / "arena_trees").iterdir() if (path / "__init__.py").exists())
SHARED = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("config", "launch", "models")
    for path in (ROOT / folder).rglob("*")
    if path.is_file()
    and not path.name.startswith(".")
    and "__pycache__" not in path.parts
    # Code is not a shared file.
    and not (folder == "models" and path.suffix == ".py")
)
# What the report's page is made of lies beside the code alone.
PAGE = {path.name for path in (ROOT / "recording" / "report_page" / "page").iterdir()}

ROS_PACKAGES = ("ament_index_python", "launch", "launch_ros", "py_trees_ros", "rclpy")
NODES = sorted(
    path.stem for path in (ROOT / "nodes").glob("*.py") if "\ndef main() -> None:" in path.read_text(encoding="utf-8")
)

# colcon's dependencies as ROS 2 Jazzy has them: with newer ones its Python builds fail.
COLCON = ("colcon-core", "colcon-ros", "empy==3.3.4", "pytest==7.4.4", "setuptools<80")

PROBE = f"""
import importlib, importlib.metadata, json
import arena_trees
from arena_trees.robot.sensor_registry import sensors
from arena_trees.robot.configuration.resources import resource_path
for room in {ROOMS!r}:
    importlib.import_module("arena_trees." + room)
# What is offered stands in a stub beside the code.
assert arena_trees.Game.__name__ == "Game"
page = importlib.import_module("arena_trees.recording.report_page.report").PAGE
assert {{path.name for path in page.iterdir()}} == {PAGE!r}
shared = [str(resource_path(*name.split("/"))) for name in {SHARED!r}]
distribution = importlib.metadata.distribution("arena-trees")
scripts = [entry.value for entry in distribution.entry_points if entry.name == "arena-trees"]
print(json.dumps([arena_trees.__file__, distribution.version, scripts, shared]))
"""


def run(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None, code: int = 0) -> str:
    """Run a command without the settings of this environment, and return what it printed; it must end with a code."""
    foreign = ("AMENT", "COLCON", "PYTHON")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | dict(env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == code, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def check(python: Path, program: tuple[Path, ...], root: Path, cwd: Path, env: Mapping[str, str] | None = None) -> None:
    """Assert that code, program and shared files work, and come from below the root."""
    printed = run(python, "-c", PROBE, cwd=cwd, env=env)
    module, version, scripts, shared = json.loads(printed.splitlines()[-1])
    assert version == arena_trees.__version__
    assert scripts == ["arena_trees.cli:main"]
    for path in (module, *shared):
        assert Path(path).is_relative_to(root), f"{path} is not from this installation"
    for name in SHARED:
        # Beside the code too, for installations without a share folder (pip install --target).
        assert (Path(module).parent / name).read_bytes() == (ROOT / name).read_bytes()
    assert "Usage" in run(*program, "--help", cwd=cwd, env=env)


def libraries() -> str:
    """Return where the libraries of the running Python lie, so that no test installs them again."""
    return os.pathsep.join(dict.fromkeys(sysconfig.get_path(key) for key in ("purelib", "platlib")))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the working tree, as builds leave folders behind."""
    built = ("__pycache__", "*.egg-info", "build", "dist", "install", "log", "results")
    left = shutil.ignore_patterns(".*", *built)
    return Path(shutil.copytree(ROOT, tmp_path / "src" / "arena_trees", symlinks=True, ignore=left))


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """A new virtual environment that sees the libraries of the running one."""
    folder = tmp_path / "environment"
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    # Files of this kind are not read in the folders they name: an editable installation there stays unseen.
    (site / "libraries.pth").write_text(libraries().replace(os.pathsep, "\n"), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("editable", [False, True], ids=["install", "editable"])
def test_pip(source, environment, tmp_path, editable):
    python = environment / "bin" / "python"
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--ignore-installed")
    target = ("--editable", source) if editable else (source,)
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, *target, cwd=tmp_path)
    program = (environment / "bin" / "arena-trees",)
    check(python, program, source if editable else environment, tmp_path)
    assert "Usage" in run(python, "-m", "arena_trees", "--help", cwd=tmp_path)
    assert all(os.access(environment / "bin" / name, os.X_OK) for name in NODES)
    if not editable:
        assert not list(environment.glob("lib/python*/site-packages/arena_trees/models/training*")), "not for robots"
        assert "checkout" in run(python, "-m", "arena_trees", "train-signs", cwd=tmp_path, code=2)
        names = {path.name for path in environment.glob("lib/python*/site-packages/*")}
        assert not names & {*ROOMS, "tests", "config", "models", "launch"}, "a generic name was installed"


@pytest.fixture
def colcon(pytestconfig: pytest.Config) -> Path:
    """The colcon program, in an environment that is kept between test runs."""
    folder = pytestconfig.cache.mkdir("colcon")
    ready = folder / "ready"
    wanted = f"{folder} {sys.version} {COLCON}"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
            venv.create(folder / "environment", clear=True, symlinks=True)
            pip = [sys.executable, "-m", "pip", "--python", str(folder / "environment" / "bin" / "python")]
            install = [*pip, "install", "-qq", *COLCON]
            done = subprocess.run(install, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                pytest.skip(f"colcon cannot be installed: {done.stderr.strip()[-200:]}")
            ready.write_text(wanted, encoding="utf-8")
    return folder / "environment" / "bin" / "colcon"


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--symlink-install",)], ids=["build", "symlink-install"])
def test_colcon(source, colcon, tmp_path, options):
    run(colcon, "build", "--event-handlers", "console_direct-", *options, cwd=tmp_path)

    prefix = tmp_path / "install" / "arena_trees"
    assert not list(prefix.rglob("training*")), "not for robots"
    assert (prefix / "share/ament_index/resource_index/packages/arena_trees").is_file()
    assert (prefix / "share/arena_trees/package.xml").read_text() == (ROOT / "package.xml").read_text()
    for name in SHARED:
        assert (prefix / "share/arena_trees" / name).read_bytes() == (ROOT / name).read_bytes()

    # What sourcing the workspace sets, for its own program and any Python.
    setup = ". install/local_setup.sh && env"
    # The setup files and the program's first line do not bear a space in the path of colcon's Python.
    plain = {"COLCON_PYTHON_EXECUTABLE": str(Path(sys.executable).resolve())}
    printed = run("sh", "-c", setup, cwd=tmp_path, env=plain).splitlines()
    sourced = dict(line.split("=", 1) for line in printed if "=" in line)
    assert sourced["AMENT_PREFIX_PATH"] == str(prefix)
    path = os.pathsep.join((sourced["PYTHONPATH"], libraries()))
    root = tmp_path / "build" if options else prefix
    python = colcon.with_name("python")
    program = prefix / "lib" / "arena_trees" / "arena-trees"
    # `ros2 run arena_trees` looks here.
    assert all(os.access(program.with_name(name), os.X_OK) for name in ("arena-trees", *NODES))
    check(python, (python, program), root, tmp_path, {"PYTHONPATH": path})


@pytest.mark.slow
def test_the_manifest_names_every_ros_package_that_is_imported():
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    depends = {depend.text for depend in manifest.findall("exec_depend")}
    folders = [ROOT / name for name in ("nodes", "launch")]
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("*.py")]
    found = {top for source in sources for top in re.findall(r"^ *(?:import|from) (\w+)", source, re.MULTILINE)}
    asked = {name for source in sources for name in re.findall(r'optional_type\(\w+, "(\w+)"', source)}
    ros = {name for name in found if name.endswith(("_msgs", "_srvs", "_interfaces")) or name in ROS_PACKAGES}
    assert "geometry_msgs" in ros
    sensed = {name.split("/")[0] for sensor in sensors().values() for name in sensor.ros.types}
    assert "irobot_create_msgs" in asked
    assert "vision_msgs" in sensed
    assert not (ros | asked | sensed) - depends


# Debian's names of what setup.py asks for by PyPI's; each is a key of rosdep.
BY_ROSDEP = {
    "numpy": "python3-numpy",
    "scipy": "python3-scipy",
    "py_trees": "py_trees",
    "PyYAML": "python3-yaml",
    "shapely": "python3-shapely",
    "opencv-python-headless": "python3-opencv",
    "Pillow": "python3-pil",
    "rich": "python3-rich",
}


@pytest.mark.slow
def test_a_robot_gets_every_library_by_rosdep_or_by_the_documented_pip():
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    # What a plain installation has, and the extras that a robot needs; those of rosdep may be more.
    lists = [setup.split(f"\n{name} = [")[1].split("]\n")[0] for name in ("DEPENDENCIES", "VISION", "RECORD")]
    requirements = re.findall(r'^    "([^"]+)"', "".join(lists), re.MULTILINE)
    assert len(requirements) > 10
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    depends = {depend.text for depend in manifest.findall("exec_depend")}
    (pip,) = re.findall(r"venv/bin/pip install (.+)", (ROOT / "docs/turtlebot4.md").read_text(encoding="utf-8"))[:1]
    installed = {re.split("[<>=]", item)[0]: item for item in pip.replace("'", "").split()}
    for requirement in requirements:
        name = re.split("[<>=]", requirement)[0]
        if name in BY_ROSDEP:
            assert BY_ROSDEP[name] in depends, requirement
        else:
            # onnxruntime has no bound there: the least is far behind.
            assert installed.get(name) in (requirement, name), requirement


@pytest.mark.slow
def test_the_manifest_is_as_the_schema_of_ros_says():
    xmllint = pytest.importorskip("ament_xmllint.main", reason="ament_xmllint is not installed; it comes from apt")
    assert xmllint.main(argv=[str(ROOT / "package.xml")]) == 0


@pytest.mark.slow
def test_the_manifests_and_the_citation_agree():
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    assert manifest.findtext("name") == "arena_trees"
    assert manifest.findtext("version") == arena_trees.__version__
    assert manifest.findtext("license") == "Apache-2.0"
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (arena_trees.__version__, "Apache-2.0")
    assert f"\n## {arena_trees.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert manifest.findtext("export/build_type") == "ament_python"
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    assert re.search(r'^    license="Apache-2.0",$', setup, re.MULTILINE)
    assert "requires-python" not in re.sub("#.*", "", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
