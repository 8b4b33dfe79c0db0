"""The files that a run leaves behind: each trial as soon as it is finished, then results, and the picture last."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_trees.commands.console import plain_console
from arena_trees.robot.configuration.figure_file import FIGURE_ENDINGS
from arena_trees.robot.configuration.files import check_writable, is_standard_output, is_stream
from arena_trees.robot.configuration.output_files import check_ending, place_files
from arena_trees.robot.errors import ArenaTreesError, ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from arena_trees.experiments.journal import Journal
    from arena_trees.experiments.results import RunResult, TrialResult

__all__ = ["RunFiles"]

_ENDINGS = {"--json": (".json",), "--plot": FIGURE_ENDINGS, "--wav": (".wav",)}


class RunFiles:
    """The files that a run writes.

    Args:
        json: results
        plot: picture, if any
        wav: sound of the first trial, which is written while that is played, if any
        logs: folder that the nodes' logs are written into meanwhile, if any
        quiet: print nothing
        force: write over files that exist

    Attributes:
        wav: as given, until :meth:`check` has found its place
        logs: likewise
        console: to print on, or None; where a file is the standard output, nothing else is printed there
    """

    def __init__(
        self,
        json: Path,
        plot: Path | None = None,
        wav: Path | None = None,
        *,
        logs: Path | None = None,
        quiet: bool = False,
        force: bool = False,
    ) -> None:
        self._json = json
        self._plot = plot
        self.wav = wav
        self.logs = logs
        self._force = force
        taken = any(is_standard_output(path) for path in (json, plot) if path is not None)
        self.console: Console | None = None if quiet else plain_console(stderr=taken)
        self._journal: Journal | None = None
        self._warned = False

    def check(self, scenario: Path) -> None:
        """Refuse, before a long run, what cannot be written, or would overwrite another or the scenario.

        Files that exist are kept: where there are some, this run's are numbered, with a notice.

        Args:
            scenario: its file

        Raises:
            ConfigError: there is such a file, or its name has no ending that can be written
            ModuleNotFoundError: nothing here draws pictures
        """
        if self._plot is not None:
            import_module("matplotlib")
        places = {"the scenario": scenario}
        for option, path in (("--json", self._json), ("--plot", self._plot), ("--wav", self.wav)):
            if path is None:
                continue
            check_writable(path, option)
            if option == "--wav" and is_stream(path):
                raise ConfigError("must be a file: its length is written last", key=option, value=str(path))
            for other, place in places.items():
                if _are_one(path, place):
                    raise ConfigError(f"is the same file as {other}", key=option, value=str(path))
            check_ending(path, _ENDINGS[option], option)
            places[option] = path
        if self.logs is not None:
            check_writable(self.logs / "log", "--logs")
        self._place()

    def _place(self) -> None:
        """Choose the path of each file, so that existing ones are kept."""
        wanted = {"_json": self._json, "_plot": self._plot, "wav": self.wav, "logs": self.logs}
        given = {name: path for name, path in wanted.items() if path is not None}
        for name, path in zip(given, place_files(list(given.values()), self._force), strict=True):
            setattr(self, name, path)

    def begin(self, about: Mapping[str, Any]) -> None:
        """Begin to keep trials on disk, next to the results file; not where that is a FIFO or a device.

        Args:
            about: what is played
        """
        from arena_trees.experiments.journal import Journal

        if not is_stream(self._json):
            self._journal = Journal(self._json, about)

    def note(self, arm: str, result: TrialResult) -> None:
        """Keep a finished trial; warn once where the disk is full."""
        if self._journal is None or self._warned:
            return
        if not self._journal.note(arm, result):
            self._warned = True
            print(f"warning: {self._journal.fault}: finished trials are kept in memory alone", file=sys.stderr)

    def leave(self, result: RunResult | None) -> None:
        """Write everything; what fails keeps nothing else from being written.

        Args:
            result: of the run; None where no trial was finished

        Raises:
            ArenaTreesError: something could not be written
        """
        from arena_trees.experiments.results import write_json

        if result is None:
            self._close_journal(keep=False)
            return
        faults: list[str] = []
        written: list[Path] = []
        try:
            write_json(result, self._json)
            written.append(self._json)
        except ConfigError as error:
            faults.append(str(error))
            faults.append(self._write_elsewhere(result))
        self._close_journal(keep=not written)
        self._print_and_draw(result, faults, written)
        if faults:
            raise ArenaTreesError("; ".join(faults))

    def _print_and_draw(self, result: RunResult, faults: list[str], written: list[Path]) -> None:
        from arena_trees.commands.tables import print_promises, print_result, print_stops, print_written

        if self.console is not None:
            print_result(result, self.console)
        else:
            print_stops(result, plain_console(stderr=True))
            if any(trial.broken_promises for trial in result.trials):
                print_promises(result, plain_console(stderr=True))
        if self._plot is not None and result.trials:
            from arena_trees.experiments.plots.run_plot import plot_run

            try:
                plot_run(result, self._plot)
                written.append(self._plot)
            except ConfigError as error:
                faults.append(str(error))
        if self.console is not None:
            print_written([*written, *([self.wav] if self.wav else [])], self.console)

    def _write_elsewhere(self, result: RunResult) -> str:
        """Write the results where there may be room when their own place has none; return where they are."""
        from arena_trees.experiments.results import write_json

        with suppress(OSError, ConfigError):
            spare = Path(tempfile.mkdtemp(prefix="arena-trees-")) / "results.json"
            write_json(result, spare)
            return f"the results are in {spare}"
        if self._journal is None or self._journal.path is None:
            return "they are lost"
        return f"what could be kept of the trials is in {self._journal.path}"

    def _close_journal(self, keep: bool) -> None:
        if self._journal is not None:
            self._journal.close(keep)


def _are_one(one: Path, other: Path) -> bool:
    """Return whether two paths lead to one place; /dev/null, which keeps nothing, is none."""
    if is_standard_output(one) and is_standard_output(other):
        return True
    places = [os.path.realpath(path) for path in (one, other)]
    if os.devnull in places:
        return False
    return places[0] == places[1] or (all(map(os.path.exists, places)) and os.path.samefile(*places))
