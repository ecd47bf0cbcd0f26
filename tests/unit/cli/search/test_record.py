"""`litterm search --record` and `litterm rerun` over a library on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from encoder_models import write_encoder
from fakes_model_server import MODEL, ModelServer, Received, Script, says
from json_answers import answer
from libraries import by, record, store
from scripted_rerankers import sorting

from litterm.cli.main import main
from litterm.library.writer.compaction import MANY_SEGMENTS

Run = Callable[..., tuple[int, str, str]]
TITLES = {
    "acl:P1": "Parsing with neural networks",
    "acl:P2": "Neural parsing of long sentences",
    "acl:P3": "A treebank for parsing",
    "iclr:Q1": "Neural parsing with attention",
    "iclr:Q2": "Images and captions",
}
PARSING = "neural parsing"


@pytest.fixture
def library(home: Path) -> Path:
    (home / "config.toml").write_text("starter = false\n")
    store(home / "library", [record(key, title, year=2020, authors=by("Bee")) for key, title in TITLES.items()])
    return home / "library"


@pytest.fixture
def litterm(library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(list(argv))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


def recorded(path: str = "r.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
    return found


def test_a_record_says_what_was_searched_where_and_what_came(litterm: Run) -> None:
    status, out, err = litterm("search", PARSING, "--year", "2015..", "-k", "2", "--record", "r.json", "--json")
    assert status == 0 and "r.json: the search is recorded." in err
    shown, kept = answer(out), recorded()
    assert kept["query"] == "neural parsing year:2015.." and kept["typed"] == PARSING
    assert kept["ids"] == [result["id"] for result in shown["results"]] and kept["count"] == 2
    assert kept["found"] == shown["found"]
    assert kept["options"]["limit"] == 2
    assert kept["library"]["papers"] == 5 and kept["library"]["sources"] == {"acl": 3, "iclr": 2}


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--sort", "newest"),
        ("--as", "question"),
        ("--rewrites", "treebank || captions"),
        ("--aspects", "attention || treebank *3", "--sort", "aspects"),
        ("--aspects", "attention || treebank", "--mute", "1"),
        ("--aspects", "attention || treebank", "--each-aspect"),
        ("--sort", "sentences"),
        ("--one-hop", "both", "--one-hop-order", "interleaved"),
        ("--in-full-text",),
        ("--source", "acl"),
    ],
    ids=" ".join,
)
def test_a_search_made_once_more_gives_the_same_list(litterm: Run, options: tuple[str, ...]) -> None:
    assert litterm("search", PARSING, *options, "-k", "3", "--record", "r.json")[0] == 0
    status, out, _ = litterm("rerun", "r.json")
    assert "The same:" in out and "changed since" not in out
    assert status == 0
    assert answer(litterm("rerun", "r.json", "--json")[1])["ids"] == recorded()["ids"]


def test_papers_added_since_are_named_with_their_ranks(litterm: Run, library: Path) -> None:
    litterm("search", PARSING, "-k", "3", "--record", "r.json")
    before = recorded()["ids"]
    store(library, [record("acl:P9", PARSING, authors=by("Dee")), record("acl:P8", "Speech", authors=by("Dee"))])
    status, out, _ = litterm("rerun", "r.json", "--json")
    assert status == 6
    again = answer(out)
    assert not again["same"] and again["library"] == {"added": 2, "changed": 0, "removed": 0}
    rank = again["ids"].index("acl:P9") + 1
    assert again["entered"] == [{"id": "acl:P9", "title": PARSING, "rank": rank, "reason": "added"}]
    (left,) = again["left"]
    assert (left["id"], left["reason"]) == (before[2], "rank")
    assert {change["what"] for change in again["changes"]} == {"library"}
    out = litterm("rerun", "r.json")[1]
    assert "acl:P9  added to the library since" in out and "2 added" in out


def test_a_paper_that_has_nothing_to_do_with_the_query_leaves_the_list_the_same(litterm: Run, library: Path) -> None:
    litterm("search", '"neural parsing"', "--record", "r.json")
    store(library, [record("acl:P8", "Speech", authors=by("Dee"))])
    status, out, _ = litterm("rerun", "r.json")
    assert status == 0 and "The same:" in out
    assert "had 5 papers and has 6: 1 added" in out


def test_removed_and_merged_papers_are_told_apart(litterm: Run) -> None:
    litterm("search", PARSING, "--record", "r.json")
    litterm("remove", "acl:P1")
    litterm("duplicates", "--merge", "acl:P2", "iclr:Q1")
    status, out, _ = litterm("rerun", "r.json", "--json")
    assert status == 6
    again = answer(out)
    reasons = {change["id"]: (change["reason"], change["shown_in"]) for change in again["left"]}
    assert reasons["acl:P1"] == ("gone", None)
    (merged,) = (value for paper, value in reasons.items() if paper != "acl:P1")
    assert merged[0] == "merged" and merged[1] in ("acl:P2", "iclr:Q1")
    assert again["library"]["removed"] == 2 and again["library"]["added"] == 0


def test_a_corrected_record_counts_as_changed(litterm: Run) -> None:
    litterm("search", PARSING, "--record", "r.json")
    assert litterm("edit", "acl:P3", "--title", "A treebank of speech")[0] == 0
    again = answer(litterm("rerun", "r.json", "--json")[1])
    assert again["library"] == {"added": 0, "changed": 1, "removed": 0}


def test_of_a_compacted_library_only_what_was_added_counts_as_new(litterm: Run, library: Path) -> None:
    for number in range(MANY_SEGMENTS - 1):
        store(library, [record(f"acl:S{number}", "Speech", authors=by(f"Name{number}"))])
    litterm("search", '"neural parsing"', "--record", "r.json")
    assert len(recorded()["library"]["segments"]) == MANY_SEGMENTS
    store(library, [record("acl:S9", "Speech", authors=by("Dee"))])
    status, out, _ = litterm("rerun", "r.json", "--json")
    assert status == 0 and answer(out)["library"] == {"added": 1, "changed": 0, "removed": 0}
    litterm("search", '"neural parsing"', "--record", "later.json")
    assert len(recorded("later.json")["library"]["segments"]) == 1


def test_another_version_of_litterm_and_other_facts_are_named(litterm: Run) -> None:
    litterm("search", PARSING, "--record", "r.json")
    kept = recorded()
    Path("r.json").write_text(json.dumps({**kept, "litterm": "0.0.1", "citation_facts": "0" * 16}))
    status, out, _ = litterm("rerun", "r.json")
    assert status == 0
    assert f"litterm was 0.0.1 and is {kept['litterm']}." in out and "citation facts" in out


def test_an_encoder_that_takes_part_only_now_is_named(litterm: Run, tmp_path: Path) -> None:
    litterm("search", "parsing", "--record", "r.json")
    assert recorded()["encoder"] is None
    folder = write_encoder(tmp_path / "tiny", [["captions", "parsing"], ["neural"], ["treebank"], ["of", "a", "the"]])
    assert litterm("config", "encoder", str(folder))[0] == 0
    assert litterm("encode")[0] == 0
    assert "The encoder was none and is tiny (" in litterm("rerun", "r.json")[1]
    litterm("search", "parsing", "--record", "later.json")
    assert recorded("later.json")["encoder"]["encoded"] == len(TITLES)
    status, out, _ = litterm("rerun", "later.json")
    assert status == 0 and "changed since" not in out


def test_grades_by_a_model_are_not_repeated(litterm: Run, home: Path, model_server: ModelServer) -> None:
    settings = f'starter = false\n[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n'
    (home / "config.toml").write_text(settings)

    def reply(asked: Received) -> Script:
        grade = "FULLY" if TITLES["acl:P3"] in asked.last else "UNRELATED"
        each = [{"number": at, "reason": "It says so.", "sentence": 1, "grade": grade} for at in (1, 2)]
        return says(json.dumps({"grades": each}), usage=None)

    model_server.brain = reply
    search = ("neural || parsing of sentences", "--grade", "-k", "5", "--yes", "--record", "r.json")
    assert litterm("search", *search)[0] == 0
    kept, asked = recorded(), len(model_server.asked)
    assert asked and kept["ordered_by"] == MODEL
    assert sorted(kept["ids"]) == sorted(kept["local_ids"]) and kept["ids"] != kept["local_ids"]
    status, out, err = litterm("rerun", "r.json", "--json")
    assert status == 0 and answer(out)["ids"] == kept["local_ids"]
    assert f"The order by {MODEL} cannot be repeated" in err and len(model_server.asked) == asked


def test_a_list_that_differs_without_a_known_cause_is_told_so(litterm: Run) -> None:
    litterm("mark", "acl:P1", "--tag", "mine")
    litterm("search", "tag:mine", "--record", "r.json")
    litterm("mark", "acl:P2", "--tag", "mine")
    status, out, _ = litterm("rerun", "r.json")
    assert status == 6 and "acl:P2" in out
    assert "marks, tags, citation counts or settings may have" in out


def test_an_earlier_record_is_kept_unless_forced(litterm: Run) -> None:
    Path("r.json").write_text("mine")
    assert "Previous version saved as r.json~." in litterm("search", PARSING, "--record", "r.json")[2]
    assert Path("r.json~").read_text() == "mine"
    Path("r.json").write_text("other")
    litterm("search", PARSING, "--record", "r.json", "--force")
    assert sorted(path.name for path in Path().glob("r.json*")) == ["r.json", "r.json~"]


@pytest.mark.parametrize("options", [("--force",), ("--record", "r.json", "--rerank", "--dry-run")], ids=" ".join)
def test_options_that_do_not_go_together_are_refused(litterm: Run, options: tuple[str, ...]) -> None:
    assert litterm("search", PARSING, *options)[0] == 2
    assert not Path("r.json").exists()


def test_a_missing_file_and_one_that_is_no_record_are_told_apart(litterm: Run) -> None:
    status, out, err = litterm("rerun", "r.json")
    assert (status, out) == (3, "") and "r.json: there is no such file." in err
    litterm("search", PARSING, "--record", "good.json")
    kept = recorded("good.json")
    for content in (
        b"\xff\x00",
        b"[]",
        b"{}",
        b"[" * 100_000,
        json.dumps({**kept, "ids": [1]}).encode(),
        json.dumps({**kept, "query": "year:x"}).encode(),
        json.dumps({**kept, "options": {**kept["options"], "limit": 10**9}}).encode(),
        json.dumps({**kept, "options": {**kept["options"], "sort": "\x1b[2J"}}).encode(),
        json.dumps({name: value for name, value in kept.items() if name != "library"}).encode(),
    ):
        Path("r.json").write_bytes(content)
        status, out, err = litterm("rerun", "r.json")
        assert (status, out) == (1, "") and "is no record of a search" in err and "\x1b" not in err
    Path("r.json").write_text(json.dumps({**kept, "form_version": 99}))
    status, _, err = litterm("rerun", "r.json")
    assert status == 1 and "newer litterm" in err


def test_what_a_record_says_cannot_act_on_the_terminal(litterm: Run) -> None:
    litterm("search", PARSING, "--record", "r.json")
    kept = recorded()
    Path("r.json").write_text(json.dumps({**kept, "ids": ["acl:\x1b[2J"], "litterm": "\x1b]0;x\x07", "ordered_by": ""}))
    status, out, err = litterm("rerun", "r.json")
    assert status == 6 and "\x1b" not in out + err


def test_an_order_by_a_model_is_not_repeated_and_the_local_one_is_compared(
    litterm: Run, home: Path, model_server: ModelServer
) -> None:
    settings = f'starter = false\n[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n'
    (home / "config.toml").write_text(settings)

    def reply(asked: Received) -> Script:
        return says(sorting(str)(asked.last), usage=None)

    model_server.brain = reply
    assert litterm("search", PARSING, "--rerank", "4", "-k", "2", "--yes", "--record", "r.json")[0] == 0
    kept, asked = recorded(), len(model_server.asked)
    assert kept["ordered_by"] and len(kept["local_ids"]) > len(kept["ids"]) == 2
    status, out, err = litterm("rerun", "r.json")
    assert status == 0 and "The same:" in out
    assert f"The order by {kept['ordered_by']} cannot be repeated without the model" in err
    assert len(model_server.asked) == asked


def test_queries_by_a_model_are_searched_as_they_were_recorded(
    litterm: Run, home: Path, model_server: ModelServer
) -> None:
    settings = f'starter = false\n[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n'
    (home / "config.toml").write_text(settings)
    queries = {"terms": "treebank", "names": "captions", "wording": PARSING}
    model_server.brain = lambda _asked: says(json.dumps(queries), usage=None)
    litterm("search", PARSING, "--rewrite", "--yes", "--record", "r.json")
    assert recorded()["options"]["rewrites"]["by"] == MODEL
    (home / "config.toml").write_text("starter = false\n")
    status, out, err = litterm("rerun", "r.json")
    assert status == 0 and "The same:" in out
    assert f"The other queries, written by {MODEL}, are searched as they were recorded." in err
