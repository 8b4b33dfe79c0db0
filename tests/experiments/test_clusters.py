"""Sweeps on clusters of two workers, in processes of their own, leave what one process leaves."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.commands import bytes_of, call, refused

from arena_trees.experiments.clusters import equipment, on_cluster
from arena_trees.robot.errors import ArenaTreesError

SWEEP = ("sweep", "crossroads", "--grid", "rules.arrivals_per_min=6,-1,12", "--trials", "3", "--seed", "70")
SHORT = ("--set", "duration_s=20", "--quiet")


@pytest.fixture(scope="module")
def dask() -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")
    with distributed.LocalCluster(2, processes=True, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def ray() -> Iterator[str]:
    cluster_utils = pytest.importorskip("ray.cluster_utils", reason="the extra ray is not installed")
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    yield cluster.address
    cluster.shutdown()


@pytest.fixture(scope="module", params=["dask", "ray"])
def cluster(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Kind and address of a cluster of two workers."""
    return request.param, request.getfixturevalue(request.param)


@pytest.mark.slow
def test_a_cluster_leaves_what_one_process_leaves(capsys, tmp_path: Path, cluster: tuple[str, str]):
    kind, address = cluster
    call(capsys, *SWEEP, *SHORT, "--jobs", "1", "--out", str(tmp_path / "one"))
    call(capsys, *SWEEP, *SHORT, "--cluster", kind, "--address", address, "--out", str(tmp_path / "many"))
    assert len(bytes_of(tmp_path / "one")) == 9 + 4
    assert bytes_of(tmp_path / "many") == bytes_of(tmp_path / "one")
    for name in ("000000/000001", "000002/000000"):
        (tmp_path / "many" / "jobs" / f"{name}.json").unlink()
    call(capsys, *SWEEP, *SHORT, "--cluster", kind, "--address", address, "--out", str(tmp_path / "many"))
    assert bytes_of(tmp_path / "many") == bytes_of(tmp_path / "one")


def where(job: int) -> tuple[int, int]:
    import os

    if job < 0:
        raise ArenaTreesError(f"job {job} cannot be done")
    return job, os.getpid()


@pytest.mark.slow
def test_jobs_are_done_by_two_other_processes_and_few_are_taken_ahead(cluster: tuple[str, str]):
    import os

    taken: list[int] = []

    def jobs() -> Iterator[int]:
        for number in range(60):
            taken.append(number)
            yield number

    with on_cluster(where, jobs(), *cluster, equipment()) as results:
        found = [next(results)]
        assert len(taken) < 20, "there may be more than memory has room for"
        found += results
    assert sorted(number for number, _ in found) == list(range(60))
    assert os.getpid() not in {process for _, process in found}
    assert len({process for _, process in found}) == 2


@pytest.mark.slow
def test_what_ends_a_job_ends_all_and_says_why(cluster: tuple[str, str]):
    with (
        pytest.raises(ArenaTreesError, match=r"^job -1 cannot be done$"),
        on_cluster(where, iter([1, -1, 2]), *cluster, equipment()) as results,
    ):
        list(results)


@pytest.mark.slow
def test_a_worker_of_another_version_is_refused(cluster: tuple[str, str]):
    here = equipment()
    other = replace(here, versions={**here.versions, "numpy": "1.0"})
    with (
        pytest.raises(ArenaTreesError, match=r"^numpy has version .* at a worker .*, and version 1\.0 here"),
        on_cluster(where, iter([1]), *cluster, other) as results,
    ):
        list(results)


def test_files_must_be_alike(tmp_path: Path):
    tree = tmp_path / "tree.py"
    tree.write_text("one")
    needed = equipment([tree])
    needed.check()
    tree.write_text("two")
    with pytest.raises(ArenaTreesError, match=r"tree\.py has content .* at a worker of the cluster, and content"):
        needed.check()
    tree.unlink()
    with pytest.raises(ArenaTreesError, match=r"tree\.py is missing at a worker"):
        needed.check()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--cluster", "slurm", "--address", "a"), ("--cluster", "slurm", "dask, ray")),
        (("--cluster", "dask"), ("--cluster", "--address")),
        (("--address", "tcp://a:1"), ("--address", "--cluster")),
        (("--cluster", "dask", "--address", "a", "--jobs", "2"), ("--jobs", "2")),
    ],
)
def test_bad_arguments(capsys, tmp_path, arguments, words):
    said = refused(capsys, *SWEEP, *SHORT, *arguments, "--out", tmp_path / "a")
    assert all(word in said for word in words), said
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(("kind", "module"), [("dask", "distributed"), ("ray", "ray")])
def test_a_cluster_without_its_library_says_what_to_install(capsys, tmp_path, monkeypatch, kind, module):
    monkeypatch.setitem(__import__("sys").modules, module, None)
    said = refused(capsys, *SWEEP, *SHORT, "--cluster", kind, "--address", "127.0.0.1:1", "--out", tmp_path / "a")
    assert f"pip install 'arena-trees[{kind}]'" in said


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "module"), [("dask", "distributed"), ("ray", "ray")])
def test_where_nobody_answers_is_said(capsys, tmp_path, monkeypatch, kind, module):
    pytest.importorskip(module, reason=f"the extra {kind} is not installed")
    monkeypatch.setattr("arena_trees.experiments.clusters._PATIENCE_S", 1)
    said = refused(capsys, *SWEEP, *SHORT, "--cluster", kind, "--address", "127.0.0.1:9", "--out", tmp_path / "a")
    assert "--address: no " in said and "127.0.0.1:9" in said
