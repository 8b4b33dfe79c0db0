"""The YAML loader: what a config may hold, and that everything else is refused in one clear line."""

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena_trees.robot.configuration.parameters import Parameters, load_parameters, parameter
from arena_trees.robot.configuration.yaml_files import MAXIMUM_BYTES, load_model, load_yaml, parse_yaml, validate
from arena_trees.robot.errors import ConfigError


class Inner(Parameters):
    gain: float = parameter(1.0, "a gain", ge=0.0)


class Outer(Parameters):
    inner: Inner = parameter(Inner(), "a group")
    name: str = parameter("a", "a name")
    count: int = parameter(1, "a count")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000.0),
        ("1E-2", 0.01),
        ("-.5", -0.5),
        ("5.", 5.0),
        ("+7", 7),
        ("-0", 0),
        ("012", "012"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("on", "on"),
        ("no", "no"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("# nothing", None),
        ("'1'", "1"),
        ("=", "="),
    ],
)
def test_scalars_are_what_they_look_like(text: str, value: object) -> None:
    found = parse_yaml(text, "f.yaml")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("a: 1\nb:\n  c: 2\n  c: 3\n", 4, "duplicate key 'c'"),
        ("a: 1\na: 1\n", 2, "duplicate key 'a'"),
        ("a:\n\tb: 1\n", 2, "'\\t'"),
        ("a: !!python/object/apply:os.system [x]\n", 1, "python"),
        ("a: 1\nb: !thing 1\n", 2, "!thing"),
        ("a: &x 1\nb: *x\n", 2, "aliases"),
        ("&x [*x]", 1, "aliases"),
        ("a: 1\n1: 2\n", 2, "key 1 is not text"),
        ("? [a]\n: 1\n", 1, "is not text"),
        ("a: [1, 2\nb: 3\n", 2, "expected"),
        ("a: 1\n---\nb: 1\n", 2, "document"),
        ("[" * 1000, 1, "too deep"),
        ("a: " + "{b: " * 100, 1, "too deep"),
    ],
)
def test_what_no_config_needs_is_refused_with_its_line(text: str, line: int, word: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "f.yaml")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"f.yaml:{line}: ")
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '!!int ""',
        "!!bool maybe",
        "!!timestamp soon",
        "!!float x",
        "!!set {a}",
        "! a",
        '"\\UFFFFFFFF"',
        '"\\ud800"',
        "\x00",
        "9" * 5000,
        "%YAML 9\n--- a",
        "...",
    ],
)
def test_what_breaks_the_parser_is_a_config_error_too(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^f\.yaml"):
        parse_yaml(text, "f.yaml")


NOISE = st.one_of(
    st.text(max_size=200),
    st.text(st.sampled_from("{}[]-:?,&*!|>'\"%@`#~ \n\t\\aU019.eE+_=<"), max_size=60),
)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail where something takes this process longer; it counts seconds of a processor, others may want it, too."""
    begun = time.process_time()
    try:
        yield
    finally:
        assert time.process_time() - begun < seconds


@settings(max_examples=200)
@given(NOISE)
@example("!!int ''")
@example('"\\U11111111"')
def test_any_text_gives_a_value_or_a_config_error(text: str) -> None:
    try:
        with within(2.0):
            value = parse_yaml(text, "f.yaml")
    except ConfigError as error:
        assert "\n" not in str(error)
        return
    assert value is None or isinstance(value, (str, int, float, dict, list))


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_a_config_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("yaml") / "f.yaml"
    path.write_bytes(data)
    try:
        with within(2.0):
            load_model(Outer, path)
    except ConfigError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize("size", [MAXIMUM_BYTES + 1, 20_000_000])
def test_megabytes_are_refused_unread(tmp_path: Path, size: int) -> None:
    path = tmp_path / "big.yaml"
    with path.open("wb") as file:
        file.truncate(size)
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError, match=f"{size} bytes"):
            load_yaml(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MAXIMUM_BYTES / 2


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("Größe: 1".encode("latin-1"))
    for name, word in (("absent.yaml", "no such file"), (".", "directory"), ("latin.yaml", "UTF-8")):
        with pytest.raises(ConfigError, match=word) as caught:
            load_yaml(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key", "got"),
    [
        ("inner: {gain: .nan}", "inner.gain", "nan"),
        ("inner: {gain: .inf}", "inner.gain", "inf"),
        ("inner: {gain: 1e999}", "inner.gain", "inf"),
        ("inner: {gain: -1}", "inner.gain", "-1"),
        ("inner: {gain: true}", "inner.gain", "True"),
        ("inner: {gain: '1'}", "inner.gain", "'1'"),
        ("inner: {gian: 1}", "inner.gian", "1"),
        ("inner: 3", "inner", "3"),
        ("count: 1.5", "count", "1.5"),
        ("count: 2.0", "count", "2.0"),
        ("name: 5", "name", "5"),
        ("name:", "name", "null"),
        ("nme: b", "nme", "'b'"),
    ],
)
def test_models_refuse_with_the_key_and_the_value(tmp_path: Path, text: str, key: str, got: str) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_model(Outer, path)
    message = str(caught.value)
    assert message.startswith(f"{path}: {key}: ")
    assert got in message.removeprefix(f"{path}: {key}: ")


def test_whole_numbers_and_exponents_fit_float_fields() -> None:
    assert validate(Outer, parse_yaml("inner: {gain: 2}", "f"), "f").inner.gain == 2.0
    assert validate(Outer, parse_yaml("inner: {gain: 1e3}", "f"), "f").inner.gain == 1000.0


@pytest.mark.parametrize("text", ["5", "[a]", "text"])
def test_a_model_is_a_map(tmp_path: Path, text: str) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="must be a map"):
        load_model(Outer, path)


def test_parameter_files_have_the_ros_form_and_an_empty_file_holds_the_defaults(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_text("/**:\n  ros__parameters:\n    count: 3\n")
    assert load_parameters(Outer, path).count == 3
    path.write_text("/**:\n  ros__parameters:\n")
    assert load_parameters(Outer, path) == Outer()
    path.write_text("")
    assert load_model(Outer, path) == Outer()


def test_a_parameter_file_may_hold_what_is_for_single_nodes(tmp_path):
    path = tmp_path / "role.yaml"
    path.write_text("/**: {ros__parameters: {count: 3}}\n/**/velocity_gate: {ros__parameters: {max_linear: 0.2}}\n")
    assert load_parameters(Outer, path).count == 3


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("count: 3", "'/**'"),
        ("/**: 3", "/**: must hold"),
        ("/**: {ros__parameters: {}, x: 1}", "/**: must hold"),
        ("/**: {ros__parameters: []}", "/**.ros__parameters: must be a map"),
        ("/**: {ros__parameters: false}", "/**.ros__parameters: must be a map"),
        ("/**: {ros__parameters: {count: x}}", "/**.ros__parameters.count: "),
    ],
)
def test_other_forms_of_parameter_files_are_refused(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_parameters(Outer, path)
    assert key in str(caught.value)
