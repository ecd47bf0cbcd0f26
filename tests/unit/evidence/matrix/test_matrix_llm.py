"""The matrix with a language model behind a real server: consent, cost, stance, and nothing asked twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from fakes_evidence import on_dropout
from fakes_model_server import ModelServer, Received, Script, Tokens, after, error, hangs, says
from matrices import HYPOTHESES, KEYS, FakeRecords, judged
from model_clients import Models

from litterm.core.errors import ModelOffline, UsageError
from litterm.core.tasks import run
from litterm.llm.model import ChatModel
from litterm.model.document import Document
from litterm.model.events import CostUpdate, Event, Notice
from litterm.model.evidence import EvidenceLlmOptions
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, build_document

DROPOUT, ZEBRAS = HYPOTHESES
SECTIONS = EvidenceLlmOptions("sections")
COI = "Dropout authors declare no competing interests."


def begun(root: Path, model: ChatModel | None, *, use: EvidenceLlmOptions = SECTIONS) -> str:
    return judged(root, model).begin(KEYS, HYPOTHESES, options=use).id


def asked_once(server: ModelServer) -> bool:
    return set(Counter(each.raw for each in server.chats).values()) == {1}


def test_every_cell_is_judged_with_stance_reason_and_cost(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    model_server.brain = on_dropout
    made = judged(tmp_path, make_model(price_in=1.0, price_out=1.0))
    matrix = run(made.fill(begun(tmp_path, make_model())))
    assert (matrix.request.method, matrix.request.options) == ("sections · tiny-1", SECTIONS)
    cell = matrix.rows[0].cells[0]
    assert cell is not None
    assert (cell.by, cell.verdict, cell.partial) == ("sections · tiny-1", "strong", False)
    assert cell.count_stance("supports") == len(cell.quotes) == 2
    assert {quote.reason for quote in cell.quotes} == {"Says so."}
    assert cell.spent.calls > 0
    assert [row.cells[0] and row.cells[0].empty for row in matrix.rows[2:]] == [
        "not open",
        "parse failed",
        "abstract only",
        "not in library",
    ]
    [audit] = matrix.runs
    assert audit.by == ("sections · tiny-1",)
    assert audit.spent.calls == len(model_server.chats)
    assert audit.spent.dollars == pytest.approx(25e-6 * audit.spent.calls)
    assert sum(cell.spent.calls for row in matrix.rows for cell in row.cells if cell) == audit.spent.calls


def test_the_estimate_counts_every_missing_cell_and_sends_nothing(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    model_server.brain = on_dropout
    made = judged(tmp_path, make_model())
    key = made.begin(KEYS, HYPOTHESES, options=SECTIONS).id
    estimate = run(made.estimate(key))
    assert estimate is not None
    assert model_server.asked == []
    run(made.fill(key))
    assert estimate.calls >= len(model_server.chats) > 5
    assert run(made.estimate(key)) is None, "nothing to fix"
    assert run(made.estimate(made.begin(KEYS, HYPOTHESES).id)) is None, "no model is asked"


def test_a_dry_run_shows_the_requests_and_sends_nothing(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    made = judged(tmp_path, make_model(dry_run=True))
    key = made.begin(["acl:A", "acl:B"], HYPOTHESES, options=SECTIONS).id
    requests = run(made.preview(key))
    assert len(requests) == 6, "two parts of one paper and one of the other, for two hypotheses"
    assert all("chat/completions" in request for request in requests)
    assert (made.open(key).computed_count, model_server.asked) == (0, [])


def test_a_run_that_is_stopped_goes_on_and_asks_nothing_again(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    model_server.brain = on_dropout
    task = judged(tmp_path, make_model()).fill(begun(tmp_path, make_model()))
    while len(model_server.chats) < 2:
        next(task)
    task.close()
    done = run(judged(tmp_path, make_model()).fill("last"))
    assert done.computed_count == done.cell_count
    assert [each.ended for each in done.runs] == ["stopped", "done"]
    # The one under way when it was stopped was hung up on, so its reply never came.
    assert sum(count - 1 for count in Counter(each.raw for each in model_server.chats).values()) <= 1


def test_a_cell_with_a_failed_part_is_asked_about_again_and_only_that_part(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    def ill(asked: Received) -> Script:
        return error(400, "not to my liking") if ": Results" in asked.last else on_dropout(asked)

    model_server.brain = ill
    first = run(judged(tmp_path, make_model()).fill(begun(tmp_path, make_model())))
    cell = first.rows[0].cells[0]
    assert cell is not None
    assert (cell.partial, cell.by) == (True, "sections · tiny-1")
    assert "Results could not be sent to the model" in cell.why
    asked = len(model_server.chats)
    model_server.brain = on_dropout
    again = run(judged(tmp_path, make_model()).fill("last"))
    cell = again.rows[0].cells[0]
    assert cell is not None
    assert (cell.partial, cell.count_stance("supports")) == (False, 2)
    assert [(": Results" in each.last) for each in model_server.chats[asked:]] == [True, True]
    assert again.runs[-1].cells == 2


def test_without_the_model_cells_are_filled_offline_marked_and_asked_about_later(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    key, told = begun(tmp_path, make_model()), list[Event]()
    offline = run(judged(tmp_path, None).fill(key), told.append)
    assert any("No model is asked" in each.text for each in told if isinstance(each, Notice))
    cells = [cell for row in offline.rows for cell in row.cells if cell and cell.by]
    assert {(cell.by, cell.partial) for cell in cells} == {("h1", True)}
    model_server.brain = on_dropout
    online = run(judged(tmp_path, make_model()).fill(key))
    assert {cell.by for row in online.rows for cell in row.cells if cell and cell.by} == {"sections · tiny-1"}
    with pytest.raises(ModelOffline):
        begun(tmp_path, None)


def test_a_server_that_refuses_the_key_is_asked_once_for_the_whole_matrix(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    model_server.script(error(401, "Incorrect API key provided.", code="invalid_api_key"))
    matrix = run(judged(tmp_path, make_model()).fill(begun(tmp_path, make_model())))
    assert matrix.computed_count == matrix.cell_count
    assert len(model_server.asked) == 1
    assert all(cell.partial and "key" in cell.why for row in matrix.rows for cell in row.cells if cell and cell.by)


def test_papers_that_share_a_sentence_are_no_loop(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    model_server.brain = on_dropout
    papers = [Paper(PaperId(f"acl:P{n}"), f"Paper {n}", full_text=True) for n in range(6)]
    records = FakeRecords(tuple(papers), {paper.id: _boilerplate(paper) for paper in papers})
    made = judged(tmp_path, make_model(), records=records)
    matrix = run(made.fill(made.begin([paper.id for paper in papers], [DROPOUT], options=SECTIONS).id))
    assert [row.cells[0] and row.cells[0].partial for row in matrix.rows] == [False] * 6
    assert asked_once(model_server)


def _boilerplate(paper: Paper) -> Document:
    own = Block("body", sentences=(f"Dropout lowered the error by {paper.id[-1]} points here.",))
    blocks = [Block("heading", "Results"), own, Block("heading", "Interests"), Block("body", sentences=(COI,))]
    return build_document(paper.id, blocks, origin="jats", parser="t")


def test_the_cap_of_a_run_counts_over_all_cells(tmp_path: Path, make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says("DECISION: [1]", usage=Tokens(1000, 500)))
    made, told = judged(tmp_path, make_model(run_tokens=6000)), list[Event]()
    matrix = run(made.fill(begun(tmp_path, make_model())), told.append)
    spent = [event.run.tokens for event in told if isinstance(event, CostUpdate)]
    assert spent == [1500, 3000, 4500][: len(model_server.chats)]
    assert len(spent) >= 2
    assert any("model.run_tokens" in cell.why for row in matrix.rows for cell in row.cells if cell)


def test_cancelling_closes_the_connection(tmp_path: Path, make_model: Models, model_server: ModelServer) -> None:
    model_server.script(hangs())
    task = judged(tmp_path, make_model()).fill(begun(tmp_path, make_model()))
    while not model_server.wires:
        next(task)
    task.close()
    model_server.hung_up_after(0.0)
    assert judged(tmp_path, make_model()).open("last").runs[-1].ended == "stopped"


def test_asking_anew_is_a_new_matrix_and_the_negated_claim_a_column(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    model_server.brain = on_dropout
    fresh = EvidenceLlmOptions("sections", cached=False)
    first = run(judged(tmp_path, make_model()).fill(begun(tmp_path, make_model())))
    asked = len(model_server.chats)
    assert begun(tmp_path, make_model()) == first.id
    other = run(judged(tmp_path, make_model()).fill(begun(tmp_path, make_model(), use=fresh)))
    assert other.id != first.id
    assert len(model_server.chats) == 2 * asked
    with pytest.raises(UsageError, match="column"):
        begun(tmp_path, make_model(), use=EvidenceLlmOptions(negate=True))


def test_papers_are_asked_about_at_the_same_time_and_each_cell_knows_its_own_cost(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    papers = tuple(
        Paper(PaperId(f"acl:N{n}"), f"Kind {n}", f"Dropout of kind {n} lowers the error of networks. We say why.")
        for n in range(6)
    )
    model_server.brain = lambda asked: after(0.2, on_dropout(asked))
    model = make_model(concurrency=3, price_in=1.0, price_out=1.0)
    made = judged(tmp_path, model, records=FakeRecords(papers=papers))
    matrix = run(made.fill(made.begin([each.id for each in papers], [DROPOUT], options=SECTIONS).id))
    assert model_server.most_at_once == 3
    cells = [row.cells[0] for row in matrix.rows]
    assert [cell and cell.spent.calls for cell in cells] == [1] * 6
    assert matrix.runs[0].spent.calls == len(model_server.chats) == 6


def test_a_local_model_is_asked_about_one_paper_after_the_other(
    tmp_path: Path, make_model: Models, model_server: ModelServer
) -> None:
    model_server.brain = on_dropout
    run(judged(tmp_path, make_model()).fill(begun(tmp_path, make_model())))
    assert model_server.most_at_once == 1
