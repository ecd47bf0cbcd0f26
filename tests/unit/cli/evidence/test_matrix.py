"""`litterm evidence` over many papers: what it asks for, prints where, and how it ends."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from commands import Command
from fakes import PAPERS, FakeEngine
from fakes_evidence import on_dropout
from fakes_model_server import ModelServer
from matrices import HYPOTHESES, Counting, FakeRecords, judged, matrices
from model_clients import Models

from litterm.evidence.matrix.matrices import Matrices
from litterm.model.paper import PaperId

DROPOUT, ZEBRAS = HYPOTHESES
OVER = ("evidence", "--papers", "acl:A", "B", "acl:C")


@dataclass
class Engine(FakeEngine):
    """The fake engine, with real matrices over the papers of `matrices`."""

    matrices: Matrices = field(kw_only=True)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(matrices=matrices(tmp_path / "library", records=FakeRecords((*FakeRecords().papers, *PAPERS))))


def test_a_query_gives_a_row_for_every_paper_found(litterm: Command, engine: Engine) -> None:
    done = litterm("evidence", "--query", "zebra", "-n", "2", DROPOUT, ZEBRAS, "--json", engine=engine)
    assert done.status == 0
    body = done.json
    assert (body["query"], body["hypotheses"]) == ("zebra", [DROPOUT, ZEBRAS])
    assert [row["paper"] for row in body["rows"]] == [paper.id for paper in PAPERS]
    assert engine.asked[-1][1] == 2  # type: ignore[index]


@pytest.mark.parametrize(
    "argv",
    [
        (*OVER, "--", DROPOUT, ZEBRAS),
        (*OVER, DROPOUT, ZEBRAS),
        (*OVER, "-k", "3", DROPOUT, ZEBRAS),
        ("evidence", DROPOUT, ZEBRAS, "--papers", "acl:A", "B", "acl:C"),
        ("evidence", DROPOUT, "-k", "3", ZEBRAS, "--papers", "acl:A", "B", "acl:C"),
    ],
)
def test_papers_and_hypotheses_are_told_apart_in_any_order(
    litterm: Command, engine: Engine, argv: tuple[str, ...]
) -> None:
    body = litterm(*argv, "--json", engine=engine).json
    assert [row["paper"] for row in body["rows"]] == ["acl:A", "acl:B", "acl:C"]
    assert body["hypotheses"] == [DROPOUT, ZEBRAS]


def test_papers_come_from_files_of_ids_too(litterm: Command, engine: Engine, tmp_path: Path) -> None:
    listed = tmp_path / "my ids.txt"
    listed.write_text("\ufeff# read first\nacl:A  Dropout for small corpora\n\nB\n")
    body = litterm("evidence", "--papers", str(listed), "acl:C", DROPOUT, "--json", engine=engine).json
    assert [row["paper"] for row in body["rows"]] == ["acl:A", "acl:B", "acl:C"]


def test_a_paper_that_is_not_there_is_a_row_and_status_1(litterm: Command, engine: Engine) -> None:
    done = litterm("evidence", "--papers", "acl:A", "acl:nowhere", DROPOUT, engine=engine)
    assert done.status == 1
    assert "not in the library" in done.out
    assert "2 of 2 cells" in done.err


def test_a_search_that_finds_nothing_begins_no_matrix(litterm: Command, engine: Engine) -> None:
    done = litterm("evidence", "--query", "okapi", DROPOUT, engine=engine)
    assert (done.status, done.out) == (0, "")
    assert engine.matrices.all() == ()


@pytest.mark.parametrize("name", ["m.md", "m.csv", "m.json", "m.html", "m.HTM"])
def test_the_ending_tells_the_form_and_an_old_file_is_kept_beside_the_new(
    litterm: Command, engine: Engine, tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    file.write_text("old")
    done = litterm(*OVER, DROPOUT, "-o", str(file), engine=engine)
    assert (done.status, done.out) == (0, "")
    start = {"m": "# Evidence", "c": "\ufeffpaper,", "j": "{", "h": "<!DOCTYPE", "H": "<!DOCTYPE"}[name[2]]
    assert file.read_text("utf-8").startswith(start)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [name, f"{name}~"]
    assert (tmp_path / f"{name}~").read_text() == "old" and f"Previous version saved as {file}~." in done.err
    litterm(*OVER, DROPOUT, "-o", str(file), "--force", engine=engine)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [name, f"{name}~"]


@pytest.mark.parametrize("form", ["md", "csv", "json", "html"])
def test_every_form_goes_to_stdout_too(litterm: Command, engine: Engine, form: str) -> None:
    done = litterm(*OVER, DROPOUT, "--format", form, "-o", "-", engine=engine)
    assert done.status == 0
    assert DROPOUT in done.out


def test_a_file_that_cannot_be_written_is_one_sentence(litterm: Command, engine: Engine, tmp_path: Path) -> None:
    done = litterm(*OVER, DROPOUT, "-o", str(tmp_path / "no" / "m.csv"), engine=engine)
    assert done.status == 1
    assert "cannot be written" in done.err


def test_a_matrix_is_opened_again_by_id_and_takes_another_hypothesis(
    litterm: Command, engine: Engine, tmp_path: Path
) -> None:
    litterm(*OVER, DROPOUT, engine=engine)
    counting = Counting()
    engine.matrices = matrices(tmp_path / "library", counting)
    first = litterm("evidence", "--resume", "last", "--json", engine=engine).json
    assert counting.asked == []
    again = litterm("evidence", "--resume", first["matrix"][-6:], ZEBRAS, "--json", engine=engine)
    assert again.json["hypotheses"] == [DROPOUT, ZEBRAS]
    assert {hypothesis for _, hypothesis in counting.asked} == {ZEBRAS}


def test_matrices_are_listed_and_deleted(litterm: Command, engine: Engine) -> None:
    assert "No matrix yet" in litterm("evidence", "--list", engine=engine).err
    litterm(*OVER, DROPOUT, engine=engine)
    litterm(*OVER, ZEBRAS, engine=engine)
    listed = litterm("evidence", "--list", engine=engine)
    assert [ZEBRAS in line for line in listed.out.splitlines()] == [True, False]
    body = litterm("evidence", "--list", "--json", engine=engine).json
    assert [(line["papers"], line["complete"]) for line in body["matrices"]] == [(3, True), (3, True)]
    done = litterm("evidence", "--delete", "last", engine=engine)
    assert (done.status, done.out) == (0, "")
    assert [line.hypotheses for line in engine.matrices.all()] == [(DROPOUT,)]


def test_a_blind_csv_goes_out_and_comes_back_with_disagreements(
    litterm: Command, engine: Engine, tmp_path: Path
) -> None:
    file = tmp_path / "anna.csv"
    for paper, decision in (("acl:A", "accepted"), ("acl:B", "rejected")):
        engine.matrices.annotations.decide(PaperId(paper), DROPOUT, decision)
    litterm(*OVER, DROPOUT, "-o", str(file), "--blind", engine=engine)
    rows = list(csv.DictReader(file.read_text("utf-8-sig").splitlines()))
    assert {row["decision"] for row in rows} == {""}
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows({**row, "decision": "yes"} for row in rows)
    done = litterm("evidence", "--merge", str(file), engine=engine)
    assert done.status == 0
    assert "you and anna: 1 of 2 agreed, kappa 0.00" in done.out
    assert "acl:B · you: rejected, anna: accepted" in done.out
    assert done.err == "1 disagreement.\n"
    body = litterm("evidence", "--merge", str(file), "--json", engine=engine).json
    assert body["pairs"] == [{"one": "you", "other": "anna", "both": 2, "agreed": 1, "kappa": 0.0}]


@pytest.mark.parametrize(
    ("argv", "status", "words"),
    [
        (("evidence", "--query", "zebra"), 2, "hypothesis"),
        (("evidence", "--papers", "acl:A"), 2, "hypothesis"),
        (("evidence", "--query", "zebra", "of the"), 2, "no word"),
        (("evidence", "--query", "zebra year:20x", DROPOUT), 2, "20x"),
        (("evidence", "--query", "a", "--papers", "b", DROPOUT), 2, "--papers"),
        (("evidence", "--resume", "nothere"), 2, "nothere"),
        (("evidence", "--delete", "nothere"), 2, "nothere"),
        (("evidence", "--merge", "/no/such.csv"), 1, "/no/such.csv"),
        ((*OVER, DROPOUT, "-o", "matrix.xlsx"), 2, "--format"),
        ((*OVER, DROPOUT, "--format", "pdf"), 2, "pdf"),
    ],
)
def test_a_wrong_request_is_one_line(
    litterm: Command, engine: Engine, argv: tuple[str, ...], status: int, words: str
) -> None:
    done = litterm(*argv, engine=engine)
    assert (done.status, done.out) == (status, "")
    assert done.err.count("\n") == 1
    assert words in done.err


# -- with a language model --


@pytest.fixture
def with_model(tmp_path: Path, make_model: Models, model_server: ModelServer) -> Engine:
    model_server.brain = on_dropout
    records = FakeRecords((*FakeRecords().papers, *PAPERS))
    return Engine(matrices=judged(tmp_path / "library", make_model(price_in=1.0, price_out=1.0), records=records))


def test_a_matrix_is_judged_and_its_audit_tells_the_cost(
    litterm: Command, with_model: Engine, model_server: ModelServer
) -> None:
    done = litterm(*OVER, DROPOUT, "--model", "--json", engine=with_model)
    assert done.status == 0
    body = done.json
    assert body["method"] == "auto · tiny-1"
    first = body["rows"][0]["cells"][0]  # type: ignore[index]
    assert (first["supports"], first["refutes"], first["context"], first["partial"]) == (2, 0, 0, False)
    [audit] = body["audit"]  # type: ignore[misc]
    assert (audit["by"], audit["calls"]) == (["whole · tiny-1"], len(model_server.chats))
    assert audit["cost"] > 0
    lines = litterm("evidence", "--resume", "last", engine=with_model).out
    assert "supports 2" in lines
    assert f"{len(model_server.chats)} calls, $0.00" in lines


def test_a_resumed_matrix_may_be_told_again_that_a_model_is_asked(
    litterm: Command, with_model: Engine, model_server: ModelServer
) -> None:
    assert litterm(*OVER, DROPOUT, "--model", engine=with_model).status == 0
    asked = len(model_server.chats)
    assert litterm("evidence", "--resume", "last", "--model", engine=with_model).status == 0
    assert len(model_server.chats) == asked
    for other in (["--no-model"], ["--strategy", "whole"], ["--shortlist", "3"], ["--no-cache"]):
        refused = litterm("evidence", "--resume", "last", *other, engine=with_model)
        assert (refused.status, "as it was started" in refused.err) == (2, True)
    assert litterm(*OVER, "Zebras sleep", engine=with_model).status == 0
    assert litterm("evidence", "--resume", "last", "--model", engine=with_model).status == 2


def test_quotes_in_markdown_have_the_stance_of_the_model(litterm: Command, with_model: Engine) -> None:
    done = litterm(*OVER, DROPOUT, "--model", "--format", "md", engine=with_model)
    cited = [line for line in done.out.splitlines() if line.startswith("> [@")]
    assert cited
    assert all(line.endswith("; supports") for line in cited)


def test_many_calls_need_consent_and_nothing_is_left_without_it(
    litterm: Command, with_model: Engine, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("litterm.model.llm.MAX_TOKENS_WITHOUT_CONSENT", 300)
    refused = litterm(*OVER, DROPOUT, "--strategy", "sections", engine=with_model)
    assert refused.status == 2
    assert "--yes" in refused.err
    assert (model_server.asked, with_model.matrices.all()) == ([], ())
    agreed = litterm(*OVER, DROPOUT, "--strategy", "sections", "--yes", engine=with_model)
    assert agreed.status == 0
    assert len(model_server.chats) > 2


def test_a_dry_run_prints_the_requests_of_all_cells_and_leaves_nothing(
    litterm: Command, tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    engine = Engine(matrices=judged(tmp_path / "library", make_model(dry_run=True)))
    done = litterm(*OVER, DROPOUT, ZEBRAS, "--dry-run", engine=engine)
    assert done.status == 0
    assert done.out.count("POST ") == 4
    assert "4 requests; nothing was sent." in done.err
    assert (model_server.asked, engine.matrices.all()) == ([], ())


def test_a_model_that_cannot_be_asked_is_said_and_the_matrix_is_filled_without(
    litterm: Command, tmp_path: Path
) -> None:
    engine = Engine(matrices=judged(tmp_path / "library", None))
    done = litterm(*OVER, DROPOUT, "--model", "--json", engine=engine)
    assert (done.status, done.json["method"]) == (0, "h1")
    assert "No model was asked: " in done.err


@pytest.mark.parametrize("more", [("--all",), ("--negate",), ("--model", "--resume", "last")])
def test_what_a_matrix_cannot_take_is_refused(litterm: Command, engine: Engine, more: tuple[str, ...]) -> None:
    words = ("evidence", DROPOUT, *more) if "--resume" in more else (*OVER, DROPOUT, *more)
    done = litterm(*words, engine=engine)
    assert (done.status, done.out) == (2, "")
    assert engine.matrices.all() == ()


def test_a_single_paper_is_as_it_was(litterm: Command, engine: Engine) -> None:
    body = litterm("evidence", "P18-1001", "-k", "1", "zebras", "are fast", "--json", engine=engine).json
    assert (body["paper"], body["hypothesis"], len(body["sentences"])) == ("acl:P18-1001", "zebras are fast", 1)
