"""The report's page in Chromium: what a person sees, and what a hostile recording cannot do."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.browser import Page
from helpers.recorded import by_hand, foreign, spoilt

from arena_trees.recording.recording import NodeInfo, Outline, Recording, RobotRecording, Tick
from arena_trees.recording.report_page.report import write_report
from arena_trees.recording.report_page.tree_rows import Rows
from arena_trees.recording.shape_frames import ShapeFrame
from arena_trees.robot.clock import SECOND
from arena_trees.robot.detections import Detection, Detections
from arena_trees.robot.geometry import Pose2D, Twist2D
from arena_trees.robot.messaging.messages import Message
from arena_trees.robot.percepts import Bumpers
from arena_trees.sensors.turret.sensor import TurretState
from arena_trees.world.body import Body, Turret
from arena_trees.world.palette import contrast
from arena_trees.world.shapes import Disc, Text

pytestmark = pytest.mark.slow

SEEN_ROWS = (
    "[...document.querySelectorAll('.robot')].map(robot => [...robot.querySelectorAll('.row:not(.kept)')]"
    ".map(row => [row.querySelector('.name').textContent, Number(row.dataset.status)]))"
)
CLOCK = "parseFloat(document.getElementById('clock').textContent)"
PIXELS = "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data"
INK = f"({PIXELS})(document.getElementById('arena')).reduce((sum, value) => sum + value, 0)"
SEEN_ARENA = "document.getElementById('arena').toDataURL()"


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Page]:
    with Page(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def shown(browser: Page, tmp_path) -> Iterator[Page]:
    """A browser that has complained of nothing by the end of the test, and asked for nothing but the page."""
    browser.problems.clear()
    browser.asked.clear()
    browser.resize(1280, 800)
    yield browser
    assert browser.problems == []
    assert all(address.startswith("file:") for address in browser.asked.values())
    assert len(browser.asked) <= 1


def open_report(page: Page, recording: Recording, folder: Path) -> None:
    path = folder / "page.html"
    write_report(recording, path)
    page.open(path)
    assert page.run("document.getElementById('failure').hidden")


def go_to(page: Page, seconds: float) -> None:
    page.run(
        "(slider => {slider.value = %f; slider.dispatchEvent(new Event('input'))})(document.getElementById('time'))"
        % (seconds * 1000)
    )


def test_the_trees_show_each_instants_statuses(shown: Page, game: Recording, tmp_path):
    open_report(shown, game, tmp_path)
    assert shown.run("document.title") == "wolf_rabbit: a recorded run"
    for seconds in (0.0, 3.0, 2.0, 5.5):
        go_to(shown, seconds)
        index = round(seconds * 50)
        for rows, robot in zip(shown.run(SEEN_ROWS), game.robots.values(), strict=True):
            tick = robot.ticks[index]
            assert rows == [[robot.tree[node].name, tick.statuses[node]] for node in Rows.of(robot.tree).node]
        active = shown.run("[...document.querySelectorAll('.active')].map(element => element.textContent)")
        assert active == [robot.ticks[index].active for robot in game.robots.values()]
        tips = shown.run("[...document.querySelectorAll('.row.tip .name')].map(element => element.textContent)")
        assert tips == active


def test_a_turret_is_drawn_as_it_points(shown: Page, tmp_path):
    states = [TurretState(now * SECOND, now * SECOND, now, 0.5 * (now % 2), 0.0) for now in range(2, 10)]
    track = [(now * SECOND, Pose2D()) for now in range(10)]
    robot = RobotRecording("robot", truth=track, more={"turret": states}, body=Body(turret=Turret()))
    open_report(shown, by_hand(robot=robot), tmp_path)
    seen = []
    for seconds in (0.5, 1.5, 3.5, 4.5, 5.5):
        go_to(shown, seconds)
        seen.append(shown.run(SEEN_ARENA))
    assert seen[0] == seen[1] not in seen[2:], "before its encoders have spoken, nothing is known"
    assert seen[2] == seen[4] != seen[3]


def test_keys_and_buttons_move_time(shown: Page, game: Recording, tmp_path):
    open_report(shown, game, tmp_path)
    assert shown.run(CLOCK) == 0.0
    shown.press("ArrowRight")
    assert shown.run(CLOCK) == pytest.approx(0.02)
    shown.press("ArrowRight", shift=True)
    assert shown.run(CLOCK) == pytest.approx(1.02)
    shown.press("ArrowLeft")
    assert shown.run(CLOCK) == pytest.approx(1.0)
    shown.press("End")
    assert shown.run(CLOCK) == pytest.approx((game.end - game.start) / SECOND)
    shown.press("Home")
    shown.press(" ")
    assert shown.run("document.getElementById('play').textContent") == "Pause"
    shown.wait_for(f"{CLOCK} > 0.3")
    shown.click("#play")
    assert shown.run("document.getElementById('play').textContent") == "Play"
    stopped = shown.run(CLOCK)
    shown.run("new Promise(resolve => setTimeout(resolve, 100))")
    assert shown.run(CLOCK) == stopped
    shown.press("+")
    assert shown.run("document.getElementById('speed').value") == "2"


def test_hulls_have_the_size_and_the_colour_of_their_bodies(shown: Page, game: Recording, tmp_path):
    bodies = (Body(radius=0.2, colour="#10c0a0"), Body(radius=0.4, colour="#a010c0"))
    dressed = zip(game.robots.items(), bodies, strict=True)
    robots = {name: replace(robot, body=body) for (name, robot), body in dressed}
    open_report(shown, replace(game, robots=robots), tmp_path)
    small, large = (
        shown.run(
            "(data => {let sum = 0; for (let i = 0; i < data.length; i += 4) "
            f"sum += '#' + [0, 1, 2].map(k => data[i + k].toString(16).padStart(2, '0')).join('') === '{body.colour}'; "
            f"return sum}})(({PIXELS})(document.getElementById('arena')))"
        )
        for body in bodies
    )
    # The sign, the nose and the letter cover the same share of each.
    assert small > 100
    assert large / small == pytest.approx(4.0, rel=0.25)


def test_events_lead_to_their_instants(shown: Page, game: Recording, tmp_path):
    open_report(shown, game, tmp_path)
    found = "[...document.querySelectorAll('#list button')].findIndex(item => item.textContent.includes('catch claim'))"
    number = shown.run(found)
    assert number > 0
    shown.click(f"#list li:nth-child({number + 1}) button")
    claimed = next(instant for instant, message in game.messages if message.topic == "catch_claim")
    assert shown.run(CLOCK) == pytest.approx((claimed - game.start) / SECOND, abs=0.006)
    shown.press("p")
    assert shown.run(CLOCK) < (claimed - game.start) / SECOND
    shown.click("#kinds button")
    assert shown.run("document.querySelectorAll('#list li[hidden]').length") > 0


def test_branches_fold(shown: Page, game: Recording, tmp_path):
    open_report(shown, game, tmp_path)
    visible = (
        "[...document.querySelectorAll('.robot:first-child .row:not(.kept)')].filter(row => row.offsetHeight).length"
    )
    everything = shown.run(visible)
    assert everything == len(next(iter(game.robots.values())).tree) > 20
    shown.click(".robot:first-child .row:nth-child(2) .fold")
    folded = shown.run(visible)
    assert folded == everything - 2, "Sense has two children"
    shown.click(".robot:first-child .row:nth-child(1) .fold")
    assert shown.run(visible) == 1
    shown.click(".robot:first-child .row:nth-child(1) .fold")
    assert shown.run(visible) == folded, "a branch that was folded stays so"


def test_the_games_shapes_come_and_go(shown: Page, game: Recording, tmp_path):
    disc = Disc(0.0, 0.0, 0.4, fill="#12fe34")
    frames = [ShapeFrame(game.start + SECOND, (disc, Text(0.0, 0.0, "here"))), ShapeFrame(game.start + 2 * SECOND, ())]
    path = tmp_path / "page.html"
    write_report(game, path, frames)
    shown.open(path)
    shown.wait_for("performance.getEntriesByName('report-ready').length > 0")
    pixels = f"({PIXELS})(document.getElementById('arena'))"
    count = (
        f"(() => {{ const all = {pixels}; let seen = 0; for (let at = 0; at < all.length; at += 4)"
        " if (all[at] === 0x12 && all[at + 1] === 0xfe && all[at + 2] === 0x34) seen++; return seen; })()"
    )
    assert shown.run(count) == 0
    shown.press("ArrowRight", shift=True)
    assert shown.run(count) > 500
    shown.click("#layers label:first-child input")
    assert shown.run(count) == 0
    shown.click("#layers label:first-child input")
    assert shown.run(count) > 500
    shown.press("ArrowRight", shift=True)
    assert shown.run(count) == 0


def test_layers_and_plots_are_drawn(shown: Page, game: Recording, tmp_path):
    open_report(shown, game, tmp_path)
    go_to(shown, 4.0)
    without = shown.run(INK)
    shown.press("l")
    assert shown.run(INK) != without
    titles = shown.run("[...document.querySelectorAll('.chart h3')].map(element => element.textContent)")
    image, *plots = titles[:4]
    assert image == "wolf: target on the image"
    assert plots == ["wolf: speed", "wolf: turn rate", "wolf: tracking error, half images"]
    assert "Distance inside the own fence" in titles
    drawn = shown.run(
        f"[...document.querySelectorAll('canvas')].map({PIXELS}).map(data => data.some(value => value > 0))"
    )
    assert drawn == [True] * (len(titles) + 3), "the arena, two bands, and every plot"
    driven = shown.run("document.querySelector('.chart:not(.gauge) .key > span:nth-child(2)').textContent")
    assert driven == f"driven {game.robots['wolf'].ticks[200].twist.linear:.2f} m/s".replace("-", "−")


def test_the_facts_are_there(shown: Page, game: Recording, tmp_path):
    open_report(shown, replace(game, skipped={"/wolf/scan: malformed": 3}), tmp_path)
    facts = shown.run("document.getElementById('about').textContent")
    for part in ("wolf_rabbit", "1000", "chase_kp", "/wolf/scan: malformed", "caught"):
        assert part in facts


def hostile() -> Recording:
    """Return a recording whose every text tries to run a script."""
    odd = '<img src=x onerror="odd=1">\'"</script><script>odd=1</script><!--'
    tree = (NodeInfo(f"leaf {odd}", odd, 1), NodeInfo(odd, "Selector", -1))
    ticks = [
        Tick(
            now=number * SECOND // 50,
            statuses=b"\x01\x09",
            active=f"leaf {odd}",
            command=Twist2D(0.1, 0.1),
            reasons=(odd,),
            fault=odd if number > 90 else None,
            cues=(odd,),
            feedback={0: f"{odd} {number}", 7: "of no node"},
        )
        for number in range(100)
    ]
    robot = RobotRecording(
        odd,
        odd,
        tree,
        ticks=ticks,
        truth=[(tick.now, Pose2D(0.1, 0.2, 0.3)) for tick in ticks],
        more={"detections": [Detections(0, 0, 1, 250, 250, (Detection(odd, 0.9, 100.0, 100.0, 40.0, 40.0),))]},
        bumpers=[Bumpers(0, 0, 1, frozenset({odd}))],
        notes=(odd,),
    )
    info = {"scenario": odd, "version": odd, odd: {odd: odd}, "__proto__": {"polluted": odd}, "robots": odd}
    message = Message(odd, odd, 1, 1, 0, {odd: odd, "__proto__": {"polluted": 1}})
    outline = Outline(odd, odd, np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]))
    return Recording(
        Path(odd), info, 0, 2 * SECOND, {odd: robot, "__proto__": robot}, [(0, message)], [outline], {odd: 1}
    )


def test_recorded_text_is_text(shown: Page, tmp_path):
    open_report(shown, hostile(), tmp_path)
    for seconds in (0.0, 1.0, 1.99):
        go_to(shown, seconds)
    assert shown.run("typeof odd") == "undefined"
    assert shown.run("document.querySelectorAll('img, iframe, object, embed, link, script[src]').length") == 0
    assert shown.run("({}).polluted") is None
    odd = json.loads(shown.run("JSON.stringify(document.querySelector('.robot h3').textContent)"))
    assert odd == next(iter(hostile().robots))
    assert "<img" in shown.run("document.querySelector('.row .feedback').textContent + document.body.textContent")


def test_the_policy_holds(browser: Page, game: Recording, tmp_path):
    open_report(browser, game, tmp_path)
    browser.problems.clear()
    browser.asked.clear()
    refused = """(async () => {
        const outcomes = [];
        try { document.body.innerHTML += "<b>x</b>"; outcomes.push("html"); } catch { }
        const script = document.createElement("script");
        try { script.textContent = "window.ran = 1"; document.body.append(script); } catch { }
        try { await fetch("https://example.org/"); outcomes.push("fetch"); } catch { }
        const image = new Image();
        const loaded = new Promise(resolve => {
            image.onload = () => resolve("image");
            image.onerror = () => resolve("");
        });
        image.src = "https://example.org/x.png";
        const seen = await loaded;
        if (seen) outcomes.push(seen);
        if (window.ran) outcomes.push("script");
        return outcomes;
    })()"""
    assert browser.run(refused) == []
    assert browser.problems, "the browser says what it refused"
    assert browser.asked == {}


@pytest.mark.parametrize(
    ("recording", "plots"),
    [(foreign(), 2), (by_hand(), 0), (by_hand(robot=RobotRecording("robot")), 0)],
    ids=["foreign", "no robot", "robot without anything"],
)
def test_little_is_enough_for_a_page(shown: Page, tmp_path, recording: Recording, plots: int):
    open_report(shown, recording, tmp_path)
    go_to(shown, 5.0)
    assert shown.run("document.querySelectorAll('.chart').length") == plots
    assert shown.run("document.querySelectorAll('.robot').length") == len(recording.robots)
    if plots:
        assert "commanded +0.10 m/s" in shown.run("document.querySelector('.robot').textContent")
        assert "no tree" in shown.run("document.querySelector('.robot').textContent")


def test_old_figures_silences_and_spikes_are_shown(shown: Page, tmp_path):
    open_report(shown, spoilt(), tmp_path)
    card = "[...document.querySelectorAll('.robot .moves')].map(line => [line.textContent, line.className])"
    keys = (
        "[...document.querySelectorAll('.chart:first-child .key span span')].map(line => [line.textContent,"
        " line.className])"
    )
    go_to(shown, 2.0)
    assert shown.run(card) == [
        ["commanded +0.10 m/s +0.20 rad/s", "moves"],
        ["measured +0.10 m/s +0.00 rad/s", "moves"],
    ]
    fresh = shown.run(INK)
    go_to(shown, 7.5)
    assert shown.run(card) == [
        ["commanded +0.10 m/s +0.20 rad/s, 2.0 s old", "moves old"],
        ["measured +0.10 m/s +0.00 rad/s, 2.5 s old", "moves old"],
    ]
    assert shown.run(keys) == [["measured 0.10 m/s, 2.5 s old", "old"], ["commanded 0.10 m/s, 2.0 s old", "old"]]
    assert shown.run(INK) != fresh
    assert shown.run("document.querySelector('.chart .cut').textContent") == "spikes to 12.30 m/s are cut off"
    listed = shown.run("[...document.querySelectorAll('#list .text')].map(element => element.textContent)")
    assert listed == ["no scan for 2.7 s", "no odometry for 3.0 s"]


def test_silences_are_shaded(shown: Page, tmp_path):
    seen = []
    for recording in (foreign(), spoilt()):
        quiet = replace(recording, robots={"robot": replace(recording.robots["robot"], odometry=(), commands=[
            (now, Twist2D(0.1, 0.2)) for now in range(0, 10 * SECOND, SECOND // 2)
        ])})  # fmt: skip
        shown.asked.clear()
        open_report(shown, quiet, tmp_path)
        seen.append(shown.run("document.querySelector('.chart canvas').toDataURL()"))
    assert seen[0] != seen[1]


def test_the_end_of_the_world_is_no_end(shown: Page, tmp_path):
    truth = [(0, Pose2D(-1e300, 1e300, 1e300)), (SECOND, Pose2D(1e300, 5.0, 0.0)), (1 << 62, Pose2D())]
    fence = Outline("robot", "fence", np.array([(0.0, 0.0), (1e300, 0.0), (1e300, 1e300)]))
    commands = [(0, Twist2D(1e300, -1e300)), (1 << 62, Twist2D())]
    robot = RobotRecording("robot", truth=truth, commands=commands)
    open_report(shown, replace(by_hand(robot=robot), outlines=[fence], end=1 << 62), tmp_path)
    for seconds in (0.5, 1e9):
        go_to(shown, seconds)
    shown.press("l")
    assert shown.run("document.querySelectorAll('.chart').length") == 3


def test_a_large_and_deep_tree_is_no_problem(shown: Page, tmp_path):
    nodes = [NodeInfo(f"node {number}", "Sequence", number - 1) for number in range(300)]
    ticks = [Tick(now=number * SECOND // 50, statuses=bytes([1]) * 300) for number in range(50)]
    open_report(shown, by_hand(robot=RobotRecording("robot", tree=tuple(nodes), ticks=ticks)), tmp_path)
    assert shown.run("document.querySelectorAll('.row').length") == 300
    assert shown.run("(tree => tree.scrollHeight > tree.clientHeight)(document.querySelector('.tree'))")
    assert shown.run("(row => row.offsetTop - row.parentElement.offsetTop < row.parentElement.scrollTop + "
                     "row.parentElement.clientHeight)(document.querySelector('.row.tip'))")  # fmt: skip


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080), (700, 900), (390, 844)])
def test_nothing_sticks_out_of_the_window(shown: Page, game: Recording, tmp_path, width: int, height: int):
    shown.resize(width, height)
    open_report(shown, game, tmp_path)
    assert shown.run("document.documentElement.scrollWidth") <= width
    sections = "[...document.querySelectorAll('#main section, #player, #head')]"
    boxes = shown.run(f"{sections}.map(element => element.getBoundingClientRect()).map(box => [box.left, box.right])")
    assert len(boxes) == 7
    assert all(left >= 0 and right <= width + 1 for left, right in boxes)
    player = shown.run("(box => [box.top, box.bottom])(document.getElementById('player').getBoundingClientRect())")
    assert 0 < player[0] < player[1] <= height + 1, "the player is always in reach"
    if width >= 1280:
        assert shown.run("document.documentElement.scrollHeight") <= height


def lengthened(recording: Recording, seconds: float) -> Recording:
    """Return a recording that repeats what another holds until so many seconds are full."""
    span = recording.end - recording.start
    times = -(-int(seconds * SECOND) // span)

    def repeated(things: list, move) -> list:
        return [move(thing, number * span) for number in range(times) for thing in things]

    def stamped(thing, shift):
        return replace(thing, stamp=thing.stamp + shift, arrival=thing.arrival + shift)

    robots = {}
    for name, robot in recording.robots.items():
        streams = ("scans", "odometry", "poses", "bumpers")
        longer = {stream: repeated(getattr(robot, stream), stamped) for stream in streams}
        ticks = repeated(robot.ticks, lambda tick, shift: replace(tick, now=tick.now + shift))
        truth = repeated(robot.truth, lambda pair, shift: (pair[0] + shift, pair[1]))
        more = {key: repeated(readings, stamped) for key, readings in robot.more.items()}
        robots[name] = replace(robot, ticks=ticks, truth=truth, more=more, **longer)
    messages = repeated(recording.messages, lambda pair, shift: (pair[0] + shift, pair[1]))
    return replace(recording, robots=robots, messages=messages, end=recording.start + times * span)


def test_three_minutes_of_two_robots_open_within_two_seconds(shown: Page, game: Recording, tmp_path, record_property):
    path = tmp_path / "page.html"
    write_report(lengthened(game, 180.0), path)
    assert path.stat().st_size < 3_000_000
    taken = []
    # The best of some: on a busy machine a browser waits for its turn.
    for _ in range(5):
        shown.asked.clear()
        shown.open(path)
        taken.append(shown.run("performance.getEntriesByName('report-ready')[0].startTime") / 1000.0)
    record_property("opened_s", min(taken))
    assert min(taken) < 2.0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_can_be_read_on_every_ground(shown: Page, game: Recording, tmp_path, scheme: str):
    shown.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    try:
        open_report(shown, game, tmp_path)
        go_to(shown, 3.0)
        # Each text with the first ground below it that is not seen through, as #rrggbb.
        pairs = shown.run(
            """(() => {
            const parts = (text) => text.match(/[0-9.]+/g).map(Number);
            const two = (part) => part.toString(16).padStart(2, "0");
            const hex = (text) => "#" + parts(text).slice(0, 3).map(two).join("");
            const found = {};
            for (const element of document.querySelectorAll("body *")) {
              const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
              if (!own || !element.getClientRects().length || element.closest("script, style, option")) continue;
              let below = element;
              const ground = (one) => parts(getComputedStyle(one).backgroundColor);
              const clear = (one) => ground(one).length > 3 && ground(one)[3] < 1;
              while (below.parentElement && clear(below)) below = below.parentElement;
              const pair = [hex(getComputedStyle(element).color), hex(getComputedStyle(below).backgroundColor)];
              found[pair] = [...pair, `${element.tagName} ${element.className} ${element.textContent.slice(0, 20)}`];
            }
            return Object.values(found);
        })()"""
        )
        assert len(pairs) > 8
        assert [pair for pair in pairs if contrast(pair[0], pair[1]) < 4.5] == []
    finally:
        shown.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])


def test_the_page_begins_at_the_first_decision(shown: Page, game: Recording, tmp_path):
    open_report(shown, replace(game, start=game.start - 3 * SECOND), tmp_path)
    assert shown.run(CLOCK) == 3.0
    shown.press("ArrowLeft")
    assert shown.run(CLOCK) == pytest.approx(2.98)
    go_to(shown, 1.0)
    assert shown.run(CLOCK) == 1.0
    shown.press("Home")
    assert shown.run(CLOCK) == 0.0


def test_the_map_says_what_its_cones_and_rings_mean(shown: Page, game: Recording, tmp_path):
    open_report(shown, game, tmp_path)
    key = "document.getElementById('key').textContent"
    assert "where a way begins" in shown.run(key)
    assert "not how far" in shown.run(key)
    info = dict(game.info)
    wolf = info["robots"]["wolf"]
    parameters = wolf["parameters"] | {"sight_reach": 2.5}
    info["robots"] = dict(info["robots"]) | {"wolf": wolf | {"parameters": parameters}}
    shown.asked.clear()
    open_report(shown, replace(game, info=info), tmp_path)
    assert "cone of wolf: sees 2.5 m far" in shown.run(key)
    assert "deadband" in shown.run("document.getElementById('charts').textContent")
