"""The console's server: a page, what it lacks of the game, and what its operator wants."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import uvicorn
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from arena_trees.console.console import Console
from arena_trees.console.exchange import Instruction
from arena_trees.console.parameter_file import parameter_text, parameters_from
from arena_trees.console.pictures import scenario_picture
from arena_trees.console.recording_folder import RecordingFolder
from arena_trees.experiments.intervals import FEWEST
from arena_trees.recording.report_page.report import PAGE as REPORT
from arena_trees.recording.report_page.report import assemble
from arena_trees.robot.configuration.yaml_files import MAXIMUM_BYTES
from arena_trees.robot.errors import ArenaTreesError
from arena_trees.robot.messaging.json_text import JsonLimits, first_fault, read_json

__all__ = ["console_page", "make_app", "make_server"]

PAGE = Path(__file__).with_name("page")
"""Folder of what the console's page is made of, besides what it has in common with the report."""

_DRAWING = ("decode.js", "shapes.js", "map.js", "shows.js", "arena.js", "tree.js")
_LISTING = ("gauge.js", "plots.js", "bands.js", "lists.js", "robots.js")
_SCRIPTS = {
    "console": (*_DRAWING, *_LISTING, "growing.js", "charts.js", "tuning.js", "cues.js", "ab_test.js", "console.js"),
    "recordings": ("decode.js", "recordings.js"),
    "pair": ("pair.js",),
}
"""Script files of each page, in the order in which they are run as one script."""
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "SAMEORIGIN"}
"""Headers of pages: no other site may lay one of them under its own buttons."""
_MOST_BYTES = 2 * MAXIMUM_BYTES
"""Longest body of an order, bytes."""
_LONGEST = 4000
"""Longest text of the changes of an arm of an A/B test, letters."""
_TOKEN = "X-Token"
_MOST_CONNECTIONS = 100
_PATIENCE_S = 1.0
_MOST_SEED = (1 << 31) - 1

_LIMITS = JsonLimits(bytes=_MOST_BYTES, values=5_000, text=MAXIMUM_BYTES)

AnyT = TypeVar("AnyT")

_log = logging.getLogger("arena_trees.console")


class _Wanted(BaseModel):
    """An order of a page."""

    model_config = ConfigDict(extra="forbid", strict=True)

    what: Literal[
        "run", "pause", "step", "speed", "stop", "reset", "play", "save", "tune", "load", "ab", "ab_stop",
        "control", "set", "cue", "start",
    ]  # fmt: skip
    speed: Annotated[float, Field(ge=0.0, le=100.0, allow_inf_nan=False)] = 1.0
    scenario: Annotated[str, Field(max_length=200)] = ""
    seed: Annotated[int, Field(ge=0, le=_MOST_SEED)] = 0
    robot: Annotated[str, Field(max_length=200)] = ""
    changes: dict[str, Any] = {}
    text: Annotated[str, Field(max_length=MAXIMUM_BYTES)] = ""
    name: Annotated[str, Field(max_length=200)] = ""
    value: Any = None
    a: Annotated[str, Field(max_length=_LONGEST)] = ""
    b: Annotated[str, Field(max_length=_LONGEST)] = ""
    pairs: Annotated[int, Field(ge=FEWEST, le=1000)] = FEWEST


def console_page(name: str) -> str:
    """Return a page of the console: drawn as the report, but that it asks the server that it came from.

    Args:
        name: of the page
    """
    styles = ("report.css", "console.css")
    return assemble(PAGE / f"{name}.html", styles, _SCRIPTS[name], {}, folders=(PAGE, REPORT), connects=True)


def make_app(console: Console, token: str = "") -> Starlette:
    """Return the application, which takes orders from its own page alone.

    Without a token it answers whoever asks for this machine as ``localhost`` or ``127.0.0.1``.

    Args:
        console: holds the game
        token: that orders must bring, where other machines may look on
    """
    answers = _Answers(console, token)
    hosts = ["*"] if token else ["localhost", "127.0.0.1"]
    return Starlette(
        routes=[
            Route("/", answers.page),
            Route("/icon.svg", answers.icon),
            Route("/scenarios", answers.listed),
            Route("/news", answers.news),
            Route("/order", answers.order, methods=["POST"]),
            Route("/control", answers.control),
            Route("/ab", answers.ab),
            Route("/parameters", answers.parameters),
            Route("/parameters/file", answers.parameter_file),
            Route("/picture", answers.picture),
            Route("/recordings", answers.recordings),
            Route("/recordings/names", answers.names),
            Route("/recordings/facts", answers.facts),
            Route("/recordings/picture", answers.recording_picture),
            Route("/recording", answers.recording),
            Route("/pair", answers.pair),
        ],
        # A page of another site that has this machine's address under a name of its own is refused.
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=hosts)],
        exception_handlers={ClientDisconnect: _left},
    )


def make_server(console: Console, token: str = "") -> uvicorn.Server:
    """Return the server, which is to be given a socket that listens.

    Args:
        console: holds the game
        token: that orders must bring; empty where none is needed
    """
    config = uvicorn.Config(
        make_app(console, token),
        log_level="warning",
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=2,
        ws="none",
        lifespan="off",
    )
    logging.getLogger("uvicorn.error").addFilter(_is_fault)
    return uvicorn.Server(config)


def _is_fault(record: logging.LogRecord) -> bool:
    """Return False of an answer that is given up because the console ends, which uvicorn takes for a fault of ours."""
    return record.exc_info is None or not isinstance(record.exc_info[1], asyncio.CancelledError)


class _Answers:
    def __init__(self, console: Console, token: str) -> None:
        self._console = console
        self._token = token
        self._recordings = RecordingFolder(console.recordings)
        self._pages = {name: console_page(name) for name in _SCRIPTS}
        self._scenarios = console.scenarios()

    async def page(self, request: Request) -> Response:
        return HTMLResponse(self._pages["console"], headers=_HEADERS)

    async def icon(self, request: Request) -> Response:
        return FileResponse(PAGE / "icon.svg", media_type="image/svg+xml")

    async def recordings(self, request: Request) -> Response:
        return HTMLResponse(self._pages["recordings"], headers=_HEADERS)

    async def pair(self, request: Request) -> Response:
        return HTMLResponse(self._pages["pair"], headers=_HEADERS)

    async def picture(self, request: Request) -> Response:
        name = request.query_params.get("scenario", "")
        if name not in self._scenarios:
            return _refused(request, "scenario: there is no such one", 404)
        return Response(await run_in_threadpool(scenario_picture, name), media_type="image/png")

    async def names(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._recordings.names))

    async def facts(self, request: Request) -> Response:
        return await self._of_recording(request, self._recordings.facts, JSONResponse)

    async def recording_picture(self, request: Request) -> Response:
        return await self._of_recording(
            request, self._recordings.picture, lambda png: Response(png, media_type="image/png")
        )

    async def recording(self, request: Request) -> Response:
        return await self._of_recording(
            request, self._recordings.report, lambda page: HTMLResponse(page, headers=_HEADERS)
        )

    async def _of_recording(
        self, request: Request, read: Callable[[str], AnyT], answer: Callable[[AnyT], Response]
    ) -> Response:
        try:
            return answer(await run_in_threadpool(read, request.query_params.get("name", "")))
        except KeyError:
            return _refused(request, "name: there is no such recording", 404)
        except ArenaTreesError as error:
            return _refused(request, str(error), 422)

    async def listed(self, request: Request) -> Response:
        return JSONResponse(self._scenarios)

    async def news(self, request: Request) -> Response:
        try:
            game, epoch, frame = (int(request.query_params.get(name, "-1")) for name in ("game", "epoch", "frame"))
        except ValueError:
            return _refused(request, "game, epoch and frame are whole numbers")
        number, playing = self._console.game
        known = epoch if game == number else -1
        body = await run_in_threadpool(playing.news, known, frame, _PATIENCE_S)
        return Response(body, media_type="application/octet-stream", headers={"X-Game": str(number)})

    async def order(self, request: Request) -> Response:
        if request.headers.get("origin") != f"{request.url.scheme}://{request.headers.get('host')}":
            return _refused(request, "the order comes from another page", 403)
        if not self._may_control(request):
            return _refused(request, "control needs the token that the console printed", 401)
        if request.headers.get("content-type") != "application/json":
            return _refused(request, "an order is JSON", 415)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                return _refused(request, f"an order has {_MOST_BYTES} bytes at most", 413)
        try:
            wanted = _Wanted.model_validate(read_json(body.decode(), _LIMITS))
        except ValidationError as error:
            return _refused(request, first_fault(error))
        except ValueError as error:
            return _refused(request, f"an order is JSON: {error}")
        return await self._follow(request, wanted)

    async def control(self, request: Request) -> Response:
        return JSONResponse({"granted": self._may_control(request)})

    def _may_control(self, request: Request) -> bool:
        given = request.headers.get(_TOKEN, "").encode("utf-8", "replace")
        return not self._token or secrets.compare_digest(given, self._token.encode())

    async def _follow(self, request: Request, wanted: _Wanted) -> Response:
        playing = self._console.game[1]
        try:
            if wanted.what == "save":
                path = await run_in_threadpool(playing.save, self._console.recordings)
                return JSONResponse({"saved": str(path), "name": path.name})
            if wanted.what == "tune":
                await run_in_threadpool(playing.order, Instruction("tune", robot=wanted.robot, changes=wanted.changes))
            elif wanted.what == "load":
                changes = parameters_from(wanted.text, wanted.robot, playing.sheets)
                await run_in_threadpool(playing.order, Instruction("tune", robot=wanted.robot, changes=changes))
            elif wanted.what == "ab":
                await run_in_threadpool(self._console.compare, wanted.a, wanted.b, wanted.pairs)
            elif wanted.what == "ab_stop":
                if (test := self._console.ab_test) is not None:
                    await run_in_threadpool(test.stop)
            elif wanted.what != "play":
                order = Instruction(wanted.what, wanted.speed, wanted.robot, name=wanted.name, value=wanted.value)
                await run_in_threadpool(playing.order, order)
            elif wanted.scenario in (*self._scenarios, self._console.first):
                await run_in_threadpool(self._console.play, wanted.scenario, wanted.seed)
            else:
                return _refused(request, "scenario: there is no such one")
        except ArenaTreesError as error:
            # What a person may well ask for: a browser would count another status as an error of the page.
            return _refused(request, str(error), 200)
        return JSONResponse({})

    async def parameters(self, request: Request) -> Response:
        number, playing = self._console.game
        return JSONResponse({"game": number, "robots": playing.sheets})

    async def ab(self, request: Request) -> Response:
        test = self._console.ab_test
        return JSONResponse(None if test is None else test.progress)

    async def parameter_file(self, request: Request) -> Response:
        robot, sheets = request.query_params.get("robot", ""), self._console.game[1].sheets
        if robot not in sheets:
            return _refused(request, "robot: there is no such one", 404)
        name = f"{sheets[robot]['role']}.yaml"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(parameter_text(sheets[robot]), media_type="application/yaml", headers=headers)


async def _left(request: Request, error: Exception) -> Response:
    """Answer a page that was closed before its order was whole; nobody reads it."""
    return _refused(request, "the page was closed before the order was whole")


def _refused(request: Request, reason: str, code: int = 400) -> Response:
    _log.warning("%s %s refused: %s", request.method, request.url.path, reason)
    return JSONResponse({"error": reason}, status_code=code)
