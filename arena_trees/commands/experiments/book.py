"""``arena-trees book``: plays and writes the book of results, and goes on where it was killed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from arena_trees.commands.console import Jobs, Quiet, plain_console
from arena_trees.commands.experiments.book_runs import play_run
from arena_trees.commands.run_request import number_of_processes
from arena_trees.games.book import Chapter
from arena_trees.games.registry import find_game, load_games
from arena_trees.robot.configuration.files import check_writable, write_atomically
from arena_trees.robot.configuration.hints import no_such
from arena_trees.robot.errors import ConfigError

if TYPE_CHECKING:
    from arena_trees.experiments.book.documents import Document
    from arena_trees.experiments.book.markdown import Book

__all__ = ["write_book"]

_OUT, _RUNS = Path("docs/results"), Path("results/book")
_QUICK_OUT, _QUICK_RUNS = Path("results/book_quick"), Path("results/book_quick/runs")


def write_book(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="CHAPTER", help="Chapters, by their games; all if absent.")
    ] = None,
    runs: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Documents of the runs; results/book if absent.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the book; docs/results if absent.")] = None,
    jobs: Jobs = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Play a little of every run, to see that it can be played, in results/book_quick."
        ),
    ] = False,
    no_play: Annotated[bool, typer.Option("--no-play", help="Write the book from the runs that there are.")] = False,
    shorter: Annotated[
        bool, typer.Option("--shorter", help="Take documents with fewer trials than the book asks for, too.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Play and write the book of results.

    The same command goes on with what was interrupted.
    """
    chapters = _chapters(quick)
    for name in names or ():
        if name not in chapters:
            raise ConfigError(no_such("chapter", name, chapters), key="CHAPTER", value=name)
    chosen = {name: chapter for name, chapter in chapters.items() if not names or name in names}
    folder = runs or (_QUICK_RUNS if quick else _RUNS)
    target = out or (_QUICK_OUT if quick else _OUT)
    check_writable(target / "book", "--out")
    if not no_play:
        check_writable(folder / "run", "--runs")
    elif folder.exists() and not folder.is_dir():
        raise ConfigError("is no folder", key="--runs", value=str(folder))
    processes = number_of_processes(jobs)
    console = None if quiet else plain_console()
    from arena_trees.experiments.book.markdown import Book

    # Before anything is played: what cannot be used is refused at once.
    for game, chapter in chosen.items():
        _documents(game, chapter, folder, shorter)
    book = Book(chapters, target)
    for game, chapter in chosen.items():
        if not no_play:
            _play(game, chapter, folder, processes, shorter, console)
        _write(game, book, folder, shorter, console)


def _chapters(quick: bool) -> dict[str, Chapter]:
    """Return the chapters of all games that have one, by their games."""
    known = {name: game.chapter for name, game in load_games().items() if game.chapter is not None}
    return {name: chapter.quick() for name, chapter in known.items()} if quick else known


def _documents(game: str, chapter: Chapter, folder: Path, shorter: bool) -> dict[str, Document]:
    """Return what the runs of a chapter have left behind, by name."""
    from arena_trees.experiments.book.documents import find_document

    metrics = find_game(game).metrics
    found = {name: find_document(folder, name, run, metrics, shorter) for name, run in chapter.sources.items()}
    return {name: document for name, document in found.items() if document is not None}


def _play(game: str, chapter: Chapter, folder: Path, jobs: int, shorter: bool, console: Console | None) -> None:
    """Play the runs that have no document yet."""
    from arena_trees.experiments.book.pictures import way_file

    ways = {picture.run for picture in chapter.pictures if picture.kind == "ways"}
    played = _documents(game, chapter, folder, shorter)
    missing = [
        name for name in chapter.runs if name not in played or (name in ways and not way_file(folder, name).exists())
    ]
    for number, name in enumerate(missing, 1):
        if console is not None:
            line = f"{game}, run {number} of {len(missing)}, {name}: {chapter.runs[name].command}"
            console.print(Text(line), soft_wrap=True)
        play_run(name, chapter.runs[name], folder, jobs, name in ways, console)


def _write(game: str, book: Book, folder: Path, shorter: bool, console: Console | None) -> None:
    """Write tables, pictures and page of a chapter, and print what of it was played."""
    from arena_trees.experiments.book.markdown import fill, new_page
    from arena_trees.experiments.book.pictures import draw_pictures
    from arena_trees.experiments.book.table_files import entries_of, read_entries, write_entries

    found, chapter = find_game(game), book.chapters[game]
    documents = _documents(game, chapter, folder, shorter)
    counts = {"new": 0, "kept": 0, "not played yet": 0}
    for table in chapter.tables:
        file = book.table_file(game, table.name)
        entries = entries_of(table, chapter, documents, found.metrics, read_entries(file))
        write_entries(entries, file)
        for entry in entries:
            counts["new" if entry.run in documents else "kept" if entry.played else "not played yet"] += 1
    file = book.pictures_file(game)
    drawn = draw_pictures(chapter, documents, found, folder, read_entries(file), file.parent)
    if chapter.pictures:
        write_entries(drawn, file)
    page = book.folder / f"{game}.md"
    text = page.read_text(encoding="utf-8") if page.exists() else new_page(game, found.title or game, chapter)
    filled = fill(text, book, page)
    write_atomically(page, lambda stream: stream.write(filled.encode()))
    if console is not None:
        summary = _summary(counts, chapter, documents)
        console.print(Text(f"{page}: {summary}"), soft_wrap=True)


def _summary(counts: Mapping[str, int], chapter: Chapter, documents: Mapping[str, object]) -> str:
    """Return how many figures are new, and which runs are missing."""
    figures = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "none"
    missing = [name for name in chapter.sources if name not in documents]
    return f"figures: {figures}" + (f"; runs without a document: {', '.join(missing)}" if missing else "")
