"""The likely stance in a matrix: kept on disk, told in every form, and never for a claim and its contrary alike."""

from __future__ import annotations

import csv
import io

import pytest

from litterm.core.tasks import run
from litterm.evidence.learned import open_extractor
from litterm.evidence.matrix.cells import CellSpending, OpenPaper, fill_cell, without_contradictions
from litterm.evidence.matrix.codec import decode_cell, encode_cell
from litterm.model.document import Document
from litterm.model.evidence import LikelyStance
from litterm.model.matrix import CellQuote, Matrix, MatrixCell, MatrixId, MatrixRequest, MatrixRow
from litterm.model.paper import PaperId
from litterm.render.bibliography.keys import STANDARD_KEYS
from litterm.render.closeness import cell_stance_words
from litterm.render.lines import LineOptions
from litterm.render.matrix import csv as matrix_csv
from litterm.render.matrix import html, markdown, text
from litterm.render.matrix import json as matrix_json
from litterm.render.matrix.words import cell_words
from litterm.text.documents.builder import Block, build_document

PAPER = PaperId("local:x")
CLAIM, CONTRARY, OTHER = "Basil lowers blood sugar", "Basil has no effect on blood sugar", "Basil lowers blood pressure"
SENTENCES = (
    "We found that basil lowered the blood sugar of adults by a third.",
    "Half of them were given a tablet every morning.",
    "The weather was fine on most of the days.",
    "Nothing else of interest was ever seen by anybody there.",
)


def abstract(*sentences: str) -> Document:
    blocks = (
        Block("title", "Basil and blood sugar: a trial"),
        Block("heading", "Abstract", section_kind="abstract"),
        Block("abstract", sentences=sentences),
    )
    return build_document(PAPER, blocks, origin="jsonl", parser="test")


def cell_of(document: Document, hypothesis: str) -> MatrixCell:
    opened, request = OpenPaper(PAPER, document, basis="full text"), MatrixRequest((PAPER,), (hypothesis,))
    return run(fill_cell(opened, open_extractor(), hypothesis, request, CellSpending(lambda _spent: None)))


def quoting(hypothesis: str, likely: LikelyStance | None) -> MatrixCell:
    quote = CellQuote(1, SENTENCES[0], "abstract", "Abstract", "Abstract s1", None, 1.0, "strong", likely_stance=likely)
    return MatrixCell(PAPER, hypothesis, "full text", "linear", quotes=(quote,), verdict="strong")


SUPPORTS = LikelyStance("supports", 0.9)


def test_a_claim_and_its_contrary_do_not_both_read_as_support() -> None:
    cells = [cell_of(abstract(*SENTENCES), claim) for claim in (CLAIM, CONTRARY)]
    assert [cell_words(cell).partition(":")[0] for cell in cells] == ["on topic", "on topic"]
    assert cell_stance_words(cells[0]) == "likely supports"
    assert cell_stance_words(cells[1]) == "likely refutes"


@pytest.mark.parametrize(("other", "told"), [(CONTRARY, "stance unclear"), (OTHER, "likely supports")])
def test_a_stance_that_wording_gives_to_both_is_given_to_neither(other: str, told: str) -> None:
    cells = without_contradictions([quoting(CLAIM, SUPPORTS), None, quoting(other, SUPPORTS)])
    assert [cell and cell_stance_words(cell) for cell in cells] == [told, None, told]


def test_the_stance_of_a_quote_is_kept_and_that_of_earlier_versions_is_unclear() -> None:
    body = encode_cell(quoting(CLAIM, SUPPORTS))
    assert decode_cell(body, "").quotes[0].likely_stance == SUPPORTS
    del body["quotes"][0]["likely"]  # type: ignore[index]
    assert cell_stance_words(decode_cell(body, "")) == "stance unclear"


@pytest.mark.parametrize(("likely", "words"), [(SUPPORTS, "likely supports"), (None, "stance unclear")])
def test_every_form_says_the_same(likely: LikelyStance | None, words: str) -> None:
    cell = quoting(CLAIM, likely)
    row = MatrixRow(PAPER, None, (cell,), (None,))
    matrix = Matrix(MatrixId("01abc"), "2026-11-28T10:00:00Z", MatrixRequest((PAPER,), (CLAIM,)), (row,), ())
    (line,) = csv.DictReader(io.StringIO(matrix_csv.dumps(matrix, STANDARD_KEYS)))
    assert (line["closeness"], line["stance"]) == ("on topic", words)
    (told,) = matrix_json.matrix(matrix, STANDARD_KEYS)["rows"][0]["cells"]  # type: ignore[index]
    assert (told["verdict"], told["level"], told["stance"]) == ("on topic", "strong", words)
    for shown in (
        html.dumps(matrix),
        markdown.dumps(matrix, STANDARD_KEYS),
        "\n".join(text.lines(matrix, LineOptions())),
    ):
        assert "on topic" in shown
        assert words in shown


def test_a_record_of_few_sentences_is_never_said_to_hold_no_evidence() -> None:
    for count, words in ((3, "too short to tell"), (4, "no evidence")):
        cell = cell_of(abstract(*SENTENCES[:count]), "Zebras migrate northwards in autumn")
        assert (cell_words(cell), cell.quotes) == (words, ())
        assert (cell.confidence is None) == (count == 3)
    assert cell_words(cell_of(abstract(SENTENCES[0]), CLAIM)).startswith("on topic")
