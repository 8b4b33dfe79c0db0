"""The book of results: figures of documents, what is refused, what is kept, and what documents quote."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena_trees import __version__
from arena_trees.experiments.book.documents import RunDocument, find_document
from arena_trees.experiments.book.figures import reckon
from arena_trees.experiments.book.markdown import Book, fill, new_page
from arena_trees.experiments.book.table_files import entries_of, read_entries, write_entries
from arena_trees.experiments.metrics import summarise
from arena_trees.games.book import Chapter, Figure, Measurement, Picture, Reading, Run, Table, Trials
from arena_trees.games.metrics import mean, rate
from arena_trees.robot.errors import ConfigError

METRICS = (rate("done_rate", "", value="done"), mean("error_m", ""))
RUN = Run("somewhere", 4, 50, compare="source", settings=("red.gain=2.5",))
TABLE = Table(
    "who",
    "Who does it",
    ("", "n", "done: arena", "done: source", "error, m"),
    (("all", Trials("both"), Figure("both", "done_rate"), Figure("both", "done_rate", "source"),
      Figure("both", "error_m")),),
)  # fmt: skip
CHAPTER = Chapter({"both": RUN}, (TABLE,))


def arm(errors: Sequence[float | None], done: Sequence[bool], seed: int = 50) -> dict[str, Any]:
    trials = [
        {"trial": index, "seed": seed + index, "done": one, "error_m": error}
        for index, (error, one) in enumerate(zip(errors, done, strict=True))
    ]
    return {
        "trials": trials,
        "summary": {name: figure.to_dict() for name, figure in summarise(trials, METRICS).items()},
    }


def both(**changes: Any) -> dict[str, Any]:
    """Return the document of the run, made by hand."""
    document: dict[str, Any] = {
        "scenario": "somewhere",
        "version": __version__,
        "seed": 50,
        "complete": True,
        "settings": {"trials": 4, "seed": 50, "red.gain": 2.5, "compare": "source"},
        **arm([0.1, 0.1, 0.3, 0.1], [True, True, True, False]),
        "arm": "arena",
        "arms": {"source": arm([0.5, 0.0, 0.5, None], [True, False, True, True])},
    }
    return document | changes


def find(folder: Path, document: dict[str, Any], shorter: bool = False) -> RunDocument:
    (folder / "both.json").write_text(json.dumps(document), encoding="utf-8")
    found = find_document(folder, "both", RUN, METRICS, shorter)
    return found


@pytest.mark.parametrize(
    ("cell", "value", "n"),
    [
        (Trials("both"), 4, 4),
        (Figure("both", "done_rate"), 0.75, 4),
        (Figure("both", "done_rate", "source"), 0.75, 4),
        (Figure("both", "error_m", "source"), 1.0 / 3.0, 3),
        (Figure("both", "error_m", part="sum"), 0.6, 4),
        (Figure("both", "done", part="sum"), 3, 4),
        (Figure("both", "error_m", part="most"), 0.3, 4),
        (Figure("both", "error_m", "source", "least"), 0.0, 3),
        (Figure("both", "error_m", part="p10"), 0.1, 4),
        (Figure("both", "error_m", among="done"), 0.2, 2),
        (Figure("both", "error_m", "source", among="done"), 0.5, 2),
        (Figure("both", "error_m", "source", among="done", less="arena"), 0.3, 2),
        (Figure("both", "error_m", "source", less="arena"), 0.5 / 3.0, 3),
        (Figure("both", "error_m", "source", "n", less="arena"), 3, 3),
    ],
)
def test_figures_are_those_of_the_trials(tmp_path: Path, cell: Figure | Trials, value: float, n: int):
    figure = reckon(cell, find(tmp_path, both()), METRICS)
    assert figure.value == pytest.approx(value)
    assert figure.n == n


def test_a_p_value_is_that_of_the_pairs_corrected_for_all_metrics_that_are_tested(tmp_path: Path):
    fewer = rate("done_rate", "", value="done", better="more"), mean("error_m", "", better="less")
    errors = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    document = both(
        **arm(errors, [True] * 8), arms={"source": arm([error + 0.1 for error in errors], [True] * 2 + [False] * 6)}
    )
    document["settings"] |= {"trials": 8}
    (tmp_path / "both.json").write_text(json.dumps(document), encoding="utf-8")
    run = replace(RUN, trials=8)
    found = find_document(tmp_path, "both", run, fewer)
    assert isinstance(found, RunDocument)
    # All 8 pairs have one sign, and the 6 of the other metric that differ: 2 / 2^8 and 2 / 2^6, of two tests.
    p = {
        name: reckon(Figure("both", name, "source", "p", less="arena"), found, fewer)
        for name in ("error_m", "done_rate")
    }
    assert p["error_m"].value == pytest.approx(2 * 2 / 2**8) and p["error_m"].n == 8
    assert p["done_rate"].value == pytest.approx(2 / 2**6)
    assert reckon(Figure("both", "done_rate", "source", "p", less="source"), found, fewer).value is None
    with pytest.raises(ValueError, match="of a difference"):
        Figure("both", "error_m", "source", "p")


def test_a_metric_or_an_arm_that_is_none_is_refused(tmp_path: Path):
    document = find(tmp_path, both())
    for cell, word in ((Figure("both", "eror_m"), "metric"), (Figure("both", "error_m", "sauce"), "arm")):
        with pytest.raises(ConfigError, match=f"no such {word}"):
            reckon(cell, document, METRICS)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"scenario": "elsewhere"}, "scenario"),
        ({"version": "0.0.1"}, "version"),
        ({"seed": 51}, "seed"),
        ({"settings": {"red.gain": 2.6, "compare": "source"}}, "settings.red.gain"),
        ({"settings": {"compare": "source"}}, "settings.red.gain"),
        ({"settings": {"red.gain": 2.5, "compare": "source", "camera": "rendered"}}, "settings.camera"),
        ({"arms": {}}, "arms"),
        (arm([0.1, 0.2, 0.3], [True] * 3), "trials of arena"),
        (arm([0.1] * 4, [True] * 4, seed=60), "trials of arena"),
    ],
)
def test_a_document_of_another_run_is_refused_by_name(tmp_path: Path, changes: dict[str, Any], key: str):
    with pytest.raises(ConfigError, match="is not what the book asks for") as refused:
        find(tmp_path, both(**changes))
    assert refused.value.key == key
    assert refused.value.file == tmp_path / "both.json"
    assert RUN.command in str(refused.value.reason)


def test_a_measurement_of_another_command_is_read_and_not_played(tmp_path: Path):
    measurement = Measurement("arena-trees evaluate-signs F --json seen.json", "9000", "images")
    path = tmp_path / "seen.json"
    assert find_document(tmp_path, "seen", measurement, METRICS) is None
    scores = [{"class": "a", "recall": 0.9}, {"class": "b", "recall": 0.8}]
    path.write_text(json.dumps({"version": __version__, "images": 12, "scores": scores}))
    document = find_document(tmp_path, "seen", measurement, METRICS)
    cell = Reading("seen", "recall", "scores", (("class", "b"),))
    assert (reckon(cell, document, METRICS).value, reckon(cell, document, METRICS).n) == (0.8, 12)
    assert reckon(Reading("seen", "images"), document, METRICS).value == 12
    with pytest.raises(ConfigError, match="no such number"):
        reckon(replace(cell, where=(("class", "c"),)), document, METRICS)
    path.write_text(json.dumps({"version": "0.0.1", "images": 12}))
    with pytest.raises(ConfigError, match="is not what the book asks for"):
        find_document(tmp_path, "seen", measurement, METRICS)
    for text in ("[]", '{"version": "1"}', "no"):
        path.write_text(text)
        with pytest.raises(ConfigError, match="is no document of a measurement"):
            find_document(tmp_path, "seen", measurement, METRICS)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"trials": 3}'])
def test_what_is_no_document_is_refused(tmp_path: Path, text: str):
    (tmp_path / "both.json").write_text(text)
    with pytest.raises(ConfigError, match="is no document of a run"):
        find_document(tmp_path, "both", RUN, METRICS)


def test_of_a_comparison_that_was_not_asked_for_the_first_arm_is_taken(tmp_path: Path):
    (tmp_path / "both.json").write_text(json.dumps(both()), encoding="utf-8")
    document = find_document(tmp_path, "both", replace(RUN, compare=""), METRICS)
    assert [arm.name for arm in document.arms] == ["arena"]


def test_fewer_trials_are_taken_where_that_is_asked_for(tmp_path: Path):
    few = arm([0.1, 0.2], [True, True])
    document = find(tmp_path, both(**few, arms={"source": few}), shorter=True)
    assert reckon(Trials("both"), document, METRICS).n == 2
    assert document.seeds == "50 to 51"


def write(book: Book, documents: dict[str, Any], chapter: Chapter = CHAPTER) -> str:
    """Write the chapter's table and return its page."""
    file = book.table_file("game", "who")
    (table,) = chapter.tables
    write_entries(entries_of(table, chapter, documents, METRICS, read_entries(file)), file)
    page = book.folder / "game.md"
    return fill(new_page("game", "Game", chapter), book, page)


def test_a_table_says_what_was_not_played_and_keeps_what_was(tmp_path: Path):
    book = Book({"game": CHAPTER}, tmp_path)
    assert f"Not played yet: `{RUN.command}`." in write(book, {})
    page = write(book, {"both": find(tmp_path, both())})
    assert "| all | 4 | 0.75 (0.301 to 0.954) | 0.75 (0.301 to 0.954) | 0.15 |" in page
    assert f"Seeds 50 to 53; version {__version__}; [every figure with its n and command](game/who.csv)." in page
    assert "not played" not in page.lower()
    assert write(book, {}) == page, "without its document a figure stays"
    rows = (
        *TABLE.rows,
        ("later", Trials("late"), *(Figure("late", "done_rate"),) * 3),
        ("as told", "-", "-", "-", "-"),
    )
    longer = replace(CHAPTER, runs={"both": RUN, "late": RUN}, tables=(replace(TABLE, rows=rows),))
    page = write(Book({"game": longer}, tmp_path), {}, longer)
    assert "| all | 4 |" in page and "| as told | - |" in page and "| later |" not in page and "Not played yet" in page
    changed = replace(CHAPTER, runs={"both": replace(RUN, trials=5)})
    assert "Not played yet" in write(Book({"game": changed}, tmp_path), {}, changed), "but not that of another run"


def test_documents_quote_tables_and_single_figures(tmp_path: Path):
    book = Book({"game": CHAPTER}, tmp_path / "results")
    write(book, {"both": find(tmp_path, both())})
    mark = "<!-- figure game/who; all; {} -->{}<!-- /figure -->"
    page = tmp_path / "page.md"
    for what, told in (("done: arena; .0%", "75 %"), ("done: arena", "0.75"), ("n", "4"), ("error, m; .3f", "0.150")):
        assert fill(mark.format(what, "old"), book, page) == mark.format(what, told)
    text = "`<!-- table game/who -->` is an example\n<!-- table game/who -->\nold\n<!-- /table -->\n"
    made = fill(text, book, page)
    assert made.startswith("`<!-- table game/who -->` is an example\n<!-- table game/who -->\n| ")
    assert "(results/game/who.csv)" in made and "old" not in made
    assert fill(made, book, page) == made


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        ("table gam/who", "no such chapter"),
        ("table game/whom", "no such table"),
        ("picture game/who", "no such picture"),
        ("figure game/who; all", "must have the form"),
        ("figure game/who; none; n", "no such row"),
        ("figure game/who; all; m", "no such column"),
        ("figure game/who; all; n; .q", "no format"),
    ],
)
def test_a_mark_of_what_is_not_in_the_book_is_refused(tmp_path: Path, mark: str, reason: str):
    book = Book({"game": CHAPTER}, tmp_path)
    write(book, {"both": find(tmp_path, both())})
    with pytest.raises(ConfigError, match=reason) as refused:
        fill(f"<!-- {mark} --><!-- /{mark.split()[0]} -->", book, tmp_path / "page.md")
    assert refused.value.file == tmp_path / "page.md"


def test_a_file_that_is_no_table_is_refused(tmp_path: Path):
    file = tmp_path / "who.csv"
    write_entries(entries_of(TABLE, CHAPTER, {}, METRICS, []), file)
    text = file.read_text()
    for wrong in ("", text.replace("row,", "line,"), text + "a,b\n", text.replace(",,,,0,", ",nan,,,0,", 1)):
        file.write_text(wrong)
        with pytest.raises(ConfigError, match=r"must begin with|is no figure"):
            read_entries(file)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Chapter({"a b": RUN}),
        lambda: Chapter({"both": RUN}, (TABLE, TABLE)),
        lambda: Chapter({"other": RUN}, (TABLE,)),
        lambda: Chapter({"both": RUN}, (replace(TABLE, rows=(*TABLE.rows, *TABLE.rows)),)),
        lambda: Chapter({"both": RUN}, (replace(TABLE, columns=TABLE.columns[1:]),)),
        lambda: Chapter({"both": RUN}, (), (Picture("way", "", "both", "ways"),)),
        lambda: Chapter({"both": RUN}, (), (Picture("grid", "", "both", "sweep", "error_m"),)),
        lambda: Chapter({"both": RUN}, (), (Picture("bars", "", "none", "trials"),)),
    ],
)
def test_a_chapter_that_contradicts_itself_is_refused(make: Any):
    with pytest.raises(ValueError, match=r"\w"):
        make()


def test_a_quick_run_is_short_and_otherwise_the_same():
    quick = replace(RUN, trials=200, settings=("duration_s=60", "red.gain=2.5")).quick()
    assert quick.command == (
        "arena-trees run somewhere --trials 2 --seed 50 --compare source --set red.gain=2.5 --set duration_s=2.0"
    )
