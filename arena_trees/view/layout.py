"""A layout of Foxglove for a scenario: of the game while it is played, and of its recordings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from foxglove.layouts import (
    BasePanel,
    BaseRendererLaserScanTopicSettings,
    BaseRendererRosMarkerTopicSettings,
    BaseRendererSceneUpdateTopicSettings,
    BaseRendererTopicSettings,
    ImageConfig,
    ImageModeConfig,
    ImagePanel,
    Layout,
    LogConfig,
    LogPanel,
    ParametersPanel,
    PlotConfig,
    PlotPanel,
    PlotSeries,
    RawMessagesConfig,
    RawMessagesPanel,
    SplitContainer,
    SplitItem,
    TabContainer,
    TabItem,
    ThreeDeeConfig,
    ThreeDeePanel,
)

from arena_trees.recording.traces.encoder import TREE
from arena_trees.recording.trial_recorder import MARKERS
from arena_trees.robot.ros_messages.layout import MAP_FRAME
from arena_trees.view.game_view import LOG, SCENE
from arena_trees.world.palette import robot_colour

__all__ = ["layout_text"]

_IMAGE = "oakd/rgb/preview/image_raw"
_ASKED, _LET_THROUGH = "cmd_vel_raw", "cmd_vel"


def layout_text(robots: Sequence[str], images: bool = False) -> str:
    """Return a layout as a JSON file that Foxglove imports.

    Args:
        robots: names of the scenario's robots
        images: whether their cameras' pictures are shown
    """
    lists = {"Parameters": ParametersPanel(), "Log": LogPanel(config=LogConfig(topic_to_render=LOG, show_name=True))}
    right = [_tabs({name: _tree(name) for name in robots}), _tabs(lists)]
    if images:
        right.append(_tabs({name: _picture(name) for name in robots}))
    left = SplitContainer(
        direction="column",
        items=[
            SplitItem(proportion=2.0, content=_arena(robots)),
            SplitItem(proportion=1.0, content=_velocities(robots)),
        ],
    )
    columns = SplitContainer(direction="column", items=[SplitItem(content=tabs) for tabs in right])
    layout = Layout(
        content=SplitContainer(
            items=[SplitItem(proportion=2.0, content=left), SplitItem(proportion=1.0, content=columns)]
        )
    )
    return json.dumps(json.loads(layout.to_json()), indent=2) + "\n"


def _arena(robots: Sequence[str]) -> ThreeDeePanel:
    topics: dict[str, BaseRendererTopicSettings] = {
        SCENE: BaseRendererSceneUpdateTopicSettings(visible=True),
        # What a recording has of the arena.
        MARKERS: BaseRendererRosMarkerTopicSettings(visible=True),
    }
    for number, name in enumerate(robots):
        topics[f"/{name}/scan"] = BaseRendererLaserScanTopicSettings(
            visible=True, color_mode="flat", flat_color=robot_colour(number), point_size=3.0
        )
    return ThreeDeePanel(
        title="Arena",
        config=ThreeDeeConfig(fixed_frame=MAP_FRAME, follow_tf=MAP_FRAME, follow_mode="follow-none", topics=topics),
    )


def _velocities(robots: Sequence[str]) -> PlotPanel:
    """Return what shows of each robot what its tree asks for, dashed, and what the gate lets through."""
    paths = [
        PlotSeries(
            value=f"/{name}/{topic}.twist.{part}",
            label=f"{name} {topic} {part}",
            color=robot_colour(number),
            line_style="dashed" if topic == _ASKED else "solid",
            line_interpolation="step",
            timestamp_method="receiveTime",
            enabled=part == "linear.x",
        )
        for number, name in enumerate(robots)
        for topic in (_ASKED, _LET_THROUGH)
        for part in ("linear.x", "angular.z")
    ]
    return PlotPanel(title="Velocities (m/s, rad/s)", config=PlotConfig(paths=paths, show_legend=True))


def _tree(robot: str) -> RawMessagesPanel:
    return RawMessagesPanel(config=RawMessagesConfig(topic_path=f"/{robot}/{TREE}", default_expanded=True))


def _picture(robot: str) -> ImagePanel:
    return ImagePanel(config=ImageConfig(image_mode=ImageModeConfig(image_topic=f"/{robot}/{_IMAGE}")))


def _tabs(panels: Mapping[str, BasePanel]) -> TabContainer:
    return TabContainer(tabs=[TabItem(title=title, content=panel) for title, panel in panels.items()])
