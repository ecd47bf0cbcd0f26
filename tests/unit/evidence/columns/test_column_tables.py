"""Tables of columns: what is read of small papers, what the user wrote, what a stop leaves, what a model may say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from matrices import FakeRecords
from scripted_models import DryRunModel, Reply, ScriptedModel

from litterm.annotations.annotations import open_annotations
from litterm.annotations.column_edits import ColumnEdits
from litterm.core.errors import ModelOffline, UnknownColumnTable, UsageError
from litterm.core.tasks import run
from litterm.evidence.columns.column_tables import ColumnTables
from litterm.evidence.columns.llm import stretch_of
from litterm.evidence.columns.run import ColumnFill
from litterm.evidence.columns.storage import ColumnStore
from litterm.library.journal import FileJournal
from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import project_session
from litterm.model.columns import ColumnCell, ColumnEdit, ColumnLlmOptions, ColumnTable
from litterm.model.document import Document
from litterm.model.llm import ModelRequest
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, build_document

TRIAL = Paper(
    PaperId("pmid:1"), "Tulsi for glucose", "A total of 90 patients were enrolled.", year=2020, full_text=True
)
PARSER = Paper(
    PaperId("acl:P"), "A parser", "We parse German and Czech on the Penn Treebank and report an accuracy of 93.1%."
)
BARE = Paper(PaperId("acl:T"), "Only a title", year=2001)


def trial() -> Document:
    blocks = [
        Block("title", TRIAL.title),
        Block("abstract", TRIAL.abstract),
        Block("heading", "Methods", number="2"),
        Block(
            "body",
            "Previous studies enrolled 12 patients. Capsules of 300 mg were a daily dose. Their mean age was 45 years.",
        ),
        Block("table", cells=(("", "Tulsi", "Placebo"), ("Weight (kg)", "71.5", "72.0")), label="Table 1"),
        Block("heading", "References"),
        Block("body", "Others gave a dose of 900 mg to 4000 patients."),
    ]
    return build_document(TRIAL.id, blocks, origin="jats", parser="t")


def tables(root: Path, reply: Reply | None = None, *, offline: bool = False) -> ColumnTables:
    """Tables in `root`, as another process would open them; `reply` is what a model says."""
    state = StateDatabase(root)
    records = FakeRecords((TRIAL, PARSER, BARE), {TRIAL.id: trial()})
    model = ScriptedModel(reply or (lambda _request: "{}"))

    def build(_fresh: bool) -> ScriptedModel:
        if offline:
            raise ModelOffline("The model is not on this machine, and litterm is offline.")
        return model

    filling = ColumnFill(
        ColumnStore(state), records, lambda: None, lambda: (), "0.1.0", build, lambda: DryRunModel(lambda _request: "")
    )  # type: ignore[arg-type]
    journal = open_annotations(FileJournal(root / "journal"), project_session(state, ""))
    return ColumnTables(filling, ColumnEdits(journal.undo_log))


def filled(
    made: ColumnTables, columns: Sequence[str], *keys: str, options: ColumnLlmOptions | None = None
) -> ColumnTable:
    return run(made.fill(made.begin(keys, columns, options=options).id))


def cell(table: ColumnTable, row: int = 0, column: int = 0) -> ColumnCell:
    found = table.rows[row].cells[column]
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("column", "value", "unit"),
    [
        ("sample size", "90", "patients"),
        ("daily dose", "300", "mg"),
        ("dose (mg)", "300", "mg"),
        ("age", "45", "years"),
        ("weight", "71.5", "kg"),
        ("year", "2020", ""),
    ],
)
def test_the_rules_read_what_the_paper_states_of_its_own_work(
    tmp_path: Path, column: str, value: str, unit: str
) -> None:
    read = cell(filled(tables(tmp_path), [column], "pmid:1"))
    assert [(each.value, each.unit) for each in read.values] == [(value, unit)]


def test_every_value_stands_in_the_sentence_that_its_index_names(tmp_path: Path) -> None:
    table = filled(
        tables(tmp_path), ["sample size", "dose", "age", "weight", "language", "metric", "data set"], "pmid:1", "acl:P"
    )
    document = trial()
    values = [value for each in table.rows[0].cells if each for value in each.values]
    assert len(values) == 4
    for value in values:
        assert value.source is not None
        assert document.sentences[value.source.index].text == value.source.text
        assert value.value in value.source.text


def test_a_cell_of_a_table_is_named_by_label_row_and_column(tmp_path: Path) -> None:
    (value,) = cell(filled(tables(tmp_path), ["weight"], "pmid:1")).values
    assert value.source is not None
    assert value.source.locator == "Table 1, row Weight (kg), column Tulsi"


def test_names_are_read_from_an_abstract_and_a_column_of_words_needs_a_model(tmp_path: Path) -> None:
    table = filled(tables(tmp_path), ["language", "metric", "data set", "outcome"], "acl:P")
    names = [[value.value for value in each.values] for each in table.rows[0].cells if each]
    assert names == [["German", "Czech"], ["accuracy"], ["Penn Treebank"], []]
    assert cell(table, column=3).empty == "needs a model"


def test_a_paper_without_text_or_unknown_says_so(tmp_path: Path) -> None:
    table = filled(tables(tmp_path), ["sample size", "year"], "acl:T", "acl:nowhere")
    assert [each.empty for row in table.rows for each in row.cells if each] == [
        *("not open", None),
        *("not in library", "not in library"),
    ]


def test_a_pilot_reads_the_first_papers_and_the_next_run_only_the_rest(tmp_path: Path) -> None:
    made = tables(tmp_path)
    table = made.begin(["pmid:1", "acl:P", "acl:T"], ["sample size"])
    piloted = run(made.fill(table.id, 1))
    assert [row.cells[0] is not None for row in piloted.rows] == [True, False, False]
    rest = run(tables(tmp_path).fill("last"))
    assert [audit.cells for audit in rest.runs] == [1, 2]
    assert rest.computed_count == rest.cell_count


def test_what_the_user_wrote_stands_in_every_table_and_no_run_overwrites_it(tmp_path: Path) -> None:
    made = tables(tmp_path)
    table = filled(made, ["Sample size"], "pmid:1")
    made.edit(table.rows[0], "Sample size", ColumnEdit("88", "patients"))
    again = tables(tmp_path)
    other = filled(again, ["age", "sample size"], "pmid:1")
    assert other.rows[0].edits == (None, ColumnEdit("88", "patients"))
    again.edit(other.rows[0], "sample size", None)
    assert again.open(other.id).rows[0].edits == (None, None)


def test_a_column_is_added_once_and_the_same_request_continues_the_same_table(tmp_path: Path) -> None:
    made = tables(tmp_path)
    table = filled(made, ["age"], "pmid:1")
    assert made.begin(["pmid:1"], ["age"]).id == table.id
    assert made.add_column(table.id, "dose").request.columns == ("age", "dose")
    assert made.add_column(table.id, "Dose").request.columns == ("age", "dose")
    with pytest.raises(UsageError):
        made.add_column(table.id, "...")
    made.remove("last")
    with pytest.raises(UnknownColumnTable):
        made.open(table.id)


def answer(*values: tuple[int, int, str, str], not_stated: Sequence[int] = ()) -> Reply:
    named = [{"column": c, "sentence": s, "value": v, "unit": u} for c, s, v, u in values]
    return lambda _request: json.dumps({"values": named, "not_stated": list(not_stated)})


def test_a_value_of_the_model_is_kept_as_its_sentence_spells_it(tmp_path: Path) -> None:
    made = tables(tmp_path, answer((1, 2, "A TOTAL of 90", "Patients")))
    read = cell(filled(made, ["outcome"], "pmid:1", options=ColumnLlmOptions()))
    assert [(value.value, value.unit) for value in read.values] == [("A total of 90", "patients")]
    assert read.by == "parrot"


def test_a_value_that_its_sentence_does_not_hold_is_struck_and_told(tmp_path: Path) -> None:
    made = tables(tmp_path, answer((1, 2, "9", ""), (1, 2, "91 patients", ""), (1, 1, "90", "")))
    read = cell(filled(made, ["outcome"], "pmid:1", options=ColumnLlmOptions()))
    assert (read.values, read.empty) == ((), "none found")
    assert "3 values of the model did not stand in the sentence" in read.why


def test_a_unit_that_the_sentence_does_not_hold_is_left_out(tmp_path: Path) -> None:
    made = tables(tmp_path, answer((1, 2, "90", "women")))
    (value,) = cell(filled(made, ["sample size"], "pmid:1", options=ColumnLlmOptions())).values
    assert (value.value, value.unit) == ("90", "")


def test_not_stated_is_what_a_model_says_that_has_seen_all(tmp_path: Path) -> None:
    made = tables(tmp_path, answer(not_stated=[1]))
    assert cell(filled(made, ["outcome"], "pmid:1", options=ColumnLlmOptions())).empty == "not stated"


def test_the_year_of_the_record_is_not_asked_for(tmp_path: Path) -> None:
    asked: list[ModelRequest] = []

    def reply(request: ModelRequest) -> str:
        asked.append(request)
        return "{}"

    table = filled(tables(tmp_path, reply), ["year"], "pmid:1", options=ColumnLlmOptions())
    assert (asked, cell(table).by) == ([], "record")


def test_without_the_model_that_is_wanted_the_rules_fill_in_and_the_next_run_asks_again(tmp_path: Path) -> None:
    table = tables(tmp_path).begin(["pmid:1"], ["sample size"], options=ColumnLlmOptions())
    without = run(tables(tmp_path, offline=True).fill(table.id))
    assert (cell(without).by, cell(without).partial) == ("rules", True)
    again = run(tables(tmp_path, answer((1, 2, "90", "patients"))).fill(table.id))
    assert (cell(again).by, cell(again).partial) == ("parrot", False)


def test_a_dry_run_shows_the_request_and_stores_nothing(tmp_path: Path) -> None:
    made = tables(tmp_path)
    table = made.begin(["pmid:1"], ["outcome"], options=ColumnLlmOptions())
    (request,) = run(made.preview(table.id))
    assert "A total of 90 patients were enrolled." in request
    assert made.open(table.id) == replace(table)


@pytest.mark.parametrize(
    ("sentence", "copied", "kept"),
    [
        ("Between 0.19–0.21 nm.", "0.19-0.21", "0.19–0.21"),
        ("It fell by 1.5%.", "5", ""),
        ("It fell by 15%.", "15", "15"),
        ("About 1,200 of them.", "200", ""),
        ("A dose of 5mg.", "mg", "mg"),
        ("The models agree.", "model", ""),
    ],
)
def test_a_stretch_is_never_a_part_of_a_word_or_number(sentence: str, copied: str, kept: str) -> None:
    assert stretch_of(sentence, copied) == kept
