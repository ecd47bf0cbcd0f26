"""Matrices on disk: what was put is there again, a kill at any moment costs at most the cell under work."""

from __future__ import annotations

import random
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fakes_evidence import on_dropout
from fakes_model_server import ModelServer
from killed_imports import Ended, Warm
from matrices import HYPOTHESES, KEYS, matrices

from litterm.core.durable_files import new_key
from litterm.core.errors import LibraryError, UnknownMatrix
from litterm.evidence.matrix.storage import MatrixStore
from litterm.library.state.connection import StateDatabase
from litterm.library.state.runs import Runs
from litterm.model.document import DocumentId
from litterm.model.evidence import EvidenceLlmOptions
from litterm.model.llm import ModelCost
from litterm.model.matrix import CellQuote, MatrixCell, MatrixId, MatrixRequest
from litterm.model.paper import PaperId

REQUEST = MatrixRequest(
    (PaperId("acl:A"), PaperId("acl:B")),
    ("Dropout helps",),
    "dropout",
    3,
    "results",
    "h1",
    EvidenceLlmOptions("whole", 8),
)
QUOTE = CellQuote(
    7, "“It” helps\u2028 – a lot", "body", "Results", "Results §2 ¶1 s1 p.3", 3, -0.5, "strong", "refutes", "says so"
)
CELL = MatrixCell(
    paper_id=PaperId("acl:A"),
    hypothesis="Dropout helps",
    ground="full text",
    by="h1",
    document_id=DocumentId("d1"),
    quotes=(QUOTE,),
    verdict="strong",
    confidence=0.75,
    why="thin",
    partial=True,
    spent=ModelCost(2, None, 340, approximate=True),
)
EMPTY = MatrixCell(PaperId("acl:B"), "Dropout helps", "title", empty="not open", why="Nothing to read.")
CELLS = 2 * 6


def test_what_was_put_is_there_again(tmp_path: Path) -> None:
    storage = MatrixStore(StateDatabase(tmp_path))
    matrix_id = storage.begin(REQUEST)
    storage.begin_run(matrix_id, "0.1.0")
    storage.add_cost(matrix_id, replace(CELL.spent, dollars=0.5))
    storage.add_cell(matrix_id, CELL)
    storage.add_cost(matrix_id, CELL.spent)
    storage.add_cell(matrix_id, EMPTY)
    storage.end_run(matrix_id, done=True)
    record = MatrixStore(StateDatabase(tmp_path)).open(matrix_id)
    assert record.request == REQUEST
    assert [replace(cell, at="") for cell in record.cells] == [CELL, EMPTY]
    assert all(cell.at.endswith("Z") for cell in record.cells)
    [run] = record.runs
    assert (run.version, run.by, run.cells, run.spent, run.ended) == (
        "0.1.0",
        ("h1",),
        2,
        ModelCost(4, None, 680, approximate=True),
        "done",
    )


def test_a_later_cell_takes_the_place_of_an_earlier(tmp_path: Path) -> None:
    storage = MatrixStore(StateDatabase(tmp_path))
    matrix_id = storage.begin(REQUEST)
    storage.add_cell(matrix_id, CELL)
    storage.add_cell(matrix_id, EMPTY)
    storage.add_cell(matrix_id, replace(CELL, verdict="weak"))
    assert [(cell.paper_id, cell.verdict) for cell in storage.open(matrix_id).cells] == [
        ("acl:B", "nothing"),
        ("acl:A", "weak"),
    ]


def test_a_run_without_an_end_was_interrupted(tmp_path: Path) -> None:
    storage = MatrixStore(StateDatabase(tmp_path))
    matrix_id = storage.begin(REQUEST)
    for done in (False, True):
        storage.begin_run(matrix_id, "0.1.0")
        storage.end_run(matrix_id, done=done)
    storage.begin_run(matrix_id, "0.2.0")
    assert [run.ended for run in storage.open(matrix_id).runs] == ["stopped", "done", "interrupted"]


def test_hypotheses_are_added_once(tmp_path: Path) -> None:
    storage = MatrixStore(StateDatabase(tmp_path))
    matrix_id = storage.begin(REQUEST)
    for hypothesis in ("Zebras sleep", "Dropout helps", "Zebras sleep"):
        storage.add_hypothesis(matrix_id, hypothesis)
    assert storage.open(matrix_id).request.hypotheses == ("Dropout helps", "Zebras sleep")


@pytest.mark.parametrize("body", [{"paper": 3}, {}])
def test_an_entry_that_cannot_be_read_costs_itself_only(tmp_path: Path, body: dict[str, object]) -> None:
    storage = MatrixStore(StateDatabase(tmp_path))
    matrix_id = storage.begin(REQUEST)
    storage.add_cell(matrix_id, CELL)
    Runs(StateDatabase(tmp_path), "matrix").append(matrix_id, "cell", body)
    storage.add_cell(matrix_id, EMPTY)
    assert [cell.paper_id for cell in storage.open(matrix_id).cells] == ["acl:A", "acl:B"]


def test_a_matrix_without_a_request_that_can_be_read_is_none(tmp_path: Path) -> None:
    storage = MatrixStore(StateDatabase(tmp_path))
    matrix_id = MatrixId(Runs(StateDatabase(tmp_path), "matrix").begin({}))
    assert storage.all() == ()
    with pytest.raises(UnknownMatrix):
        storage.open(matrix_id)


def test_a_trajectory_is_no_matrix(tmp_path: Path) -> None:
    trajectory = Runs(StateDatabase(tmp_path), "trajectory").begin({})
    storage = MatrixStore(StateDatabase(tmp_path))
    assert storage.ids() == ()
    with pytest.raises(UnknownMatrix):
        storage.open(MatrixId(trajectory))


def test_the_newest_comes_first(tmp_path: Path) -> None:
    storage = MatrixStore(StateDatabase(tmp_path))
    ids = sorted(storage.begin(REQUEST) for _ in range(3))
    assert list(storage.ids()) == ids[::-1] == [record.id for record in storage.all()]


@pytest.mark.parametrize("name", ["", "..", "../matrices", "/etc", ".", "nothere"])
def test_an_id_is_never_a_path(tmp_path: Path, name: str) -> None:
    storage = MatrixStore(StateDatabase(tmp_path))
    storage.begin(REQUEST)
    with pytest.raises(UnknownMatrix):
        storage.open(MatrixId(name))


def test_only_one_may_fill_and_nobody_removes_it_meanwhile(tmp_path: Path) -> None:
    storage, other = MatrixStore(StateDatabase(tmp_path)), MatrixStore(StateDatabase(tmp_path))
    matrix_id = storage.begin(REQUEST)
    lease = storage.lease(matrix_id)
    assert lease is not None
    assert other.lease(matrix_id) is None
    assert "process" in other.holder(matrix_id)
    with pytest.raises(LibraryError, match=r"being filled by .*process"):
        other.remove(matrix_id)
    lease.release()
    other.remove(matrix_id)
    assert storage.all() == ()
    assert list((tmp_path / "leases").iterdir()) == []
    other.add_cell(matrix_id, CELL)
    assert storage.ids() == (), "a cell that comes too late brings nothing back"


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with Warm() as process:
        yield process


def computed(root: Path) -> Counter[str]:
    log = root / "computed"
    return Counter(log.read_text().splitlines()) if log.exists() else Counter()


def stored(root: Path) -> int:
    records = MatrixStore(StateDatabase(root)).all()
    return len(records[0].cells) if records else 0


def test_a_kill_at_any_seam_costs_no_stored_cell_and_the_next_run_computes_only_the_rest(
    warm: Warm, tmp_path: Path
) -> None:
    whole = warm.run(tmp_path / "whole", "matrix")
    assert (whole.signal, whole.error, whole.stored) == (0, "", CELLS)
    once = computed(tmp_path / "whole")
    assert set(once.values()) == {1}
    for at in range(1, whole.seams + 1):
        root = tmp_path / f"killed{at}"
        ended = warm.run(root, "matrix", die_at=at)
        assert ended.signal == signal.SIGKILL
        there = stored(root)
        assert there >= ended.stored
        before = computed(root)
        again = warm.run(root, "matrix")
        assert (again.signal, again.error, again.stored) == (0, "", CELLS - there)
        [matrix] = MatrixStore(StateDatabase(root)).all()
        assert (len(matrix.cells), matrix.runs[-1].ended) == (CELLS, "done")
        after = computed(root)
        assert set(after) == set(once)
        assert sum((after - before).values()) == len(once) - len(kept(root, there))
        assert sum(after.values()) - len(after) <= 1, "only the cell under work when the kill came"


def test_a_kill_while_a_model_is_asked_repeats_no_cell_and_no_call_whose_reply_was_kept(
    warm: Warm, tmp_path: Path, model_server: ModelServer
) -> None:
    model_server.brain = on_dropout

    def judge(name: str, die_at: int = 0) -> Ended:
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "server").write_text(model_server.url)
        return warm.run(tmp_path / name, "judge", die_at=die_at)

    def answers_kept(name: str) -> int:
        return len(list((tmp_path / name).rglob("replies/**/*.json")))

    whole = judge("whole")
    assert (whole.signal, whole.error, whole.stored) == (0, "", CELLS)
    different = len(model_server.chats)
    assert answers_kept("whole") == different == len({each.raw for each in model_server.chats})
    for at in random.Random(7).sample(range(1, whole.seams), 12):
        name, begun = f"killed{at}", len(model_server.chats)
        assert judge(name, die_at=at).signal == signal.SIGKILL
        there, kept_then, asked = stored(tmp_path / name), answers_kept(name), len(model_server.chats) - begun
        assert asked - kept_then <= 1, "one request at a time: only the reply to the last can be missing"
        again = judge(name)
        assert (again.signal, again.error, again.stored) == (0, "", CELLS - there)
        assert len(model_server.chats) - begun - asked == different - kept_then
        [matrix] = MatrixStore(StateDatabase(tmp_path / name)).all()
        assert len(matrix.cells) == sum(run.cells for run in matrix.runs) == CELLS
        assert not any(cell.partial for cell in matrix.cells)


def kept(root: Path, there: int) -> list[str]:
    """The first `there` cells as the extractor logs them; those without a text never reached it."""
    [matrix] = MatrixStore(StateDatabase(root)).all()
    return [f"{cell.paper_id}\t{cell.hypothesis}" for cell in matrix.cells[:there] if cell.by]


def test_killed_again_and_again_it_ends_with_every_cell_computed_once(warm: Warm, tmp_path: Path) -> None:
    whole = warm.run(tmp_path / "whole", "matrix")
    root, kills = tmp_path / "killed", 0
    # Each run gets a little further than what it takes to open the matrix: one or two cells a life.
    while warm.run(root, "matrix", die_at=whole.seams * 2 // 5).signal:
        kills += 1
        assert kills < 5 * CELLS
    matrix = matrices(root).open("last")
    assert matrix.computed_count == matrix.cell_count == len(matrix.rows) * len(HYPOTHESES) == CELLS
    assert len(KEYS) - 1 == len(matrix.rows)
    assert kills >= 3
    assert sum(computed(root).values()) - len(computed(root)) <= kills
    assert [run.ended for run in matrix.runs[:-1]].count("interrupted") >= 3
    assert matrix.runs[-1].ended == "done"
    assert sum(run.cells for run in matrix.runs) == CELLS


def test_keys_made_at_once_stand_in_their_order() -> None:
    keys = [new_key() for _ in range(1000)]
    assert keys == sorted(set(keys))
    assert {len(key) for key in keys} == {26}
