"""`litterm make` over a real library: what is made, what a second run does, and that the bench reads it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, Received, Script, says_json

from litterm.cli.main import main
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.readers.acl_rlg import reading_list
from litterm_benchmarks.readers.citeme import read_citeme
from litterm_benchmarks.readers.doris_mae import read_doris_mae
from litterm_benchmarks.readers.litsearch import question

CITED = [
    {"id": "acl:P10-0001", "title": "Learning grammars of gadgets", "authors": ["Ada Fern"], "year": 2010},
    {"id": "acl:L12-0002", "title": "A bank of annotated trees", "authors": ["Bo Limm"], "year": 2012},
    {"id": "acl:D18-0003", "title": "Attention is enough for toys", "authors": ["Di Nash"], "year": 2018},
]
CITING = {
    "id": "acl:2020.acl-main.9",
    "references": [
        {"title": row["title"], "authors": row["authors"], "year": row["year"], "ids": [row["id"]]} for row in CITED
    ],
    "title": "Gadgets at work",
    "authors": ["Olga Own"],
    "year": 2020,
    "sections": [
        {
            "title": "Introduction",
            "text": "Small devices parse quickly with rules that experts write by hand (Fern, 2010).\n\n"
            "Spoken language was annotated by volunteers over a whole decade (Limm, 2012).\n\n"
            "Long inputs reduce the accuracy of recurrent networks on phones (Nash, 2018).",
        }
    ],
}
TUTORIAL = {
    "id": "acl:2021.acl-tutorials.1",
    "title": "Tutorial on Gadget Parsing",
    "authors": ["Tess Tor"],
    "year": 2021,
    "sections": [
        {"title": "Outline", "text": "The tutorial has two parts, and takes half of a day in all."},
        {"title": "Reading List", "level": 1, "text": ""},
        {
            "title": "Foundations",
            "level": 2,
            "text": "Ada Fern. 2010. Learning grammars of gadgets. In Proceedings of ACL.\n\n"
            "Bo Limm. 2012. A bank of annotated trees. In Proceedings of LREC.\n\n"
            "Cy Moss. 1999. Parsing before the flood. In Proceedings of COLING.",
        },
        {
            "title": "Neural models",
            "level": 2,
            "text": "Di Nash. 2018. Attention is enough for toys. In Proceedings of EMNLP.",
        },
    ],
}


@pytest.fixture(autouse=True)
def _library(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [*CITED, CITING, TUTORIAL]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["add", str(tmp_path / "rows.jsonl")]) == 0
    capsys.readouterr()


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_questions_have_the_cited_papers_as_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "questions.jsonl"
    assert main(["make", "questions", "-o", str(out)]) == 0
    made = list(read_rows(out, question))
    assert {each.gold for each in made} == {("acl:P10-0001",), ("acl:L12-0002",), ("acl:D18-0003",)}
    assert all("20" not in each.query for each in made)
    said = capsys.readouterr().err
    assert "Made without a model" in said
    assert f"Next: litterm bench litsearch {out}" in said


def test_a_second_run_continues_and_a_half_written_line_is_made_again(tmp_path: Path) -> None:
    out = tmp_path / "questions.jsonl"
    main(["make", "questions", "-o", str(out), "-n", "2"])
    two = out.read_text("utf-8")
    out.write_text(two[:-20], encoding="utf-8")
    main(["make", "questions", "-o", str(out), "-n", "3"])
    keys = [row["id"] for row in lines(out)]
    assert len(keys) == len(set(keys)) == 3
    assert out.read_text("utf-8").startswith(two.splitlines()[0])
    main(["make", "questions", "-o", str(out), "-n", "3"])
    assert len(lines(out)) == 3


@pytest.mark.parametrize("kind", ["questions", "excerpts"])
def test_a_file_of_something_else_is_left_alone(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "thesis.txt"
    out.write_text("All my work.\n", encoding="utf-8")
    assert main(["make", kind, "-o", str(out)]) == 1
    assert "holds something else" in capsys.readouterr().err
    assert out.read_text("utf-8") == "All my work.\n"


def test_excerpts_are_read_like_those_of_citeme(tmp_path: Path) -> None:
    out = tmp_path / "excerpts.csv"
    assert main(["make", "excerpts", "-o", str(out), "-n", "1"]) == 0
    assert main(["make", "excerpts", "-o", str(out)]) == 0
    made = read_citeme(out)
    assert {each.titles for each in made} == {(row["title"],) for row in CITED}
    assert all(each.excerpt.count("[CITATION]") == 1 for each in made)
    assert {(each.source, each.year) for each in made} == {("Gadgets at work", 2020)}


def test_hypotheses_have_the_cited_paper_as_answer(tmp_path: Path) -> None:
    out = tmp_path / "hypotheses.jsonl"
    assert main(["make", "hypotheses", "-o", str(out)]) == 0
    made = list(read_rows(out, question))
    assert [(each.query, each.gold) for each in made] == [
        ("Long inputs reduce the accuracy of recurrent networks on phones.", ("acl:D18-0003",))
    ]


def test_sub_queries_have_grades_that_follow_from_their_aspects(tmp_path: Path) -> None:
    text = (
        "Volunteers met in a castle for a week (Limm, 2012). Noisy lines confuse people without context (Fern, 2010)."
    )
    other = {**CITING, "id": "acl:2020.acl-main.7", "title": "Playing", "sections": [{"title": "One", "text": text}]}
    (tmp_path / "other.jsonl").write_text(json.dumps(other), encoding="utf-8")
    assert main(["add", str(tmp_path / "other.jsonl")]) == 0
    out = tmp_path / "pools"
    assert main(["make", "subqueries", "-o", str(out), "-n", "1"]) == 0
    assert main(["make", "subqueries", "-o", str(out)]) == 0
    made = read_doris_mae(out)
    assert [query.text for query in made.queries] == [
        "Volunteers met in a castle for a week. Noisy lines confuse people without context.",
    ]
    (query,) = made.queries
    # Cited for one of two aspects: the mean of 2 and 0, from which on a paper is relevant.
    assert {key: grade for key, grade in query.grades.items() if grade} == {
        "local:doris-acl:P10-0001": 1.0,
        "local:doris-acl:L12-0002": 1.0,
    }
    assert "local:doris-acl:2020.acl-main.7" not in query.grades
    assert set(query.grades) <= {record.paper.id for record in made.corpus}


def test_a_dry_run_prints_sub_queries_without_their_pools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "Volunteers met in a castle for a week (Limm, 2012). Noisy lines confuse people without context (Fern, 2010)."
    )
    other = {**CITING, "id": "acl:2020.acl-main.7", "title": "Playing", "sections": [{"title": "One", "text": text}]}
    (tmp_path / "other.jsonl").write_text(json.dumps(other), encoding="utf-8")
    assert main(["add", str(tmp_path / "other.jsonl")]) == 0
    capsys.readouterr()
    assert main(["make", "subqueries", "-o", str(tmp_path / "pools"), "--dry-run"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["text"].startswith("Volunteers met in a castle")
    assert not (tmp_path / "pools").exists()


def test_lists_are_those_that_tutorials_print(tmp_path: Path) -> None:
    out = tmp_path / "lists.jsonl"
    assert main(["make", "lists", "-o", str(out)]) == 0
    (made,) = read_rows(out, reading_list)
    assert [paper.title for paper in made.references] == [
        "Learning grammars of gadgets",
        "A bank of annotated trees",
        "Parsing before the flood",
        "Attention is enough for toys",
    ]
    assert [paper.acl for paper in made.in_acl] == ["P10-0001", "L12-0002", "D18-0003"]
    assert made.queries == (("title", "Gadget Parsing", "Please give me a reading list about Gadget Parsing."),)


def test_a_person_judges_questions_and_what_is_no_good_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "questions.jsonl"
    main(["make", "questions", "-o", str(out)])
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n7\n2\nq\n"))
    assert main(["--plain", "make", "judge", str(out)]) == 0
    assert [row.get("quality") for row in lines(out)] == [2, None, None]
    monkeypatch.setattr("sys.stdin", io.StringIO("s\n0\n0\n"))
    assert main(["--plain", "make", "judge", str(out)]) == 0
    assert [(row.get("specificity"), row.get("quality")) for row in lines(out)] == [(1, 2), (None, None), (0, 0)]
    assert "2 of 3 are judged, and 1 of these are measured." in capsys.readouterr().err
    made = list(read_rows(out, question))
    assert {"set": "inline", "specificity": "specific", "quality": "2"}.items() <= dict(made[0].parts).items()
    capsys.readouterr()
    assert main(["bench", "litsearch", str(out), "--method", "litterm", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 2


def with_model(monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    monkeypatch.setenv("LITTERM_MODEL_BASE_URL", server.url)
    monkeypatch.setenv("LITTERM_MODEL_MODEL", "tiny-1")


def test_a_model_writes_questions_and_only_with_keys_that_are_there(
    tmp_path: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_model(monkeypatch, model_server)

    def brain(asked: Received) -> Script:
        if "Small devices" in asked.last:
            pair = {"question": "Who made tiny machines understand commands?", "answer": ["cite_001"]}
            return says_json({"questions": [pair, {"question": "Who else?", "answer": ["cite_007"]}]})
        if "recurrent" in asked.last:
            return says_json({"questions": [{"question": "Attention is enough for toys?", "answer": ["cite_001"]}]})
        return says_json({"questions": []})

    model_server.brain = brain
    out = tmp_path / "questions.jsonl"
    assert main(["make", "questions", "-o", str(out), "--model", "--yes"]) == 0
    (made,) = lines(out)
    assert (made["query"], made["gold"]) == ("Who made tiny machines understand commands?", ["acl:P10-0001"])
    assert made["by"] == "tiny-1"
    said = capsys.readouterr().err
    assert "Left out 1: the question repeats titles." in said
    assert "Left out 1: the model found no question in the paragraph." in said
    # The titles of the cited papers are shown, and the citation as its key.
    assert any("{cite_001}" in asked.last and "Learning grammars" in asked.last for asked in model_server.asked)


def test_what_a_model_knows_by_heart_is_left_out(
    tmp_path: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_model(monkeypatch, model_server)
    tries: list[float] = []

    def brain(asked: Received) -> Script:
        tries.append(float(str(asked.body["temperature"])))
        # Right at the third try only.
        is_third = sum("Small devices" in earlier.last for earlier in model_server.asked) == 3
        return says_json({"title": "Learning Grammars of Gadgets" if "Small" in asked.last and is_third else ""})

    model_server.brain = brain
    out = tmp_path / "excerpts.csv"
    assert main(["make", "excerpts", "-o", str(out), "--model", "--yes"]) == 0
    assert {each.titles for each in read_citeme(out)} == {(row["title"],) for row in CITED[1:]}
    assert tries == [0.95] * 15
    assert "Left out 1: the model knows the cited paper by heart." in capsys.readouterr().err


def test_no_more_is_asked_than_was_estimated_and_nothing_when_all_is_there(
    tmp_path: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_model(monkeypatch, model_server)
    model_server.brain = lambda _asked: says_json({"questions": []})
    out = tmp_path / "questions.jsonl"
    assert main(["make", "questions", "-o", str(out), "-n", "1", "--model", "--yes"]) == 0
    assert len(model_server.asked) == 2
    assert main(["make", "questions", "-o", str(out), "-n", "1"]) == 0
    assert main(["make", "questions", "-o", str(out), "-n", "1", "--model", "--yes"]) == 0
    assert len(model_server.asked) == 2


def test_a_model_has_no_part_in_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "lists", "-o", str(tmp_path / "lists.jsonl"), "--model"]) == 2
    assert "no part" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["questions", "excerpts", "hypotheses", "subqueries", "lists"])
def test_a_dry_run_prints_what_would_be_made_and_writes_nothing(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "set"
    assert main(["make", kind, "-o", str(out), "--dry-run"]) == 0
    told = capsys.readouterr()
    assert not out.exists()
    assert "nothing was written" in told.err
    assert main(["make", kind, "-o", str(out)]) == 0
    queries = out / "queries.jsonl" if kind == "subqueries" else out
    assert told.out == (queries.read_text("utf-8") if queries.exists() else "")
    assert main(["make", kind, "--dry-run"]) == 0, "no file need be named"


def test_a_dry_run_leaves_a_half_written_file_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "questions.jsonl"
    main(["make", "questions", "-o", str(out), "-n", "2"])
    half = out.read_text("utf-8")[:-20]
    out.write_text(half, encoding="utf-8")
    capsys.readouterr()
    assert main(["make", "questions", "-o", str(out), "--dry-run"]) == 0
    assert out.read_text("utf-8") == half
    assert len(capsys.readouterr().out.splitlines()) == 2, "of three one is there"


def test_a_dry_run_with_a_model_prints_every_request_and_the_cost_and_asks_nobody(
    tmp_path: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_model(monkeypatch, model_server)
    out = tmp_path / "set"
    for kind, requests in (("questions", 3), ("excerpts", 15), ("hypotheses", 1)):
        assert main(["make", kind, "-o", str(out), "--model", "--dry-run"]) == 0
        told = capsys.readouterr()
        assert (kind, told.out.count("POST ")) == (kind, requests)
        assert "calls" in told.err or "call," in told.err
        assert "tokens to 127.0.0.1" in told.err
    assert main(["make", "lists", "--model", "--dry-run"]) == 2
    assert (model_server.asked, out.exists()) == ([], False)
