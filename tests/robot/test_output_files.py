"""The endings of files choose their formats, and what exists already is kept."""

import os
from pathlib import Path

import pytest

from arena_trees.robot.configuration.output_files import check_ending, keep_existing
from arena_trees.robot.errors import ConfigError


def test_an_ending_chooses_the_format_whatever_its_letters():
    assert check_ending(Path("a.b/wolf.SVG"), (".txt", ".svg")) == ".svg"


@pytest.mark.parametrize("name", ["wolf", "wolf.", ".svg", "wolf.svg.txt", "wolf.svgz"])
def test_any_other_ending_is_refused_with_the_option_the_file_and_what_works(name: str):
    with pytest.raises(ConfigError) as refused:
        check_ending(Path(name), (".png", ".pdf", ".svg"), "--plot")
    assert str(refused.value) == f"--plot: a file's name must end in .png, .pdf or .svg here (got {name!r})"
    with pytest.raises(ConfigError, match=r"^folder/x: a file's name must end in \.json here$"):
        check_ending(Path("folder/x"), (".json",))


def test_what_is_no_file_takes_the_first_format(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (Path("-"), Path("/dev/null"), Path("/dev/full"), tmp_path / "pipe"):
        assert check_ending(place, (".json", ".txt")) == ".json"
        assert keep_existing([place], force=False) == ((place,), "")


def test_files_that_exist_are_kept_and_all_new_ones_get_one_number(tmp_path):
    results, picture = tmp_path / "run.json", tmp_path / "run.png"
    assert keep_existing([results, picture], force=False) == ((results, picture), "")
    picture.touch()
    (tmp_path / "run_2.json").touch()
    places, note = keep_existing([results, Path("-"), picture], force=False)
    assert places == (tmp_path / "run_3.json", Path("-"), tmp_path / "run_3.png")
    assert note == f"{picture} exists and is kept; written instead: {places[0]}, {places[2]} (--force writes over)"
    assert keep_existing([results, picture], force=True) == ((results, picture), "")


def test_a_folder_is_taken_once_something_is_in_it(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    assert keep_existing([folder], force=False)[0] == (folder,)
    (folder / "seed-1").touch()
    assert keep_existing([folder], force=False)[0] == (tmp_path / "logs_2",)
