"""A headless Chromium, driven over a pipe by the DevTools protocol; nothing is installed for it."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from helpers.patience import Patience, until

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)


def find_chromium() -> str:
    """Return Chromium's path; skip the test where there is none."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip(f"no Chromium found: none of {', '.join(_NAMES)} is on the path")
    return path


class Page:
    """One page of a browser of its own.

    Attributes:
        problems: errors in the page's console, and exceptions that nobody caught
        asked: addresses that it asked for, by request; what its own policy refused is none
    """

    def __init__(self, profile: Path) -> None:
        self.problems: list[str] = []
        self.asked: dict[str, str] = {}
        self._number = 0
        self._session: str | None = None
        self._buffer = b""
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        # The protocol is spoken on the files 3 and 4.
        command = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        program = ["bash", "-c", command, "bash", find_chromium(), *_FLAGS, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            program, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_browser)
        os.close(from_browser)
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *error: object) -> None:
        self._session = None
        try:
            # It may end before it answers.
            self._order("Browser.close", {})
            while self._read_more():
                pass
        finally:
            os.close(self._write)
            os.close(self._read)
            self._process.kill()
            self._process.wait()

    def resize(self, width: int, height: int) -> None:
        """Set the size of the window's inside, px."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path: Path) -> None:
        """Load a file, and wait until the report says that it is drawn, or why it cannot be."""
        self.send("Page.navigate", url=path.absolute().as_uri())
        ready = (
            "performance.getEntriesByName('report-ready').length"
            " || (document.getElementById('failure')?.hidden === false)"
        )
        self.wait_for(ready)

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true."""
        until(lambda: self.run(expression), lambda: f"{expression}; {self.problems}")

    def run(self, expression: str) -> Any:
        """Return the value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=8 * shift, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=8 * shift)

    def click(self, selector: str) -> None:
        """Click in the middle of an element."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{found}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        x, y = self.run(f"(box => [box.x + box.width / 2, box.y + box.height / 2])({found}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give an order and return its answer."""
        self._order(method, parameters)
        while True:
            message = self._receive()
            if message.get("id") == self._number:
                assert "error" not in message, message
                return dict(message.get("result", {}))
            self._note(message.get("method", ""), message.get("params", {}))

    def _order(self, method: str, parameters: dict[str, Any]) -> None:
        self._number += 1
        order = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            order["sessionId"] = self._session
        os.write(self._write, json.dumps(order).encode() + b"\0")

    def _note(self, method: str, reported: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(reported["exceptionDetails"]))
        elif method == "Log.entryAdded" and reported["entry"]["level"] == "error":
            self.problems.append(reported["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and reported["type"] in ("error", "assert"):
            self.problems.append(json.dumps(reported["args"]))
        elif method == "Network.requestWillBeSent":
            self.asked[reported["requestId"]] = reported["request"]["url"]
        elif method == "Network.loadingFailed" and reported.get("blockedReason") == "csp":
            self.asked.pop(reported["requestId"], None)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert self._read_more(), "Chromium ended"
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def _read_more(self) -> bool:
        """Wait for what Chromium writes next; return False at its end."""
        patience = Patience("an answer of Chromium")
        while not select.select([self._read], [], [], 1.0)[0]:
            patience.check()
        part = os.read(self._read, 1 << 20)
        self._buffer += part
        return bool(part)
