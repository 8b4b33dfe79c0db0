"""Which kind of sphere camera a robot has."""

from __future__ import annotations

from collections.abc import Sequence

from arena_trees.perception.spheres.detectors import make_detector
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.simulation.sensors.parametric_spheres import ParametricSpheres
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.simulation.sensors.rendered_camera import OffscreenRenderer
from arena_trees.simulation.sensors.rendered_spheres import RenderedSpheres, SpherePictures, SphereView
from arena_trees.simulation.sensors.sphere_camera import CircleCamera, SphereCameraParameters
from arena_trees.world.body import Body
from arena_trees.world.footprint import Solid

__all__ = ["make_sphere_camera"]


def make_sphere_camera(
    robot: str,
    parameters: SphereCameraParameters,
    body: Body,
    clutter: Sequence[Solid],
    streams: RandomStreams,
    caster: RayCaster,
    studio: OffscreenRenderer | None,
    pictures: bool,
) -> CircleCamera | SpherePictures | None:
    """Return a robot's sphere camera of the kind that its parameters say, None for none.

    Args:
        robot: name of the robot that carries it
        parameters: its parameters
        body: of the robot
        clutter: walls and boxes of a sphere's colour
        streams: its random streams
        caster: casts the rays of a parametric camera
        studio: takes the pictures of a rendered one
        pictures: a rendered camera delivers its pictures, instead of what is found in them
    """
    if parameters.kind == "parametric":
        optics, exposure_s = parameters.pinhole(), parameters.exposure_s
        finder = ParametricSpheres(robot, parameters.errors, optics, clutter, streams, caster, exposure_s)
        return CircleCamera(parameters, body, streams, finder)
    if parameters.kind == "none" or studio is None:
        return None
    view = SphereView(robot, parameters, streams, studio)
    if pictures:
        return SpherePictures(parameters, body, streams, view)
    detector = make_detector(parameters.detector, parameters.pinhole())
    return CircleCamera(parameters, body, streams, RenderedSpheres(view, detector))
