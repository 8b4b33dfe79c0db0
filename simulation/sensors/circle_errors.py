"""How a detector of circles errs: what a parametric sphere camera does to a sphere's true outline."""

from __future__ import annotations

from arena_trees.robot.configuration.parameters import Parameters, parameter

__all__ = ["ARENA_ERRORS", "SOURCE_ERRORS", "CircleErrors"]


class CircleErrors(Parameters):
    """Misses, noise and false circles of one detector, as ``scripts/measure_sphere_camera.py`` measures them."""

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
    quality: float = parameter(1.0, "mean quality of a circle in plain view", ge=0, le=1)
    quality_noise: float = parameter(0.0, "its standard deviation", ge=0, le=1)
    clutter_quality: float = parameter(1.0, "mean quality of a circle that is no sphere", ge=0, le=1)
    says_deviation: bool = parameter(False, "whether circles carry the standard deviation of their radius")


SOURCE_ERRORS = CircleErrors()
"""Of the detector ``source``."""

ARENA_ERRORS = CircleErrors(says_deviation=True)
"""Of the detector ``arena``."""
