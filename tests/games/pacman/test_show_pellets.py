"""``arena-trees pacman pellets``: a picture for good maps, one line for bad ones."""

from pathlib import Path

import cv2
import pytest
from helpers.maps import grey, write_map

from arena_trees.cli import main


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(("pacman", "pellets", *arguments))
    return int(ended.value.code or 0)


def test_a_shipped_map_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "new" / "flat.png"
    assert run("flat", "-o", str(picture)) == 0
    said = capsys.readouterr()
    assert "97.4 m2 free; 8 pellets" in said.out
    assert said.err == ""
    assert cv2.imread(str(picture)).shape[0] > 500


def test_a_turned_map_of_ones_own_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_map(tmp_path, grey("#" * 40 + ("\n#" + "." * 38 + "#") * 30), origin="[1.0, 2.0, 0.7]")
    picture = tmp_path / "own.png"
    assert run(str(path), "-o", str(picture), "--spacing", "0.5", "--power", "2") == 0
    assert "written" in capsys.readouterr().out
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
def test_bad_arguments_end_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    assert run(*arguments, "-o", str(tmp_path / "field.png")) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    for word in words:
        assert word in said
    assert list(tmp_path.iterdir()) == []
