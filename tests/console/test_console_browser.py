"""The console in Chromium, as an operator uses it: run, stop, look back, begin anew."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.browser import Page
from helpers.maps import write_two_pellets
from helpers.patience import output

pytest.importorskip("uvicorn", reason="the console's server is not installed")

from arena_trees.recording.loading import load_recording

TEXT = "document.getElementById('%s').textContent"
CLOCK = f"parseFloat({TEXT % 'clock'})"


@contextmanager
def console(folder: Path, *arguments: str) -> Iterator[str]:
    """The address that a console prints, of a process that ends with it."""
    command = [sys.executable, "-m", "arena_trees", "console", "--no-browser", "--port", "0"]
    command += ["--recordings", str(folder / "recordings"), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://[\d.]+:\d+/\S*(?=;)", process.stdout.readline())
        assert found is not None
        yield found.group()
    finally:
        process.terminate()
        _, complaints = output(process)
    assert "Traceback" not in complaints


@pytest.fixture
def address(tmp_path) -> Iterator[str]:
    with console(tmp_path, "wolf_rabbit") as address:
        yield address


def test_an_operator_plays_a_game(address, tmp_path):
    with Page(tmp_path / "profile") as page:
        page.resize(1280, 800)
        page.send("Page.navigate", url=address)
        page.wait_for("document.getElementById('subtitle')?.textContent === 'seed 1000 · paused'")
        page.wait_for("document.querySelectorAll('.robot').length === 2")

        page.press(" ")
        page.wait_for(f"{CLOCK} > 1.5")
        assert page.run(TEXT % "run") == "Pause"
        assert page.run("[...document.querySelectorAll('.active')].every(one => one.textContent.length > 3)")

        # A gain is tuned, and a value out of its range refused.
        change = "((key, value) => {const field = document.getElementById(`parameter-${key}`); field.value = value;"
        change += "field.dispatchEvent(new Event('change'))})"
        page.run(f"{change}('chase_kp', '99')")
        page.wait_for(
            "document.querySelector('.refused:not(:empty)')?.textContent.includes('less than or equal to 20')"
        )
        page.run(f"{change}('chase_kp', '3.25')")
        page.wait_for(f"{TEXT % 'changes'} === '1 changed'")

        # What was tuned can be charted, as any percept or command.
        option = "[...document.getElementById('series').options].some(one => one.value === 'wolf: parameter chase_kp')"
        page.wait_for(option)
        choose = "(list => {list.value = 'wolf: parameter chase_kp'; list.dispatchEvent(new Event('change'))})"
        page.run(f"{choose}(document.getElementById('series'))")
        charts = "[...document.querySelectorAll('#charts .chart')].map(one => one.textContent)"
        page.wait_for(f"{charts}.some(text => text.includes('parameter chase_kp') && text.includes('3.25'))")
        page.wait_for(f"{charts}.some(text => text.includes('wolf: target on the image'))")

        page.click("#sound")
        assert page.run(TEXT % "sound") == "Sound on"

        page.click("#stop")
        page.wait_for("[...document.querySelectorAll('.gate')].every(one => one.textContent.startsWith('latched'))")
        page.press("r")
        page.wait_for("document.getElementById('reset').disabled")

        # The past is looked at while the game goes on.
        slider = "(slider => {slider.value = 500; slider.dispatchEvent(new Event('input'))})"
        page.run(f"{slider}(document.getElementById('time'))")
        newest = "Number(document.getElementById('time').max)"
        before = page.run(newest)
        page.wait_for(f"{newest} > {before} + 300")
        assert page.run(CLOCK) == pytest.approx(0.5, abs=0.03)
        page.press("End")
        page.wait_for(f"{CLOCK} > 1.5")

        page.click("#save")
        page.wait_for("document.getElementById('saved').hidden === false")
        (saved,) = (tmp_path / "recordings").iterdir()
        assert page.run(TEXT % "saved").endswith(saved.name)
        ticks = load_recording(saved).robots["wolf"].ticks
        assert [dict(tick.parameters) for tick in ticks if tick.parameters] == [{"chase_kp": 3.25}]

        page.click("#saved a")
        page.wait_for(
            "document.title.endsWith('a recorded run') && Number(document.getElementById('time')?.max) > 1500"
        )
        assert page.run(TEXT % "title") == "wolf_rabbit"
        page.send("Page.navigate", url=f"{address}pair?left={saved.name}&right={saved.name}")
        page.wait_for("document.getElementById('play')?.disabled === false")
        page.run(f"{slider}(document.getElementById('time'))")
        clocks = (
            "['left', 'right'].map(id => document.getElementById(id).contentDocument.getElementById('clock').value)"
        )
        assert page.run(f"{clocks}.every(clock => clock.startsWith('0.50 /'))")
        page.send("Page.navigate", url=address)
        page.wait_for("document.querySelectorAll('.robot').length === 2")

        page.click("#next")
        page.wait_for(f"{TEXT % 'subtitle'} === 'seed 1001 · paused'")
        assert page.run("document.getElementById('failure').hidden")

        # Why an order was refused stands until the next one.
        answer = 'Promise.resolve(new Response(\'{"error": "no"}\'))'
        page.run("window.real = window.fetch; 1")
        page.run(f"window.fetch = (url, more) => url === '/order' ? {answer} : window.real(url, more); 1")
        page.click("#step")
        refused = f"!document.getElementById('failure').hidden && {TEXT % 'failure'} === 'no'"
        page.wait_for(refused)
        page.run("window.fetch = window.real; new Promise(done => setTimeout(done, 1500))")
        assert page.run(refused)
        page.click("#step")
        page.wait_for("document.getElementById('failure').hidden")
        assert page.problems == []
        assert all(one.startswith((address, "data:", "blob:")) for one in page.asked.values())


def test_who_has_no_token_looks_on(tmp_path):
    visible = "getComputedStyle(document.getElementById('%s')).display !== 'none'"
    with console(tmp_path, "wolf_rabbit_open", "--host", "0.0.0.0") as address, Page(tmp_path / "profile") as page:
        home, _, token = address.partition("#")
        page.send("Page.navigate", url=home)
        page.wait_for("document.querySelectorAll('.robot').length === 2 && document.body.classList.contains('looker')")
        assert not any(page.run(visible % control) for control in ("run", "stop", "save", "compare"))
        page.press(" ")
        page.send("Page.navigate", url="about:blank")
        page.send("Page.navigate", url=f"{home}#{token}")
        page.wait_for("document.querySelectorAll('.robot').length === 2")
        assert all(page.run(visible % control) for control in ("run", "stop", "save", "compare"))
        assert page.run("location.hash") == "", "the token is not left in the address"
        assert page.run(CLOCK) == 0.0, "who looks on has run it"
        page.press(".")
        page.press(".")
        page.wait_for(f"{CLOCK} > 0")
        assert page.problems == []


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "gain"), [("wolf_rabbit", "chase_kp"), ("two_pellets", "look_ahead")])
def test_a_whole_game_is_played(tmp_path, scenario, gain):
    two_pellets = write_two_pellets(tmp_path)
    over = f"/ · (caught|complete)/.test({TEXT % 'subtitle'})"
    played = str(two_pellets) if scenario == two_pellets.stem else scenario
    with console(tmp_path, played) as address, Page(tmp_path / "profile") as page:
        page.send("Page.navigate", url=address)
        page.wait_for(f"document.getElementById('parameter-{gain}') !== null")
        if played != scenario:
            page.run("document.querySelector('#controls input').value = '77'")
            page.click("#controls label button")
            page.wait_for(f"{TEXT % 'ruled'} === 'there is no pellet 77 to remove'")
            page.run("document.querySelectorAll('#controls input')[1].value = '0.02'")
            page.click("#controls label:last-child button")
            page.wait_for(f"{TEXT % 'ruled'} === ''")
        fastest = "(list => {list.value = '0'; list.dispatchEvent(new Event('change'))})"
        page.run(f"{fastest}(document.getElementById('speed'))")
        page.click("#run")
        page.wait_for(over)
        assert page.run("document.getElementById('run').disabled")
        assert page.run("document.querySelectorAll('#list li').length") > 3
        page.click("#save")
        page.wait_for("document.getElementById('saved').hidden === false")
        (saved,) = (tmp_path / "recordings").iterdir()
        assert load_recording(saved).info["end"]["over"]
        assert page.problems == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")])
def test_everybody_can_use_the_pages(address, tmp_path, width, scheme):
    axe = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
    script = Path(axe.__file__).with_name("axe.min.js").read_text()
    with Page(tmp_path / "profile") as page:
        page.resize(width, 800)
        page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        page.send("Page.navigate", url=address)
        page.wait_for("document.querySelectorAll('.robot').length === 2")
        page.press(" ")
        page.wait_for(f"{CLOCK} > 1.5 && document.querySelectorAll('.gauge').length === 1")
        page.click("#save")
        page.wait_for("document.getElementById('saved').hidden === false")
        for path, ready in (("", None), ("recordings", "document.querySelectorAll('.facts p').length > 2")):
            if ready is not None:
                page.send("Page.navigate", url=f"{address}{path}")
                page.wait_for(ready)
            assert page.run("document.documentElement.scrollWidth") <= width, path
            page.run(f"{script};1")
            found = page.send(
                "Runtime.evaluate",
                expression="axe.run().then(({ passes, violations }) => [passes.length, JSON.stringify(violations)])",
                awaitPromise=True,
                returnByValue=True,
            )
            passes, violations = found["result"]["value"]
            assert passes > 20 and json.loads(violations) == []
        assert page.problems == []
