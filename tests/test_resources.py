"""The locator of shipped files, against folders laid out as installations lay them out."""

import pickle
from pathlib import Path

import pytest

from arena_trees.robot.configuration import resources
from arena_trees.robot.configuration.resources import ResourceNotFoundError, resource_path, resource_roots


def _write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _install(monkeypatch: pytest.MonkeyPatch, library: Path) -> Path:
    """Make the locator believe that it was installed into this library folder."""
    module = _write(library / "arena_trees" / "robot" / "resources.py")
    monkeypatch.setattr(resources, "__file__", str(module))
    return library / "arena_trees"


def _mark(prefix: Path) -> None:
    _write(prefix / "share/ament_index/resource_index/packages/arena_trees")


def test_finds_a_folder_and_a_file_of_this_installation():
    assert resource_path("models").is_dir()
    assert resource_path("models", "README.md") == resource_path("models/README.md")


@pytest.mark.parametrize("library", ["lib/python3.12/site-packages", "local/lib/python3.12/dist-packages"])
def test_prefers_the_share_folder_of_its_own_prefix(monkeypatch, tmp_path, library):
    package = _install(monkeypatch, tmp_path / library)
    inside = _write(package / "config/wolf_rabbit/wolf.yaml")
    only_inside = _write(package / "config/wolf_rabbit/rabbit.yaml")
    assert resource_path("config/wolf_rabbit/wolf.yaml") == inside
    _mark(tmp_path)
    shared = _write(tmp_path / "share/arena_trees/config/wolf_rabbit/wolf.yaml")
    assert resource_path("config/wolf_rabbit/wolf.yaml") == shared
    assert resource_path("config/wolf_rabbit/rabbit.yaml") == only_inside


def test_a_checkout_reads_its_own_files_whatever_else_is_sourced(monkeypatch, tmp_path):
    package = _install(monkeypatch, tmp_path / "src" / "arena_trees")
    own = _write(package / "config/wolf_rabbit/wolf.yaml")
    _mark(tmp_path)
    _write(tmp_path / "share/arena_trees/config/wolf_rabbit/wolf.yaml")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert resource_path("config/wolf_rabbit/wolf.yaml") == own


def test_what_is_missing_is_named_with_where_it_was_looked_for():
    with pytest.raises(ResourceNotFoundError) as caught:
        resource_path("config", "unicorn.yaml")
    assert "config/unicorn.yaml" in str(caught.value)
    assert all(str(root) in str(caught.value) for root in resource_roots())
    assert isinstance(caught.value, FileNotFoundError)
    # Worker processes hand their exceptions back pickled.
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("parts", [(), ("",), ("/etc/passwd",), ("config", "../../setup.py"), ("..",)])
def test_no_name_leads_out_of_the_shared_folders(parts):
    with pytest.raises(ResourceNotFoundError):
        resource_path(*parts)
