"""The matrix: a row for every requested paper, cells that say why they are empty, decisions apart, runs that go on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from matrices import ABSTRACT, FULL, HYPOTHESES, KEYS, PAPERS, TITLE, Counting, FakeRecords, full_text, matrices

from litterm.core.errors import Stopped, UnknownMatrix, UsageError
from litterm.core.tasks import run
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.matrix import run as matrix_run
from litterm.evidence.matrix.cells import keys_of, unreadable_keys
from litterm.model.events import CellFilled, Event, Notice, Progress
from litterm.model.library import Failure
from litterm.model.llm import ModelCost
from litterm.model.matrix import Matrix
from litterm.model.paper import Paper, PaperId

DROPOUT, ZEBRAS = HYPOTHESES


def filled(root: Path, extractor: Counting | None = None, **more: object) -> Matrix:
    made = matrices(root, extractor, **more)  # type: ignore[arg-type]
    return run(made.fill(made.begin(KEYS, HYPOTHESES, query="dropout").id))


def test_every_requested_paper_has_one_row_with_the_reason_where_it_is_empty(tmp_path: Path) -> None:
    matrix = filled(tmp_path)
    assert [(row.paper_id, row.paper is not None) for row in matrix.rows] == [
        ("acl:A", True),
        ("acl:B", True),
        ("acl:C", True),
        ("acl:D", True),
        ("acl:E", True),
        ("acl:nowhere", False),
    ]
    reasons = [[cell.empty if cell else "missing" for cell in row.cells] for row in matrix.rows]
    assert reasons == [
        [None, "nothing found"],
        [None, "abstract only"],
        ["not open", "not open"],
        ["parse failed", "parse failed"],
        ["abstract only", "abstract only"],
        ["not in library", "not in library"],
    ]
    assert all(cell.why for row in matrix.rows[1:] for cell in row.cells if cell)
    assert matrix.computed_count == matrix.cell_count == 12


def test_a_cell_holds_the_best_sentences_and_where_they_stand(tmp_path: Path) -> None:
    cell = filled(tmp_path).rows[0].cells[0]
    assert cell is not None
    assert (cell.verdict, cell.ground, cell.by, cell.document_id) == ("strong", "full text", "h1", full_text().id)
    assert cell.strong_count >= 1
    best = next(quote for quote in cell.quotes if quote.section == "Results")
    assert best.text == full_text().sentences[best.index].text
    assert best.locator.startswith("Results §2 ¶1 s")
    assert best.stance is None, "offline nothing computes one"


def test_an_abstract_gives_evidence_and_says_that_the_ground_is_thin(tmp_path: Path) -> None:
    cell = filled(tmp_path).rows[1].cells[0]
    assert cell is not None
    assert (cell.ground, cell.empty) == ("abstract", None)
    assert "abstract" in cell.why
    assert cell.quotes


def test_a_paper_is_opened_once_for_all_its_hypotheses(tmp_path: Path) -> None:
    records = FakeRecords()
    filled(tmp_path, records=records)
    assert records.opened.count(FULL.id) == 1


def test_the_same_request_again_computes_nothing(tmp_path: Path) -> None:
    first = filled(tmp_path)
    counting = Counting()
    assert filled(tmp_path, counting) == first
    assert counting.asked == []
    assert len(matrices(tmp_path).all()) == 1


def test_another_version_of_litterm_begins_a_new_matrix(tmp_path: Path) -> None:
    first = filled(tmp_path)
    made = matrices(tmp_path)
    newer = replace(made, filling=replace(made.filling, version="0.2.0"))
    assert newer.begin(KEYS, HYPOTHESES, query="dropout").id != first.id


@pytest.mark.parametrize("change", [{"k": 3}, {"scope": "results"}, {"query": "graphs"}])
def test_another_request_is_another_matrix(tmp_path: Path, change: dict[str, object]) -> None:
    made = matrices(tmp_path)
    asked: dict[str, object] = {"query": "dropout", **change}
    assert made.begin(KEYS, HYPOTHESES, **asked).id != made.begin(KEYS, HYPOTHESES, query="dropout").id  # type: ignore[arg-type]


def test_a_stopped_run_goes_on_behind_what_is_stored(tmp_path: Path) -> None:
    made, seen = matrices(tmp_path), list[Event]()
    matrix_id = made.begin(KEYS, HYPOTHESES).id

    def enough() -> bool:
        return sum(isinstance(event, CellFilled) for event in seen) >= 3

    with pytest.raises(Stopped):
        run(made.fill(matrix_id), seen.append, enough)
    assert 3 <= made.open("last").computed_count < 12
    counting = Counting()
    done = run(matrices(tmp_path, counting).fill(matrix_id))
    there = {cell.cell.hypothesis for cell in seen if isinstance(cell, CellFilled) and cell.cell.paper_id == "acl:A"}
    assert not {("acl:A", hypothesis) for hypothesis in there} & set(counting.asked)
    assert done.computed_count == 12
    assert [each.ended for each in done.runs] == ["stopped", "done"]


def test_it_can_be_stopped_while_a_long_paper_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every step is told: a fast machine would have read the whole paper before the first interval ends.
    monkeypatch.setattr("litterm.evidence.matrix.cells._PROGRESS_INTERVAL_S", 0.0)
    from litterm.text.documents.builder import Block, build_document

    text = " ".join(f"Dropout lowers error number {n} of deep network {n * 7} by {n} percent." for n in range(2000))
    long = build_document(FULL.id, [Block("body", text)], origin="jats", parser="t")
    made = matrices(tmp_path, LexicalExtractor(), records=FakeRecords(documents={FULL.id: long}))
    matrix_id = made.begin(["acl:A"], [DROPOUT]).id
    task = made.fill(matrix_id)
    next(task)
    events = [event for _, event in zip(range(3), task, strict=False)]
    task.close()
    assert len(events) == 3
    assert made.store.open(matrix_id).cells == ()


def test_progress_counts_cells_and_each_is_stored_when_it_is_told(tmp_path: Path) -> None:
    made = matrices(tmp_path)
    matrix_id = made.begin(KEYS, HYPOTHESES).id
    told: list[int] = []
    for event in made.fill(matrix_id):
        match event:
            case CellFilled(cell=cell):
                stored = matrices(tmp_path).store.open(matrix_id).cells
                assert (stored[-1].paper_id, stored[-1].hypothesis) == (cell.paper_id, cell.hypothesis)
            case Progress(done=done, total=12):
                told.append(done)
    assert told == sorted(told)


def test_a_cell_that_failed_is_told_and_tried_again(tmp_path: Path) -> None:
    matrix = filled(tmp_path, Counting(failing={DROPOUT}))
    cell = matrix.rows[0].cells[0]
    assert cell is not None
    assert (cell.empty, cell.why, cell.quotes) == ("failed", "The model is down.", ())
    assert matrix.rows[0].cells[1] is not None
    assert not matrices(tmp_path).all()[0].complete
    counting = Counting()
    again = run(matrices(tmp_path, counting).fill("last"))
    assert [hypothesis for _, hypothesis in counting.asked] == [DROPOUT] * 3
    assert again.rows[0].cells[0] is not None
    assert again.rows[0].cells[0].empty is None


def test_a_paper_that_cannot_be_opened_costs_its_own_cells_only(tmp_path: Path) -> None:
    matrix = filled(tmp_path, records=FakeRecords(broken="The segment is damaged."))
    cells = [cell for row in matrix.rows for cell in row.cells if cell]
    assert {cell.why for cell in cells if cell.empty == "failed"} == {"The segment is damaged."}
    assert cells[-1].empty == "not in library"


def test_what_can_be_read_better_by_now_is_computed_anew(tmp_path: Path) -> None:
    filled(tmp_path)
    fuller = replace(TITLE, abstract="Dropout lowers the error of networks. We do not know why.")
    read = replace(ABSTRACT, full_text=True)
    papers = tuple({TITLE.id: fuller, ABSTRACT.id: read}.get(paper.id, paper) for paper in PAPERS)
    records = FakeRecords(papers, {FULL.id: full_text(), ABSTRACT.id: full_text(ABSTRACT)})
    counting = Counting()
    again = run(matrices(tmp_path, counting, records=records).fill("last"))
    assert {paper_id for paper_id, _ in counting.asked} == {ABSTRACT.id, TITLE.id}
    assert [row.cells[0].ground for row in again.rows if row.cells[0]] == [
        "full text",
        "full text",
        "abstract",
        "title",
        "abstract",
        "none",
    ]


def test_a_hypothesis_is_added_and_only_its_column_is_filled(tmp_path: Path) -> None:
    filled(tmp_path)
    counting = Counting()
    made = matrices(tmp_path, counting)
    assert made.add_hypothesis("last", "  Graphs  need colours ").request.hypotheses[-1] == "Graphs need colours"
    assert made.add_hypothesis("last", DROPOUT).cell_count == 18
    done = run(made.fill("last"))
    assert {hypothesis for _, hypothesis in counting.asked} == {"Graphs need colours"}
    assert done.computed_count == done.cell_count == 18


def test_a_hypothesis_added_during_a_run_is_filled_by_it(tmp_path: Path) -> None:
    made = matrices(tmp_path)
    task = made.fill(made.begin(KEYS, [DROPOUT]).id)
    next(event for event in task if isinstance(event, CellFilled))
    matrices(tmp_path).add_hypothesis("last", ZEBRAS)
    done = run(task)
    assert done.computed_count == done.cell_count == 12
    assert len(done.runs) == 1


def test_a_decision_is_the_persons_and_leaves_the_machines_score_alone(tmp_path: Path) -> None:
    before = filled(tmp_path)
    made = matrices(tmp_path)
    made.annotations.decide(FULL.id, DROPOUT, "rejected")
    made.annotations.decide(FULL.id, ZEBRAS, "accepted")
    after = matrices(tmp_path).open("last")
    assert after.rows[0].decisions == ("rejected", "accepted")
    assert [row.cells for row in after.rows] == [row.cells for row in before.rows]
    made.annotations.decide(FULL.id, DROPOUT, None)
    assert made.open("last").rows[0].decisions == (None, "accepted")


def test_a_decision_can_be_undone_and_holds_in_another_matrix(tmp_path: Path) -> None:
    made = matrices(tmp_path)
    made.annotations.decide(FULL.id, DROPOUT, "accepted")
    assert made.begin(["acl:A"], [DROPOUT]).rows[0].decisions == ("accepted",)
    assert made.begin(["acl:A", "acl:B"], [DROPOUT]).rows[0].decisions == ("accepted",)
    from litterm.annotations.annotations import Annotations

    assert isinstance(made.annotations, Annotations)
    assert made.annotations.undo() == f"Undone: accepted acl:A for “{DROPOUT}”."
    assert made.open("last").rows[0].decisions == (None,)


def test_the_audit_tells_date_version_method_k_and_cost(tmp_path: Path) -> None:
    made = matrices(tmp_path, Counting(cost=ModelCost(1, 0.25, 100)))
    matrix = run(made.fill(made.begin(["acl:A", "acl:C", "acl:B"], [DROPOUT], k=4).id))
    [audit] = matrix.runs
    assert (audit.version, audit.by, audit.k, audit.cells) == ("0.1.0", ("h1",), 4, 3)
    assert audit.spent == ModelCost(2, 0.5, 200)
    assert [row.cells[0] and row.cells[0].spent.calls for row in matrix.rows] == [1, 0, 1]
    assert audit.at.startswith("20")


def test_a_second_run_follows_the_first_and_computes_what_that_leaves(tmp_path: Path) -> None:
    one, mine = matrices(tmp_path), Counting()
    task = one.fill(one.begin(KEYS, HYPOTHESES).id)
    first = [next(task) for _ in range(5)]
    told: list[Event] = []
    other = matrices(tmp_path, mine).fill("last")
    for event in other:
        told.append(event)
        if isinstance(event, Notice) and sum(isinstance(each, Notice) for each in told) == 3:
            assert mine.asked == []
            task.close()
    assert "Following litterm" in next(each.text for each in told if isinstance(each, Notice))
    done = sum(isinstance(each, CellFilled) for each in first)
    assert sum(isinstance(each, CellFilled) for each in told) == 12 - done
    assert matrices(tmp_path).open("last").computed_count == 12


def test_matrices_are_found_by_either_end_of_their_id_and_removed(tmp_path: Path) -> None:
    made = matrices(tmp_path)
    ids = [made.begin([key], [DROPOUT]).id for key in ("A", "B", "C")]
    assert made.find(ids[0]) == made.find(ids[0].upper()) == made.find(ids[0][-8:]) == ids[0]
    assert made.find("last") == ids[2]
    for wrong in ("", "0", "nothere", "../x"):
        with pytest.raises(UnknownMatrix):
            made.find(wrong)
    assert made.remove(ids[2]) == ids[2]
    assert [line.id for line in made.all()] == [ids[1], ids[0]]


@pytest.mark.parametrize(
    ("keys", "hypotheses", "k"),
    [([], [DROPOUT], 10), (["A"], [], 10), (["A"], ["  "], 10), (["A"], ["of the"], 10), (["A"], [DROPOUT], 0)],
)
def test_a_request_that_makes_no_sense_leaves_nothing_behind(
    tmp_path: Path, keys: list[str], hypotheses: list[str], k: int
) -> None:
    made = matrices(tmp_path)
    with pytest.raises(UsageError):
        made.begin(keys, hypotheses, k=k)
    assert made.all() == ()


def test_a_key_that_fits_several_papers_is_a_row_without_one(tmp_path: Path) -> None:
    twins = (
        Paper(PaperId("acl:1"), "One", aliases=(PaperId("doi:1"),)),
        Paper(PaperId("s2x1"), "Other", aliases=(PaperId("acl:1"),)),
    )
    made = matrices(tmp_path, records=FakeRecords(twins))
    [row] = run(made.fill(made.begin(["acl:1"], [DROPOUT]).id)).rows
    assert (row.paper, row.cells[0] and row.cells[0].empty) == (None, "not in library")


def test_a_failed_file_is_known_by_the_papers_key() -> None:
    origins = ("/a/P18-1001.pdf", "pack.tar.gz!x/PMC5.nxml", "rows.jsonl:12", "/b/J.Cell.2.xml.gz")
    found = unreadable_keys(Failure(origin, "bad") for origin in origins)
    assert found == {"p18-1001", "pmc5", "rows.jsonl", "j.cell.2"}
    assert keys_of(Paper(PaperId("acl:P18-1001"), "T", aliases=(PaperId("doi:10.1/J.Cell.2"),))) <= found


def test_what_the_first_run_fills_is_told_to_whoever_follows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_run, "_STOP_CHECK_INTERVAL_S", 0.0)
    monkeypatch.setattr(matrix_run, "_POLL_INTERVAL_S", 0.0)
    one = matrices(tmp_path)
    task = one.fill(one.begin(KEYS, HYPOTHESES).id)
    while not isinstance(next(task), CellFilled):
        continue
    follower = matrices(tmp_path).fill("last")
    waiting = [next(follower) for _ in range(6)]
    assert Progress("filling the matrix", 1, 12) in waiting
    while not isinstance(next(task), CellFilled):
        continue
    told = [next(follower) for _ in range(6)]
    assert sum(isinstance(event, CellFilled) for event in told) == 1
    assert Progress("filling the matrix", 2, 12) in told
    task.close()
    follower.close()
