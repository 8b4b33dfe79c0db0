"""``arena-trees crossroads calibrate-lanes``: shows what a robot's camera makes out of a road, and calibrates it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
import yaml

from arena_trees.robot.configuration.files import write_atomically
from arena_trees.robot.configuration.output_files import FORCE_HELP, check_ending, place_files
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.perception.image import Rgb

__all__ = ["calibrate_lanes"]

_MOST = 100
_DEFAULT = "default"


def calibrate_lanes(
    images: Annotated[list[Path], typer.Argument(help="Pictures of a road from the robot's own camera.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="PNG for the masks.")],
    robot: Annotated[str, typer.Option(help="Whose calibration to begin with.")] = _DEFAULT,
    calibration: Annotated[
        Path | None, typer.Option(help="Calibration file; config/crossroads/lane_calibration.yaml if absent.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Show the masks of lanes' lines in pictures, and suggest a calibration."""
    if len(images) > _MOST:
        raise ConfigError(f"at most {_MOST} pictures", key="IMAGE", value=len(images))
    check_ending(output, (".png",), "--output")
    import cv2

    from arena_trees.perception.lanes.birds_eye import look_down
    from arena_trees.perception.lanes.calibration import load_calibration
    from arena_trees.perception.lanes.floor_camera import FloorCamera
    from arena_trees.perception.lanes.lines import LaneDetector
    from arena_trees.perception.lanes.picture import draw_sheet
    from arena_trees.perception.lanes.suggestion import suggest

    begun = load_calibration(robot, calibration)
    detector = LaneDetector(begun)
    pictures = [_read(path) for path in images]
    views = []
    for pixels in pictures:
        height, width = pixels.shape[:2]
        grid = detector.grid(width, height)
        views.append(None if grid is None else look_down(pixels, FloorCamera(begun.camera, width, height), grid))
    found = suggest([view for view in views if view is not None], begun)
    sheet = draw_sheet(pictures, views, found.calibration)
    (place,) = place_files([output], force)
    code = cv2.imencode(".png", sheet[..., ::-1])[1].tobytes()
    write_atomically(place, lambda stream: stream.write(code))
    for ink, cells in found.cells.items():
        print(f"# {ink}: " + (f"from {cells} cells of the floor" if cells else "not seen, left as it was"))
    values = found.calibration.model_dump(mode="json")
    named = {robot: values} if robot == _DEFAULT else {"robots": {robot: values}}
    print(yaml.safe_dump(named, sort_keys=False, default_flow_style=None), end="")
    print(f"# masks: {place}")


def _read(path: Path) -> Rgb:
    """Return the picture in a file, RGB.

    Raises:
        ConfigError: it is none, or is of a size that is not looked at
    """
    import cv2
    import numpy as np

    from arena_trees.perception.image import MAX_BYTES, MAX_SIDE, MIN_SIDE

    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError("is too large for a picture", file=path)
        raw = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    except OSError as error:
        raise ConfigError(error.strerror or "cannot be read", file=path) from error
    except cv2.error as error:
        raise ConfigError("is no picture", file=path) from error
    if raw is None or not all(MIN_SIDE <= side <= MAX_SIDE for side in raw.shape[:2]):
        raise ConfigError(f"is no picture of {MIN_SIDE} to {MAX_SIDE} px each way", file=path)
    return np.ascontiguousarray(np.asarray(raw, np.uint8)[..., ::-1])
