"""Parameter files of launches: a section that is about no node is refused, for a robot would drive by its defaults."""

import pytest
import yaml

from arena_trees.nodes.programs.parameter_file import check_parameter_file, keys_for_all, robot_nodes
from arena_trees.robot.configuration.resources import resource_path

NODES = [*robot_nodes("/wolf"), *robot_nodes("/rabbit"), "/game"]


@pytest.mark.parametrize(
    "section",
    [
        "/**", "/**/velocity_gate", "/wolf/velocity_gate", "wolf/tree", "/*/tree", "/wolf/*", "/game", "game", "/*",
        "**", "/rabbit/**",
    ],
)  # fmt: skip
def test_a_section_that_is_about_a_node_is_taken(tmp_path, section: str):
    file = tmp_path / "file.yaml"
    file.write_text(f"{section!r}: {{ros__parameters: {{max_linear: 0.1}}}}")
    check_parameter_file(str(file), NODES)


@pytest.mark.parametrize("section", ["/**/velocity_gat", "/wofl/velocity_gate", "/velocity_gate", "/wolf", "/*/*/tree"])
def test_a_section_that_is_about_none_is_refused(tmp_path, section: str):
    file = tmp_path / "file.yaml"
    file.write_text(f"/**: {{ros__parameters: {{}}}}\n{section!r}: {{ros__parameters: {{max_linear: 0.1}}}}")
    with pytest.raises(RuntimeError) as refused:
        check_parameter_file(str(file), NODES)
    assert f"params_file: {file}: {section}: is about none of /game, /rabbit/feedback" in str(refused.value)


def test_sections_of_other_robots_are_taken_beside_one_that_changes_something(tmp_path):
    own, others = robot_nodes("/wolf"), robot_nodes("/rabbit")
    file = tmp_path / "file.yaml"
    sections = {name: {"ros__parameters": {"max_linear": 0.1}} for name in ("/wolf/velocity_gate", "/rabbit/tree")}
    file.write_text(yaml.safe_dump(sections))
    check_parameter_file(str(file), own, others)
    with pytest.raises(RuntimeError, match="/rabbit/tree: is about none of /wolf"):
        check_parameter_file(str(file), own)
    del sections["/wolf/velocity_gate"]
    file.write_text(yaml.safe_dump(sections))
    with pytest.raises(RuntimeError, match="has no section about any of /wolf/feedback"):
        check_parameter_file(str(file), own, others)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "No such file or directory"),
        ("", "the file: must be a map of nodes with ros__parameters"),
        ("[1, 2", "while parsing"),
        ("max_linear: 0.1", "max_linear: must be a map of nodes with ros__parameters"),
        ("ros__parameters: {max_linear: 0.1}", "ros__parameters: must stand below the name of a node"),
        ("/**: {max_linear: 0.1}", "max_linear: must be a map"),
    ],
)
def test_what_is_no_parameter_file_is_refused(tmp_path, text: str | None, reason: str):
    file = tmp_path / "file.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(RuntimeError, match="params_file: ") as refused:
        check_parameter_file(str(file), NODES)
    assert str(file) in str(refused.value) and reason in str(refused.value)


def test_keys_for_every_node_are_told_from_those_of_one(tmp_path):
    file = tmp_path / "file.yaml"
    sections = {
        "/**": {"a": 1, "fence": {"b": 2}},
        "/wolf/*": {"c": 3},
        "/**/tree": {"d": 4},
        "/wolf/velocity_gate": {"e": 5},
    }
    file.write_text(yaml.safe_dump({name: {"ros__parameters": values} for name, values in sections.items()}))
    arguments = ["node", "--ros-args", "--params-file", str(file), "-p", "f:=6"]
    assert keys_for_all(arguments) == {"a", "fence.b", "c"}
    assert keys_for_all(["node"]) == set()


def test_namespaces_may_be_nested(tmp_path):
    file = tmp_path / "file.yaml"
    file.write_text("wolf: {velocity_gate: {ros__parameters: {}}, tree: {ros__parameters: {}}}")
    check_parameter_file(str(file), NODES)
    file.write_text("wolf: {velocity_gate: {ros__parameters: {}}, three: {ros__parameters: {}}}")
    with pytest.raises(RuntimeError, match="/wolf/three: is about none"):
        check_parameter_file(str(file), NODES)


def test_every_file_that_is_shipped_for_a_role_is_taken():
    files = [file for file in resource_path("config").glob("*/*.yaml") if "ros__parameters" in file.read_text()]
    assert len(files) > 5
    for file in files:
        check_parameter_file(str(file), NODES)
