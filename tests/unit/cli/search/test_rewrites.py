"""`litterm search --rewrite` over a library on disk and a model server on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes_model_server import MODEL, ModelServer, Received, Script, says
from graphs import small_library, written
from libraries import store
from scripted_rerankers import shown, sorting

from litterm.cli.main import main

Run = Callable[..., tuple[int, str, str]]
QUESTION = "phrase tables"


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    (home / "config.toml").write_text("starter = false\n")
    store(home / "library", [*small_library(), written("D")])

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(list(argv))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


@pytest.fixture
def model(litterm: Run, home: Path, model_server: ModelServer) -> ModelServer:
    (home / "config.toml").write_text(f'starter = false\n[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n')
    model_server.brain = reply
    return model_server


def reply(asked: Received) -> Script:
    if "<<<papers" in asked.last:
        return says(sorting(str)(asked.last), usage=None)
    queries = {"terms": "alignment of sentences", "names": "import:refs", "wording": QUESTION}
    return says(json.dumps(queries), usage=None)


def test_it_says_who_wrote_what_and_which_query_found_a_paper(litterm: Run, model: ModelServer) -> None:
    status, out, err = litterm("search", "--rewrite", QUESTION)
    assert status == 0 and len(model.asked) == 1
    assert "Alignment of parallel sentences" in out and "found by query 1 (place 1)" in out
    assert f"Also searched, rewritten by {MODEL}:" in err and "1. alignment of sentences" in err
    assert "2. import:refs" in err and "3." not in err


def test_it_stays_on_in_the_project_until_it_is_switched_off(litterm: Run, model: ModelServer) -> None:
    litterm("search", "--rewrite", QUESTION)
    assert "rewritten by" in litterm("search", QUESTION)[2]
    # The reply is kept.
    assert len(model.asked) == 1
    assert "rewritten by" not in litterm("--project", "other", "search", QUESTION)[2]
    assert "rewritten by" not in litterm("search", QUESTION, "--sort", "newest")[2]
    assert "rewritten by" not in litterm("search", "--no-rewrite", QUESTION)[2]
    assert "rewritten by" not in litterm("search", QUESTION)[2]


def test_queries_of_ones_own_need_no_model(litterm: Run) -> None:
    status, out, err = litterm("search", QUESTION, "--rewrites", "alignment of sentences || word", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["rewrite"] == {"by": "", "queries": ["alignment of sentences", "word"]}
    assert any({"query": 1, "rank": 1} in result["places"] for result in found["results"])
    assert "Also searched, written by you:" in err


def test_without_a_model_it_is_one_sentence_and_the_search_as_usual(litterm: Run) -> None:
    status, out, err = litterm("search", "--rewrite", QUESTION)
    assert status == 0 and out == litterm("search", QUESTION)[1]
    assert "Searched as typed, not rewritten:" in err


def test_a_model_orders_what_all_queries_find(litterm: Run, model: ModelServer) -> None:
    litterm("search", "--rewrite", "--rerank", "10", QUESTION)
    assert "Alignment of parallel sentences" in str(shown(model.asked[-1].last))


@pytest.mark.parametrize("options", [("--sort", "newest"), ("--one-hop",)])
def test_it_has_an_order_of_its_own(litterm: Run, options: tuple[str, ...]) -> None:
    status, _, err = litterm("search", QUESTION, "--rewrite", *options)
    assert status == 2 and "leave out --sort and --one-hop" in err


def test_a_dry_run_shows_the_request(litterm: Run, model: ModelServer) -> None:
    status, out, _ = litterm("search", "--rewrite", QUESTION, "--dry-run")
    assert status == 0 and QUESTION in out and model.asked == []
