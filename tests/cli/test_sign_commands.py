"""``evaluate-signs`` and ``render-signs`` as a user meets them."""

import hashlib
import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.commands import call, refused
from helpers.graphics import needs_graphics
from helpers.networks import write_network

pytest.importorskip("pycocotools", reason="scores are made by pycocotools, which is not installed")


@pytest.fixture
def dataset(tmp_path) -> Path:
    """Four empty pictures; in three of them there is a rabbit's sign in the middle."""
    folder = tmp_path / "dataset"
    for name in ("images", "labels"):
        (folder / name).mkdir(parents=True)
    for number in range(4):
        cv2.imwrite(str(folder / "images" / f"{number}.png"), np.zeros((250, 250, 3), np.uint8))
        (folder / "labels" / f"{number}.txt").write_text("1 0.5 0.5 0.2 0.2\n" if number else "")
    (folder / "data.yaml").write_text("test: images\nnames:\n  0: wolf_sign\n  1: rabbit_sign\n  2: carrot\n")
    return folder


@pytest.fixture
def network(tmp_path) -> Path:
    """A detector that finds a rabbit's sign in the middle of every picture, and a carrot."""
    return write_network(tmp_path / "net.onnx", [[128, 128, 51.2, 51.2, 0, 0.9, 0], [30, 30, 20, 20, 0, 0, 0.6]])


def test_an_image_that_is_too_large_is_skipped_and_named(capsys, tmp_path, dataset: Path, network: Path):
    cv2.imwrite(str(dataset / "images" / "0.png"), np.zeros((8, 4097, 3), np.uint8))
    files = ["--json", str(tmp_path / "figures.json"), "--sheet", str(tmp_path / "sheet.png")]
    said = call(capsys, "evaluate-signs", str(dataset), "--model", str(network), *files)
    assert "3 images" in said
    assert "skipped, larger than 4096 px or 67108864 bytes: 0.png" in said
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["images"] == 3
    assert figures["skipped_images"] == [str(dataset / "images" / "0.png")]


def test_figures_table_and_sheet(capsys, tmp_path, dataset: Path, network: Path):
    files = ["--json", str(tmp_path / "out" / "figures.json"), "--sheet", str(tmp_path / "out" / "sheet.png")]
    said = call(capsys, "evaluate-signs", str(dataset), "--model", str(network), *files)
    assert "rabbit_sign" in said
    assert "wolf" in said
    assert "latency: median" in said
    assert "2 boxes found in 1 images without a sign" in said
    figures = json.loads((tmp_path / "out" / "figures.json").read_text())
    assert figures["model_sha256"] == hashlib.sha256(network.read_bytes()).hexdigest()
    rows = {(row["class"], row["size_px"]): row for row in figures["scores"]}
    rabbit = rows["rabbit_sign", "all"]
    assert rabbit["robot"] == "wolf"
    assert (rabbit["boxes"], rabbit["hits"], rabbit["false"]) == (3, 3, 1)
    assert rabbit["precision"] == pytest.approx(0.75)
    assert rabbit["recall"] == 1.0
    assert rows["wolf_sign", "all"]["robot"] == "rabbit"
    assert rows["wolf_sign", "all"]["map50"] is None
    assert rows["carrot", "all"]["false"] == 4
    assert rows["carrot", "over 45"]["false"] == 0
    together = rows["all", "all"]
    assert (together["hits"], together["false"]) == (3, 5)
    assert together["map50"] == rabbit["map50"]
    assert cv2.imread(str(tmp_path / "out" / "sheet.png")).shape == (250, 2000, 3)


def test_background_only(capsys, tmp_path, dataset: Path, network: Path):
    (dataset / "data.yaml").write_text("train: images\nnames: [stop, left, right]\n")
    arguments = ["evaluate-signs", str(dataset), "--model", str(network)]
    assert "--as-background" in refused(capsys, *arguments)
    said = call(capsys, *arguments, "--as-background", "--json", str(tmp_path / "figures.json"))
    assert "8 boxes found in 4 images" in said
    assert json.loads((tmp_path / "figures.json").read_text())["false_on_images_without_signs"] == 8
    said = call(capsys, *arguments, "--as-background", "--confidence", "0.8")
    assert "4 boxes found in 4 images" in said


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--detector", "tflite"], "--detector: must be onnx or ultralytics"),
        (["--detector", "ultralytics"], "--model: is required"),
        (["--confidence", "0"], "--confidence: must be above 0"),
        (["--model", "nowhere.onnx"], "there is no such model"),
    ],
)
def test_bad_options(capsys, dataset: Path, arguments: list[str], reason: str):
    assert reason in refused(capsys, "evaluate-signs", str(dataset), *arguments)


def test_a_pickle_is_refused(capsys, tmp_path, dataset: Path):
    (tmp_path / "best.pt").write_bytes(b"\x80\x04N.")
    arguments = ["--detector", "ultralytics", "--model", str(tmp_path / "best.pt")]
    assert "--allow-pickle" in refused(capsys, "evaluate-signs", str(dataset), *arguments)


@needs_graphics
def test_rendered_pictures_can_be_evaluated(capsys, tmp_path, network: Path):
    folder = tmp_path / "renders"
    said = call(capsys, "render-signs", str(folder), "--count", "8", "--seed", "2", "--jobs", "2")
    assert said == f"{folder}: 8 pictures, seed 2\n"
    assert "8 images" in call(capsys, "evaluate-signs", str(folder), "--model", str(network))
    assert "holds another dataset" in refused(capsys, "render-signs", str(folder), "--count", "8", "--seed", "3")


@pytest.mark.parametrize(("option", "value"), [("--count", "0"), ("--seed", "-1"), ("--jobs", "0"), ("--count", "x")])
def test_bad_numbers(capsys, tmp_path, option: str, value: str):
    assert option in refused(capsys, "render-signs", str(tmp_path / "renders"), option, value)
