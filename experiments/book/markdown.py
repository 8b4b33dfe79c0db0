"""Tables, single figures and pictures of the book where Markdown documents quote them, between marks.

``<!-- table GAME/TABLE -->`` and ``<!-- /table -->``
    the table, of which runs it is, and where its file is
``<!-- picture GAME/PICTURE -->`` and ``<!-- /picture -->``
    the picture, or what draws it
``<!-- runs GAME -->`` and ``<!-- /runs -->``
    every run of the chapter with its command
``<!-- figure GAME/TABLE; ROW; COLUMN -->`` and ``<!-- /figure -->``
    one figure; in a format of Python's, such as ``.1%``, where that follows after another ``;``
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena_trees.experiments.book.table_files import TableEntry, read_entries
from arena_trees.games.book import PICTURES, Cell, Chapter, Table, plain, row_name
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ConfigError

__all__ = ["Book", "fill", "new_page", "quotes", "with_interval"]

_MARK = re.compile(
    r"(?<!`)(?P<begin><!-- (?P<kind>table|picture|runs|figure) (?P<what>[^\n]*?) -->).*?(?P<end><!-- /(?P=kind) -->)",
    re.DOTALL,
)
"""A mark behind a backtick is an example of one."""
_DIGITS = 3
_UNPLAYED = "not played yet"


@dataclass(frozen=True, slots=True)
class Book:
    """The chapters, and where their files are.

    Attributes:
        chapters: by the name of the game
        folder: of the book: ``GAME.md``, and ``GAME/`` with tables and pictures
    """

    chapters: Mapping[str, Chapter]
    folder: Path

    def table_file(self, game: str, name: str) -> Path:
        """Return the file of a table."""
        return self.folder / game / f"{name}.csv"

    def picture_file(self, game: str, name: str) -> Path:
        """Return the file of a picture."""
        return self.folder / game / f"{name}.png"

    def pictures_file(self, game: str) -> Path:
        """Return the file that lists the runs that the pictures show."""
        return self.table_file(game, PICTURES)


def fill(text: str, book: Book, page: Path) -> str:
    """Return a document with what stands between its marks made anew from the files of the book.

    Args:
        text: of the document
        book: that it quotes
        page: file of the document, for links and errors

    Raises:
        ConfigError: a mark names what is not in the book
    """

    def made(found: re.Match[str]) -> str:
        try:
            new = _MAKERS[found["kind"]](found["what"], book, page)
        except ConfigError as error:
            mark = f"<!-- {found['kind']} {found['what']} -->"
            raise error if error.file is not None else ConfigError(error.reason, file=page, key=mark) from error
        return f"{found['begin']}{new}{found['end']}"

    return _MARK.sub(made, text)


def quotes(text: str) -> bool:
    """Return whether a document quotes the book."""
    return _MARK.search(text) is not None


def new_page(game: str, title: str, chapter: Chapter) -> str:
    """Return a page with the marks of all tables and pictures of a chapter, to be filled."""
    tables = (f"## {one.caption}\n\n<!-- table {game}/{one.name} -->\n<!-- /table -->\n" for one in chapter.tables)
    pictures = (f"<!-- picture {game}/{one.name} -->\n<!-- /picture -->\n" for one in chapter.pictures)
    runs = f"## Runs\n\n<!-- runs {game} -->\n<!-- /runs -->\n"
    return "\n".join((f"# {title}\n", *tables, *pictures, runs))


def _table(what: str, book: Book, page: Path) -> str:
    game, chapter, table = _find_table(what, book)
    file = book.table_file(game, table.name)
    entries = {(entry.row, entry.column): entry for entry in read_entries(file)}
    missing = _missing(game, table, chapter, list(entries.values()))
    if not any(entry.played for entry in entries.values()):
        return f"\n{missing}\n"
    lines = [table.columns, ["---"] * len(table.columns)]
    for row in table.rows:
        named = [
            (cell, entries.get((row_name(row), plain(head)))) for head, cell in zip(table.columns, row, strict=True)
        ]
        figures = [entry for cell, entry in named if not isinstance(cell, str)]
        # A row of which nothing was played is listed below the table.
        if not figures or any(entry is not None and entry.played for entry in figures):
            lines.append([_shown(cell, entry) for cell, entry in named])
    rows = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"\n{rows}\n{_source(list(entries.values()), missing, os.path.relpath(file, page.parent))}\n"


def _shown(cell: Cell, entry: TableEntry | None) -> str:
    if isinstance(cell, str):
        return cell
    if entry is None or not entry.played:
        return _UNPLAYED
    return with_interval(entry)


def with_interval(entry: TableEntry) -> str:
    """Return a figure with its interval, which too few trials have not."""
    if entry.value is None:
        return "-"
    if entry.low is None or entry.high is None:
        return _number(entry.value)
    return f"{_number(entry.value)} ({_number(entry.low)} to {_number(entry.high)})"


def _number(value: float) -> str:
    """Return a number with three digits, whole ones with all."""
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e9 else f"{value:.{_DIGITS}g}"


def _source(entries: Sequence[TableEntry], missing: str, file: str) -> str:
    """Return the line below a table: of which seeds and version it is, where its file is, and what is missing."""
    played = [entry for entry in entries if entry.played]
    versions = ", ".join(dict.fromkeys(entry.version for entry in played))
    seeds = ", ".join(dict.fromkeys(entry.seeds for entry in played))
    parts = [f"Seeds {seeds}; version {versions}; [every figure with its n and command]({file})."]
    origins = list(dict.fromkeys(entry.origin for entry in played if entry.origin))
    if origins:
        parts.append(f"Taken over from earlier pages, and not played anew yet: {', '.join(origins)}.")
    return f"*{' '.join(parts)}*" + (f"\n\n{missing}" if missing else "")


def _missing(game: str, table: Table, chapter: Chapter, entries: Sequence[TableEntry]) -> str:
    """Return which runs have a cell without a figure, and what plays them; empty where there is none."""
    played = {(entry.row, entry.column) for entry in entries if entry.played}
    names = dict.fromkeys(cell.run for row, column, cell in table.figures() if (row, column) not in played)
    if not names:
        return ""
    if len(names) == 1:
        return f"{_UNPLAYED.capitalize()}: `{chapter.sources[next(iter(names))].command}`."
    return (
        f"{_UNPLAYED.capitalize()}: {', '.join(f'`{name}`' for name in names)}; `arena-trees book {game}` plays them."
    )


def _picture(what: str, book: Book, page: Path) -> str:
    game, chapter, name = _find(what, book)
    picture = next((one for one in chapter.pictures if one.name == name), None)
    if picture is None:
        raise ConfigError(no_such("picture", name, [one.name for one in chapter.pictures]))
    file = book.picture_file(game, name)
    entry = next((one for one in read_entries(book.pictures_file(game)) if one.row == name), None)
    if entry is None or not file.exists():
        return f"\n{_UNPLAYED.capitalize()}: {picture.caption}; `{chapter.runs[picture.run].command}`.\n"
    image = f"![{plain(picture.caption)}]({os.path.relpath(file, page.parent)})"
    return f"\n{image}\n\n*{picture.caption}. Seeds {entry.seeds}; version {entry.version}.*\n"


def _runs(what: str, book: Book, page: Path) -> str:
    chapter = _chapter(what, book)
    rows = ["| run | played by |\n", "| --- | --- |\n"]
    rows += [f"| `{name}` | `{_in_cell(run.command)}` |\n" for name, run in chapter.sources.items()]
    return "\n" + "".join(rows)


def _in_cell(text: str) -> str:
    return text.replace("|", r"\|")


def _figure(what: str, book: Book, page: Path) -> str:
    words = [word.strip() for word in what.split(";")]
    if len(words) not in (3, 4):
        raise ConfigError("must have the form GAME/TABLE; ROW; COLUMN or GAME/TABLE; ROW; COLUMN; FORMAT")
    game, _, table = _find_table(words[0], book)
    entries = {(entry.row, entry.column): entry for entry in read_entries(book.table_file(game, table.name))}
    places = [(row, column) for row, column, _ in table.figures()]
    for number, (kind, word) in enumerate((("row", words[1]), ("column", words[2]))):
        names = dict.fromkeys(place[number] for place in places)
        if word not in names:
            raise ConfigError(no_such(f"{kind} in the table", word, names))
    entry = entries.get((words[1], words[2]))
    if entry is None or not entry.played:
        return _UNPLAYED
    if entry.value is None or len(words) == 3:
        return "-" if entry.value is None else _number(entry.value)
    try:
        return format(entry.value, words[3]).replace("%", " %")
    except ValueError as error:
        raise ConfigError(f"{words[3]!r} is no format of a number") from error


def _find_table(what: str, book: Book) -> tuple[str, Chapter, Table]:
    game, chapter, name = _find(what, book)
    table = next((one for one in chapter.tables if one.name == name), None)
    if table is None:
        raise ConfigError(no_such("table", name, [one.name for one in chapter.tables]))
    return game, chapter, table


def _find(what: str, book: Book) -> tuple[str, Chapter, str]:
    game, _, name = what.partition("/")
    return game, _chapter(game, book), name


def _chapter(game: str, book: Book) -> Chapter:
    if game not in book.chapters:
        raise ConfigError(no_such("chapter", game, book.chapters))
    return book.chapters[game]


_MAKERS = {"table": _table, "picture": _picture, "runs": _runs, "figure": _figure}
