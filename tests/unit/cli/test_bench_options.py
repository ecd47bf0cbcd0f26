"""`litterm bench`: which options go with which bench, and what they ask for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Command

ITEM = {
    "hypothesis": "Zinc shortens colds.",
    "paper_as_candidate_pool": [
        "Zinc was given to forty adults with a cold.",
        "Colds were two days shorter with zinc (p < 0.05).",
        "Zinc shortened colds from nine to seven days.",
    ],
    "sentence_types_in_candidate_pool": ["abstract", "abstract", "normal_paragraph"],
    "aspect_list_ids": ["a"],
    "results_aspect_list_ids": ["a"],
    "aspect2sentence_indices": {"a": [1, 2]},
    "evidence_retrieval_at_optimal_evaluation": {"optimal": 1},
    "results_evidence_retrieval_at_optimal_evaluation": {"optimal": 1},
    "paper_id": "pmc_1",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "items.json"
    path.write_text(json.dumps({"one": ITEM}))
    return path


def test_options_of_evidencebench_may_stand_before_and_behind_its_files(litterm: Command, path: Path) -> None:
    done = litterm("bench", "evidencebench", "--setting", "er-10", "--body-only", str(path), str(path), "--json")
    assert (done.status, done.json["n"]) == (0, 2)
    rows = done.json["rows"]
    assert isinstance(rows, list)
    assert rows[0]["method"] == "litterm"
    assert list(rows[0]["metrics"]) == ["er@10"]


def test_settings_may_be_named_one_by_one(litterm: Command, path: Path) -> None:
    typed = ("--strategy", "lead", "--setting", "result-5", "--setting", "er-10")
    done = litterm("bench", "evidencebench", str(path), *typed, "--json")
    (row,) = done.json["rows"]  # type: ignore[misc]
    assert list(row["metrics"]) == ["er@10", "result-er@5"]


def test_strategies_may_be_named(litterm: Command, path: Path) -> None:
    done = litterm("bench", "evidencebench", str(path), "--strategy", "lead", "--strategy", "bm25", "--json")
    rows = done.json["rows"]
    assert isinstance(rows, list)
    assert [row["method"] for row in rows] == ["bm25", "lead"]


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (["sentences", "--body-only"], "--body-only"),
        (["evidencebench", "--setting", "er-99"], "er-99"),
        (["evidencebench", "--strategy", "magic"], "magic"),
        (["cited-span", ".", "."], "one PATH"),
        (["restatements", "."], "one file"),
        (["restatements", "--body-only"], "knows --strategy only"),
        (["restatements", "--strategy", "magic"], "magic"),
        (["sentences", "--until", "2020"], "--until"),
        (["sentences", "--cluster", "auto"], "--cluster are not for sentences"),
        (["csfcube", "--cluster", "auto"], "--cluster are not for it"),
        (["evidencebench", "--method", "bm25"], "--method"),
        (["litsearch", "--body-only"], "--body-only"),
        (["litsearch", ".", "."], "one PATH"),
        (["litsearch", "--corpus", "nowhere.jsonl"], "nowhere.jsonl"),
        (["csfcube", "--until", "2020"], "--until"),
        (["litsearch", "--method", "rerank"], "--yes"),
        (["sentences", "--scale", "10"], "--scale"),
        (["litsearch", "--method", "magic"], "one-hop"),
        (["known-items", "--method", "magic"], "one-hop"),
        (["names", "--method", "magic"], "without names"),
        (["citance", "--method", "magic"], "agent-search-only"),
        (["acl-rlg", "--method", "magic"], "most-cited"),
        (["full-text", "--method", "magic"], "full-text"),
        (["litsearch", "--method", "rerank", "--yes"], "needs a model"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(litterm: Command, path: Path, argv: list[str], word: str) -> None:
    typed = [*argv, str(path)] if argv[0] == "evidencebench" else [argv[0], str(path), *argv[1:]]
    done = litterm("bench", *typed)
    assert (done.status, done.out) == (2, "")
    assert word in done.err


def test_a_corpus_is_searched_instead_of_the_library(litterm: Command, tmp_path: Path) -> None:
    corpus, questions = tmp_path / "corpus.jsonl", tmp_path / "questions.jsonl"
    papers = [
        {"id": "acl:P1-1", "title": "Old parsing", "year": 2001},
        {"id": "acl:P2-1", "title": "New parsing", "year": 2020},
    ]
    corpus.write_text("\n".join(map(json.dumps, papers)), "utf-8")
    questions.write_text(json.dumps({"query": "parsing", "gold": ["P2-1"], "set": "s"}), "utf-8")
    done = litterm("bench", "litsearch", str(questions), "--corpus", str(corpus), "--until", "2010", "--json")
    assert (done.status, done.json["bench"], done.json["n"]) == (0, "litsearch", 1)
    rows = done.json["rows"]
    assert isinstance(rows, list)
    assert [row["method"] for row in rows] == ["litterm", "bm25", "control: has full text", "ceiling"]
    assert rows[3]["metrics"]["recall@20"]["mean"] == 0
    empty = litterm("bench", "litsearch", str(questions))
    assert (empty.status, "litterm add" in empty.err) == (2, True)


def test_seeds_measures_the_sets_of_a_folder_and_says_why_others_are_not(litterm: Command, path: Path) -> None:
    folder = path.parent / "sets"
    folder.mkdir()
    assert litterm("bench", "seeds", str(folder)).status == 2
    path.rename(folder / "EvidenceBench_test.json")
    (folder / "citeme.csv").write_text("no,columns\n")
    done = litterm("bench", "seeds", str(folder), "--json")
    tables = done.json["tables"]
    assert isinstance(tables, list)
    assert (done.status, done.json["n"], len(tables)) == (0, 2, 5)
    assert tables[1]["published"] == []
    assert tables[1]["rows"][0]["cells"]["oracle"] == {"mean": 100, "se": 0}
    assert any("this is not CiteME's file" in note for note in tables[2]["notes"])
    assert tables[3]["notes"] == ["litterm: - (sets holds no doris-mae)"]
    assert litterm("bench", "seeds", str(folder), "--method", "bm25").status == 2
