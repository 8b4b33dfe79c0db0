"""Packaging: one distribution ``arena-trees``, one import package and one ROS 2 package ``arena_trees``.

All metadata stands here, and pyproject.toml holds none: ``colcon build --symlink-install`` links this
file into its build folder but not pyproject.toml, and ``requires-python`` there breaks every colcon build.
"""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import find_packages, setup

NAME = "arena_trees"
TRAINING = f"{NAME}.models.training"
# Resolved, because colcon runs a link to this file from a build folder that holds little else.
ROOT = Path(__file__).resolve().parent
SHARED_FOLDERS = ("config", "launch", "models")
NODES = (
    "arena_simulator",
    "ceiling_tracker",
    "feedback",
    "game",
    "geofence_supervisor",
    "localiser",
    "sign_detector",
    "sphere_detector",
    "tracking_relay",
    "tree_node",
    "undock",
    "velocity_gate",
)
"""Modules of nodes/ that are programs: by name after an installation with pip, by ``ros2 run`` after colcon."""
GAMES = sorted(path.parent.name for path in (ROOT / "trees").glob("*/game.py"))
SENSORS = sorted(path.parent.name for path in (ROOT / "sensors").glob("*/sensor.py"))
# The only machines that there are wheels of ROS for, with CPython 3.10 to 3.14. Elsewhere ROS comes from apt.
ROS_WHEELS = 'sys_platform == "linux" and platform_machine == "x86_64" and python_version < "3.15"'

DEPENDENCIES = [
    # The lower bounds are what ROS 2 Jazzy's Ubuntu ships, where it ships enough.
    "numpy>=1.26",
    "scipy>=1.11",
    "py_trees>=2.5",
    "pydantic>=2",
    "PyYAML>=6",
    "shapely>=2",
    # The headless wheel of OpenCV, so that a robot needs no libGL.
    "opencv-python-headless>=4.6",
    "Pillow>=10",
    "typer>=0.12",
    "rich>=13.7",
]

# To find the signs that robots wear, with a network.
VISION = [
    "onnxruntime>=1.17",
]

# To record and to read recordings, by ROS 2's types of messages.
RECORD = [
    # Its MCAP storage is no documented part of it: pinned.
    "rosbags>=0.11,<0.12",
]

# To draw figures, and the letters in films.
PLOT = [
    "matplotlib>=3.6",
]

# The operator console, a page in the browser.
CONSOLE = [
    "starlette>=0.40",
    "uvicorn>=0.30",
]

# To stream a game to Foxglove, and to lay its panels out.
VIEW = [
    "foxglove-sdk>=0.30",
]

EXTRAS = {
    "vision": VISION,
    "record": RECORD,
    "plot": PLOT,
    "console": CONSOLE,
    "view": VIEW,
    "arena": [
        # Exactly this one: trajectories change between releases of MuJoCo, and with them every measured
        # figure. It needs Python 3.11. Robots do not need it.
        "mujoco==4.0.0",
        "joblib>=1.3",
        # What plays a game draws it too, records it where asked, and its wolves look for signs.
        *VISION,
        *RECORD,
        *PLOT,
        *CONSOLE,
    ],
    # ROS 2 Jazzy without apt, for tests and machines without ROS. Exactly these: the same names without a
    # version are newer releases of ROS, and each wheel is built against the libraries of the others.
    "ros": [
        f"{requirement}; {ROS_WHEELS}"
        for requirement in (
            "ros-jazzy-rclpy[fastrtps]==7.1.6",
            "ros-diagnostic-msgs==5.3.6",
            "ros-geometry-msgs==5.3.6",
            "ros-nav-msgs==5.3.6",
            "ros-sensor-msgs==5.3.6",
            "ros-std-msgs==5.3.6",
            "ros-std-srvs==5.3.6",
            "ros-visualization-msgs==5.3.6",
        )
    ],
    # Tables of sweeps as Parquet files.
    "parquet": ["pyarrow>=14"],
    # Sweeps on an existing cluster of one of these kinds.
    "dask": ["distributed>=2024.1"],
    "ray": ["ray>=2.9"],
    # Searches for the best parameters, and for those that break a promise.
    "tune": ["optuna>=5", "cmaes>=0.13"],
    # Precision and recall of a sign detector, by the COCO benchmark's own code.
    "evaluate": ["pycocotools>=2.0.8"],
    # To train the sign detector, in a checkout. Exactly these: others bring CUDA or do not fit each other. AGPL-3.0, so
    # nothing that runs on a robot imports them. models/signs.md says what to install first without CUDA.
    "train": [
        "torch==2.13.0",
        "ultralytics-opencv-headless==8.4.190",
        "onnx>=1.16",
        "onnxslim>=0.1.98",
    ],
    "test": [
        "cmaes>=0.13",
        # From this release on it measures processes that tests start.
        "coverage>=7.10",
        # Says what of a page cannot be read or used by everybody.
        "axe-core-python>=0.1",
        "hypothesis>=6.100",
        # A tiny network is built for the tests of the sign detector.
        "onnx>=1.16",
        "optuna>=5",
        "pycocotools>=2.0.8",
        "pytest>=8",
        "pytest-xdist>=3.6",
        "pytest-timeout>=2.4",
        # A client of the view in Foxglove.
        "websockets>=14",
        *VIEW,
        # Shows where the processes stand that a test has started, when its time is over.
        "py-spy>=0.4",
        # Exactly these two: other releases find other faults in the same code.
        "mypy==2.4.1",
        "ruff==0.17.5",
        "types-PyYAML",
        # The packaging tests build with it; from this release on it makes wheels by itself.
        "setuptools>=70.1",
    ],
}


def version() -> str:
    """Return the version that the package states of itself."""
    text = (ROOT / NAME / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"{NAME}/__init__.py states no __version__")
    return found.group(1)


def shared_files() -> list[Path]:
    """Return the files that ship beside the code, relative to the root."""
    files = [path for folder in SHARED_FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    hidden = ("__pycache__", ".")
    return [
        path.relative_to(ROOT)
        for path in files
        if path.is_file()
        and not any(part.startswith(hidden) for part in path.relative_to(ROOT).parts)
        # Code is not a file to share: that of models/ is a package, and the training's does not ship.
        and not (path.suffix == ".py" and path.is_relative_to(ROOT / "models"))
    ]


def ament_files() -> list[tuple[str, list[str]]]:
    """Return what ROS 2 looks for under ``share``: the index marker, the manifest and the shared files."""
    folders: dict[str, list[str]] = {
        "share/ament_index/resource_index/packages": [f"resource/{NAME}"],
        f"share/{NAME}": ["package.xml"],
    }
    for path in shared_files():
        folders.setdefault(f"share/{NAME}/{path.parent.as_posix()}", []).append(path.as_posix())
    return list(folders.items())


def check_links() -> None:
    """Refuse a copy of the repository that turned its symbolic links into text files."""
    lost = [path.name for path in (ROOT / NAME).iterdir() if path.is_file() and not path.suffix]
    if lost:
        raise SystemExit(
            f"{NAME}/{lost[0]} should be a symbolic link: clone the repository with links"
            " (git config core.symlinks true) on a file system that has them"
        )


check_links()
setup(
    name="arena-trees",
    version=version(),
    description="Behaviour trees for small robots that play together, simulated or real",
    long_description=(ROOT / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author="The Arena Trees contributors",
    license="Apache-2.0",
    license_files=["LICENSE"],
    keywords=["behaviour trees", "robotics", "ROS 2", "TurtleBot 4", "MuJoCo"],
    python_requires=">=3.10",
    # Follows the links in arena_trees/ to every room: a new room needs its link and an __init__.py.
    # The training of the sign detector is for a checkout: no robot needs it.
    packages=find_packages(include=[NAME, f"{NAME}.*"], exclude=[TRAINING, f"{TRAINING}.*"]),
    package_data={
        NAME: ["py.typed", "*.pyi", *(path.as_posix() for path in shared_files())],
        # What the report's page is made of.
        f"{NAME}.recording.report_page": ["page/*"],
        f"{NAME}.console": ["page/*"],
    },
    data_files=ament_files(),
    install_requires=DEPENDENCIES,
    extras_require=EXTRAS,
    entry_points={
        "console_scripts": [
            "arena-trees = arena_trees.cli:main",
            *(f"{name} = arena_trees.nodes.{name}:main" for name in NODES),
        ],
        f"{NAME}.arena_sections": [
            f"crossing = {NAME}.games.crossroads.layout.section:SECTION",
            f"outline = {NAME}.world.outline.section:SECTION",
        ],
        f"{NAME}.game_commands": [
            f"crossroads.calibrate-lanes = {NAME}.games.crossroads.commands.calibrate_lanes:calibrate_lanes",
            f"crossroads.print-crossing = {NAME}.games.crossroads.commands.print_crossing:print_crossing",
            f"pacman.pellets = {NAME}.games.pacman.show_pellets:show_pellets",
        ],
        f"{NAME}.games": [f"{name} = {NAME}.trees.{name}.game:GAME" for name in GAMES],
        f"{NAME}.sensors": [f"{name} = {NAME}.sensors.{name}.sensor:SENSOR" for name in SENSORS],
    },
    zip_safe=False,
)
