"""The contract of a sensor: one value, from which percepts, simulation, ROS, recordings and reports know it.

A sensor is a value of :class:`Sensor` that an entry point of the group ``arena_trees.sensors`` names. Those of this
package lie in folders of ``sensors/``. ``docs/adding_a_sensor.md`` adds one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.stamped import Stamped

__all__ = ["NOT_ON_ROS", "Quantity", "RefusedReadingError", "RosTopic", "Sensor", "Times", "Transport"]

Times = tuple[int, int, int]
"""Stamp and arrival (ns) and number of a reading."""


class RefusedReadingError(ArenaTreesError):
    """A reading must not be used; its text is one of few reasons, by which refusals are counted."""


class Transport(Protocol):
    """How the readings of a sensor travel on ROS, and in recordings."""

    @property
    def types(self) -> Mapping[str, str]:
        """The types of the messages, each with its definition where ROS 2 Jazzy does not bring it, else empty."""
        ...

    def topics(self, body: Any) -> Sequence[RosTopic]:
        """Return the topics of a robot of a body (:class:`~arena_trees.world.body.Body`)."""
        ...

    def joiner(self, body: Any) -> Callable[[Any], Any]:
        """Return what makes a reading of what its topics tell one by one, or None while something is missing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RosTopic:
    """Messages whose header has the stamp of a reading: the whole of it, or a part; implements :class:`Transport`.

    Attributes:
        topic: in the robot's namespace
        type: of the messages, such as ``sensor_msgs/msg/Imu``
        reading: makes a reading of a message, as rclpy or rosbags has it, and of stamp, arrival (ns) and sequence
        fields: makes the fields of a message of a reading, maps for fields of fields; numbers that are left out are
            zero, and the header is put in front
        frame: of the header
        stamp: takes the instant of the measurement (ns) out of a message whose type has no header; raises
            RefusedReadingError, as ``reading`` may
        mount: where that frame is in base_link, by a reading; None for a sensor whose place does not matter
        mounted: whether ``reading`` needs as a third argument where the header's frame is in base_link
        usual: part that is taken where a recording has nothing on this topic, as it then states; None for none
        seldom: whether recordings have it once a second and when it changes, and not with each reading
        definition: of the type, as ROS 2 has it, where it is none of those that ROS 2 Jazzy brings
    """

    topic: str
    type: str
    reading: Callable[..., Any]
    fields: Callable[[Any], Mapping[str, Any]]
    frame: str = "base_link"
    stamp: Callable[[Any], int] | None = None
    mount: Callable[[Any], Pose2D] | None = None
    mounted: bool = False
    usual: Stamped | None = None
    seldom: bool = False
    definition: str = ""

    @property
    def types(self) -> Mapping[str, str]:
        """The type of the messages, and its definition."""
        return {self.type: self.definition}

    def topics(self, body: Any) -> Sequence[RosTopic]:
        """Return this topic."""
        return (self,)

    def joiner(self, body: Any) -> Callable[[Any], Any]:
        """Return what returns each reading as it is."""
        return lambda reading: reading

    @property
    def package(self) -> str:
        """Package of the type, such as ``sensor_msgs``."""
        return self.type.split("/")[0]

    @property
    def message(self) -> str:
        """Name of the type in it, such as ``Imu``."""
        return self.type.split("/")[-1]


class _NotOnRos:
    """Of a sensor that is read where it measures; implements :class:`Transport`."""

    types: Mapping[str, str] = MappingProxyType({})

    def topics(self, body: Any) -> Sequence[RosTopic]:
        """Return none."""
        return ()

    def joiner(self, body: Any) -> Callable[[Any], Any]:
        """Return what returns each reading as it is."""
        return lambda reading: reading


NOT_ON_ROS: Transport = _NotOnRos()
"""Of a sensor whose readings do not travel; they are not recorded either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A quantity that a reading has, as reports and charts show it.

    Attributes:
        value: takes it from a reading; NaN where it has none
        unit: such as ``m/s``
        step: to which it is rounded
        limits: least and greatest value that is good, of a quantity that every reading has; None for no such check
    """

    value: Callable[[Any], float]
    unit: str = ""
    step: float = 0.001
    limits: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """One kind of sensor of a robot.

    Attributes:
        key: of its percept on the blackboard; of its parameters in a scenario's ``sensors``; its name everywhere
        description: what it is, for docs, such as ``yaw rate and acceleration``
        reading: what it measures: a frozen dataclass with its time
        ros: how readings travel
        check: returns the percept that a reading makes whose quantities are within their limits, mostly the reading
            itself, given the percept before it; raises RefusedReadingError
        stale_s: age from which its percept is too old to go by, s, as shown to trees and people; None for one that does
            not grow old, or comes when there is something to report
        parts: returns how many parts a reading has of which ``check`` may leave some out, such as boxes; those that it
            leaves out are counted as refused
        by_role: whether only robots whose role names it among its sensors have it, such as what is looked for in
            pictures
        carried: whether a robot of a body (:class:`~arena_trees.world.body.Body`) has it
        simulated: ``module:NAME`` of its :class:`~arena_trees.simulation.sensors.simulated_sensor.SimulatedSensor`,
            imported when an arena is built; empty for one that the arena does not have
        quantities: what reports and charts show of it, by name
        shown: returns in words what a report shows next to the robot; None for nothing
        always_counted: whether a tick's record has its sequence number also where nothing has come
    """

    key: str
    description: str
    reading: type[Stamped]
    ros: Transport
    check: Callable[[Any, Any], Any] = lambda reading, before: reading
    stale_s: float | None = None
    parts: Callable[[Any], int] | None = None
    by_role: bool = False
    carried: Callable[[Any], bool] = lambda body: True
    simulated: str = ""
    quantities: Mapping[str, Quantity] = field(default_factory=dict)
    shown: Callable[[Any], str] | None = None
    always_counted: bool = False

    def checked(self, reading: Any, before: Any = None) -> Any:
        """Return the percept that a reading makes, after the percept before it.

        Raises:
            RefusedReadingError: a quantity is not finite or out of its limits, or ``check`` refuses the reading
        """
        for quantity in self.quantities.values():
            if quantity.limits is not None:
                value = quantity.value(reading)
                if not math.isfinite(value):
                    raise RefusedReadingError("not finite")
                if not quantity.limits[0] <= value <= quantity.limits[1]:
                    raise RefusedReadingError("out of range")
        return self.check(reading, before)
