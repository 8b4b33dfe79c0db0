"""ROS parameters from parameter models, on a real node, asked and set over DDS."""

import pytest

pytest.importorskip("rclpy", reason="there is no ROS here")

from helpers.node_bench import NodeBench, QuietNode
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParametersAtomically
from rclpy.parameter import Parameter

from arena_trees.behaviours.wolf_rabbit.parameters import WolfParameters
from arena_trees.nodes.runtime import parameters
from arena_trees.robot.configuration.parameters import Live, Parameters, parameter
from arena_trees.robot.configuration.resources import config_path
from arena_trees.robot.errors import ConfigError


class Inner(Parameters):
    """A group."""

    count: int = parameter(3, "how many", ge=1, lt=9)
    name: str | None = parameter(None, "what it is called")


class Outer(Parameters):
    """Every kind of field."""

    speed: float = parameter(0.5, "how fast", "m/s", gt=0.0, le=2.0)
    on: bool = parameter(True, "whether")
    friends: tuple[str, ...] = parameter((), "who else", read_only=True)
    inner: Inner = parameter(Inner(), "a group")


class Kept(QuietNode):
    """A node with a live model, as nodes have it."""

    def __init__(self, model=Outer, prefix=""):
        super().__init__("kept")
        parameters.declare(self, model, prefix)
        self.live = Live(parameters.read(self, model, prefix))
        parameters.accept_changes(self, self.live, prefix)
        parameters.refuse_unknown(self, ["known_elsewhere"])


def described(bench, *names):
    request = DescribeParameters.Request(names=list(names))
    return bench.ask(DescribeParameters, "/kept/describe_parameters", request).descriptors


def value(bench, name):
    answer = bench.ask(GetParameters, "/kept/get_parameters", GetParameters.Request(names=[name]))
    return answer.values[0]


def set_together(bench, **changes):
    request = SetParametersAtomically.Request(
        parameters=[Parameter(key, value=new).to_parameter_msg() for key, new in changes.items()]
    )
    return bench.ask(SetParametersAtomically, "/kept/set_parameters_atomically", request).result


def test_descriptors_say_what_the_model_says():
    with NodeBench(Kept) as bench:
        speed, friends, count = described(bench, "speed", "friends", "inner.count")
        assert speed.description == "how fast [m/s]"
        assert [(r.from_value, r.to_value) for r in speed.floating_point_range] == [(0.0, 2.0)]
        assert (speed.additional_constraints, speed.read_only, friends.read_only) == ("> 0", False, True)
        assert [(r.from_value, r.to_value) for r in count.integer_range] == [(1, 8)]
        assert bench.node.live.value == Outer()


def test_values_from_the_command_line_and_an_integer_for_a_decimal():
    given = ["-p", "speed:=2", "-p", "inner.name:=Isegrim", "-p", 'friends:=["a", "b"]', "-p", "known_elsewhere:=1"]
    with NodeBench(Kept, *given) as bench:
        assert bench.node.live.value == Outer(speed=2.0, friends=("a", "b"), inner=Inner(name="Isegrim"))


@pytest.mark.parametrize(
    ("given", "reported"),
    [
        ("speed:=2.5", "/kept: speed: Input should be less than or equal to 2 (got 2.5)"),
        ("speed:=.nan", "/kept: speed: Input should be a finite number (got nan)"),
        ("speed:=fast", "/kept: speed: Input should be a valid number (got 'fast')"),
        ("inner.count:=9", "/kept: inner.count: Input should be less than 9 (got 9)"),
        ("inner.cuont:=2", "/kept: inner.cuont: unknown key (got 2)"),
    ],
)
def test_what_is_refused_at_the_start_is_told_in_one_line(given, reported):
    with pytest.raises(ConfigError) as error:
        NodeBench(Kept, "-p", given)
    assert str(error.value) == reported


def test_live_changes_are_taken_or_refused_with_the_reason():
    with NodeBench(Kept) as bench:
        live = bench.node.live
        assert bench.set_parameter("speed", 1.5).successful
        assert bench.set_parameter("inner.count", 5).successful
        assert bench.set_parameter("speed", 2).successful, "an integer is taken for a decimal"
        assert live.value == Outer(), "nothing changes in the middle of a tick"
        assert live.swap()
        assert live.value == Outer(speed=2.0, inner=Inner(count=5))
        refused = bench.set_parameter("speed", 0.0)
        assert not refused.successful
        assert "speed: Input should be greater than 0" in refused.reason
        assert "out of range" in bench.set_parameter("speed", 3.0).reason
        assert "read-only" in bench.set_parameter("friends", ["c"]).reason
        assert "Wrong parameter type" in bench.set_parameter("on", "yes").reason
        assert not live.swap()
        assert value(bench, "speed").double_value == 2.0


def test_changes_made_together_are_taken_whole_or_not_at_all():
    with NodeBench(lambda: Kept(WolfParameters)) as bench:
        live = bench.node.live
        refused = set_together(bench, roam_linear_speed=0.3, leg_min_s=9.0, leg_max_s=8.0)
        assert not refused.successful
        assert "leg_min_s is larger than leg_max_s" in refused.reason
        assert not live.swap()
        assert value(bench, "roam_linear_speed").double_value == WolfParameters().roam_linear_speed
        assert not bench.set_parameter("leg_min_s", 9.0).successful
        assert set_together(bench, leg_min_s=9.0, leg_max_s=10.0).successful
        live.swap()
        assert (live.value.leg_min_s, live.value.leg_max_s) == (9.0, 10.0)


def test_the_shipped_parameter_file_and_a_prefix():
    file = str(config_path("wolf.yaml"))
    with NodeBench(lambda: Kept(WolfParameters), "--params-file", file) as bench:
        assert bench.node.live.value.chase_linear_speed == 0.306
    with NodeBench(lambda: Kept(Inner, "group."), "-p", "group.count:=4") as bench:
        assert bench.set_parameter("group.name", "Reineke").successful
        bench.node.live.swap()
        assert bench.node.live.value == Inner(count=4, name="Reineke")


class Twice(Kept):
    """A node with two live models."""

    def __init__(self):
        super().__init__(Inner, "group.")
        parameters.declare(self, Outer, "rest.")
        self.rest = Live(parameters.read(self, Outer, "rest."))
        parameters.accept_changes(self, self.rest, "rest.")


def test_two_live_models_on_one_node():
    with NodeBench(Twice) as bench:
        assert bench.set_parameter("rest.speed", 1).successful
        assert bench.set_parameter("group.count", 2).successful
        assert bench.node.live.swap()
        assert bench.node.rest.swap()
        assert (bench.node.rest.value.speed, bench.node.live.value.count) == (1.0, 2)


class Sharing(Parameters):
    """Has a key that another model of its node has, too."""

    speed: float = parameter(0.1, "how fast", "m/s", gt=0.0, le=1.0)


class Both(Kept):
    """A node with two models that share a key."""

    def __init__(self):
        super().__init__()
        parameters.declare(self, Sharing)
        self.sharing = parameters.read(self, Sharing)


def test_a_key_of_two_models_is_one_parameter_which_both_must_take():
    with NodeBench(Both, "-p", "speed:=0.7") as bench:
        assert bench.node.live.value.speed == bench.node.sharing.speed == 0.7
        assert bench.set_parameter("speed", 0.8).successful
    with pytest.raises(ConfigError, match="speed"):
        NodeBench(Both, "-p", "speed:=1.5")
