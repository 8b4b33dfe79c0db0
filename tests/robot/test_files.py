"""Files that are written whole or not at all, through links, and into what is no file."""

import os
import stat
import threading
from pathlib import Path

import pytest

from arena_trees.robot.configuration.files import check_writable, is_stream, write_atomically
from arena_trees.robot.errors import ConfigError


def put(path: Path, text: bytes = b"new") -> None:
    write_atomically(path, lambda stream: stream.write(text))


def test_a_link_stays_and_its_file_is_written(tmp_path: Path):
    (tmp_path / "far").mkdir()
    target, link, dangling = tmp_path / "far" / "target", tmp_path / "link", tmp_path / "dangling"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "far" / "made")
    put(link)
    put(dangling)
    assert link.is_symlink() and dangling.is_symlink()
    assert target.read_bytes() == (tmp_path / "far" / "made").read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_fifo_and_a_device_are_written_into(tmp_path: Path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    check_writable(fifo, "--json")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
    reader.start()
    put(fifo)
    reader.join(10.0)
    assert read == [b"new"]
    assert stat.S_ISFIFO(fifo.lstat().st_mode)
    # A node of its own, where that is allowed: what is replaced shall not be this machine's /dev/null.
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        return
    put(device)
    assert stat.S_ISCHR(device.lstat().st_mode)


def test_a_full_device_is_an_error_and_stays_what_it_is():
    assert is_stream(Path("/dev/full"))
    with pytest.raises(ConfigError, match=r"/dev/full: cannot be written: No space left"):
        put(Path("/dev/full"))
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("place", ["-", "/dev/stdout"])
def test_the_standard_output_is_written_into(capfd: pytest.CaptureFixture[str], place: str):
    print("before")
    put(Path(place))
    print("after")
    assert capfd.readouterr().out == "before\nnewafter\n"


@pytest.mark.parametrize("name", ["n" * 300, "ü" * 200, "n" * 300 + "/x.json", "x/" * 3000 + "x", "folder", "a\0b"])
def test_what_cannot_be_written_is_refused_before_and_when_it_is_written(tmp_path: Path, name: str):
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match="--json: cannot be written"):
        check_writable(tmp_path / name, "--json")
    with pytest.raises(ConfigError, match="cannot be written"):
        put(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_the_longest_name_that_there_may_be(tmp_path: Path):
    path = tmp_path / ("ü" * 127)
    check_writable(path, "--json")
    put(path)
    assert path.read_bytes() == b"new"


def test_what_fails_half_way_leaves_the_file_as_it_was(tmp_path: Path):
    path = tmp_path / "file"
    put(path, b"old")

    def fail(stream: object) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(ConfigError, match="No space left"):
        write_atomically(path, fail)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_durable_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    synced: list[list[str]] = []

    def sync(handle: int) -> None:
        real(handle)
        synced.append(sorted(path.name for path in tmp_path.iterdir()))

    real = os.fsync
    monkeypatch.setattr("os.fsync", sync)
    write_atomically(tmp_path / "a", lambda stream: stream.write(b"new"), durable=True)
    assert [names == ["a"] for names in synced] == [False, True], "the file before, and its folder after"
    write_atomically(tmp_path / "b", lambda stream: stream.write(b"new"))
    assert len(synced) == 2
