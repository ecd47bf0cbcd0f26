"""On a real Ray cluster of two nodes on this machine: the same ranking, whatever is killed meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any
from zipfile import ZipFile

import pytest
from libraries import record, store
from pdfs import column, make_pdf

from litterm.build import build_engine
from litterm.cluster import ray_shards
from litterm.cluster.connection import RayCluster
from litterm.cluster.engine import build_cluster_engine
from litterm.cluster.ray_shards import RayShards, moves_to_free_nodes
from litterm.cluster.row_source import ShardSource
from litterm.cluster.shards import Shards
from litterm.core.errors import ClusterError
from litterm.core.settings.model import from_home
from litterm.core.tasks import run
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.lock import WRITE_LOCK_FILE
from litterm.library.segments.library import DuckLibrary
from litterm.model.events import CellFilled, Event, Progress
from litterm.model.library import Failure, Parsed
from litterm.model.matrix import Matrix, MatrixCell
from litterm.search.hybrid import HybridSearcher
from litterm.text.queries.parser import parse_query

STORE_BYTES = 100_000_000
MOVE_LIMIT_S = 600.0
"""For a shard to be on the node that came back; generous, as a busy machine starts an actor in half a minute."""
WORDS = "parsing translation attention pruning smoothing retrieval summarization question".split()
ABSTRACT = "We study pruning of attention. It helps translation by 2 points. Smoothing hurts retrieval in all tests."
QUERIES = ("attention", "which papers study pruning of attention?", "parsing year:2003..", "smoothing retreival")


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Two nodes of one core each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    yield cluster
    import ray

    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of four segments."""
    folder = tmp_path_factory.mktemp("home")
    for part in range(4):
        store(folder / "library", [written(part, n) for n in range(40)])
    return folder


def written(part: int, n: int) -> Parsed:
    title = f"{WORDS[n % 8]} for {WORDS[(n + part) % 8]} in study {n}"
    return record(f"P{part}-{n}", title, year=2000 + n % 7, abstract=ABSTRACT)


def searcher(home: Path, shards: RayShards | None = None) -> HybridSearcher:
    library = DuckLibrary(home / "library")
    source = ShardSource(Shards(shards, limit_s=60.0), library, open_static()) if shards is not None else None
    return HybridSearcher(library, IndexFolder(), embedder=open_static(), source=source)


def test_ranking_survives_the_death_of_an_actor_and_of_a_node(nodes: Any, home: Path, tmp_path: Path) -> None:
    cluster = RayCluster(nodes.address)
    shards = RayShards(cluster, tmp_path / "cache", (home / "library" / "segments").as_uri())
    assert shards.count == 2
    one, many = searcher(home), searcher(home, shards)

    def compare() -> None:
        for query in QUERIES:
            assert run(many.search(parse_query(query), k=10)) == run(one.search(parse_query(query), k=10))

    compare()
    cluster.ray().kill(shards.actor(0), no_restart=False)
    compare()
    cluster.ray().kill(shards.actor(1), no_restart=True)
    compare()
    lost = nodes.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    nodes.remove_node(lost)
    compare()
    cluster.close()


def test_a_node_that_comes_back_is_used_by_the_same_session(
    nodes: Any, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_shards, "_NODE_CHECK_S", 0.0)
    cluster = RayCluster(nodes.address)
    shards = RayShards(cluster, tmp_path / "cache", (home / "library" / "segments").as_uri())
    one, many = searcher(home), searcher(home, shards)

    def compare() -> None:
        for query in QUERIES:
            assert run(many.search(parse_query(query), k=10)) == run(one.search(parse_query(query), k=10))

    def alive() -> set[str]:
        return {node["NodeID"] for node in cluster.ray().nodes() if node["Alive"]}

    compare()
    before = alive()
    nodes.remove_node(next(iter(nodes.worker_nodes)))
    compare()
    nodes.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    (returned,) = alive() - before
    # The actors are too busy to say where they are when the node is first seen.
    asked, silent = shards.nodes_of_shards, [{}, {}]
    monkeypatch.setattr(shards, "nodes_of_shards", lambda: silent.pop() if silent else asked())
    deadline = time.monotonic() + MOVE_LIMIT_S
    while returned not in shards.nodes_of_shards().values():
        assert time.monotonic() < deadline
        compare()
    compare()
    assert len(set(shards.nodes_of_shards().values())) == 2
    cluster.close()


def test_shards_move_only_from_crowded_nodes() -> None:
    assert moves_to_free_nodes({0: "a", 1: "a"}, ("a", "b")) == {0: "b"}
    assert moves_to_free_nodes({0: "a", 1: "b", 2: "a"}, ("a", "b")) == {}
    assert moves_to_free_nodes({0: "a", 1: "a", 2: "a", 3: "a"}, ("a", "b", "c")) == {0: "b", 1: "c"}
    # Of an actor on a node that has just gone nobody knows where it will be.
    assert moves_to_free_nodes({0: "gone", 1: "a"}, ("a", "b")) == {}


def untimed(matrix: Matrix) -> list[MatrixCell]:
    return [replace(cell, at="") for row in matrix.rows for cell in row.cells if cell is not None]


def test_matrix_is_that_of_one_machine_though_a_node_is_lost_and_it_is_stopped(
    nodes: Any, home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hypotheses = ["Pruning of attention helps translation.", "Smoothing hurts retrieval."]
    keys = [f"acl:P{part}-{n}" for part in range(4) for n in range(10)]
    for name in ("one", "many"):
        copytree(home / "library", tmp_path / name / "library")
    one = build_engine(from_home(tmp_path / "one"))
    expected = run(one.matrices.fill(one.matrices.begin(keys, hypotheses).id))
    assert expected.computed_count == expected.cell_count == 80
    many = build_cluster_engine(replace(from_home(tmp_path / "many"), cluster=nodes.address))
    begun = many.matrices.begin(keys, hypotheses)
    lost = nodes.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    task = many.matrices.fill(begun.id)
    first = next(event for event in task if isinstance(event, CellFilled))
    nodes.remove_node(lost)
    task.close()
    stopped = many.matrices.open(begun.id)
    assert 0 < stopped.computed_count < stopped.cell_count
    assert first.cell in untimed(stopped)
    events: list[Event] = []
    full = run(many.matrices.fill(begun.id), events.append)
    # What was there is not computed again.
    assert sum(isinstance(event, CellFilled) for event in events) == stopped.cell_count - stopped.computed_count
    assert untimed(full) == untimed(expected)
    assert not capfd.readouterr().out
    RayCluster(nodes.address).close()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Files of several formats, an archive and two that cannot be read."""
    folder = tmp_path / "files"
    folder.mkdir()
    for n in range(30):
        entry = "@article{{k{0}, title={{Study {1} of {2}}}, author={{Doe, Jane}}, year={{20{0:02}}}}}\n"
        (folder / f"{n:02}.bib").write_text(entry.format(n, n % 25, WORDS[n % 8]) + entry.format(n + 30, n, "okapis"))
    (folder / "40.jsonl").write_text(
        "".join(json.dumps({"id": f"x:{n}", "title": f"Row {n}", "abstract": ABSTRACT}) + "\n" for n in range(600))
    )
    (folder / "50.xml").write_text("<article><front></article>")
    with ZipFile(folder / "60.zip", "w") as archive:
        for n in range(5):
            archive.writestr(f"{n}.bib", f"@article{{z{n}, title={{Zebras {n} and their stripes}}, year={{1999}}}}")
        archive.writestr("broken.xml", "<article><front></article>")
    lines = column(72, 720, [f"Okapi {n} sleeps at noon, and okapi {n + 1} does not." for n in range(40)])
    (folder / "70.pdf").write_bytes(make_pdf([lines], title="Okapis and their sleep"))
    (folder / "80.pdf").write_bytes(b"%PDF-1.4 nothing follows")
    return folder


def stored(home: Path) -> list[dict[str, Any]]:
    """All that a library holds, without the time at which it came."""
    rows = [json.loads(line) for line in build_engine(from_home(home)).export_rows()]
    return [{name: value for name, value in row.items() if name != "added"} for row in rows]


def test_import_is_that_of_one_machine_though_a_node_is_lost(nodes: Any, files: Path, tmp_path: Path) -> None:
    expected = run(build_engine(from_home(tmp_path / "one")).add([files]))
    assert expected.documents == 1 and len(expected.failures) == 3, expected
    many = build_cluster_engine(replace(from_home(tmp_path / "many"), cluster=nodes.address))
    lost = nodes.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
    task = many.add([files])
    next(event for event in task if isinstance(event, Progress) and event.unit == "bytes")
    nodes.remove_node(lost)
    report = run(task)
    assert replace(report, elapsed_s=0, failures=()) == replace(expected, elapsed_s=0, failures=())
    assert causes(report.failures) == causes(expected.failures) == causes(many.failures())
    assert stored(tmp_path / "many") == stored(tmp_path / "one")
    # What is known is not read again.
    assert run(many.add([files / "40.jsonl"])).skipped_files == 1
    RayCluster(nodes.address).close()


def causes(failures: Sequence[Failure]) -> list[tuple[str, str]]:
    return sorted((failure.origin, failure.cause) for failure in failures)


def test_import_goes_on_after_its_driver_was_killed(nodes: Any, files: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "litterm", "--home", str(tmp_path / "many"), "add", "--cluster", nodes.address]
    with subprocess.Popen([*command, str(files)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as driver:
        # Held for writing: the files are being read, or have been.
        while not (tmp_path / "many" / "library" / WRITE_LOCK_FILE).exists() and driver.poll() is None:
            time.sleep(0.05)
        driver.kill()
    done = subprocess.run([*command, "--json", str(files)], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    run(build_engine(from_home(tmp_path / "one")).add([files]))
    assert stored(tmp_path / "many") == stored(tmp_path / "one")


QUESTIONS = [
    {"id": f"q{n}", "query": f"which papers study {word}?", "gold": [f"P{n % 4}-{n}"]} for n, word in enumerate(WORDS)
]


@pytest.mark.parametrize(
    "command",
    [
        ("search", "attention"),
        ("cite", "Smoothing hurts retrieval [CITATION], but not translation."),
        ("bench", "litsearch", "questions.jsonl", "--method", "litterm"),
    ],
)
def test_command_gives_the_same_lines_and_nothing_else_on_stdout(
    nodes: Any, home: Path, tmp_path: Path, command: Sequence[str]
) -> None:
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))

    def printed(*options: str) -> Any:
        argv = [sys.executable, "-m", "litterm", "--home", str(home), *command, "--json", *options]
        done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert printed("--cluster", nodes.address) == printed()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_a_cluster_that_is_not_there_is_named(home: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    ray.shutdown()
    # What `auto` stands for where a head has died.
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    engine = build_cluster_engine(replace(from_home(home), cluster=address))
    with pytest.raises(ClusterError, match=r"No Ray cluster answers at 127\.0\.0\.1:1 .*ray start --head"):
        run(engine.search(parse_query("attention")))
