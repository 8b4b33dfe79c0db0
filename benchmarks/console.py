"""What the console costs the game: how late ticks are, how many frames a page shows, and how fast it goes at most.

The arms are played in turns in one run: alone; with eight clients, of which one asks and never reads and one is a
Chromium; at full speed also with that page alone, and by a process that knows of no console.

    python benchmarks/console.py [SECONDS OF EACH TURN] [TURNS]
"""

from __future__ import annotations

import multiprocessing
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from helpers.browser import Page, find_chromium

from arena_trees.console.console import Console
from arena_trees.console.exchange import Instruction, Played
from arena_trees.console.game_process import plan_of
from arena_trees.console.live_game import LiveGame
from arena_trees.console.server import make_server
from arena_trees.experiments.trial import Trial
from arena_trees.robot.timing import TICK

SCENARIO = "wolf_rabbit_open"
SEED = 1000
CHANGES: dict[str, object] = {"duration_s": 36_000, "seed": SEED, "wolf.target_label": "nobody"}
"""The wolf looks for a sign that nobody carries, so that nothing ends the game."""
WARM_S, MEASURED_S = 5.0, 60.0
"""At full speed: simulated seconds that are passed over, and those of which the time is taken."""
CLIENT = """
import http.client, sys, time
port, parent = int(sys.argv[1]), sys.stdin
game = epoch = frame = -1
import threading, os
threading.Thread(target=lambda: (parent.read(), os._exit(0)), daemon=True).start()
while True:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"/news?game={game}&epoch={epoch}&frame={frame}")
    answer = connection.getresponse()
    body = answer.read()
    game = int(answer.headers["X-Game"])
    import json, struct
    (length,) = struct.unpack_from("<I", body)
    state = json.loads(body[4 : 4 + length])
    epoch, frame = state["epoch"], state["frame"]
    connection.close()
"""


def main(turn_s: float = 10.0, turns: int = 6) -> None:
    """Play and print."""
    late: list[float] = []
    console = Console(SCENARIO, CHANGES, Path(tempfile.mkdtemp()), lambda played: take(late, played))
    server = make_server(console)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            game = console.game[1]
            while game.state.now_s == 0.0 and not game.sheets:
                time.sleep(0.1)
            port = listener.getsockname()[1]
            delays, frames = at_speed_one(console, late, port, turn_s, turns)
            speeds = at_full_speed(console, port, turns)
        finally:
            server.should_exit = True
            console.close()
            thread.join()
    tick_s = TICK / 1e9
    print(f"{SCENARIO}, {turns} turns of {turn_s:g} s each, Chromium among the clients: {bool(frames)}")
    for arm, values in delays.items():
        p50, p99, most = np.percentile(values, (50, 99, 100))
        print(
            f"{arm:14} n={len(values)}: late by {1e3 * p50:.2f} ms p50, {1e3 * p99:.2f} p99, {1e3 * most:.2f} at most"
        )
    more = np.percentile(delays["eight clients"], 99) - np.percentile(delays["alone"], 99)
    print(f"p99 with eight clients: {100 * more / tick_s:+.1f} % of a tick")
    if frames:
        print(f"frames a second of the page: {np.median(frames):.1f} in the middle, {min(frames):.1f} at least")
    for arm, found in speeds.items():
        print(f"{arm:14} {np.median(found):.1f} x real time (median of {len(found)} turns)")
    for arm in ("no page", "one page", "eight clients"):
        print(f"full speed, {arm}: {100 * (np.median(speeds[arm]) / np.median(speeds['no console']) - 1):+.1f} %")


def take(late: list[float], played: Played) -> None:
    """Take down by how much ticks were late."""
    late.extend(played.late_s)


def at_speed_one(
    console: Console, late: list[float], port: int, turn_s: float, turns: int
) -> tuple[dict[str, list[float]], list[float]]:
    """Return the delays of each arm, s, and the frames a second of a page."""
    game = console.game[1]
    game.order(Instruction("run"))
    time.sleep(2.0)
    delays: dict[str, list[float]] = {"alone": [], "eight clients": []}
    frames: list[float] = []
    for _ in range(turns):
        for arm in delays:
            with clients(port, 8 if arm == "eight clients" else 0) as page:
                # What begins takes its time.
                time.sleep(3.0)
                late.clear()
                shown = count(page)
                time.sleep(turn_s)
                delays[arm] += list(late)
                if page is not None:
                    frames.append((count(page) - shown) / turn_s)
    game.order(Instruction("pause"))
    return delays, frames


def at_full_speed(console: Console, port: int, turns: int) -> dict[str, list[float]]:
    """Return the speeds of each arm, simulated seconds a second, over the same seconds of the same game."""
    speeds: dict[str, list[float]] = {"no console": [], "no page": [], "one page": [], "eight clients": []}
    for _ in range(turns):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            speeds["no console"].append(float(pool.apply(played_alone)))
        for arm, number in (("no page", 0), ("one page", 1), ("eight clients", 8)):
            console.play(SCENARIO, SEED)
            game = console.game[1]
            with clients(port, number):
                game.order(Instruction("speed", 0.0))
                game.order(Instruction("run"))
                begun, begun_s = reached(game, WARM_S)
                ended, ended_s = reached(game, WARM_S + MEASURED_S)
            speeds[arm].append((ended_s - begun_s) / (ended - begun))
    return speeds


def reached(game: LiveGame, now_s: float) -> tuple[float, float]:
    """Wait until a game has come so far (s); return when that was seen, and how far it was."""
    while (game_s := game.state.now_s) < now_s:
        time.sleep(0.005)
    return time.perf_counter(), game_s


def played_alone() -> float:
    """Play the same seconds with nothing looking on, and return the simulated seconds a second."""
    trial = Trial(plan_of(SCENARIO, CHANGES), 0)
    try:
        trial.begin()
        while trial.arena.now < WARM_S * 1e9:
            trial.step()
        begun = time.perf_counter()
        while trial.arena.now < (WARM_S + MEASURED_S) * 1e9:
            trial.step()
        return MEASURED_S / (time.perf_counter() - begun)
    finally:
        trial.close()


@contextmanager
def clients(port: int, number: int) -> Iterator[Page | None]:
    """Let so many clients look on: one that never reads, a Chromium where there is one, and others."""
    if not number:
        yield None
        return
    find_chromium()
    others = [
        subprocess.Popen([sys.executable, "-c", CLIENT, str(port)], stdin=subprocess.PIPE) for _ in range(number - 2)
    ]
    stopped = socket.create_connection(("127.0.0.1", port))
    stopped.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    if number > 1:
        stopped.sendall(b"GET /news?game=-1&epoch=-1&frame=-1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Page(Path(folder)) as page:
            page.resize(1280, 800)
            page.send("Page.navigate", url=f"http://127.0.0.1:{port}/")
            page.wait_for("document.querySelectorAll('.robot').length === 2")
            page.run(
                "window.shown = 0; new MutationObserver(() => window.shown++)"
                ".observe(document.getElementById('clock'), {childList: true, characterData: true, subtree: true}); 1"
            )
            yield page
    finally:
        stopped.close()
        for one in others:
            one.kill()
            one.wait()


def count(page: Page | None) -> int:
    """Return how often the page has shown another instant."""
    return 0 if page is None else int(page.run("window.shown"))


if __name__ == "__main__":
    seconds, turns = sys.argv[1:] or ("10", "6")
    main(float(seconds), int(turns))
