"""Maps drawn with letters, and written as map_server's files."""

from pathlib import Path

import numpy as np

from arena_trees.robot.geometry import Pose2D
from arena_trees.world.maps.occupancy_map import OccupancyMap

LETTERS = {".": 254, "#": 0, "?": 205}


def grey(drawing: str) -> np.ndarray:
    """Return the pixels of a drawing, its top line first: ``.`` is free, ``#`` a wall, ``?`` unknown."""
    return np.array([[LETTERS[letter] for letter in line] for line in drawing.split()], np.uint8)


def drawn(drawing: str, resolution: float = 0.1, origin: Pose2D | None = None, scale: int = 1) -> OccupancyMap:
    """Return the map of a drawing, each letter ``scale`` cells wide and high."""
    pixels = np.kron(grey(drawing), np.ones((scale, scale), np.uint8))
    return OccupancyMap.build(pixels[::-1] == LETTERS["."], resolution, origin)


def write_map(folder: Path, pixels: np.ndarray, name: str = "room", **values: object) -> Path:
    """Write a map's PGM and YAML; values replace or join those of the YAML file, None leaves one out."""
    rows, columns = pixels.shape
    (folder / f"{name}.pgm").write_bytes(b"P5\n%d %d\n255\n" % (columns, rows) + pixels.tobytes())
    keys = {"image": f"{name}.pgm", "resolution": 0.1, "origin": [0.0, 0.0, 0.0], "negate": 0}
    keys |= {"occupied_thresh": 0.65, "free_thresh": 0.196, **values}
    path = folder / f"{name}.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in keys.items() if value is not None), encoding="utf-8")
    return path


def write_two_pellets(folder: Path) -> Path:
    """Write a PacMan scenario in an empty room of 5 x 4 m, with two pellets and a slow ghost; return its file."""
    write_map(folder, grey("\n".join(["#" * 50, *["#" + "." * 48 + "#"] * 38, "#" * 50])))
    (folder / "room.arena.yaml").write_text("start: [1.2, 2.0, 0.0]")
    scenario = folder / "two_pellets.yaml"
    scenario.write_text(
        "{game: pacman, map: room.yaml, duration_s: 60.0, robots: {pacman: {role: pacman, set: {spin_s: 0.4}}},"
        " rules: {ghosts: [{start: [4.3, 0.6]}], motion: {base_speed: 0.05}}}"
    )
    return scenario
