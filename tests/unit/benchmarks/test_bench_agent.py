"""`litterm bench citance --method agent` over a small library and a model server on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes_model_server import MODEL, ModelServer, after
from graphs import small_library, written
from libraries import store
from scripted_agents import calling, search, select

from litterm.build import build_engine
from litterm.cli.main import main

Run = Callable[..., tuple[int, str, str]]
EXCERPTS = ("Phrases are learned from word alignments [CITATION].", "Zebras sleep in the sun [CITATION].")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [
        {"id": str(number), "excerpt": text, "target_id": "B", "citing_id": "C", "citing_year": 2012}
        for number, text in enumerate(EXCERPTS)
    ]
    path = tmp_path / "citances.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture
def bench(home: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]) -> Run:
    table = f'starter = false\n[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n'
    (home / "config.toml").write_text(table)
    store(home / "library", [*small_library(), written("D")])
    model_server.brain = calling([search("phrase tables"), select("acl:B")])

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(["bench", "citance", *argv], build=build_engine)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


def test_the_agent_is_measured_beside_the_method_without_a_model_with_paired_differences(
    bench: Run, path: Path, model_server: ModelServer
) -> None:
    status, out, _ = bench(str(path), "--method", "agent-search-only", "--yes", "--json")
    rows = {row["method"]: row for row in json.loads(out)["rows"]}
    assert (status, list(rows)) == (0, ["litterm", "agent-search-only", "ceiling"])
    agent, offline = rows["agent-search-only"], rows["litterm"]
    assert (agent["base"], agent["metrics"]["recall@1"]["mean"]) == ("litterm", 100)
    first = agent["metrics"]["recall@1"]
    assert first["gain"] == pytest.approx(first["mean"] - offline["metrics"]["recall@1"]["mean"])
    assert "agent-search-only over litterm" in bench(str(path), "--method", "agent-search-only", "--yes")[1]


def test_a_second_run_asks_only_what_the_first_did_not_come_to(
    bench: Run, path: Path, model_server: ModelServer
) -> None:
    whole = path.read_text("utf-8")
    path.write_text(whole.splitlines()[0], encoding="utf-8")
    bench(str(path), "--method", "agent-search-only", "--yes")
    asked = len(model_server.chats)
    path.write_text(whole, encoding="utf-8")
    bench(str(path), "--method", "agent-search-only", "--yes")
    assert (asked, len(model_server.chats)) == (2, 4), "two turns for each excerpt, once"


def test_excerpts_are_asked_about_at_the_same_time(
    bench: Run, path: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITTERM_MODEL_CONCURRENCY", "2")
    find_it = calling([search("phrase tables"), select("acl:B")])
    model_server.brain = lambda asked: after(0.2, find_it(asked))
    status, out, _ = bench(str(path), "--method", "agent-search-only", "--yes", "--json")
    assert (status, model_server.most_at_once) == (0, 2)
    agent = next(row for row in json.loads(out)["rows"] if row["method"] == "agent-search-only")
    assert agent["metrics"]["recall@1"]["mean"] == 100


def test_the_cost_is_told_before_anything_is_read_or_asked(bench: Run, path: Path, model_server: ModelServer) -> None:
    status, out, err = bench(str(path), "--method", "agent", "--method", "agent-no-example")
    assert (status, out, model_server.chats) == (2, "", [])
    assert "60 calls" in err, "two excerpts, two methods, fifteen actions"
    assert "reading the library" not in err
