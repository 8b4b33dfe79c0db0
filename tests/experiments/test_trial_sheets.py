"""The sheets for a day in the lab: every trial's places, a line for each in the log, and the form of consent."""

import re

import pytest
from helpers.commands import call, complaint
from helpers.scenario_plans import planned

from arena_trees.experiments.plan import draw_world
from arena_trees.experiments.plots.trial_sheets import sheets, write_sheets
from arena_trees.robot.configuration.resources import resource_path

CONSENT = resource_path("config", "consent.txt").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Look for files that a refused command has written in a folder that is small."""
    monkeypatch.chdir(tmp_path)


def words(figure):
    """Return all that is written on a page beside its axes."""
    return "\n".join(text.get_text() for text in figure.texts)


def test_each_trial_has_a_map_with_the_places_that_run_plays():
    plan = planned("wolf_rabbit", seed=1000, trials=3)
    *maps, log, form = sheets(plan, "wolf_rabbit", CONSENT)
    assert len(maps) == 3
    for index, page in enumerate(maps):
        world = draw_world(plan, index)
        for spec in world.specs:
            assert f"{spec.name:<26} x {spec.start.x:+6.2f} m   y {spec.start.y:+6.2f} m" in words(page)
        boxes = [solid for solid in world.layout.solids if solid.name.startswith("box")]
        assert boxes and all(f"{box.length:.2f} x {box.width:.2f} x {box.height:.2f} m" in words(page) for box in boxes)
        (axes,) = page.axes
        low, high = axes.get_xlim()
        assert all(low < spec.start.x < high for spec in world.specs)
        written = {text.get_text() for text in axes.texts}
        assert written >= {"wolf", "rabbit", *(box.name for box in boxes)}
    cells = log.axes[0].tables[0].get_celld()
    assert [cells[row, 1].get_text().get_text() for row in range(5)] == ["seed", "1000", "1001", "1002", ""]
    assert "You may stop at any time" in words(form)


def test_things_of_any_name_are_listed_and_walls_of_the_room_are_not():
    (floor, *_) = sheets(planned("pursuit_clutter", seed=1000, trials=1), "pursuit_clutter", CONSENT)
    assert all(f"\n  {name} " in words(floor) for name in ("tall_crate", "post_30", "stripe"))
    assert "wall" not in words(floor)
    (floor, *_) = sheets(planned("wall_chase", seed=1000, trials=1), "wall_chase", CONSENT)
    assert "outline_1 " in words(floor) and re.search(r"and \d+ more, on the map alone", words(floor))
    assert "outline_1" not in {text.get_text() for text in floor.axes[0].texts}


def test_a_long_log_has_further_pages():
    plan = planned("wolf_rabbit_open", seed=1000, trials=21)
    assert len(list(sheets(plan, "wolf_rabbit_open", CONSENT))) == 21 + 2 + 1


def test_the_same_trials_give_the_same_bytes(tmp_path):
    plan = planned("pacman", seed=1000, trials=1)
    files = [tmp_path / "a.pdf", tmp_path / "b.pdf"]
    assert [write_sheets(plan, "pacman", CONSENT, file) for file in files] == [3, 3]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_print_trials_as_a_user_meets_it(tmp_path, capsys):
    own = tmp_path / "ours.txt"
    own.write_text("Our form\n\nWe agree.")
    arguments = ("print-trials", "crossroads_lidar", "--trials", "2", "--set", "robots.count=2", "--consent", own)
    assert "day.pdf: 4 pages" in call(capsys, *arguments, "-o", "day.pdf")
    assert "day_2.pdf: 4 pages" in call(capsys, *arguments, "-o", "day.pdf")
    assert "a world of its own" in complaint(capsys, "print-trials", "crossroads", "-o", "no.pdf")
    assert "must end in .pdf" in complaint(capsys, *arguments, "-o", "day.txt")
    own.write_text(" \n")
    assert "--consent: is empty" in complaint(capsys, *arguments, "-o", "no.pdf")
    own.write_bytes(b"\xff")
    assert "--consent: cannot be read" in complaint(capsys, *arguments, "-o", "no.pdf")
