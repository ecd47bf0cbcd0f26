"""`litterm search --one-hop` and `--rerank` over a library on disk and a model server on this machine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes_model_server import MODEL, ModelServer, Received, Script, error, says
from graphs import citing, small_library, written
from libraries import store
from scripted_rerankers import shown, sorting

from litterm.build import build_engine
from litterm.cli.main import main
from litterm.core.settings import from_home
from litterm.model.paper import PaperId

Run = Callable[..., tuple[int, str, str]]
PHRASES = "Phrase tables learned from word alignments"


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Over A, cited by B and C; B, cited by C; and D, which nothing cites and of which nothing is known."""
    (home / "config.toml").write_text("starter = false\n")
    store(home / "library", [*small_library(), written("D")])

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(list(argv), build=build_engine)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


@pytest.fixture
def with_model(litterm: Run, home: Path, model_server: ModelServer) -> ModelServer:
    path = home / "config.toml"
    path.write_text(f'starter = false\n[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n')
    model_server.brain = sorts
    return model_server


def sorts(asked: Received) -> Script:
    return says(sorting(str)(asked.last), usage=None)


def results(out: str) -> list[dict[str, object]]:
    return list(json.loads(out)["results"])


def test_one_hop_takes_in_what_the_best_papers_cite_and_says_through_which(litterm: Run) -> None:
    status, out, err = litterm("search", "--one-hop", "phrase", "tables", "-k", "5")
    assert status == 0
    assert "Alignment of parallel sentences" in out
    assert f"via one-hop from “{PHRASES}”" in out
    assert "papers cited by the first" in err
    assert litterm("search", "phrase tables")[1].count("Alignment of parallel sentences") == 0


def test_why_is_told_of_papers_that_links_moved_too(litterm: Run) -> None:
    out = litterm("search", "phrase tables", "--one-hop", "--why")[1]
    assert "via one-hop from" in out
    assert "Linked with 2 of the first: +" in out
    assert "Together" in out
    assert "Together" not in litterm("search", "phrase tables", "--one-hop")[1]


def test_why_is_told_below_the_marks_of_aspects(litterm: Run) -> None:
    out = litterm("search", "phrase tables || alignment of sentences", "--why")[1]
    assert re.search(r"%\n     Number \d+ by", out)
    assert "Together" in out


def test_its_json_names_the_seeds_and_the_place_before(litterm: Run) -> None:
    found = {str(each["id"]): each for each in results(litterm("search", "phrase tables", "--one-hop", "--json")[1])}
    assert found["acl:A"]["via"] == ["acl:B", "acl:C"] or found["acl:A"]["via"] == ["acl:C", "acl:B"]
    assert (found["acl:A"]["local_rank"], found["acl:B"]["via"]) == (None, [])
    assert str(found["acl:A"]["by"]).startswith("one-hop · ")


def test_in_the_published_order_neighbours_stand_behind_their_seed(litterm: Run) -> None:
    out = litterm("search", "phrase tables", "--one-hop", "--one-hop-order", "interleaved", "--json")[1]
    found = [str(each["id"]) for each in results(out)]
    assert found.index("acl:A") == found.index(str(results(out)[found.index("acl:A")]["via"][0])) + 1  # type: ignore[index]
    assert {each["score"] for each in results(out)} == {None}
    status, _, err = litterm("search", "phrase tables", "--one-hop-order", "interleaved")
    assert (status, "--one-hop-order is for --one-hop" in err) == (2, True)


def test_the_other_direction_is_what_cites_them(litterm: Run) -> None:
    _, out, err = litterm("search", "parallel sentences length", "--one-hop=cited", "--json")
    assert {each["id"] for each in results(out)} >= {"acl:A", "acl:B", "acl:C"}
    assert "that cite the first" in err


def test_a_paper_added_later_is_hopped_to_at_once(litterm: Run, home: Path) -> None:
    litterm("search", "--one-hop", "survey", "translation")
    store(home / "library", [citing("E", ["See [1]."], "D", title="Everything about zebras", year=2020)])
    found = {each["id"]: each for each in results(litterm("search", "zebras", "--one-hop", "--json")[1])}
    assert found["acl:D"]["via"] == ["acl:E"]


def test_the_model_orders_and_each_paper_says_where_it_was(litterm: Run, with_model: ModelServer) -> None:
    status, out, err = litterm("search", "alignments alignment phrase", "--rerank", "--json")
    titles = [str(each["title"]) for each in results(out)]
    assert (status, titles) == (0, sorted(titles))
    first = results(out)[0]
    assert (first["by"], first["reason"], first["score"]) == (f"listwise · {MODEL}", "it fits", None)
    assert sorted(int(str(each["local_rank"])) for each in results(out)) == list(range(1, len(titles) + 1))
    assert "was shown the first" in err
    assert "it fits" in litterm("search", "alignments alignment phrase", "--rerank")[1]
    assert len(with_model.chats) == 1


def test_with_one_hop_the_model_sees_the_neighbours_too(litterm: Run, with_model: ModelServer) -> None:
    litterm("search", "phrase tables", "--one-hop", "--rerank")
    assert any(text.startswith("Alignment of parallel") for text in shown(with_model.chats[0].last))


def test_a_dry_run_sends_nothing(litterm: Run, with_model: ModelServer) -> None:
    status, out, err = litterm("search", "alignments phrase", "--rerank", "--dry-run")
    assert (status, with_model.chats) == (0, [])
    assert "You are a reference librarian" in out
    assert "nothing was sent" in err


def test_many_tokens_need_consent(
    litterm: Run, with_model: ModelServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("litterm.model.llm.MAX_TOKENS_WITHOUT_CONSENT", 5_000)
    store(home / "library", [written(f"N{n}", title=f"Zebra number {n} of the herd", year=2000) for n in range(60)])
    status, _, err = litterm("search", "zebra herd", "--rerank", "60", "--window", "4")
    assert (status, with_model.chats) == (2, [])
    assert "29 calls" in err
    assert litterm("search", "zebra herd", "--rerank", "60", "--window", "4", "--yes")[0] == 0
    assert len(with_model.chats) == 29


def test_a_model_that_fails_costs_a_notice_and_not_the_answer(litterm: Run, with_model: ModelServer) -> None:
    with_model.brain = lambda _asked: error(401, "Incorrect API key provided.", code="invalid_api_key")
    status, out, err = litterm("search", "alignments phrase", "--rerank", "--json")
    assert status == 0
    assert [each["rank"] for each in results(out)] == [1, 2, 3][: len(results(out))]
    assert "listwise" not in out
    assert "this is the offline order" in err


@pytest.mark.parametrize(
    "argv",
    [
        ("--rerank",),
        ("--rerank", "1"),
        ("--rerank", "--sort", "newest"),
        ("--one-hop", "--sort", "newest"),
        ("--window", "5"),
        ("--one-hop", "--aspects", "a || b"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(litterm: Run, argv: tuple[str, ...]) -> None:
    assert litterm("search", "phrase tables", *argv)[0] == 2


def test_a_word_behind_a_bare_option_belongs_to_the_query(litterm: Run) -> None:
    _, out, _ = litterm("search", "--one-hop", "phrase", "tables", "--json")
    assert json.loads(out)["query"] == "phrase tables"


def test_papers_added_are_in_the_graph_at_once(litterm: Run, home: Path, tmp_path: Path) -> None:
    row = {"id": "acl:Z1", "title": "Aligned zebras", "year": 2020, "authors": ["Z Z"]}
    text = {"heading": "Intro", "sentences": ["We align (Writer, 2001), whose alignment of parallel sentences is old."]}
    (tmp_path / "z.jsonl").write_text(json.dumps({**row, "sections": [text]}) + "\n")
    assert litterm("add", str(tmp_path / "z.jsonl"))[0] == 0
    graph = build_engine(from_home(home)).citations.graph()
    assert "acl:Z1" in [edge.citing for edge in graph.citations([PaperId("acl:A")])[0]]
