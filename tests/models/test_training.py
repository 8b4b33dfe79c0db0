"""The training: the order of its images, its command, and a run of one step where ultralytics is there."""

import importlib.util
import subprocess
import sys

import pytest
from helpers.commands import call

from arena_trees.models.training.course import check_packages, prepare
from arena_trees.models.training.plan import TrainingPlan
from arena_trees.models.training.slices import SliceSampler
from arena_trees.robot.errors import ArenaTreesError, ConfigError

HAS_PACKAGES = all(importlib.util.find_spec(name) for name in ("torch", "ultralytics", "onnx"))


def test_every_pass_shows_every_image_once():
    sampler = SliceSampler(10, 4, seed=3)
    assert len(sampler) == 4
    seen = [number for _ in range(5) for number in sampler]
    assert sorted(seen[:10]) == sorted(seen[10:]) == list(range(10))
    assert seen[:10] != seen[10:]


def test_a_resumed_order_goes_on_where_it_stopped_and_no_slice_is_longer_than_the_images():
    whole, resumed = SliceSampler(10, 4, seed=3), SliceSampler(10, 4, seed=3)
    slices = [list(whole) for _ in range(4)]
    resumed.epoch = 2
    assert [list(resumed), list(resumed)] == slices[2:]
    assert list(SliceSampler(10, 4, seed=4)) != slices[0]
    assert sorted(SliceSampler(3, 100, seed=0)) == [0, 1, 2]
    with pytest.raises(ValueError, match="got 0"):
        SliceSampler(0, 4, seed=0)


def test_images_are_prepared_and_a_missing_set_is_named(tmp_path):
    plan = TrainingPlan(tmp_path, images=2, validation_images=1)
    assert list(prepare(plan)) == [("train", 1, 2), ("train", 2, 2), ("validation", 1, 1)]
    with pytest.raises(ConfigError, match="nowhere"):
        list(prepare(TrainingPlan(tmp_path, extra=(tmp_path / "nowhere",))))


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ultralytics" else object())
    with pytest.raises(ArenaTreesError, match=r"training needs ultralytics: .*signs\.md"):
        check_packages()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--epochs", "0"], "--epochs"),
        (["--hours", "nan"], "--hours: must be above 0 and at most 1000 (got nan)"),
        (
            ["--set", "holidays"],
            "there is no such set: train, printed, validation, test, shifted are known (got 'holidays')",
        ),
    ],
)
def test_bad_options_are_refused(arguments, reason, tmp_path, capsys):
    assert reason in call(capsys, "train-signs", tmp_path, *arguments, code=2)


def test_outside_a_checkout_the_command_says_so(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "arena_trees.models.training", None)
    assert "use a checkout of the repository" in call(capsys, "train-signs", code=2)


def test_the_command_writes_a_set(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ARENA_TREES_DATA", str(tmp_path / "none"))
    said = call(capsys, "train-signs", tmp_path / "set", "--set", "shifted", "--images", "2")
    assert "2 images, without real frames" in said
    labels = {path: path.stat().st_mtime_ns for path in (tmp_path / "set" / "labels").iterdir()}
    assert len(labels) == 2
    order = ("train-signs", tmp_path / "set", "--set", "shifted", "--images", "3")
    assert "--resume goes on with what it holds" in call(capsys, *order, code=2)
    assert "3 images" in call(capsys, *order, "--resume")
    assert {path: path.stat().st_mtime_ns for path in labels} == labels, "an image was made again"


def run(script, folder):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not HAS_PACKAGES, reason="needs the extra train")
def test_one_step_of_training_gives_a_model(tmp_path):
    script = f"""
from pathlib import Path
from arena_trees.models.training.course import prepare, train_and_export
from arena_trees.models.training.plan import TrainingPlan
plan = TrainingPlan(Path({str(tmp_path)!r}), images=2, validation_images=1, slice_images=2, epochs=1, image_px=64)
list(prepare(plan))
seen = []
print(train_and_export(plan, lambda *at: seen.append(at))[0].name, seen[-1][0])
"""
    assert run(script, tmp_path).splitlines()[-1] == "signs.onnx 1"
    assert (tmp_path / "signs.json").is_file()


@pytest.mark.skipif(not HAS_PACKAGES, reason="needs the extra train")
def test_a_model_that_ships_can_be_trained_on(tmp_path):
    script = f"""
from pathlib import Path
import numpy as np
import onnxruntime
import torch
from arena_trees.models.training.restore import restore
from arena_trees.models.training.trainer import architecture
from arena_trees.robot.configuration.resources import resource_path
from ultralytics import YOLO
target = Path({str(tmp_path)!r})
model = resource_path("models", "signs.onnx")
restore(model, architecture(target / "network.yaml"), target / "start.pt")
image = np.random.default_rng(0).random((1, 3, 256, 256), np.float32)
session = onnxruntime.InferenceSession(str(model))
shipped = session.run(None, {{session.get_inputs()[0].name: image}})[0]
restored = YOLO(str(target / "start.pt")).model.eval().float()(torch.from_numpy(image))[0].detach().numpy()
assert shipped[0, 4:].max() > 1e-4
# A checkpoint is kept in 16 bits.
assert np.abs(shipped[0, 4:] - restored[0, 4:]).max() < 0.01
assert np.abs(shipped[0, :4] - restored[0, :4]).max() < 2.0
"""
    run(script, tmp_path)
