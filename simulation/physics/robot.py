"""A simulated TurtleBot4: its base and sensors behind the same port as a real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic import create_model

from arena_trees.perception.image import Image
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.configuration.parameters import Parameters, parameter
from arena_trees.robot.geometry import ZERO, Pose2D, Twist2D
from arena_trees.robot.percepts import Cue, Readings
from arena_trees.robot.random_streams import RandomStreams
from arena_trees.robot.sensor_registry import sensors
from arena_trees.robot.timing import TICK, Delivery
from arena_trees.robot.turret import TurretRates
from arena_trees.simulation.faults.fault import Fault
from arena_trees.simulation.faults.wheel_faults import WheelFaults
from arena_trees.simulation.physics.bumpers import BumperParameters, BumperSensor
from arena_trees.simulation.physics.create3 import BaseParameters, Create3
from arena_trees.simulation.physics.truth import RobotTruth
from arena_trees.simulation.physics.turret import SimulatedTurret
from arena_trees.simulation.sensors.lane_camera import LaneCamera, LaneCameraParameters, LanePictures
from arena_trees.simulation.sensors.lidar import Lidar, LidarParameters
from arena_trees.simulation.sensors.localisation import Localisation, LocalisationParameters
from arena_trees.simulation.sensors.odometry import OdometryParameters, OdometrySensor
from arena_trees.simulation.sensors.parametric_detector import ParametricDetector
from arena_trees.simulation.sensors.rays import RayCaster
from arena_trees.simulation.sensors.rendered_camera import OffscreenRenderer, PictureCamera
from arena_trees.simulation.sensors.rendered_spheres import SpherePictures
from arena_trees.simulation.sensors.sign_camera import CameraParameters, SignCamera
from arena_trees.simulation.sensors.simulated_sensor import Surroundings, simulated_sensors
from arena_trees.simulation.sensors.sphere_camera import CircleCamera, SphereCameraParameters
from arena_trees.simulation.sensors.sphere_camera_kinds import make_sphere_camera
from arena_trees.world.body import TURTLEBOT4, Body
from arena_trees.world.footprint import Solid
from arena_trees.world.signs import PlacedSign, SignParameters
from arena_trees.world.spheres import PlacedSphere

__all__ = ["RobotSpec", "SensorParameters", "SimulatedRobot"]


class _CommonParameters(Parameters):
    base: BaseParameters = parameter(BaseParameters(), "the base")
    lidar: LidarParameters = parameter(LidarParameters(), "the LiDAR, where its body has one")
    odometry: OdometryParameters = parameter(OdometryParameters(), "the odometry")
    localisation: LocalisationParameters = parameter(LocalisationParameters(), "the localisation")
    camera: CameraParameters = parameter(CameraParameters(), "the sign camera")
    lanes: LaneCameraParameters = parameter(LaneCameraParameters(), "the lane camera")
    sphere_camera: SphereCameraParameters = parameter(SphereCameraParameters(), "the camera that looks for spheres")
    bumpers: BumperParameters = parameter(BumperParameters(), "the bumpers")
    sign: SignParameters = parameter(SignParameters(), "the sign that the robot carries")


if TYPE_CHECKING:

    class SensorParameters(_CommonParameters):
        """Has those of the sensors that are found by entry points, too."""

        def __getattr__(self, key: str) -> Any: ...

else:
    SensorParameters = create_model(
        "SensorParameters",
        __base__=_CommonParameters,
        __module__=__name__,
        __doc__="Everything about a simulated robot that a scenario may change; a dotted key reaches each value.",
        **{
            key: (
                simulated.parameters,
                parameter(simulated.defaults or simulated.parameters(), sensors()[key].description),
            )
            for key, simulated in simulated_sensors().items()
        },
    )


@dataclass(frozen=True, slots=True)
class RobotSpec:
    """A robot to put into an arena.

    Attributes:
        name: its name, unique
        label: class of the sign that it carries, such as ``carrot``; None for no sign
        start: pose at the start, map frame
        sensors: base, sensors and sign
        body: what it is made of
    """

    name: str
    label: str | None
    start: Pose2D
    sensors: SensorParameters = field(default_factory=SensorParameters)
    body: Body = TURTLEBOT4


class SimulatedRobot:
    """A robot of the arena; implements :class:`arena_trees.robot.ports.RobotPort`.

    Attributes:
        spec: what robot
        truth: what is true of it now
        cues: events that it has shown, each with its instant (ns)
        base: its base
        turret: its turret, or None
        camera: its sign camera
        lanes: its lane camera, or None
        sphere_camera: the camera that looks for spheres, or None
        wheels: what is the matter with its wheels, or None

    Args:
        spec: what robot
        streams: the trial's random streams; only ``sensors.<name>`` is used
        clock: the arena's clock, ns
        caster: casts the arena's rays
        studio: takes the arena's pictures; needed where a camera is a rendered one
        pictures: rendered cameras deliver their pictures, instead of what is found in them
        clutter: walls and boxes of a sphere's colour

    Raises:
        ConfigError: the lane camera's calibration cannot be used
    """

    def __init__(
        self,
        spec: RobotSpec,
        streams: RandomStreams,
        clock: Callable[[], int],
        caster: RayCaster,
        studio: OffscreenRenderer | None = None,
        pictures: bool = False,
        clutter: Sequence[Solid] = (),
    ) -> None:
        parameters = spec.sensors
        streams = streams.child(f"sensors.{spec.name}")
        camera_streams = streams.child("camera")
        self.spec = spec
        self.turret: SimulatedTurret | None = None
        if spec.body.turret is not None:
            self.turret = SimulatedTurret(spec.body.turret, parameters.turret)
        self.truth = RobotTruth(spec.start, Twist2D(), frozenset(), None if self.turret is None else self.turret.angles)
        self.cues: list[tuple[int, str]] = []
        self.base = Create3(parameters.base, spec.body)
        self.wheels: WheelFaults | None = None
        self._slipping = ZERO
        self.camera: SignCamera | PictureCamera
        if parameters.camera.kind == "rendered" and studio is not None:
            self.camera = studio.camera(spec.name, camera_streams, pictures)
        else:
            detector = ParametricDetector(
                spec.name, parameters.camera, camera_streams, caster, lambda: self.truth.twist.angular
            )
            self.camera = SignCamera(parameters.camera, camera_streams.generator("frames"), detector)
        self.lanes: LaneCamera | LanePictures | None = None
        if parameters.lanes.kind == "rendered" and studio is not None:
            lane_camera = LanePictures if pictures else LaneCamera
            self.lanes = lane_camera(spec.name, parameters.lanes, streams.child("lanes"), studio)
        self.sphere_camera = make_sphere_camera(
            spec.name, parameters.sphere_camera, spec.body, clutter, streams.child("spheres"), caster, studio, pictures
        )
        self._clock = clock

        def surroundings(stream: str) -> Surroundings:
            return Surroundings(spec.name, spec.body, spec.start, streams.generator(stream), caster)

        self._lidar = Lidar(parameters.lidar, surroundings("lidar")) if spec.body.lidar else None
        self._odometry = OdometrySensor(parameters.odometry, surroundings("odometry"))
        self._localisation = Localisation(parameters.localisation, surroundings("localisation"))
        self._bumpers = BumperSensor(parameters.bumpers)
        self._more = {
            key: simulated.make(getattr(parameters, key), surroundings(simulated.stream or key))
            for key, simulated in simulated_sensors().items()
            if sensors()[key].carried(spec.body)
        }
        self._deliveries: dict[str, Delivery[Any]] = {key: sensor.delivery for key, sensor in self._more.items()}
        if isinstance(self.lanes, LaneCamera):
            self._deliveries |= {"lane": self.lanes.lane, "markers": self.lanes.markers}
        if isinstance(self.camera, SignCamera):
            self._deliveries["detections"] = self.camera.delivery
        if isinstance(self.sphere_camera, CircleCamera):
            self._deliveries["circles"] = self.sphere_camera.delivery

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.spec.name

    def now(self) -> int:
        """Return the arena's clock, ns."""
        return self._clock()

    def read(self) -> Readings:
        """Return the newest message of each sensor that has arrived."""
        now = self._clock()
        return Readings(
            now=now,
            scan=None if self._lidar is None else self._lidar.delivery.newest(now),
            odometry=self._odometry.delivery.newest(now),
            pose=self._localisation.delivery.newest(now),
            bumpers=self._bumpers.delivery.newest(now),
            more=self._newest(now),
        )

    @property
    def senses(self) -> frozenset[str]:
        """The keys of what its sensors deliver in :attr:`~arena_trees.robot.percepts.Readings.more`."""
        return frozenset(self._deliveries)

    def _newest(self, now: int) -> dict[str, Any]:
        readings = ((key, delivery.newest(now)) for key, delivery in self._deliveries.items())
        return {key: reading for key, reading in readings if reading is not None}

    @property
    def pictures(self) -> tuple[LanePictures | SpherePictures | PictureCamera | None, tuple[str, ...]]:
        """The first camera that delivers pictures, and the keys of what is looked for in them.

        The lane camera is the first, then that of spheres, then that of signs.
        """
        seen = {"lane": self.lanes, "circles": self.sphere_camera, "detections": self.camera}
        for key, camera in seen.items():
            if isinstance(camera, LanePictures | SpherePictures | PictureCamera):
                return camera, (key, "markers") if key == "lane" else (key,)
        return None, ()

    def image(self) -> Image | None:
        """Return the newest picture that has arrived, from the first camera that delivers pictures."""
        camera, _ = self.pictures
        return None if camera is None else camera.delivery.newest(self._clock())

    def reckoned(self) -> Pose2D:
        """Return the pose in the odom frame that dead reckoning has now, free of the next message's noise."""
        return self._odometry.reckon(self.truth.pose)

    def hamper(self, faults: Sequence[Fault]) -> None:
        """Give the robot faults, of which those of its wheels show."""
        self.wheels = WheelFaults(faults, self.base)

    def moves(self, now: int) -> tuple[float, float]:
        """Return the speed (m/s) and yaw rate (rad/s) that the base strives for in a tick that begins now (ns)."""
        speed, rate = self.base.step(now, self.truth.twist.linear, bool(self.truth.pressed))
        if self.wheels is None:
            return speed, rate
        speed, rate, self._slipping = self.wheels.turn(now, speed, rate)
        return speed, rate

    def carry(self, pose: Pose2D) -> None:
        """Note that somebody has put the robot down at a pose (map frame), at rest; its wheels have not turned."""
        self._odometry.carry(self.truth.pose, pose)

    def drive(self, twist: Twist2D) -> None:
        """Command the base; it acts from the arena's next step on."""
        self.base.command(twist, self._clock())

    def aim(self, rates: TurretRates) -> None:
        """Command the turret; it acts from the arena's next step on. A robot without one ignores it."""
        if self.turret is not None:
            self.turret.command(rates, self._clock())

    def fire(self) -> None:
        """Fire the weapon now, as :attr:`truth` shows until the arena's next step; a robot without one ignores it."""
        if self.spec.body.barrel is not None:
            self.truth = replace(self.truth, fired=True)

    def cue(self, cue: Cue) -> None:
        """Note an event with its instant (ns), in :attr:`cues`."""
        self.cues.append((self._clock(), cue.event))

    def sense(
        self,
        now: int,
        truth: RobotTruth,
        signs: Callable[[str], Sequence[PlacedSign]],
        spheres: Callable[[str], Sequence[PlacedSphere]],
    ) -> None:
        """Let the sensors measure whose time has come.

        Args:
            now: instant after the tick, ns
            truth: what is true then
            signs: returns every sign of the arena but that of the robot it is given
            spheres: returns every ball of the arena but that of the robot it is given
        """
        self.truth = truth
        if self._lidar is not None:
            self._lidar.update(now, truth)
        if self._slipping != ZERO:
            twist, slip, seconds = truth.twist, self._slipping, to_seconds(TICK)
            self._odometry.slip(truth.pose, Pose2D(slip.linear * seconds, 0.0, slip.angular * seconds))
            counted = Twist2D(twist.linear + slip.linear, twist.angular + slip.angular)
            self._odometry.update(now, replace(truth, twist=counted))
        else:
            self._odometry.update(now, truth)
        self._localisation.update(now, truth)
        if self.camera.due(now):
            self.camera.expose(now, truth.pose, signs(self.spec.name))
        if self.lanes is not None and self.lanes.due(now):
            self.lanes.expose(now, truth.pose, self._odometry.reckon(truth.pose))
        if self.sphere_camera is not None and self.sphere_camera.due(now):
            rates = truth.turret_rates
            turning = TurretRates(truth.twist.angular + rates.yaw, rates.pitch)
            self.sphere_camera.expose(now, truth.pose, truth.turret, turning, spheres(self.spec.name))
        self._bumpers.update(now, truth)
        for sensor in self._more.values():
            sensor.update(now, truth)
