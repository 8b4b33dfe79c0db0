"""``arena-trees console``: a game in the browser while it is played."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from arena_trees.commands.ros.needed import ros_needed
from arena_trees.commands.run_request import settings_of
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.console.console import Console

__all__ = ["open_console"]

_HOST = "127.0.0.1"
_PORT = 8712
_RECORDINGS = Path("recordings")


def open_console(
    scenario: Annotated[
        str | None,
        typer.Argument(
            help="Scenario: a name of `arena-trees list`, or a file; a game's own if absent. Or a folder of recordings."
        ),
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="NUMBER", help="Seed of the game.")] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="Change, as in red.chase_speed=0.2; repeatable.")
    ] = None,
    recordings: Annotated[
        Path, typer.Option("--recordings", metavar="FOLDER", help="Where recordings are saved.")
    ] = _RECORDINGS,
    ros: Annotated[
        bool, typer.Option("--ros", help="Watch the robots of the ROS graph, and act by services and parameters.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="Address to listen on; where others reach it, they look on, and control needs a token.")
    ] = _HOST,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 for any that is free.")] = _PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Play, watch robots or see recordings in the browser.

    It answers this machine alone, unless --host says otherwise.
    """
    settings = settings_of(seed, changes)
    if ros:
        if scenario is not None or settings:
            raise ConfigError("robots on ROS play what they were launched for: name no scenario or change", key="--ros")
        _serve(_graph(recordings), host, port, "", browser)
        return
    from arena_trees.console.console import Console
    from arena_trees.console.game_process import first_scenario, plan_of
    from arena_trees.console.recording_folder import is_recording

    page = ""
    if scenario is not None and Path(scenario).is_dir():
        recordings, scenario, page = Path(scenario).resolve(), None, "recordings"
        if is_recording(recordings):
            page = f"recording?{urlencode({'name': recordings.name})}"
            recordings = recordings.parent
    scenario = scenario or first_scenario()
    plan_of(scenario, settings)
    _serve(Console(scenario, settings, recordings), host, port, page, browser)


def _graph(recordings: Path) -> Console:
    """Return the console of robots on ROS."""
    from arena_trees.console.graph_console import GraphConsole

    with ros_needed("a console of robots"):
        # Here, where its absence has a reason that somebody reads.
        import arena_trees.nodes.monitors.graph_watch  # noqa: F401
    return GraphConsole(recordings)


def _serve(console: Console, host: str, port: int, page: str, browser: bool) -> None:
    """Serve until somebody ends it."""
    from arena_trees.console.server import make_server

    place = _address(host)
    with _listening(place, port) as listener:
        try:
            number = listener.getsockname()[1]
            token = "" if place.is_loopback else secrets.token_urlsafe(16)
            own, others = (_HOST, socket.gethostname()) if place.is_unspecified else (place, place)
            address = f"http://{own}:{number}/{page}{f'#token={token}' if token else ''}"
            print(f"The console is at {address}; Ctrl-C ends it.", flush=True)
            if token:
                print(f"Others look on at http://{others}:{number}/; #token={token} behind it controls.", flush=True)
            if browser:
                webbrowser.open(address)
            make_server(console, token).run(sockets=[listener])
        finally:
            console.close()


def _address(host: str) -> IPv4Address:
    try:
        return IPv4Address(_HOST if host == "localhost" else host)
    except ValueError as error:
        raise ConfigError("is no IPv4 address, such as 0.0.0.0 for all", key="--host", value=host) from error


def _listening(host: IPv4Address, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        ConfigError: the port is taken, there is none of this number, or the address is not this machine's
    """
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((str(host), port))
        # From now on a browser waits for the answer.
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        where = f"{host} port {port}"
        raise ConfigError(
            "cannot listen there: it is taken, or none of this machine", key="--port", value=where
        ) from error
    return listener
