"""Frames of a game's shapes: which are kept, what is shown when, and that the page's script unfolds them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.games.figures import Mark
from arena_trees.recording.report_page.report import PAGE
from arena_trees.recording.shape_frames import ShapeFrame, frame_at, pack_frames, settled, with_marks
from arena_trees.robot.clock import SECOND
from arena_trees.world.plain_shapes import plain_defaults, to_plain
from arena_trees.world.shapes import Disc, Layer, Polygon, Text, in_layers

SHAPES = (
    Polygon(((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)), fill="#ffffff", layer=Layer.GROUND),
    *(Disc(float(number), 0.0, 0.1, fill="#ff0000") for number in range(5)),
    Text(0.0, 0.0, "name", colour="#123456"),
)
FRAMES = st.lists(
    st.builds(
        lambda tenth, shown: ShapeFrame(tenth * SECOND // 10, tuple(shown)),
        st.integers(0, 100),
        st.lists(st.sampled_from(SHAPES), max_size=8),
    ),
    max_size=12,
    unique_by=lambda frame: frame.now,
)


def unfolded(packed: dict) -> list[tuple[float, list[dict]]]:
    """Return milliseconds and plain shapes of each frame, as the page's script unfolds them."""
    shown: list[int] = []
    frames = []
    for milliseconds, begin, gone, fresh in packed["frames"]:
        shown[begin : begin + gone] = fresh
        frames.append((milliseconds, [packed["shapes"][number] for number in shown]))
    return frames


@given(FRAMES)
def test_a_page_shows_what_was_shown(frames: list[ShapeFrame]):
    packed = pack_frames(frames, start=SECOND)
    kept = settled(frames)
    reported = [((one.now - SECOND) / 1e6, [to_plain(shape) for shape in in_layers(one.shapes)]) for one in kept]
    assert unfolded(packed) == reported
    for frame in frames:
        assert frame_at(kept, frame.now) == frame.shapes


def test_a_shape_is_kept_once_and_what_stays_is_not_told_again():
    frames = [ShapeFrame(number * SECOND, (*SHAPES[:4], Disc(0.1 * number, 3.0, 0.2))) for number in range(50)]
    packed = pack_frames(frames, 0)
    assert len(packed["shapes"]) == 4 + 50
    assert all(gone == 1 and len(fresh) == 1 for _, _, gone, fresh in packed["frames"][1:])


def test_what_follows_too_fast_or_shows_nothing_new_is_left_out():
    fast = [ShapeFrame(number * SECOND // 1000, (SHAPES[number % 2],)) for number in range(1000)]
    assert len(settled(fast)) <= 26
    assert settled(fast)[-1].shapes == fast[-1].shapes
    same = [ShapeFrame(number * SECOND, SHAPES) for number in range(9)]
    assert settled(same) == same[:1]
    many = [ShapeFrame(number * SECOND, (SHAPES[number % 2],)) for number in range(1000)]
    thin = settled(many, most=100)
    assert len(thin) <= 101 and thin[-1] == many[-1]


def test_nothing_is_shown_before_the_first_frame():
    frames = [ShapeFrame(SECOND, SHAPES)]
    assert frame_at(frames, SECOND - 1) == () == frame_at([], 0)
    assert frame_at(frames, 9 * SECOND) == SHAPES


def test_a_mark_stays_and_its_label_goes():
    frames = [ShapeFrame(0, SHAPES[:1]), ShapeFrame(9 * SECOND, SHAPES[1:2])]
    marked = with_marks(frames, [Mark(2.0, 1.0, 1.0, "caught")], SECOND)
    assert frame_at(marked, 3 * SECOND - 1) == SHAPES[:1]
    shown = frame_at(marked, 3 * SECOND)
    assert shown[:1] == SHAPES[:1] and [getattr(shape, "text", "") for shape in shown[1:]] == ["", "", "caught"]
    assert frame_at(marked, 7 * SECOND) == shown[:-1]
    assert frame_at(marked, 9 * SECOND) == (SHAPES[1], *shown[1:-1])
    assert with_marks([], [], 0) == []


NODE = """
const vm = require("vm"), fs = require("fs");
const { page, packed, defaults, instants } = JSON.parse(fs.readFileSync(0, "utf8"));
const source = ["decode.js", "shapes.js"].map((name) => fs.readFileSync(`${page}/${name}`, "utf8")).join("\\n");
vm.runInThisContext(source + "\\nglobalThis.Frames = ShapeFrames; globalThis.Pen = ShapePen;");
const asked = [];
const context = new Proxy({}, {
  get: (known, name) => name === "measureText" ? () => ({ width: 9 }) : name in known ? known[name] : (...given) => {
    asked.push(name);
    if (given.flat().some((one) => typeof one === "number" && !Number.isFinite(one))) throw new Error(name);
  },
});
const view = { context, scale: 100, px: (x, y) => [100 * x, -100 * y], taken: [] };
const frames = new Frames(packed, defaults), pen = new Pen(view, []);
const shown = instants.map((now) => {
  pen.draw(frames.at(now));
  return frames.at(now).map((shape) => shape.plain);
});
console.log(JSON.stringify({ shown, asked: [...new Set(asked)].sort() }));
"""


def test_the_script_shows_any_instant_in_any_order():
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the path")
    frames = [ShapeFrame(number * SECOND, SHAPES[number % 3 : 7 - number % 2]) for number in range(20)]
    instants = [5500, 100, 19_000, -5, 3000, 2999, 50_000]
    given = {"page": str(PAGE), "packed": pack_frames(frames, 0), "defaults": plain_defaults(), "instants": instants}
    done = subprocess.run([node, "-e", NODE], input=json.dumps(given), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    at = [[to_plain(one) for one in in_layers(frame_at(frames, now * 1_000_000))] for now in instants]
    assert reported["shown"] == at
    assert {"arc", "fill", "fillText", "lineTo"} <= set(reported["asked"])


def test_the_script_knows_every_layer_it_names():
    script = (Path(PAGE) / "shapes.js").read_text(encoding="utf-8")
    assert f"{{ robots: {int(Layer.ROBOTS)}, labels: {int(Layer.LABELS)} }}" in script
