"""``arena-trees pacman pellets``: a picture for good maps, one line for bad ones."""

from pathlib import Path

import cv2
import pytest
from helpers.commands import call, refused
from helpers.maps import grey, write_map

from arena_trees.cli import main


def test_a_shipped_map_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "new" / "flat.png"
    with pytest.raises(SystemExit, match=r"^0$"):
        main(("pacman", "pellets", "flat", "-o", str(picture)))
    said = capsys.readouterr()
    assert "97.4 m2 free; 8 pellets" in said.out
    assert said.err == ""
    assert cv2.imread(str(picture)).shape[0] > 500


def test_a_turned_map_of_ones_own_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_map(tmp_path, grey("#" * 40 + ("\n#" + "." * 38 + "#") * 30), origin="[1.0, 2.0, 0.7]")
    picture = tmp_path / "own.png"
    options = ("-o", picture, "--spacing", "0.5", "--power", "2")
    assert "written" in call(capsys, "pacman", "pellets", path, *options)
    pixels = cv2.imread(str(picture))
    # Some of it is the gold of the pellets.
    assert (abs(pixels.astype(int) - (0x30, 0xC2, 0xF2)).sum(axis=2) < 12).sum() > 500


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("flatt",), ("flatt", "did you mean flat?")),
        (("none.yaml",), ("none.yaml", "no such file")),
        (("flat", "--spacing", "nan"), ("spacing", "nan")),
        (("flat", "--spacing", "90"), ("flat.yaml", "spacing", "90")),
        (("flat", "--power", "-1"), ("power_pellets", "-1")),
    ],
)
def test_bad_arguments_end_in_one_line(tmp_path, capsys, arguments, words):
    said = refused(capsys, "pacman", "pellets", *arguments, "-o", tmp_path / "field.png")
    for word in words:
        assert word in said
    assert list(tmp_path.iterdir()) == []
