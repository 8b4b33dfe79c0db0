"""What a synthetic scene may look like: the ranges that its parts are drawn from, and the named sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

__all__ = ["PRINTED", "SETS", "SHIFTED", "TRAINING", "NamedSet", "Range", "SceneRanges"]

Range = tuple[float, float]
"""Lowest and highest value of a uniform draw."""


@dataclass(frozen=True, slots=True)
class SceneRanges:
    """Ranges of everything that varies from one scene to the next.

    Attributes:
        image_px: width and height of the images
        sign_px: width that a sign's side has, frontal and before it is cut; drawn log-uniformly
        oblique_deg: farthest that a face is seen off its normal
        roll_deg: turn of a card about its normal, to either side
        hfov_deg: of the camera
        camera_height: above the floor, m
        camera_pitch_deg: downwards positive
        camera_roll_deg: to the right positive
        exposure: factor of all light
        contrast: exponent of the light, drawn log-uniformly
        gradient: how much darker the dark side of the image is, share
        face_light: factor of a sign's light against its surroundings
        tint: factor of each colour of the light
        vignette: how much darker the corners are, share
        noise: standard deviation, grey levels of 255
        motion_px: length of motion blur; at most 0.3 of the smallest sign's width
        defocus_px: standard deviation of the blur
        occluded: share of signs with something before them
        occlusion: share of a sign's width or height that is then hidden
        empty: share of scenes without any of our signs
        colourful: how colourful surfaces may be, 0 to 1
        coloured_light: share of scenes with a second, coloured light from one side
        stripes: share of scenes with strong shadows of bars across everything
        jpeg: quality of the compressed images
        real: share of the backgrounds that are real frames, where there are any
        paper: how far a print's paper and inks may be from the drawing's colours, 0 to 1
    """

    image_px: int = 250
    sign_px: Range = (12.0, 200.0)
    oblique_deg: Range = (0.0, 66.0)
    roll_deg: Range = (-10.0, 10.0)
    hfov_deg: Range = (38.0, 47.0)
    camera_height: Range = (0.20, 0.30)
    camera_pitch_deg: Range = (-4.0, 6.0)
    camera_roll_deg: Range = (-3.0, 3.0)
    exposure: Range = (0.55, 1.45)
    contrast: Range = (0.75, 1.35)
    gradient: Range = (0.0, 0.5)
    face_light: Range = (0.55, 1.1)
    tint: Range = (0.85, 1.15)
    vignette: Range = (0.0, 0.35)
    noise: Range = (0.0, 9.0)
    motion_px: Range = (0.0, 9.0)
    defocus_px: Range = (0.0, 1.1)
    occluded: float = 0.18
    occlusion: Range = (0.1, 0.4)
    empty: float = 0.12
    colourful: float = 0.6
    coloured_light: float = 0.0
    stripes: float = 0.0
    jpeg: Range = (45.0, 96.0)
    real: float = 0.3
    paper: float = 0.0


TRAINING = SceneRanges()
"""Ranges of the training, validation and test sets."""

SHIFTED = replace(
    TRAINING,
    roll_deg=(-20.0, 20.0),
    camera_pitch_deg=(6.0, 12.0),
    camera_roll_deg=(-7.0, 7.0),
    exposure=(0.35, 0.6),
    contrast=(0.55, 0.75),
    gradient=(0.4, 0.6),
    tint=(0.75, 1.25),
    noise=(9.0, 16.0),
    colourful=1.0,
    coloured_light=0.5,
    stripes=0.5,
)
"""Dark, noisy, coloured and striped light, colourful surfaces and tilted views that training never shows."""


PRINTED = replace(
    TRAINING,
    oblique_deg=(0.0, 70.0),
    exposure=(0.4, 1.5),
    contrast=(0.6, 1.6),
    tint=(0.65, 1.35),
    noise=(0.0, 14.0),
    jpeg=(30.0, 96.0),
    real=0.65,
    paper=1.0,
)
"""Prints before real frames, seen by a camera whose white balance, exposure and compression err: for a last stage."""


@dataclass(frozen=True, slots=True)
class NamedSet:
    """A data set that anybody can make again.

    Attributes:
        seed: of its random streams
        images: number of images
        ranges: what its scenes look like
        trains: whether it may use the real frames that training may use; others get the frames held out
    """

    seed: int
    images: int
    ranges: SceneRanges
    trains: bool


SETS: Mapping[str, NamedSet] = MappingProxyType(
    {
        "train": NamedSet(seed=1001, images=20000, ranges=TRAINING, trains=True),
        "printed": NamedSet(seed=1002, images=8000, ranges=PRINTED, trains=True),
        "validation": NamedSet(seed=2001, images=500, ranges=TRAINING, trains=True),
        "test": NamedSet(seed=9001, images=1000, ranges=TRAINING, trains=False),
        "shifted": NamedSet(seed=9002, images=1000, ranges=SHIFTED, trains=False),
    }
)
"""Every set by its name."""
