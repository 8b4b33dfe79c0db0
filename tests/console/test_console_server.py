"""The console's server: what a page is given, what its operator can do, and what is refused."""

import http.client
import json
import socket
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers.patience import until

pytest.importorskip("uvicorn", reason="the console's server is not installed")

from arena_trees.console.console import Console
from arena_trees.console.recording_folder import RecordingFolder
from arena_trees.console.server import make_server
from arena_trees.recording.loading import load_recording
from arena_trees.robot.clock import from_seconds


class Client:
    """Asks a server, a connection a question.

    Attributes:
        home: its address
        port: its port on this machine
    """

    def __init__(self, port: int) -> None:
        self.home = f"http://127.0.0.1:{port}"
        self.port = port

    def ask(
        self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, http.client.HTTPMessage]:
        """Return the code, the body and the headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, dict(headers or {}))
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """Return what JSON the server answers."""
        code, body, _ = self.ask("GET", path)
        assert code == 200, body
        return json.loads(body)


def column(bundle: bytes, where: tuple[int, int, float]) -> list[float]:
    """Return the values of a column, as a page reads them."""
    offset, count, step = where
    offset += 4 + struct.unpack_from("<I", bundle)[0]
    values, total = [], 0
    for _ in range(count):
        raw = shift = 0
        while True:
            byte = bundle[offset]
            offset += 1
            raw |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        total += (raw >> 1) ^ -(raw & 1)
        values.append(total * step)
    return values


class Operator:
    """A page as the server sees it.

    Attributes:
        bundles: of the newest answer
        headers: of its bundles
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.known = (-1, -1, -1)
        self.headers: list[dict[str, Any]] = []
        self.bundles: list[bytes] = []

    def news(self) -> dict[str, Any]:
        code, body, headers = self.client.ask("GET", "/news?game={}&epoch={}&frame={}".format(*self.known))
        assert code == 200
        blocks = []
        while body:
            (length,) = struct.unpack_from("<I", body)
            blocks.append(body[4 : 4 + length])
            body = body[4 + length :]
        state: dict[str, Any] = json.loads(blocks[0])
        self.headers = []
        self.bundles = [zlib.decompress(block) if state["whole"] else block for block in blocks[1:] if block]
        for bundle in self.bundles:
            (length,) = struct.unpack_from("<I", bundle)
            self.headers.append(json.loads(bundle[4 : 4 + length]))
        self.known = int(headers["X-Game"]), state["epoch"], state["frame"]
        return state

    def order(self, **wanted: Any) -> dict[str, Any]:
        headers = {"Origin": self.client.home, "Content-Type": "application/json"}
        code, body, _ = self.client.ask("POST", "/order", json.dumps(wanted), headers)
        said: dict[str, Any] = json.loads(body)
        assert code == 200 and "error" not in said, body
        return said

    def refused(self, **wanted: Any) -> str:
        """Give an order that is refused, and return the reason."""
        headers = {"Origin": self.client.home, "Content-Type": "application/json"}
        code, body, _ = self.client.ask("POST", "/order", json.dumps(wanted), headers)
        assert code == 200, body
        return str(json.loads(body)["error"])

    def until(self, wanted: Any) -> dict[str, Any]:
        """Ask until the state is as wanted, and return it."""
        states: list[dict[str, Any]] = [self.news()]

        def reached() -> bool:
            if not wanted(states[-1]):
                states.append(self.news())
            return bool(wanted(states[-1]))

        until(reached, lambda: str(states[-1]))
        return states[-1]


@contextmanager
def served(folder: Path, token: str = "", graceful_s: int = 2) -> Iterator[Client]:
    """A console of a game that stands, behind a real server; it saves into a folder, and waits so long at its end."""
    console = Console("wolf_rabbit_open", {"seed": 5, "duration_s": 60}, folder)
    # Its process begins here, and not within a test that looks at it first.
    assert console.game
    server = make_server(console, token)
    server.config.timeout_graceful_shutdown = graceful_s
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Client(listener.getsockname()[1])
        finally:
            server.should_exit = True
            console.close()
            thread.join()


@pytest.fixture(scope="module")
def client(tmp_path_factory) -> Iterator[Client]:
    with served(tmp_path_factory.mktemp("recordings")) as client:
        yield client


@pytest.fixture
def operator(tmp_path) -> Iterator[Operator]:
    with served(tmp_path / "recordings") as client:
        yield Operator(client)


def test_a_game_stands_until_it_is_run_and_again_after_a_pause(operator):
    assert not operator.until(lambda state: state["frame"] >= 1)["running"]
    operator.order(what="speed", speed=0.0)
    operator.order(what="run")
    assert operator.until(lambda state: state["now_s"] > 1.0)["running"]
    operator.order(what="pause")
    paused = operator.until(lambda state: not state["running"])
    operator.order(what="step")
    assert operator.until(lambda state: state["now_s"] > paused["now_s"])["now_s"] == pytest.approx(
        paused["now_s"] + 0.02
    )


def test_a_page_gets_the_whole_once_and_then_what_is_new(operator):
    operator.order(what="step")
    operator.until(lambda state: state["now_s"] >= 0.02)
    (whole,) = operator.headers
    assert [robot["name"] for robot in whole["robots"]] == ["wolf", "rabbit"]
    assert whole["shapes"]
    operator.order(what="step")
    state = operator.until(lambda state: state["now_s"] >= 0.04)
    (part,) = operator.headers
    assert not state["whole"] and part["shapes"] == []
    assert part["robots"][0]["ticks"]["t"][1] == 1, "one tick"
    operator.order(what="step")
    operator.until(lambda state: state["now_s"] >= 0.06)
    (later,) = operator.headers
    assert later["first_text"] == part["first_text"] + len(part["texts"]), "texts that the page has come again"


def test_the_stop_holds_every_robot_until_it_is_reset(operator):
    operator.order(what="stop")
    stopped = operator.until(lambda state: state["stopped"])
    assert dict(stopped["latched"]) == {name: "operator stop: console" for name in ("wolf", "rabbit")}
    operator.order(what="step")
    still = operator.until(lambda state: state["now_s"] > stopped["now_s"])
    assert len(still["latched"]) == 2
    operator.order(what="reset")
    operator.until(lambda state: not state["stopped"])
    operator.order(what="speed", speed=0.0)
    operator.order(what="run")
    state = operator.until(lambda state: state["now_s"] > still["now_s"] + 4.0)
    assert state["latched"] == [], "the stop came back"
    operator.known = (-1, -1, -1)
    operator.news()
    (whole,) = operator.headers
    for robot in whole["robots"]:
        assert max(column(operator.bundles[0], robot["ticks"]["driven_linear"])) > 0.05, "it stands still"


def test_a_game_that_goes_on_is_saved_as_far_as_it_came(operator):
    operator.order(what="speed", speed=0.0)
    operator.order(what="run")
    operator.until(lambda state: state["now_s"] > 1.5)
    saved = load_recording(operator.order(what="save")["saved"])
    again = operator.order(what="save")["name"]
    assert again != saved.path.name and operator.client.get(f"/recordings/facts?name={again}")["seed"] == 5
    now_s = operator.news()["now_s"]
    assert saved.info["seed"] == 5 and not saved.info["end"]["over"]
    for robot in saved.robots.values():
        assert len(robot.ticks) > 75
        assert [tick.number for tick in robot.ticks] == list(range(len(robot.ticks)))
        assert robot.ticks[-1].now <= from_seconds(now_s)


def test_parameters_are_changed_whole_or_refused_with_the_reason(operator):
    operator.order(what="step")
    operator.until(lambda state: state["now_s"] >= 0.02)
    robots = operator.client.get("/parameters")["robots"]
    assert {name: sheet["role"] for name, sheet in robots.items()} == {"wolf": "wolf", "rabbit": "rabbit"}
    (gain,) = [field for field in robots["wolf"]["fields"] if field["key"] == "chase_kp"]
    assert (gain["kind"], gain["unit"], gain["low"], gain["high"]) == ("number", "rad/s", 0.0, 20.0)
    operator.order(what="tune", robot="wolf", changes={"chase_kp": 3.25, "chase_kd": 0.1})
    sheet = operator.client.get("/parameters")["robots"]["wolf"]
    assert (sheet["values"]["chase_kp"], sheet["begin"]["chase_kp"]) == (3.25, 2.0)
    for changes, reason in (
        ({"chase_kp": 1.0, "chase_kd": 99}, "chase_kd"),
        ({"chase_kp": 1.0, "strategy": "source"}, "read only"),
        ({"chase_kp": 1.0, "chase_kq": 1}, "chase_kq"),
        ({"chase_kp": "fast"}, "chase_kp"),
    ):
        assert reason in operator.refused(what="tune", robot="wolf", changes=changes)
    assert "robot" in operator.refused(what="tune", robot="fox", changes={"chase_kp": 1.0})
    assert operator.client.get("/parameters")["robots"]["wolf"]["values"] == sheet["values"]
    operator.order(what="step")
    ticks = load_recording(operator.order(what="save")["saved"]).robots["wolf"].ticks
    assert [dict(tick.parameters) for tick in ticks if tick.parameters] == [{"chase_kp": 3.25, "chase_kd": 0.1}]


def test_parameters_are_kept_in_a_file_and_taken_back(operator):
    operator.order(what="step")
    operator.until(lambda state: state["now_s"] >= 0.02)
    operator.order(what="tune", robot="wolf", changes={"chase_kp": 3.25})
    code, text, headers = operator.client.ask("GET", "/parameters/file?robot=wolf")
    assert code == 200 and "wolf.yaml" in headers["Content-Disposition"]
    operator.order(what="tune", robot="wolf", changes={"chase_kp": 1.0})
    operator.order(what="load", robot="wolf", text=text.decode())
    assert operator.client.get("/parameters")["robots"]["wolf"]["values"]["chase_kp"] == 3.25
    wrong = text.decode().replace("chase_kp: 3.25", "chase_kp: .nan")
    assert "chase_kp" in operator.refused(what="load", robot="wolf", text=wrong)
    assert "unknown key" in operator.refused(what="load", robot="rabbit", text=text.decode())
    assert "top key" in operator.refused(what="load", robot="wolf", text="chase_kp: 3")
    assert operator.client.ask("GET", "/parameters/file?robot=fox")[0] == 404


def test_where_others_look_on_control_needs_the_token(tmp_path):
    with served(tmp_path, token="a secret") as client:
        sent = {"Origin": client.home, "Content-Type": "application/json"}
        for token, code in ((None, 401), ("another", 401), ("a secre", 401), ("a secret", 200)):
            given = {} if token is None else {"X-Token": token}
            assert client.ask("POST", "/order", json.dumps({"what": "step"}), sent | given)[0] == code
            assert json.loads(client.ask("GET", "/control", headers=given)[1]) == {"granted": code == 200}
        elsewhere = sent | {"Origin": "http://elsewhere.example", "X-Token": "a secret"}
        assert client.ask("POST", "/order", json.dumps({"what": "step"}), elsewhere)[0] == 403
        operator = Operator(client)
        assert operator.until(lambda state: state["now_s"] > 0.0)["now_s"] == pytest.approx(0.02)
        code, _, _ = client.ask("GET", "/", headers={"Host": "arena.lab:8712"})
        assert code == 200, "another machine calls this one by another name"


@pytest.mark.timeout(300)
def test_two_values_play_the_same_seeds_and_one_is_called_better_after_the_last_pair(operator):
    assert operator.client.get("/ab") is None
    operator.until(lambda state: state["frame"] >= 1)
    for wanted, reason in (
        ({"a": "wolf.chase_kp=.nan"}, "wolf.chase_kp"),
        ({"b": "fox.chase_kp=1"}, "fox"),
        ({"b": "chase_kp"}, "key=value"),
        ({"b": "wolf.chase_kp='1"}, "quotation"),
        ({"b": "seed=7"}, "B: seed: both arms play the same pairs of trials (got 7)"),
        ({"a": "trials=7"}, "A: trials: both arms"),
        ({}, "B: is the same as A"),
    ):
        assert reason in operator.refused(what="ab", pairs=6, **wanted)
    operator.order(what="tune", robot="wolf", changes={"chase_kp": 3.25})
    short = "duration_s=1"
    operator.order(what="ab", a=f"{short} wolf.chase_kp=1", b=short, pairs=7)
    operator.order(what="ab_stop")
    ended = operator.client.get("/ab")
    assert not ended["running"] and ended["done"] < 7
    assert all(metric["verdict"] == "" for metric in ended["metrics"])

    # What A and B leave out is as it began, and as it is tuned now.
    operator.order(what="ab", a="", b="", pairs=6)
    assert (operator.client.get("/ab")["a"], operator.client.get("/ab")["b"]) == (
        {"duration_s": 60, "seed": 5},
        {"duration_s": 60, "seed": 5, "wolf.chase_kp": 3.25},
    )
    operator.order(what="ab", a=f"{short} wolf.chase_kp=3", b=short, pairs=6)
    tests: list[dict[str, Any]] = [{}]

    def comes_to(done: int) -> bool:
        tests.append(operator.client.get("/ab"))
        return tests[-1].get("failed") or tests[-1]["done"] >= done

    # The game comes first, so that a pair may take long on a busy machine.
    for pair in range(1, 7):
        until(partial(comes_to, pair), lambda: str(tests[-1]))
    until(lambda: not operator.client.get("/ab")["running"], "the end of the test")
    assert tests[-1]["done"] == 6 and "failed" not in tests[-1]
    (catches,) = [metric for metric in tests[-1]["metrics"] if metric["name"] == "catch_rate"]
    assert (catches["a"], catches["b"], catches["difference"], catches["verdict"]) == (0.0, 0.0, 0.0, "same")
    assert (catches["low"], catches["high"]) == (0.0, 0.0)


def test_recordings_and_scenarios_are_listed_and_opened_and_nothing_else_is(operator, tmp_path):
    assert operator.client.get("/recordings/names") == []
    operator.order(what="step")
    name = operator.order(what="save")["name"]
    damaged = tmp_path / "recordings" / "from_elsewhere" / "damaged"
    damaged.mkdir(parents=True)
    (damaged / "damaged.mcap").write_bytes(b"no bag")
    names = operator.client.get("/recordings/names")
    assert sorted(names) == ["from_elsewhere/damaged", name]
    facts = operator.client.get(f"/recordings/facts?name={name}")
    assert (facts["scenario"], facts["seed"]) == ("wolf_rabbit_open", 5)
    assert facts["robots"] == {"wolf": "wolf", "rabbit": "rabbit"}
    assert "failed" in operator.client.get("/recordings/facts?name=from_elsewhere/damaged")
    code, picture, headers = operator.client.ask("GET", f"/recordings/picture?name={name}")
    assert (code, headers["Content-Type"]) == (200, "image/png") and picture.startswith(b"\x89PNG")
    code, page, headers = operator.client.ask("GET", f"/recording?name={name}")
    assert code == 200 and b"wolf_rabbit_open" not in page, "the recording is packed, and no text of the page"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"
    assert operator.client.ask("GET", "/recording?name=from_elsewhere/damaged")[0] == 422
    # No other folder is one.
    for name in ("", "..", "../..", "/etc", "nowhere", "."):
        for what in ("recording", "recordings/facts", "recordings/picture"):
            assert operator.client.ask("GET", f"/{what}?name={name}")[0] == 404
    assert len(operator.client.get("/scenarios")) > 10
    code, picture, _ = operator.client.ask("GET", "/picture?scenario=pacman")
    assert code == 200 and picture.startswith(b"\x89PNG")
    assert operator.client.ask("GET", "/picture?scenario=../pacman")[0] == 404


def test_the_rules_are_steered_by_what_they_offer(operator):
    operator.order(what="play", scenario="pacman", seed=7)
    state = operator.until(lambda state: state["controls"])
    assert state["controls"] == ["reset_pellets", "reset_ghosts"]
    assert state["settings"] == ["remove_pellet", "ghost_speed"]
    operator.order(what="set", name="remove_pellet", value=3)
    assert "no pellet 3" in operator.refused(what="set", name="remove_pellet", value=3), "it was not removed"
    operator.order(what="control", name="reset_pellets")
    operator.order(what="set", name="remove_pellet", value=3)
    operator.order(what="set", name="ghost_speed", value=0.1)
    for name, value, reason in (
        ("ghost_speed", "fast", "number"),
        ("ghost_speed", None, "number"),
        ("ghost_sped", 1.0, "ghost_speed"),
    ):
        assert reason in operator.refused(what="set", name=name, value=value)
    assert "reset_pellets" in operator.refused(what="control", name="reset_pellet")


def test_a_cue_is_shown_by_the_robot_that_is_given_it(operator, tmp_path):
    operator.order(what="step")
    assert "CATCH" in operator.client.get("/parameters")["robots"]["wolf"]["cues"]
    # The game stands, and shows them when it goes on.
    operator.order(what="cue", robot="wolf", name="CATCH/light")
    operator.order(what="cue", robot="rabbit", name="BREACH/song")
    operator.order(what="step")
    shown: list[Any] = []

    def are_shown() -> bool:
        operator.news()
        for header in operator.headers:
            shown.extend(one[1:] for one in header["shows"]["shown"])
        return len(shown) == 2

    until(are_shown, lambda: str(shown))
    assert shown == [[0, "CATCH", None], [1, None, "BREACH"]]
    saved = load_recording(Path(operator.order(what="save")["saved"]))
    assert [cue for _, cue in saved.robots["wolf"].cues] == ["CATCH/light"]
    assert [cue for tick in saved.robots["wolf"].ticks for cue in tick.cues] == [], "its tree did not show it"
    for robot, name, reason in (
        ("wolf", "CATCHES", "CATCH"),
        ("wolf", "CATCH/dance", "CATCH/"),
        ("fox", "CATCH", "wolf"),
    ):
        assert reason in operator.refused(what="cue", robot=robot, name=name)


def test_another_game_begins_in_a_process_of_its_own(operator):
    operator.order(what="play", scenario="wolf_rabbit", seed=7)
    state = operator.until(lambda state: state["frame"] >= 1)
    assert (state["scenario"], state["seed"], state["now_s"]) == ("wolf_rabbit", 7, 0.0)


ORDER = json.dumps({"what": "pause"})
HOME = "home"
"""Stands for the server's own address."""
JSON = {"Origin": HOME, "Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("body", "headers", "code", "reason"),
    [
        (ORDER, JSON | {"Origin": "http://elsewhere.example"}, 403, "another page"),
        (ORDER, {"Content-Type": "application/json"}, 403, "another page"),
        (ORDER, JSON | {"Content-Type": "text/plain"}, 415, "JSON"),
        ("{", JSON, 400, "JSON"),
        ("[" * 3000, JSON, 400, "JSON"),
        (" " * 10_000_000, JSON, 413, "200000 bytes"),
        ('{"what": "speed", "speed": NaN}', JSON, 400, "NaN"),
        ('{"what": "speed", "speed": 1e999}', JSON, 400, "too large"),
        ('{"what": "speed", "speed": -1}', JSON, 400, "speed"),
        ('{"what": "tune", "robot": "wolf", "changes": {"chase_kp": NaN}}', JSON, 400, "NaN"),
        ('{"what": "dance"}', JSON, 400, "what"),
        ('{"what": "run", "more": 1}', JSON, 400, "more"),
        ('{"what": "play", "scenario": "/etc/passwd", "seed": 1}', JSON, 400, "scenario"),
        ('{"what": "play", "scenario": "wolf_rabbit", "seed": 1.5}', JSON, 400, "seed"),
    ],
)
def test_what_no_page_of_ours_sends_is_refused_in_one_line(client, caplog, body, headers, code, reason):
    sent = {name: client.home if value == HOME else value for name, value in headers.items()}
    found, answer, _ = client.ask("POST", "/order", body, sent)
    assert found == code
    assert reason in json.loads(answer)["error"]
    (record,) = [one for one in caplog.records if one.name == "arena_trees.console"]
    assert "\n" not in record.getMessage() and len(record.getMessage()) < 300


def test_a_page_that_is_closed_within_an_order_is_no_fault_of_the_server(client, caplog):
    with socket.create_connection(("127.0.0.1", client.port)) as page:
        head = {
            "Host": "localhost",
            "Origin": "http://localhost",
            "Content-Type": "application/json",
            "Content-Length": 9,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        page.sendall(f"POST /order HTTP/1.1\r\n{lines}\r\n{{".encode())
    until(lambda: caplog.records, "a line in the log")
    assert caplog.messages == ["POST /order refused: the page was closed before the order was whole"]


def test_an_answer_that_is_not_ready_when_the_console_ends_is_given_up_without_a_fault(tmp_path, capsys, monkeypatch):
    asked, ended = threading.Event(), threading.Event()

    def names(folder):
        asked.set()
        ended.wait(30.0)
        return []

    monkeypatch.setattr(RecordingFolder, "names", names)
    with ThreadPoolExecutor(1) as page:
        with served(tmp_path, graceful_s=1) as client:
            answer = page.submit(client.ask, "GET", "/recordings/names")
            assert asked.wait(30.0)
        ended.set()
        assert answer.result()[0] == 500
    assert capsys.readouterr().err == "ERROR:    Cancel 1 running task(s), timeout graceful shutdown exceeded\n"


def test_a_name_that_is_not_this_machines_is_refused(client):
    assert client.ask("GET", "/", headers={"Host": "rebound.example"})[0] == 400
    assert client.ask("GET", "/news?frame=many")[0] == 400


def test_the_page_asks_nobody_but_its_server(client):
    page = client.ask("GET", "/")[1].decode()
    assert "connect-src 'self'" in page and "default-src 'none'" in page
    assert "@" + "SCRIPT@" not in page


def test_of_two_hundred_connections_some_are_refused_and_the_game_goes_on(operator):
    port = int(operator.client.home.rsplit(":", 1)[1])
    with ExitStack() as opened:
        for _ in range(200):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        until(lambda: operator.client.ask("GET", "/")[0] == 503, "a refusal")
    until(lambda: operator.client.ask("GET", "/")[0] == 200, "an answer")
    operator.order(what="step")
    assert operator.until(lambda state: state["now_s"] > 0.0)["failed"] == ""
