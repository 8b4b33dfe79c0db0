"""Draw the maps of config/pacman/maps/: a flat and a maze, each as map_server's YAML, PGM and start.

Usage: python scripts/make_maps.py [FOLDER]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MAPS = Path(__file__).resolve().parent.parent / "config" / "pacman" / "maps"
RESOLUTION = 0.05
FREE, OCCUPIED, UNKNOWN = 254, 0, 205
"""Grey values that map_saver writes."""

Box = tuple[float, float, float, float]
"""x and y of the lower left corner, x and y of the upper right one, m."""

MAZE = """\
###############
#.............#
#.###.#.#.###.#
#.............#
#.#.###.###.#.#
#.#...#.#...#.#
#.###.#.#.###.#
#.............#
#.#.#.###.#.#.#
#.#.........#.#
#.#.###.###.#.#
#.............#
###############
"""


@dataclass
class Drawing:
    """A map while it is drawn; all lengths in metres from the lower left corner of the image.

    Attributes:
        width: of the image
        height: of the image
        origin: of the map: x and y of the image's lower left corner
        start: x, y (map frame) and yaw (rad) of the robot
    """

    width: float
    height: float
    origin: tuple[float, float]
    start: tuple[float, float, float]
    pixels: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        shape = round(self.height / RESOLUTION), round(self.width / RESOLUTION)
        self.pixels = np.full(shape, UNKNOWN, np.uint8)

    def fill(self, box: Box, value: int) -> None:
        """Give all pixels of a box a grey value."""
        left, bottom, right, top = (round(edge / RESOLUTION) for edge in box)
        rows = self.pixels.shape[0]
        self.pixels[rows - top : rows - bottom, left:right] = value

    def write(self, path: Path) -> None:
        """Write NAME.pgm, NAME.yaml and NAME.arena.yaml."""
        rows, columns = self.pixels.shape
        path.with_suffix(".pgm").write_bytes(b"P5\n%d %d\n255\n" % (columns, rows) + self.pixels.tobytes())
        origin = ", ".join(f"{value:g}" for value in (*self.origin, 0.0))
        path.with_suffix(".yaml").write_text(
            f"image: {path.name}.pgm\nmode: trinary\nresolution: {RESOLUTION}\norigin: [{origin}]\n"
            "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n",
            encoding="utf-8",
        )
        start = ", ".join(f"{value:g}" for value in self.start)
        path.with_suffix(".arena.yaml").write_text(
            f"# Where the robot starts, and is sent home to: x, y (m), yaw (rad).\nstart: [{start}]\n", encoding="utf-8"
        )


def flat() -> Drawing:
    """Return a flat: a corridor, a living room and a bedroom north of it, a kitchen and a study south of it.

    Walls and furniture leave eight of the pellets that stand 2 m apart from the image's corner. That of the study
    is the far one: its only door is at the end of the corridor.
    """
    drawing = Drawing(14.0, 14.0, (-5.0, -8.8), (0.0, 0.0, 0.0))
    drawing.fill((1.7, 1.7, 12.3, 12.3), OCCUPIED)
    rooms: tuple[Box, ...] = (
        (1.8, 7.25, 7.95, 12.2),  # living room
        (8.05, 7.25, 12.2, 12.2),  # bedroom
        (1.8, 6.05, 12.2, 7.15),  # corridor
        (1.8, 1.8, 7.95, 5.95),  # kitchen
        (8.05, 1.8, 12.2, 5.95),  # study
    )
    doors: tuple[Box, ...] = (
        (2.55, 7.15, 3.45, 7.25),  # living room to corridor
        (6.4, 7.15, 7.3, 7.25),
        (7.95, 8.7, 8.05, 9.6),  # living room to bedroom
        (9.0, 7.15, 9.9, 7.25),  # bedroom to corridor
        (2.6, 5.95, 3.5, 6.05),  # kitchen to corridor
        (6.5, 5.95, 7.4, 6.05),
        (10.1, 5.95, 11.0, 6.05),  # study to corridor
    )
    furniture: tuple[Box, ...] = (
        (5.4, 9.6, 6.6, 10.4),  # table
        (1.8, 8.4, 2.6, 10.4),  # sofa
        (10.8, 10.8, 12.2, 12.2),  # bed
        (3.0, 1.8, 7.95, 2.4),  # worktop
        (8.05, 1.8, 8.65, 3.4),  # shelf
    )
    for box in (*rooms, *doors):
        drawing.fill(box, FREE)
    for box in furniture:
        drawing.fill(box, OCCUPIED)
    return drawing


def maze() -> Drawing:
    """Return a maze of corridors 1 m wide between blocks of 1 m, the same on both sides."""
    rows = MAZE.split()
    drawing = Drawing(len(rows[0]) + 1.0, len(rows) + 1.0, (-8.0, -2.0), (0.0, 0.0, 1.5708))
    for number, row in enumerate(rows):
        for column, tile in enumerate(row):
            # Half a metre in from the corner, so that pellets 2 m apart stand where corridors cross.
            left, top = column + 0.5, len(rows) + 0.5 - number
            drawing.fill((left, top - 1.0, left + 1.0, top), FREE if tile == "." else OCCUPIED)
    return drawing


def main() -> None:
    """Write both maps."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else MAPS
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in (("flat", flat()), ("maze", maze())):
        drawing.write(folder / name)


if __name__ == "__main__":
    main()
