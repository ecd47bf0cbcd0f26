"""`litterm bench citeme` on a file of the published form, written here, over a small library."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes_model_server import MODEL, ModelServer, after, error
from graphs import TITLES, small_library, written
from libraries import store
from scripted_agents import Move, calling, search, select, verify

from litterm.build import build_engine
from litterm.cli.main import main
from litterm.core.errors import BadInput
from litterm_benchmarks.readers.citeme import is_right, read_citeme

COLUMNS = "id excerpt target_paper_title target_paper_url source_paper_title source_paper_url year split".split()
ROWS = (
    ("1", "Phrases are learned\nfrom alignments [CITATION].", f"Zebras[TITLE_SEPARATOR]{TITLES['B']}!", "2012", "test"),
    ("2", "The alignment of parallel sentences by their length [CITATION]", TITLES["A"].upper(), "2012", "train"),
    ("3", "A survey of statistical machine translation [CITATION]", TITLES["D"], "2011", "train"),
)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "citeme.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for key, excerpt, title, year, split in ROWS:
            table.writerow([key, excerpt, title, "https://a.example", TITLES["C"], "https://b.example", year, split])
    return path


@pytest.fixture
def bench(home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]) -> Run:
    table = f'starter = false\n[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n'
    (home / "config.toml").write_text(table)
    store(home / "library", [*small_library(), written("D")])
    model_server.brain = calling([search("phrase tables"), verify("acl:B", "alignments"), select("acl:B")])

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(["bench", "citeme", *argv], build=build_engine)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


def test_the_file_is_read_as_published_and_titles_by_its_rule(path: Path, tmp_path: Path) -> None:
    first, second, third = read_citeme(path)
    assert (first.titles, first.year, first.split) == (("Zebras", f"{TITLES['B']}!"), 2012, "test")
    assert is_right(TITLES["B"], first)
    assert is_right(TITLES["A"], second)
    assert not is_right(TITLES["A"], third)
    other = tmp_path / "other.csv"
    other.write_text("id,excerpt\n1,x\n")
    with pytest.raises(BadInput, match="target_paper_title"):
        read_citeme(other)


def test_excerpts_are_asked_about_at_the_same_time_which_is_said_of_their_seconds(
    bench: Run, path: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_it = calling([search("phrase tables"), select("acl:B")])
    model_server.brain = lambda asked: after(0.2, find_it(asked))
    bench(str(path), "--method", "agent-search-only", "--yes")
    assert model_server.most_at_once == 1, "where nothing is set: it is a model of this machine"
    monkeypatch.setenv("LITTERM_MODEL_CONCURRENCY", "3")
    status, out, _ = bench(str(path), "--method", "agent-no-commands", "--method", "agent-search-only", "--yes")
    assert (status, model_server.most_at_once) == (0, 3)
    assert "a model is asked about 3 at a time" in " ".join(out.split())


def test_offline_it_needs_no_model_and_the_citing_paper_and_later_ones_are_out(
    bench: Run, path: Path, model_server: ModelServer
) -> None:
    status, out, _ = bench(str(path), "--json")
    report = json.loads(out)
    methods = [row["method"] for row in report["rows"]]
    assert (status, report["n"], methods) == (0, 3, ["litterm", "random", "ceiling"])
    ours, random, ceiling = report["rows"]
    (classes,) = ours["parts"]["failures"].values()
    assert "misread the excerpt" not in classes["metrics"], "only searches show what was misread"
    assert 0 < random["metrics"]["accuracy"]["mean"] < random["metrics"]["accuracy@10"]["mean"]
    assert ours["metrics"]["accuracy"]["mean"] == pytest.approx(200 / 3)
    assert ceiling["metrics"]["accuracy"]["mean"] == pytest.approx(100)
    assert ours["parts"]["split"]["test"]["metrics"]["accuracy"]["mean"] == 100
    assert model_server.chats == []


def test_the_agent_needs_consent_and_tells_what_it_did(bench: Run, path: Path, model_server: ModelServer) -> None:
    assert bench(str(path), "--method", "agent")[0] == 2
    assert model_server.chats == []
    status, out, _ = bench(str(path), "--method", "agent", "--yes", "--json")
    offline, row = json.loads(out)["rows"][:2]
    metrics = {name: value["mean"] for name, value in row["metrics"].items()}
    assert (status, row["method"]) == (0, "agent")
    assert metrics["accuracy"] == pytest.approx(100 / 3)
    assert (metrics["selected"], metrics["steps"], metrics["searches"], metrics["reads"]) == (100, 3, 1, 1)
    assert metrics["calls"] == 3
    assert metrics["tokens"] > 0
    assert metrics["seconds"] > 0
    gain = metrics["accuracy"] - offline["metrics"]["accuracy"]["mean"]
    assert (offline["method"], row["base"]) == ("litterm", "litterm")
    assert row["metrics"]["accuracy"]["gain"] == pytest.approx(gain)
    asked = len(model_server.chats)
    again = json.loads(bench(str(path), "--method", "agent", "--yes", "--json")[1])["rows"][1]["metrics"]
    assert (len(model_server.chats), again["calls"]["mean"]) == (asked, 0), "a second run asks nothing again"
    assert "seconds" not in again


def failures(report: str) -> dict[str, float]:
    """The share of each class among the failures of the agent, where it is above 0."""
    row = next(row for row in json.loads(report)["rows"] if row["method"] == "agent-search-only")
    (shares,) = row["parts"]["failures"].values()
    return {name: metric["mean"] for name, metric in shares["metrics"].items() if metric["mean"]}


@pytest.mark.parametrize(
    ("moves", "kind", "found"),
    [
        ([search("phrases learned from alignments"), select("acl:A")], "stopped at a near match", 1),
        ([search("nothing of the kind zebra"), select("none")], "no answer", 0),
    ],
)
def test_a_failure_of_the_agent_has_a_class_by_rules(
    bench: Run, tmp_path: Path, model_server: ModelServer, moves: list[Move], kind: str, found: int
) -> None:
    path = one_excerpt(tmp_path, "Words were aligned long ago. Phrases are learned from alignments [CITATION].")
    model_server.brain = calling(moves)
    _, out, _ = bench(str(path), "--method", "agent-search-only", "--yes", "--json")
    assert failures(out) == {kind: 100}
    metrics = json.loads(out)["rows"][1]["metrics"]
    assert metrics["found, not chosen"]["mean"] == 100 * found


def test_trouble_of_the_model_is_a_technical_failure(bench: Run, tmp_path: Path, model_server: ModelServer) -> None:
    path = one_excerpt(tmp_path, "zebras and horses [CITATION]")
    model_server.brain = lambda _asked: error(401, "no")
    _, out, _ = bench(str(path), "--method", "agent-search-only", "--yes", "--json")
    assert failures(out) == {"technical": 100}
    assert json.loads(out)["rows"][1]["metrics"]["technical"]["mean"] == 100


def one_excerpt(tmp_path: Path, excerpt: str) -> Path:
    """A file with one row, whose paper is B."""
    path = tmp_path / "one.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        table.writerow(["1", excerpt, TITLES["B"], "https://arxiv.org/abs/1003.01234", TITLES["C"], "", "2012", "test"])
    return path


def test_what_is_not_for_it_is_refused(bench: Run, path: Path) -> None:
    assert bench(str(path), "--until", "2010")[0] == 2
    assert bench(str(path), "--method", "oracle")[0] == 2
