"""Two results files side by side."""

import json

import pytest
from helpers.commands import call, complaint


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Return a function that writes results: seeds to times of the catch, None where there was none."""
    monkeypatch.chdir(tmp_path)

    def write(name, times, scenario="wolf_rabbit_open"):
        trials = [
            {
                "trial": number, "seed": seed, "outcome": "survived" if time is None else "caught",
                "reason": "<as it is>", "simulated_s": 20.0, "played_s": 20.0 if time is None else time,
                "caught": time is not None, "time_to_catch_s": time,
            }
            for number, (seed, time) in enumerate(times.items())
        ]  # fmt: skip
        values = {"scenario": scenario, "version": "1", "seed": min(times), "complete": True, "trials": trials}
        path = tmp_path / name
        path.write_text(json.dumps(values))
        return path

    return write


def test_trials_are_paired_by_their_seeds(results, capsys, tmp_path):
    first = results("arena.json", {1000: 10.0, 1001: 12.0, 1002: None})
    second = results("robots.json", {1002: 30.0, 1001: 13.0})
    page = tmp_path / "page.html"
    printed = call(capsys, "compare", first, second, "--names", "arena,robots", "--page", page)
    rows = {line.split()[0]: line.split() for line in printed.splitlines() if len(line.split()) > 3}
    assert rows["time_to_catch_s"][1:6] == ["11", "(2)", "21.5", "(2)", "+1"], "of the one pair with both"
    assert rows["catch_rate"][5] == "+0.5"
    text = page.read_text()
    assert "<td>time_to_catch_s</td>" in text and "&lt;as it is&gt;" in text and "<as it is>" not in text
    assert "robots minus arena" in text and "caught after 13.00 s" in text


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--names", "one"), "must be two names"),
        (("--names", "one,one"), "must be two names"),
        (("--page", "page.pdf"), ".html"),
    ],
)
def test_what_cannot_be_is_refused(results, capsys, arguments, reason):
    first, second = results("a.json", {1: 1.0}), results("b.json", {1: 2.0})
    assert reason in complaint(capsys, "compare", first, second, *arguments)


def test_files_that_are_no_such_results_are_refused(results, capsys, tmp_path):
    first = results("a.json", {1: 1.0})
    other = results("b.json", {2: 1.0})
    assert "have no seed in common" in complaint(capsys, "compare", first, other)
    assert "is of pacman, and not of wolf_rabbit_open" in complaint(
        capsys, "compare", first, results("c.json", {1: 1.0}, "pacman")
    )
    assert "its metrics are not known" in complaint(
        capsys, "compare", first, results("d.json", {1: 1.0}, "nothing_like_it")
    )
    broken = tmp_path / "broken.json"
    for text, reason in (
        ("{", "is no JSON"),
        ("[1]", "is no results file"),
        ('{"scenario": "pacman"}', "is no results"),
    ):
        broken.write_text(text)
        assert reason in complaint(capsys, "compare", first, broken)
    assert "cannot be read" in complaint(capsys, "compare", first, tmp_path / "nowhere.json")
