"""Watches the processes of a game for an hour, and says whether any of them grows.

    python tests/benchmarks/soak.py nodes --minutes 60
    python tests/benchmarks/soak.py console --minutes 60

``nodes`` plays the game of ``ros.yaml`` on ROS, a node a process; ``console`` serves a game to two pages, of which one
operates it and the other is opened anew with each game. What the processes hold is looked at after each tenth of the
time, as by ``arena-trees soak``; it exits with 4 where something grew by more than 5 %.
"""

import argparse
import itertools
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import ros_timing
from message_recorder import Recorder
from rich.console import Console
from rich.table import Table

from arena_trees.experiments.soaking.soak import TENTHS
from arena_trees.experiments.soaking.verdict import GREW, Verdict, judge_measure
from arena_trees.experiments.soaking.vitals import children, held
from arena_trees.nodes.programs.game_programs import prepare
from arena_trees.nodes.programs.game_run import running_game
from arena_trees.robot.configuration.files import check_writable
from arena_trees.robot.configuration.yaml_files import load_yaml
from arena_trees.robot.errors import ConfigError

PLAN = load_yaml(Path(__file__).with_name("ros.yaml"))["timing"]
LOGS = Path("results") / "ros" / "soak"
WARM_UP_S = 60.0
"""Before the first tenth begins."""
MOST_MINUTES = 1440.0
ROUND_S, POLL_S = 30.0, 0.1
"""Between two new games of the console, and between two questions of a page."""

Rows = dict[str, list[float]]
"""What was measured, by process and measure, tenth by tenth."""


def soak_nodes(tenth_s: float) -> Iterator[Mapping[str, float]]:
    """Play a game on ROS that goes on, and yield what its processes hold after each tenth, and how trees kept time."""
    order = prepare(PLAN["scenario"], [], PLAN["set"])
    with running_game(order, LOGS) as (processes, watch), ExitStack() as stack:
        recorders = {name: stack.enter_context(closing(Recorder(watch.context, name))) for name in order.plan.robots}
        watch.begin(processes.check)

        def turn() -> None:
            ros_timing.take(recorders)
            processes.check()

        _pass(WARM_UP_S, turn)
        nodes = {name: processes.identity(name) for name in processes.names}
        for _ in range(TENTHS):
            for recorder in recorders.values():
                recorder.forget()
            busy = _Busy(nodes)
            _pass(tenth_s, turn)
            yield {
                **_held(nodes),
                **busy.shares(),
                **{f"{name} jitter_ms": _jitter(one) for name, one in recorders.items()},
            }


def soak_console(tenth_s: float) -> Iterator[Mapping[str, float]]:
    """Operate a console, and yield what its processes hold after each tenth, a new game having just begun."""
    with TemporaryDirectory() as folder, _console(Path(folder)) as (process, address):
        page, seeds = _Page(address), itertools.count(1)
        _play(page, next(seeds), WARM_UP_S)
        for _ in range(TENTHS):
            busy, end = _Busy({"console": process}), time.monotonic() + tenth_s
            while (left := end - time.monotonic()) > 0.0:
                _play(page, next(seeds), min(left, ROUND_S))
            page.order(what="play", scenario=PLAN["scenario"], seed=0)
            _pass(1.0, page.look)
            games = {f"child_{index}": child for index, child in enumerate(children(process), 1)}
            yield {**_held({"console": process, **games}), **busy.shares()}


class _Busy:
    """The processor time of processes from now on."""

    def __init__(self, processes: Mapping[str, int]) -> None:
        self._processes = processes
        self._begun, self._used = time.monotonic(), self._measured()

    def shares(self) -> dict[str, float]:
        """Return the share of one core that each has used, %."""
        taken = time.monotonic() - self._begun
        return {f"{name} cpu_pct": 100.0 * (now - self._used[name]) / taken for name, now in self._measured().items()}

    def _measured(self) -> dict[str, float]:
        return {name: ros_timing.cpu_seconds(process) for name, process in self._processes.items()}


class _Page:
    """What a browser asks of the console, and orders.

    Attributes:
        address: of the console
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._known = (-1, -1, -1)

    def look(self) -> None:
        """Ask what is new, as a page does ten times a second."""
        with urllib.request.urlopen(
            f"{self.address}news?game={{}}&epoch={{}}&frame={{}}".format(*self._known)
        ) as answer:
            body = answer.read()
            length = int.from_bytes(body[:4], "little")
            state = json.loads(body[4 : 4 + length])
            self._known = int(answer.headers["X-Game"]), state["epoch"], state["frame"]

    def order(self, **wanted: object) -> None:
        """Give an order.

        Raises:
            RuntimeError: it is refused
        """
        headers = {"Origin": self.address.rstrip("/"), "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}order", json.dumps(wanted).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            refusal = json.loads(answer.read()).get("error")
        if refusal:
            raise RuntimeError(f"{wanted}: {refusal}")


@contextmanager
def _console(folder: Path) -> Iterator[tuple[int, str]]:
    """Serve a console; give its process and its address."""
    words = ["console", PLAN["scenario"], "--port", "0", "--no-browser", "--recordings", str(folder)]
    command = [sys.executable, "-m", "arena_trees", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            if found is None:
                raise RuntimeError("the console did not start")
            yield process.pid, found[0].rstrip(";")
        finally:
            process.terminate()


def _play(page: _Page, seed: int, seconds: float) -> None:
    """Begin another game, and operate it: tune, stop, reset and save, and open another page."""
    page.order(what="play", scenario=PLAN["scenario"], seed=seed)
    page.order(what="run")
    page.order(what="tune", robot="wolf", changes={"chase_kp": 1.0 + 0.1 * (seed % 10)})
    _Page(page.address).look()
    _pass(seconds / 2.0, page.look)
    page.order(what="stop")
    page.order(what="reset")
    _pass(seconds / 2.0, page.look)
    page.order(what="save")


def _pass(seconds: float, turn: Callable[[], object]) -> None:
    """Let so much time pass, and call a function ten times a second meanwhile."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        turn()
        time.sleep(POLL_S)


def _held(processes: Mapping[str, int]) -> dict[str, float]:
    """Return what processes hold, by process and measure."""
    return {
        f"{name} {measure}": value
        for name, process in processes.items()
        for measure, value in held(process)._asdict().items()
    }


def _jitter(recorder: Recorder) -> float:
    return ros_timing.tick_timing(ros_timing.sent(recorder.raw))[1]


def _judged(measure: str, values: list[float]) -> Verdict:
    return judge_measure(measure, values, scatters=measure in ("cpu_pct", "jitter_ms"))


def _print(rows: Rows, verdicts: Mapping[str, Verdict]) -> None:
    table = Table("process", *(str(number) for number in range(1, TENTHS + 1)), "change", "verdict")
    for name, values in rows.items():
        verdict = verdicts[name]
        change = "" if verdict.change_pct is None else f"{verdict.change_pct:+.1f} %"
        table.add_row(name, *(f"{value:.4g}" for value in values), change, verdict.verdict)
    Console(width=200).print(table)


def main() -> int:
    """Watch what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["nodes", "console"])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured to this file, too")
    given = parser.parse_args()
    if not 0.1 <= given.minutes <= MOST_MINUTES:
        parser.error(f"argument --minutes: must be from 0.1 to {MOST_MINUTES:g} (got {given.minutes:g})")
    if given.json is not None:
        try:
            check_writable(given.json, "--json")
        except ConfigError as error:
            parser.error(str(error))
    tenth_s = given.minutes * 60.0 / TENTHS
    rows: Rows = {}
    for number, values in enumerate((soak_nodes if given.what == "nodes" else soak_console)(tenth_s), 1):
        for name, value in values.items():
            rows.setdefault(name, []).append(value)
        print(f"tenth {number} of {TENTHS}", flush=True)
    verdicts = {name: _judged(name.split()[1], values) for name, values in rows.items()}
    _print(rows, verdicts)
    if given.json is not None:
        found = {"rows": rows, "verdicts": {name: asdict(one) for name, one in verdicts.items()}}
        given.json.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return 4 if any(one.verdict == GREW for one in verdicts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
