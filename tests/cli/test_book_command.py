"""The book as a user meets it: played, killed and gone on with, refused, and written."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from helpers.arena import needs_arena
from helpers.commands import bytes_of, call, refused
from helpers.interruption import interrupt_after

from arena_trees.commands.experiments import book as book_module
from arena_trees.commands.experiments.book_runs import request_of
from arena_trees.experiments.metrics import COMMON
from arena_trees.games.book import Chapter, Figure, Picture, Run, Table, Trials
from arena_trees.games.registry import find_game, load_games

BOOK = Path(__file__).resolve().parents[2] / "docs" / "results"
CHAPTERS = {name: game.chapter for name, game in load_games().items() if game.chapter is not None}
RUNS = [(game, name) for game, chapter in CHAPTERS.items() for name in chapter.runs]

ROBOTS = ("robots=2", "rules.arrivals_per_min=0", "duration_s=6")
SMALL = Chapter(
    {
        "both": Run("crossroads", 3, 60, compare="source", settings=ROBOTS),
        "way": Run("crossroads_lidar", 1, 60, settings=("robots=1", "duration_s=2")),
        "loads": Run("crossroads", 1, 60, settings=ROBOTS[2:], grid=("robots=1,2", "rules.arrivals_per_min=6,12")),
    },
    (
        Table(
            "crossings",
            "Crossings",
            ("", "n", "arena", "source", "less", "all points"),
            (
                (
                    "crossings",
                    Trials("both"),
                    Figure("both", "crossings"),
                    Figure("both", "crossings", "source"),
                    Figure("both", "crossings", "arena", less="source"),
                    Figure("loads", "crossings", part="most"),
                ),
            ),
        ),
    ),
    (
        Picture("bars", "Each trial", "both", "trials"),
        Picture("way", "A way", "way", "ways"),
        Picture("grid", "Crossings by robots and arrivals", "loads", "sweep", "crossings"),
    ),
)


@pytest.fixture
def small(monkeypatch) -> None:
    monkeypatch.setattr(type(find_game("crossroads")), "chapter", SMALL)
    monkeypatch.setattr(book_module, "load_games", lambda: {"crossroads": find_game("crossroads")})


@needs_arena
@pytest.mark.usefixtures("small")
def test_a_quick_book_is_played_into_a_folder_of_its_own(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = call(capsys, "book", "--quick", "--jobs", 1)
    assert "crossroads, run 3 of 3, loads: arena-trees sweep crossroads --grid robots=1,2" in said
    assert "results/book_quick/crossroads.md: figures: 5 new" in said
    assert not (tmp_path / "docs").exists()
    folder = tmp_path / "results" / "book_quick"
    page = (folder / "crossroads.md").read_text()
    assert "| crossings | 2 | " in page and "not played" not in page.lower()
    for name in ("bars", "way", "grid"):
        assert f"](crossroads/{name}.png)" in page
        assert (folder / "crossroads" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    points = (folder / "crossroads" / "grid.csv").read_text().splitlines()
    assert points[0].startswith("robots,rules.arrivals_per_min,played,failed,crossings,") and len(points) == 5
    document = json.loads((folder / "runs" / "both.json").read_text())
    assert document["settings"] == {
        "trials": 2, "seed": 60, "robots": 2, "rules.arrivals_per_min": 0, "duration_s": 2.0, "compare": "source",
    }  # fmt: skip
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["both.json", "loads", "way.json", "way.png"]
    assert "*A way. Seeds 60; version " in page
    before = bytes_of(folder)
    assert "run 1 of" not in call(capsys, "book", "--quick", "--jobs", 1), "all of it was played before"
    assert bytes_of(folder) == before
    # Without documents all stays as it is; pictures and figures of a run that has changed do not.
    other = tmp_path / "none"
    call(capsys, "book", "--quick", "--no-play", "--runs", other, "--out", folder)
    assert bytes_of(folder) == before
    way = dataclasses.replace(SMALL.runs["way"], seed=61)
    changed = dataclasses.replace(SMALL, runs={**SMALL.runs, "way": way})
    monkeypatch.setattr(type(find_game("crossroads")), "chapter", changed)
    call(capsys, "book", "--quick", "--no-play", "--runs", other, "--out", folder)
    assert "Not played yet: A way;" in (folder / "crossroads.md").read_text()
    assert sorted(path.name for path in (folder / "crossroads").glob("*.png")) == ["bars.png", "grid.png"]


@needs_arena
@pytest.mark.usefixtures("small")
def test_a_run_that_was_killed_goes_on_and_is_what_run_writes(capsys, tmp_path, monkeypatch):
    both = Chapter({"both": SMALL.runs["both"]}, (), SMALL.pictures[:1])
    monkeypatch.setattr(type(find_game("crossroads")), "chapter", both)
    order = ("--runs", tmp_path / "runs", "--out", tmp_path / "out", "--jobs", 1)
    with monkeypatch.context() as patched:
        interrupt_after(patched, 4)
        call(capsys, "book", *order, code=130)
    assert not (tmp_path / "runs" / "both.json").exists()
    assert "4 of 6 trials were played before" in call(capsys, "book", *order)
    played = json.loads((tmp_path / "runs" / "both.json").read_text())
    by_hand = tmp_path / "by_hand.json"
    command = ["run", *both.runs["both"].command.replace("'", "").split()[2:], "--jobs", "1", "--quiet"]
    call(capsys, *command, "--json", by_hand, "--plot", tmp_path / "by_hand.png")
    document = json.loads(by_hand.read_text())
    for side in (document, document["arms"]["source"]):
        side["summary"].pop("real_time_factor")
        for trial in side["trials"]:
            trial.pop("real_time_factor")
    document["arms"]["source"]["difference"].pop("real_time_factor", None)
    assert played == document
    # A document that was played by hand is as good.
    shutil.copy(by_hand, tmp_path / "runs" / "both.json")
    assert "run 1 of" not in call(capsys, "book", *order)


@pytest.mark.usefixtures("small")
def test_what_does_not_belong_to_the_book_is_refused_before_anything_is_played(capsys, tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    said = refused(capsys, "book", "crosroads", "--runs", runs, "--out", tmp_path / "out")
    assert "CHAPTER" in said and "did you mean crossroads?" in said
    for option, words in (("--no-play", "is no folder"), ("--quick", "cannot be written: Not a directory")):
        (tmp_path / "file").touch()
        said = refused(capsys, "book", option, "--runs", tmp_path / "file", "--out", tmp_path / "out")
        assert f"--runs: {words}" in said
    (runs / "both.json").write_text(json.dumps({"trials": [], "summary": {}, "scenario": "crossroads"}))
    said = refused(capsys, "book", "--runs", runs, "--out", tmp_path / "out")
    assert f"{runs}/both.json: is no document of a run" in said
    (runs / "both.json").unlink()
    (runs / "loads").mkdir()
    (runs / "loads" / "plan.json").write_text("{}")
    assert "is no plan of a sweep" in refused(capsys, "book", "--runs", runs, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_book_is_that_of_the_chapters_and_of_its_tables(capsys, tmp_path):
    shutil.copytree(BOOK, tmp_path / "out")
    call(capsys, "book", "--no-play", "--runs", tmp_path / "none", "--out", tmp_path / "out", "--quiet")
    made, kept = bytes_of(tmp_path / "out"), bytes_of(BOOK)
    stale = sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
    assert not stale, "docs/results is old: arena-trees book --no-play writes it anew"
    needed = {f"{game}/{one.name}.csv" for game, chapter in CHAPTERS.items() for one in chapter.tables}
    needed |= {f"{game}/pictures.csv" for game, chapter in CHAPTERS.items() if chapter.pictures}
    drawn = {f"{game}/{one.name}" for game, chapter in CHAPTERS.items() for one in chapter.pictures}
    left = kept.keys() - needed - {f"{game}.md" for game in CHAPTERS}
    assert {str(Path(name).with_suffix("")) for name in left} <= drawn, "what no chapter has lies in docs/results"


@pytest.mark.parametrize("game", CHAPTERS)
def test_every_table_and_picture_of_a_chapter_is_on_its_page(game: str):
    page = (BOOK / f"{game}.md").read_text(encoding="utf-8")
    for table in CHAPTERS[game].tables:
        assert f"<!-- table {game}/{table.name} -->" in page
    for picture in CHAPTERS[game].pictures:
        assert f"<!-- picture {game}/{picture.name} -->" in page


@pytest.mark.parametrize("runs", [RUNS[:1], pytest.param(RUNS[1:], marks=pytest.mark.slow)], ids=["first", "others"])
def test_runs_of_the_book_can_be_planned_and_have_the_arms_of_their_figures(runs: list[tuple[str, str]]):
    for game, name in runs:
        chapter = CHAPTERS[game]
        run = chapter.runs[name]
        assert run.seed >= 1000, "seeds below are for tuning"
        if run.grid:
            continue
        _, plans = request_of(run)
        figures = [cell for table in chapter.tables for _, _, cell in table.figures() if cell.run == name]
        arms = {arm for one in figures if isinstance(one, Figure) for arm in (one.arm, one.less) if arm}
        assert arms <= plans.keys(), name
        first = next(iter(plans.values()))
        known = [*first.game.metrics, *COMMON]
        names = {one.name for one in known} | {f"{robot}_{one.name}" for one in known for robot in first.robots}
        for one in figures:
            assert not isinstance(one, Figure) or one.part == "sum" or one.metric in names, (name, one.metric)
