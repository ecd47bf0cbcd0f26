"""Co-authors' sheets are read as spreadsheets leave them, and compared with kappa."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import FULL, HYPOTHESES, OTHER, matrices

from litterm.core.errors import BadInput
from litterm.evidence.matrix.inter_annotator_agreement import OWN_CODER, cohen_kappa, compare_coders, read_sheet
from litterm.model.matrix import CellDecision, CodedCell
from litterm.model.paper import PaperId

DROPOUT, ZEBRAS = HYPOTHESES
YES: CellDecision = "accepted"
NO: CellDecision = "rejected"


def coded(*decisions: str) -> tuple[CodedCell, ...]:
    """One decision a paper for one hypothesis: `+`, `-` or blank."""
    return tuple(
        CodedCell(PaperId(f"acl:{at}"), DROPOUT, YES if sign == "+" else NO)
        for at, signs in enumerate(decisions)
        for sign in signs
        if sign != " "
    )


SHEET = (
    f"paper,title,hypothesis,decision\r\nacl:A,T,{DROPOUT},accepted\r\nacl:B,T,{DROPOUT},\r\nacl:C,T,{DROPOUT},No\r\n"
)


@pytest.mark.parametrize(
    "content",
    [
        SHEET.encode(),
        SHEET.encode("utf-8-sig"),
        SHEET.encode("utf-16"),
        SHEET.replace(",", ";").encode("cp1252"),
        SHEET.replace(",", "\t").replace("\r\n", "\n").encode(),
        ("\r\n" + SHEET).encode(),
        ("sep=;\r\n" + SHEET.replace(",", ";")).encode(),
        SHEET.replace("paper", " PAPER ").encode(),
        SHEET.replace("acl:A,T,", 'acl:A,"T, with ""quotes""\nand a line",').encode(),
    ],
)
def test_a_sheet_is_read_as_spreadsheets_save_it(content: bytes) -> None:
    sheet = read_sheet(content, "anna")
    assert [(cell.paper_id, cell.hypothesis, cell.decision) for cell in sheet.cells] == [
        ("acl:A", DROPOUT, "accepted"),
        ("acl:C", DROPOUT, "rejected"),
    ]
    assert (sheet.coder, sheet.undecided, sheet.faults) == ("anna", 1, ())


def test_columns_may_move_and_the_apostrophe_before_a_formula_goes() -> None:
    sheet = read_sheet(b"decision,more,hypothesis,paper\nyes,,'=SUM(A1) rises,acl:A\nyes,,'tis true,acl:A\n", "anna")
    assert [cell.hypothesis for cell in sheet.cells] == ["=SUM(A1) rises", "'tis true"]


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"paper,decision\nacl:A,yes\n", b"<html>", b"\xff\xfe"])
def test_what_is_no_sheet_is_refused_in_one_sentence(content: bytes) -> None:
    with pytest.raises(BadInput, match="anna: "):
        read_sheet(content, "anna")


def test_rows_that_cannot_be_read_are_named_and_the_rest_counts() -> None:
    rows = [f"acl:A,{DROPOUT},maybe", f",{DROPOUT},yes", f"acl:B,{DROPOUT},yes", f"acl:B,{DROPOUT},no", ",,", "acl:C"]
    sheet = read_sheet("\n".join(["paper,hypothesis,decision", *rows]).encode(), "anna")
    assert [(cell.paper_id, cell.decision) for cell in sheet.cells] == [("acl:B", "accepted")]
    assert [fault.partition(":")[0] for fault in sheet.faults] == [
        "anna, line 2",
        "anna, line 3",
        "anna, line 5",
        "anna, line 7",
    ]
    assert "'maybe'" in sheet.faults[0]


def test_a_thousand_faults_are_counted_not_listed() -> None:
    sheet = read_sheet(b"paper,hypothesis,decision\n" + b"acl:A,h,maybe\n" * 1000, "anna")
    assert len(sheet.faults) == 21
    assert "980 more" in sheet.faults[-1]


@given(st.binary(max_size=400))
def test_any_bytes_are_a_sheet_or_bad_input(content: bytes) -> None:
    for each in (content, b"paper,hypothesis,decision\n" + content):
        try:
            read_sheet(each, "anna")
        except BadInput:
            continue


@pytest.mark.parametrize(
    ("yes_yes", "yes_no", "no_yes", "no_no", "expected"),
    [(20, 5, 10, 15, 0.4), (10, 0, 0, 10, 1.0), (0, 10, 10, 0, -1.0), (25, 25, 25, 25, 0.0), (45, 15, 25, 15, 0.1304)],
)
def test_kappa_is_cohens(yes_yes: int, yes_no: int, no_yes: int, no_no: int, expected: float) -> None:
    both = [(YES, YES)] * yes_yes + [(YES, NO)] * yes_no + [(NO, YES)] * no_yes + [(NO, NO)] * no_no
    assert cohen_kappa(both) == pytest.approx(expected, abs=1e-4)


def test_kappa_says_nothing_without_cells_or_without_variety() -> None:
    assert cohen_kappa([]) is None
    assert cohen_kappa([(YES, YES)] * 5) is None


@given(st.lists(st.tuples(st.sampled_from([YES, NO]), st.sampled_from([YES, NO])), min_size=1))
def test_kappa_is_symmetric_and_in_range(both: list[tuple[CellDecision, CellDecision]]) -> None:
    one, other = cohen_kappa(both), cohen_kappa([(b, a) for a, b in both])
    assert one == other
    assert one is None or -1.0 <= one <= 1.0


def test_every_two_coders_are_compared_and_split_cells_listed() -> None:
    found = compare_coders(
        {OWN_CODER: coded("+", "-", "+", " "), "anna": coded("+", "+", "-", "+"), "ben": coded(" ", " ", "+", "-")}
    )
    assert [(pair.one, pair.other, pair.both, pair.agreed) for pair in found.pairs] == [
        (OWN_CODER, "anna", 3, 1),
        (OWN_CODER, "ben", 1, 1),
        ("anna", "ben", 2, 0),
    ]
    assert [each.paper_id for each in found.disagreements] == ["acl:1", "acl:2", "acl:3"]
    assert found.disagreements[1].decisions == ((OWN_CODER, YES), ("anna", NO), ("ben", YES))


def test_a_merge_knows_papers_by_any_id_and_keeps_who_decided(tmp_path: Path) -> None:
    made = matrices(tmp_path)
    for paper_id, hypothesis in product((FULL.id, OTHER.id), HYPOTHESES):
        made.annotations.decide(paper_id, hypothesis, "accepted")
    rows = [f"doi:10.1/a,{DROPOUT},rejected", f"E,{ZEBRAS},accepted"]
    sheet = read_sheet("\n".join(["paper,hypothesis,decision", *rows]).encode(), "anna")
    found = made.merge([sheet, sheet])
    assert found.coders == (OWN_CODER, "anna", "anna 2")
    assert [(each.paper_id, each.hypothesis) for each in found.disagreements] == [(FULL.id, DROPOUT)]
    kept = matrices(tmp_path).annotations.decisions_by_coder()
    assert len(kept[""]) == 4
    assert [(cell.paper_id, cell.decision) for cell in kept["anna"]] == [(FULL.id, "rejected"), (OTHER.id, "accepted")]


def test_a_merge_is_one_verb_to_undo_and_leaves_ones_own_decisions_alone(tmp_path: Path) -> None:
    from litterm.annotations.annotations import Annotations

    made = matrices(tmp_path)
    made.annotations.decide(FULL.id, DROPOUT, "accepted")
    made.merge([read_sheet(SHEET.encode(), "anna"), read_sheet(SHEET.encode(), "ben")])
    assert made.begin(["acl:A"], [DROPOUT]).rows[0].decisions == ("accepted",)
    assert isinstance(made.annotations, Annotations)
    made.annotations.undo()
    assert set(matrices(tmp_path).annotations.decisions_by_coder()) == {""}
