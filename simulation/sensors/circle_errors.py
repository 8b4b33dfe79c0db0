"""How a detector of circles errs: what a parametric sphere camera does to a sphere's true outline."""

from __future__ import annotations

from typing import Literal

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["CircleErrors", "measured_errors"]


class CircleErrors(Parameters):
    """Misses, noise and false circles of one detector, as ``benchmarks/sphere_camera.py`` measures them."""

    miss: float = parameter(0.0, "chance that a large sphere in plain view is not found", ge=0, le=1)
    faint_px: float = parameter(5.0, "of spheres with this radius every second one is found", "px", ge=0, le=500)
    faint_width_px: float = parameter(1.0, "how gradually that changes with the radius", "px", gt=0, le=500)
    hidden_share: float = parameter(0.5, "with this share seen, every second one is found", ge=0, le=1)
    hidden_width: float = parameter(0.05, "how gradually that changes with the share", gt=0, le=1)
    centre_noise_px: float = parameter(0.3, "standard deviation of the centre's column and row", "px", ge=0, le=100)
    radius_bias_px: float = parameter(0.0, "mean error of the radius", "px", ge=-50, le=50)
    radius_bias: float = parameter(0.0, "further mean error, as a share of the radius", ge=-0.9, le=5)
    radius_spread: float = parameter(0.0, "standard deviation, from camera to camera, of that share", ge=0, le=1)
    radius_noise_px: float = parameter(0.3, "standard deviation of the radius from image to image", "px", ge=0, le=100)
    radius_noise: float = parameter(0.0, "further one, as a share of the radius", ge=0, le=1)
    memory: float = parameter(0.0, "correlation of luck and errors of two images that follow each other", ge=0, lt=1)
    false_circles: float = parameter(0.0, "chance of a circle in an image where there is nothing", ge=0, le=1)
    clutter_circles: float = parameter(
        0.0, "chance of a circle on a thing of a sphere's colour that is in view", ge=0, le=1
    )
    clutter_px: float = parameter(
        500.0,
        "of things into which no larger sphere would fit; larger ones are distinguished from spheres",
        "px",
        ge=0,
        le=500,
    )
    quality: float = parameter(1.0, "mean quality of a circle in plain view", ge=0, le=1)
    quality_noise: float = parameter(0.0, "its standard deviation", ge=0, le=1)
    clutter_quality: float = parameter(1.0, "mean quality of a circle that is no sphere", ge=0, le=1)
    says_deviation: bool = parameter(False, "whether circles carry the standard deviation of their radius")


_SOURCE = CircleErrors(
    faint_px=3.1,
    faint_width_px=0.4,
    hidden_share=0.25,
    hidden_width=0.1,
    centre_noise_px=0.46,
    radius_bias_px=-0.22,
    radius_spread=0.008,
    radius_noise_px=0.44,
    radius_noise=0.009,
    memory=0.4,
    false_circles=0.02,
    clutter_circles=0.37,
)
_ARENA = CircleErrors(
    faint_px=3.6,
    faint_width_px=0.1,
    hidden_share=0.32,
    hidden_width=0.08,
    centre_noise_px=0.077,
    radius_bias_px=-0.066,
    radius_bias=0.0007,
    radius_spread=0.005,
    radius_noise_px=0.073,
    radius_noise=0.003,
    memory=0.7,
    clutter_circles=0.018,
    quality=0.98,
    quality_noise=0.044,
    clutter_quality=0.94,
    says_deviation=True,
)
_SOURCE_WIDE = CircleErrors(
    faint_px=3.1,
    faint_width_px=0.4,
    hidden_share=0.26,
    hidden_width=0.065,
    centre_noise_px=1.3,
    radius_bias=0.006,
    radius_spread=0.013,
    radius_noise_px=0.44,
    radius_noise=0.04,
    memory=0.13,
    false_circles=0.05,
    clutter_circles=0.09,
    clutter_px=35.0,
)
_ARENA_WIDE = CircleErrors(
    faint_px=3.6,
    faint_width_px=0.1,
    hidden_share=0.32,
    hidden_width=0.1,
    centre_noise_px=0.07,
    radius_bias_px=-0.078,
    radius_bias=-0.0007,
    radius_spread=0.001,
    radius_noise_px=0.053,
    radius_noise=0.0012,
    memory=0.88,
    clutter_circles=0.0044,
    clutter_px=37.0,
    quality=0.976,
    quality_noise=0.044,
    clutter_quality=0.43,
    says_deviation=True,
)
_MEASURED = {
    ("source", 250): _SOURCE,
    ("arena", 250): _ARENA,
    ("source", 640): _SOURCE_WIDE,
    ("arena", 640): _ARENA_WIDE,
}
"""Detector and width of the camera's images (px) to how it fails there, as docs/spheres.md states."""


def measured_errors(detector: Literal["source", "arena"], width: int) -> CircleErrors:
    """Return how a detector fails with the camera, of those it was measured with, whose images are nearest in width.

    Args:
        detector: its name
        width: of the images, px
    """
    return min((abs(known - width), known, errors) for (name, known), errors in _MEASURED.items() if name == detector)[
        2
    ]
