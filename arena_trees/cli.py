"""The command line: ``arena-trees``.

Whatever a user gets wrong ends in one line on standard error and exit code 2; a signal to end, such as Ctrl-C, with 128
and its number.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from arena_trees import __version__
from arena_trees.command_table import COMMANDS
from arena_trees.commands.game_commands import commands_of_games
from arena_trees.commands.help_groups import GroupedCommands
from arena_trees.robot.configuration.extras import missing_library
from arena_trees.robot.errors import ArenaTreesError, shortened

__all__ = ["app", "main"]

app = typer.Typer(
    name="arena-trees",
    cls=GroupedCommands,
    help="Behaviour trees for small robots that play together.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# Typer brings its own copy of click from 0.20 on, and uses the installed one before.
_UsageError: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"arena-trees {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Behaviour trees for small robots that play together."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        arguments: of the command; those of the process where not given
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in _WORDS:
        given = [*given[1:], _WORDS[given[0]]]
    strange = next((one for one in given if not _is_text(one)), None)
    if strange is not None:
        sys.exit(_complain(f"{shortened(ascii(strange))} is not UTF-8 text"))
    with _ended_by_signals():
        try:
            code = _main(given, own=arguments is None)
        except _Ended as ended:
            code = _complain(f"ended by {signal.Signals(ended.number).name}", 128 + ended.number)
        sys.exit(code)


def _import_command(arguments: Sequence[str]) -> None:
    """Import the module of a command; what is imported stays, and is not looked through for garbage, now or later."""
    if not arguments or arguments[0] not in COMMANDS:
        return
    gc.disable()
    try:
        # What cannot be imported is said when the command is looked up.
        with suppress(ImportError):
            import_module(f"arena_trees.{COMMANDS[arguments[0]].target.partition(':')[0]}")
        gc.freeze()
    finally:
        gc.enable()


class _Ended(BaseException):
    """A signal to end has come. Not a KeyboardInterrupt, of which Typer makes an exit code of its own."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Make what ``kill`` and a terminal that is closed send end this process as Ctrl-C does."""

    def end(number: int, frame: object) -> None:
        # Some, such as timeout(1), send it twice; the second must not end the writing of what there is.
        signal.signal(number, signal.SIG_IGN)
        raise _Ended(number)

    before: dict[signal.Signals, Any] = {}
    try:
        for one in (signal.SIGTERM, signal.SIGHUP):
            # Not what is ignored, as under nohup.
            if threading.current_thread() is threading.main_thread() and signal.getsignal(one) is signal.SIG_DFL:
                before[one] = signal.signal(one, end)
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


_WORDS = {"help": "--help", "version": "--version"}
"""What people type in the place of an option."""


def _main(arguments: Sequence[str], own: bool) -> int:
    """Return the exit code of a command; own: whether the process is for it alone."""
    try:
        if own:
            _import_command(arguments)
        code = app(args=arguments, standalone_mode=False)
    except ArenaTreesError as error:
        return _complain(str(error))
    except _UsageError as error:
        message = error.format_message()  # type: ignore[attr-defined]
        # Without a command the help is the message, and belongs on many lines.
        if type(error).__name__ == "NoArgsIsHelpError":
            print(message, file=sys.stderr)
            return 2
        return _complain(message + (_wanted(error, arguments) or _lead_on(arguments)))
    except ModuleNotFoundError as error:
        missing = missing_library(error)
        if missing is None:
            raise
        return _complain(missing)
    except BrokenPipeError:
        # Whoever read the output, such as `head`, has seen enough.
        sys.stdout = None
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", 130)
    except OSError as error:
        where = f"{shortened(error.filename)}: " if isinstance(error.filename, str) else ""
        return _complain(f"{where}{error.strerror or error}")
    return code if isinstance(code, int) else 0


def _wanted(error: Exception, arguments: Sequence[str]) -> str:
    """Return what an option without its argument is for, by its help text; empty for every other error."""
    group: Any = typer.main.get_command(app)
    command = group.get_command(None, arguments[0] if arguments else "")
    name = getattr(error, "option_name", None)
    helps = [str(one.help) for one in getattr(command, "params", ()) if name in one.opts and getattr(one, "help", None)]
    return f" {helps[0]}" if helps else ""


def _lead_on(arguments: Sequence[str]) -> str:
    """Return the command that is missing where the first argument is what a command is for; empty where it is not."""
    from arena_trees.experiments.scenario import scenario_names

    word = arguments[0] if arguments else ""
    if word in COMMANDS or word in commands_of_games():
        return ""
    if word in scenario_names() or Path(word).suffix in (".yaml", ".yml"):
        return f" To play it: arena-trees run {word}"
    if os.path.isdir(word):
        return f" To see a recording: arena-trees report {word}"
    # As Typer asks, which knows those commands alone that are imported.
    return f" Did you mean {meant[0]!r}?" if (meant := get_close_matches(word, COMMANDS)) else ""


def _is_text(argument: str) -> bool:
    """Return whether an argument can be printed and saved; bytes that are no UTF-8 come as halves of letters."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def _complain(message: str, code: int = 2) -> int:
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    return code
