"""Evaluation: datasets are read, scores are what they are by hand, and the sheet shows what happened."""

import math

import cv2
import numpy as np
import pytest

from arena_trees.perception.signs import yolo_dataset
from arena_trees.perception.signs.coco_scores import BANDS, BoxMatches, Frame, score_frames
from arena_trees.perception.signs.contact_sheet import draw_contact_sheet
from arena_trees.perception.signs.evaluation import evaluate
from arena_trees.perception.signs.yolo_dataset import LabelledBox, label_text, load_dataset, read_image
from arena_trees.robot.detections import Detection
from arena_trees.robot.errors import ConfigError

pytest.importorskip("pycocotools", reason="scores are made by pycocotools, which is not installed")

LABELS = ("wolf_sign", "rabbit_sign", "carrot")


def true(left, top, size, label="wolf_sign"):
    return LabelledBox(label, left, top, left + size, top + size)


def found(left, top, size, confidence, label="wolf_sign"):
    return Detection(label, confidence, left + size / 2, top + size / 2, size, size)


def by_band(scores, label="wolf_sign"):
    return {score.band: score for score in scores if score.label == label}


def test_scores_by_hand():
    frames = [Frame([true(10, 10, 30)], [found(10, 10, 30, 0.9)]) for _ in range(8)]
    frames.append(Frame([true(10, 10, 30)], [found(30, 10, 30, 0.6)]))
    frames.append(Frame([true(10, 10, 30)], [found(10, 10, 30, 0.3)]))
    scores, outcomes = score_frames(frames, LABELS, 0.5)
    score = by_band(scores)["all"]
    assert (score.boxes, score.hits, score.false) == (10, 8, 1)
    assert score.precision == pytest.approx(8 / 9)
    assert score.recall == pytest.approx(0.8)
    # Nine of ten are found in the end, the ninth after a false one: recalls of 0 to 0.8 at full
    # precision and up to 0.9 at 9/10, of COCO's 101 levels of recall.
    assert score.map50 == pytest.approx((81 + 10 * 0.9) / 101, abs=1e-6)
    assert score.map50_95 == pytest.approx(score.map50)
    assert [len(outcome.hits) for outcome in outcomes] == [1] * 8 + [0, 0]
    assert [len(outcome.false) for outcome in outcomes] == [0] * 8 + [1, 0]
    assert [len(outcome.missed) for outcome in outcomes] == [0] * 8 + [1, 1]
    assert by_band(scores, "carrot")["all"].map50 is None
    assert by_band(scores, "carrot")["all"].recall is None


def test_loose_boxes_count_at_an_overlap_of_a_half_only():
    # 30 of 40 columns in common: an overlap of 0.6 counts at 0.5, 0.55 and 0.6 of the ten thresholds.
    frames = [Frame([true(10, 10, 40)], [found(20, 10, 40, 0.9)])] * 5
    score = by_band(score_frames(frames, LABELS, 0.5)[0])["all"]
    assert score.map50 == pytest.approx(1.0)
    assert score.map50_95 == pytest.approx(0.3)
    # Left and right are 10 px off, top and bottom right.
    assert score.edge_px == pytest.approx(math.sqrt(50.0))


def test_every_box_is_in_its_band():
    sizes = {10: "under 20", 19.9: "under 20", 20: "20 to 45", 45: "20 to 45", 45.5: "over 45", 200: "over 45"}
    frames = [Frame([true(5, 5, size)], [found(5, 5, size, 0.9), found(220, 220, 12, 0.8)]) for size in sizes]
    scores = by_band(score_frames(frames, LABELS, 0.5)[0])
    assert [scores[band].boxes for band in BANDS] == [6, 4, 2, 2, 2]
    assert [scores[band].hits for band in BANDS] == [6, 4, 2, 2, 2]
    # A false box counts in the band of its own size.
    assert [scores[band].false for band in BANDS] == [6, 0, 6, 0, 0]


def test_a_second_box_on_one_sign_is_false_and_a_wrong_class_a_miss_and_a_false_box():
    frame = Frame([true(10, 10, 30)], [found(10, 10, 30, 0.8), found(11, 10, 30, 0.9)])
    score = by_band(score_frames([frame], LABELS, 0.5)[0])["all"]
    assert (score.hits, score.false) == (1, 1)
    scores, outcomes = score_frames(
        [Frame([true(10, 10, 30, "carrot")], [found(10, 10, 30, 0.9, "wolf_sign")])], LABELS, 0.5
    )
    assert by_band(scores, "carrot")["all"].recall == 0.0
    assert by_band(scores, "wolf_sign")["all"].precision == 0.0
    assert len(outcomes[0].false) == len(outcomes[0].missed) == 1


def test_a_doubtful_sign_is_neither_missed_nor_false():
    here, there = found(10, 10, 30, 0.9), found(100, 100, 30, 0.8)
    frames = [
        Frame([], [here], [true(5, 5, 50)]),
        Frame([true(100, 100, 30)], [there, here], [true(5, 5, 50)]),
        Frame([], [], [true(5, 5, 50)]),
        Frame([], [here], [true(5, 5, 50, "carrot")]),
    ]
    scores, outcomes = score_frames(frames, LABELS, 0.5)
    score = by_band(scores)["all"]
    assert (score.boxes, score.hits, score.false) == (1, 1, 1)
    assert by_band(scores, "carrot")["all"].boxes == 0
    assert [(len(o.hits), len(o.false), len(o.missed)) for o in outcomes] == [
        (0, 0, 0),
        (1, 0, 0),
        (0, 0, 0),
        (0, 1, 0),
    ]


class Eyes:
    """A detector that finds a fixed box wherever the image is bright there."""

    classes = LABELS

    def __init__(self, confidence):
        self.confidence = confidence

    def detect(self, image):
        sure = 0.9 if image[20, 20, 0] > 200 else 0.1
        return (found(10, 10, 30, sure),) if sure >= self.confidence else ()


@pytest.fixture
def folder(tmp_path):
    for place in ("images/test", "labels/test"):
        (tmp_path / place).mkdir(parents=True)
    for number in range(6):
        image = np.zeros((80, 100, 3), np.uint8)
        if number < 4:
            image[10:40, 10:40] = 255
        cv2.imwrite(str(tmp_path / f"images/test/{number}.png"), image)
    for number in range(5):
        text = label_text([true(10, 10, 30)], LABELS, 100, 80)
        (tmp_path / f"labels/test/{number}.txt").write_text(text)
    (tmp_path / "data.yaml").write_text(
        "path: C:/nowhere\ntest: images/test\nnames: {0: wolf_sign, 1: rabbit_sign, 2: carrot}\n"
    )
    return tmp_path


@pytest.mark.parametrize("place", [".", "data.yaml"])
def test_a_dataset_is_evaluated(folder, place):
    seen = []
    result = evaluate(load_dataset(folder / place), Eyes, 0.5, on_progress=seen.append)
    score = by_band(result.scores)["all"]
    assert (score.boxes, score.hits, score.false) == (5, 4, 0)
    assert (len(result.images), result.empty, result.false_on_empty) == (6, 1, 0)
    assert seen == [1, 2, 3, 4, 5, 6]
    assert result.latency["calls"] == 6
    assert 0.0 < result.latency["median_ms"] <= result.latency["p99_ms"]


def test_doubtful_boxes_are_read_from_their_own_folder(folder):
    (folder / "doubtful/test").mkdir(parents=True)
    (folder / "doubtful/test/3.txt").write_text((folder / "labels/test/3.txt").read_text())
    (folder / "labels/test/3.txt").write_text("")
    result = evaluate(load_dataset(folder), Eyes, 0.5)
    score = by_band(result.scores)["all"]
    assert (score.boxes, score.hits, score.false) == (4, 3, 0)
    assert (result.empty, result.false_on_empty) == (1, 0)


def test_as_background_every_box_is_false_and_without_a_common_class_that_is_proposed(folder):
    result = evaluate(load_dataset(folder), Eyes, 0.5, as_background=True)
    assert (result.empty, result.false_on_empty, result.scores) == (6, 4, ())
    (folder / "data.yaml").write_text("test: images/test\nnames: [stop]\n")
    with pytest.raises(ConfigError, match="--as-background"):
        evaluate(load_dataset(folder), Eyes, 0.5)


def test_the_sheet_shows_faults_first(folder):
    dataset = load_dataset(folder)
    result = evaluate(dataset, Eyes, 0.5)
    draw_contact_sheet(dataset.images, result.outcomes, folder / "sheets" / "sheet.png")
    sheet = cv2.imread(str(folder / "sheets" / "sheet.png"))
    assert sheet.shape == (250, 2000, 3)
    # Blue, green, red: the missed box's left edge, then a hit's.
    assert tuple(sheet[60, 25]) == (40, 40, 255)
    assert tuple(sheet[60, 275]) == (40, 220, 40)


@pytest.mark.parametrize(("count", "shown"), [(3, 3), (5, 5), (100, 64)])
def test_the_sheet_shows_no_image_twice(tmp_path, count, shown):
    files = [tmp_path / f"{number}.png" for number in range(count)]
    for number, file in enumerate(files):
        cv2.imwrite(str(file), np.full((250, 250, 3), 2 * number + 1, np.uint8))
    draw_contact_sheet(files, [BoxMatches((found(10, 10, 30, 0.9),), (), ())] * count, tmp_path / "sheet.png")
    sheet = cv2.imread(str(tmp_path / "sheet.png"))
    # The lower right corner of each tile is as grey as its image; what is left over is black.
    greys = sheet[249::250, 249::250, 0].ravel()
    assert len(np.unique(greys[greys > 0])) == np.count_nonzero(greys) == shown


def test_labels_are_boxes_or_outlines_and_what_is_written_is_read_back(folder):
    (folder / "labels/test/0.txt").write_text("1 0.5 0.5 0.2 0.5\n\n2 0.1 0.1 0.3 0.1 0.3 0.5\n")
    dataset = load_dataset(folder)
    boxes = dataset.boxes(dataset.images[0], 100, 80)
    assert [box.label for box in boxes] == ["rabbit_sign", "carrot"]
    assert (boxes[0].left, boxes[0].top, boxes[0].right, boxes[0].bottom) == pytest.approx((40, 20, 60, 60))
    assert (boxes[1].left, boxes[1].top, boxes[1].right, boxes[1].bottom) == pytest.approx((10, 8, 30, 40))
    assert boxes[1].size == pytest.approx(32.0)
    box = LabelledBox("carrot", 12.5, 3.25, 40.0, 79.0)
    (folder / "labels/test/0.txt").write_text(label_text([box], LABELS, 100, 80))
    dataset = load_dataset(folder)
    back = dataset.boxes(dataset.images[0], 100, 80)[0]
    assert math.dist((back.left, back.top, back.right, back.bottom), (12.5, 3.25, 40.0, 79.0)) < 1e-3


@pytest.mark.parametrize(
    "line",
    [
        "7 .5 .5 .1 .1",
        "wolf .5 .5 .1 .1",
        "0 .5 .5 .1",
        "0 nan .5 .1 .1",
        "0 .5 .5 0 .1",
        "0 .5 .5 -.1 .1",
        "0 9 9 1 1",
        "0",
    ],
)
def test_a_bad_label_is_named_with_its_line(folder, line):
    (folder / "labels/test/2.txt").write_text(f"0 .5 .5 .1 .1\n{line}\n")
    dataset = load_dataset(folder)
    with pytest.raises(ConfigError, match=r"2\.txt:2"):
        dataset.boxes(dataset.images[2], 100, 80)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("names: [a]\n", "has none of test, val, train"),
        ("test: nowhere\nnames: [a]\n", "there is no such folder of images"),
        ("test: images\nnames: 3\n", "must name the classes"),
        ("test: images\nnames: {a: b}\n", "must be numbers and names"),
        ("test: 3\nnames: [a]\n", "must be a folder"),
        ("- a\n", "must be a map"),
    ],
)
def test_a_bad_file_is_refused(folder, text, reason):
    (folder / "data.yaml").write_text(text)
    with pytest.raises(ConfigError, match=reason):
        load_dataset(folder / "data.yaml")


def test_a_list_of_images_and_a_bare_folder_are_datasets(folder):
    (folder / "test.txt").write_text("./images/test/1.png\nimages/test/0.png\n")
    (folder / "data.yaml").write_text("test: test.txt\nnames: [wolf_sign]\n")
    assert [path.name for path in load_dataset(folder / "data.yaml").images] == ["0.png", "1.png"]
    bare = load_dataset(folder / "images" / "test")
    assert len(bare.images) == 6
    assert not bare.names
    (folder / "empty").mkdir()
    with pytest.raises(ConfigError, match="there are no images"):
        load_dataset(folder / "empty")
    with pytest.raises(ConfigError, match="there is no such dataset"):
        load_dataset(folder / "nowhere")


@pytest.mark.parametrize("content", [b"", b"not an image", b"\x89PNG\r\n\x1a\n"])
def test_a_broken_image_is_named(folder, content):
    (folder / "images/test/3.png").write_bytes(content)
    with pytest.raises(ConfigError, match=r"3\.png: is no image"):
        evaluate(load_dataset(folder), Eyes, 0.5)


def test_images_that_are_too_large_are_skipped_and_named(folder, monkeypatch):
    for number in (0, 5):
        cv2.imwrite(str(folder / f"images/test/{number}.png"), np.zeros((8, 4097, 3), np.uint8))
    (folder / "images/test/7.png").write_bytes(bytes(2000))
    monkeypatch.setattr(yolo_dataset, "MAX_BYTES", 1500)
    seen = []
    result = evaluate(load_dataset(folder), Eyes, 0.5, on_progress=seen.append)
    assert [path.name for path in result.skipped] == ["0.png", "5.png", "7.png"]
    assert [path.name for path in result.images] == ["1.png", "2.png", "3.png", "4.png"]
    assert len(result.outcomes) == 4
    score = by_band(result.scores)["all"]
    assert (score.boxes, score.hits, score.false) == (4, 3, 0)
    assert seen[-1] == 7
    for number in range(1, 5):
        (folder / f"images/test/{number}.png").unlink()
    with pytest.raises(ConfigError, match="no image that is small enough"):
        evaluate(load_dataset(folder), Eyes, 0.5)


def test_images_are_read_as_red_green_blue(tmp_path):
    image = np.zeros((20, 30, 3), np.uint8)
    image[..., 2] = 200
    cv2.imwrite(str(tmp_path / "red.png"), image)
    assert read_image(tmp_path / "red.png")[0, 0].tolist() == [200, 0, 0]
