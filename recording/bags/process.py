"""Reads a bag in a process of its own, which takes limits on before it looks at the bag: anybody may have made it.

The process is started by :mod:`~arena_trees.recording.bags.reader`. It writes a line of JSON about topics and renamed
files, and then each message that is of use: number of its topic, instant (ns), length, and what it holds.
"""

from __future__ import annotations

import json
import resource
import struct
import sys
import tempfile
from pathlib import Path, PurePath

__all__ = ["HEAD", "main"]

HEAD = struct.Struct("<HqI")
"""Number of the topic, instant (ns) and length (bytes) of a message."""

_DATABASES = (".db3", ".mcap", ".zstd")
"""How the names of a bag's files end that hold its messages."""


class TooMuchError(Exception):
    """The bag holds more than a bag of its size does."""


def main(path: str, kinds: str, memory: int, seconds: int, written: int, messages: int) -> None:
    """Read a bag and write its messages to the standard output.

    Args:
        path: of the bag
        kinds: types of the messages that are of use, separated by commas
        memory: that the process may take, bytes
        seconds: of a processor that it may take
        written: size up to which the process writes a file, its output or a file of the bag, bytes
        messages: that it gives at most
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (written, written))
    from rosbags.rosbag2 import Reader

    useful = frozenset(kinds.split(","))
    bag = Path(path)
    renamed = _renamed(bag) if bag.is_dir() else {}
    with tempfile.TemporaryDirectory() as folder, Reader(_linked(bag, renamed, Path(folder))) as reader:
        topics = [(connection.topic, connection.msgtype, connection.msgcount) for connection in reader.connections]
        numbers = {
            connection.id: number
            for number, connection in enumerate(reader.connections)
            if connection.msgtype in useful
        }
        wanted = [connection for connection in reader.connections if connection.id in numbers]
        write = sys.stdout.buffer.write
        write(json.dumps({"topics": topics, "renamed": renamed}).encode() + b"\n")
        for connection, instant, data in reader.messages(wanted) if wanted else ():
            messages -= 1
            if messages < 0:
                raise TooMuchError("has far more messages than a recording of its size")
            write(HEAD.pack(numbers[connection.id], instant, len(data)))
            write(data)
        sys.stdout.buffer.flush()


def _renamed(bag: Path) -> dict[str, str]:
    """Return the names that a bag's ``metadata.yaml`` gives to files that are there under other names, and those.

    Nothing, where the files that it does not name are not as many as those that are missing.
    """
    from ruamel.yaml import YAML

    try:
        metadata = YAML(typ="safe").load((bag / "metadata.yaml").read_text())
        names = [PurePath(name).name for name in metadata["rosbag2_bagfile_information"]["relative_file_paths"]]
    except Exception:
        # What is wrong with it, rosbags reports.
        return {}
    missing = sorted(name for name in names if not (bag / name).exists())
    found = sorted(file.name for file in bag.iterdir() if file.suffix in _DATABASES and file.name not in names)
    # Which is which does not matter: the messages of all are sorted by their times.
    return dict(zip(missing, found, strict=True)) if len(missing) == len(found) else {}


def _linked(bag: Path, renamed: dict[str, str], folder: Path) -> Path:
    """Return the bag, or a folder with links to its files under the names that its ``metadata.yaml`` gives them."""
    if not renamed:
        return bag
    others = {file.name: file.name for file in bag.iterdir() if file.name not in renamed.values()}
    for name, file in {**others, **renamed}.items():
        (folder / name).symlink_to(bag / file)
    return folder


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
    except MemoryError:
        sys.exit("takes far more memory than a recording of its size")
    except Exception as error:
        # rosbags lets errors of every kind through where a file is broken.
        sys.exit(f"{type(error).__name__}: {error}")
