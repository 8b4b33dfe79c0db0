"""Sections of arena files: this package's own, and those that others bring."""

from types import SimpleNamespace
from typing import Any

import pytest

from arena_trees.robot.configuration.parameters import parameter
from arena_trees.robot.configuration.yaml_files import validate
from arena_trees.robot.errors import ConfigError
from arena_trees.world import sections
from arena_trees.world.arena_file import ArenaFile
from arena_trees.world.footprint import Solid
from arena_trees.world.sections import ArenaSection, find_sections


class Pillars(ArenaSection):
    count: int = parameter(1, "pillars", ge=1, le=9)

    def solids(self) -> tuple[Solid, ...]:
        return tuple(Solid.wall(f"pillar_{n}", (n, 2.0), (n, 2.1), 0.1, 1.0, "normal") for n in range(self.count))


def broken() -> Any:
    raise RuntimeError("no such\nthing")


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch):
    """Returns what lets another package bring a section ``pillars``."""

    def bring(load: Any) -> None:
        entry = SimpleNamespace(name="pillars", value="elsewhere:SECTION", load=load)
        monkeypatch.setattr(sections, "entry_points", lambda group: [entry])
        find_sections.cache_clear()

    yield bring
    find_sections.cache_clear()


def arena(**values: Any) -> ArenaFile:
    starts = {"robot": {"position": [0.0, 0.0], "yaw": 0.0}}
    return validate(ArenaFile, {"name": "hall", "fenced": False, "starts": starts, **values}, "hall.yaml")


def test_another_package_brings_a_section(foreign):
    with pytest.raises(ConfigError, match="pillars: unknown key"):
        arena(pillars={"count": 3})
    foreign(lambda: Pillars)
    hall = arena(pillars={"count": 3})
    assert [solid.name for solid in hall.solids()] == ["pillar_0", "pillar_1", "pillar_2"]
    assert hall.decor() is None
    assert hall.model_dump()["pillars"] == {"count": 3}
    assert len(hall.with_changes({"pillars.count": 5}).solids()) == 5
    with pytest.raises(ConfigError, match=r"hall\.yaml: pillars\.count: .* \(got 10\)"):
        arena(pillars={"count": 10})


@pytest.mark.parametrize("load", [broken, lambda: int, lambda: Pillars()])
def test_one_that_cannot_be_used_is_refused_in_a_line(foreign, load):
    foreign(load)
    with pytest.raises(ConfigError, match="pillars: ") as refused:
        arena()
    assert "\n" not in str(refused.value)
