"""Every form of a matrix: nothing in it acts on a spreadsheet, a browser or a terminal, and nothing is left out."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.evidence.matrix.inter_annotator_agreement import read_sheet
from litterm.model.evidence import Strength, Verdict
from litterm.model.llm import ModelCost
from litterm.model.matrix import CellQuote, Matrix, MatrixCell, MatrixId, MatrixRequest, MatrixRow, MatrixRun
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.render.bibliography.keys import STANDARD_KEYS
from litterm.render.json import dumps
from litterm.render.lines import LineOptions
from litterm.render.matrix import csv as matrix_csv
from litterm.render.matrix import html, markdown, text
from litterm.render.matrix import json as matrix_json
from litterm.render.matrix.csv import COLUMNS, escape_formula
from litterm.render.matrix.words import cell_words

H1, H2 = "Zebras are fast", '=cmd|"/c calc"!A1 <b>bold</b>'
ZEBRA = Paper(
    PaperId("acl:P18-1001"),
    "Zebra [Crossings] | for <script>alert(1)</script>",
    authors=(Author("Müller", "Änne"), Author("@Okafor", "Chidi")),
    year=2018,
    venue="ACL",
    imprint=PublicationDetails(bibkey="muller-2018-zebra"),
)
HOSTILE = Paper(
    PaperId("iclr:h1"),
    '=HYPERLINK("http://evil","x")\x1b]0;owned\x07\u202e',
    urls=("javascript:alert(1)", 'https://x.org/"onmouseover="alert(1)'),
    decision="reject",
)
QUOTE = CellQuote(
    7,
    "Zebras – the <i>fast</i> ones – are ten times faster.",
    "body",
    "Results",
    "Results §4 ¶1 s2 p.6",
    6,
    -1.5,
    "strong",
)
JUDGED = replace(
    QUOTE, text="-1+1 & co, they say", locator="Results ¶2 s1", page=None, stance="refutes", reason="says <no>"
)


def cell(paper_id: str, hypothesis: str, **more: object) -> MatrixCell:
    base = MatrixCell(PaperId(paper_id), hypothesis, "full text", "h1", at="2026-11-21T10:00:05Z")
    return replace(base, **more)  # type: ignore[arg-type]


def matrix() -> Matrix:
    request = MatrixRequest((ZEBRA.id, HOSTILE.id, PaperId("+nowhere")), (H1, H2), "zebra <b>", 10, "all", "h1")
    found = cell(ZEBRA.id, H1, quotes=(QUOTE, JUDGED), verdict="strong", confidence=0.875, spent=ModelCost(3, 0.015))
    rows = (
        MatrixRow(ZEBRA.id, ZEBRA, (found, cell(ZEBRA.id, H2, empty="nothing found")), ("accepted", None)),
        MatrixRow(
            HOSTILE.id,
            HOSTILE,
            (cell(HOSTILE.id, H1, quotes=(JUDGED,), verdict="weak", ground="abstract", why="Only <title>."), None),
            ("rejected", None),
        ),
        MatrixRow(
            PaperId("+nowhere"),
            None,
            tuple(cell("+nowhere", each, ground="none", by="", empty="not in library") for each in (H1, H2)),
            (None, None),
        ),
    )
    run = MatrixRun("2026-11-21T10:00:00Z", "0.1.0", ("h1",), 10, "all", 5, ModelCost(3, 0.015), "done")
    return Matrix(MatrixId("01abc"), "2026-11-21T09:59:59Z", request, rows, (run,))


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_csv_has_a_line_for_every_paper_and_hypothesis() -> None:
    rows = table(matrix_csv.dumps(matrix(), STANDARD_KEYS))
    assert [(row["paper"], row["hypothesis"], row["reason"]) for row in rows] == [
        ("acl:P18-1001", H1, ""),
        ("acl:P18-1001", f"'{H2}", "nothing found"),
        ("iclr:h1", H1, ""),
        ("iclr:h1", f"'{H2}", "not computed"),
        ("'+nowhere", H1, "not in library"),
        ("'+nowhere", f"'{H2}", "not in library"),
    ]
    assert {None} & {key for row in rows for key in row} == set(), "no line is longer than the header"
    assert all(value is not None for row in rows for value in row.values())
    first = rows[0]
    told = (
        "decision",
        "verdict",
        "confidence",
        "sentences",
        "strong",
        "stance",
        "page",
        "method",
        "version",
        "calls",
        "cost",
    )
    assert [first[name] for name in told] == [
        "accepted",
        "strong",
        "0.88",
        "2",
        "2",
        "refutes 1",
        "6",
        "h1",
        "0.1.0",
        "3",
        "0.0150",
    ]


def test_csv_never_starts_a_cell_with_what_a_spreadsheet_acts_on() -> None:
    for row in csv.reader(io.StringIO(matrix_csv.dumps(matrix(), STANDARD_KEYS), newline="")):
        assert not [value for value in row if value.strip()[:1] in tuple("=+-@\t\r") and value]


@given(st.text())
def test_no_text_is_a_formula_and_none_breaks_its_line(text: str) -> None:
    made = escape_formula(text)
    assert made.lstrip()[:1] not in ("=", "+", "-", "@", "＝", "＋", "－", "＠") or not made
    assert not set("\t\r\n\0\x1b") & set(made)


def test_blind_csv_keeps_ones_decisions_back_and_comes_home_again() -> None:
    assert {row["decision"] for row in table(matrix_csv.dumps(matrix(), STANDARD_KEYS, blind=True))} == {""}
    sheet = read_sheet(matrix_csv.dumps(matrix(), STANDARD_KEYS).encode("utf-8-sig"), "anna")
    assert [(each.paper_id, each.hypothesis, each.decision) for each in sheet.cells] == [
        (ZEBRA.id, H1, "accepted"),
        (HOSTILE.id, H1, "rejected"),
    ]
    assert (sheet.undecided, sheet.faults) == (4, ())


def test_every_form_tells_the_sentences_that_the_user_accepted_and_quotes_none_that_was_rejected() -> None:
    made = matrix()
    marks = {QUOTE.text: "rejected", JUDGED.text: "accepted", "A sentence that was not found.": "accepted"}
    first = replace(made.rows[0], marks=(marks, {}))
    made = replace(made, rows=(first, *made.rows[1:]))
    best = first.quote_of(0)
    assert best is not None and best.text == JUDGED.text
    page, report = html.dumps(made), markdown.dumps(made, STANDARD_KEYS)
    assert "2 sentences accepted" in page and '<b class="decided">rejected</b>' in page
    assert "A sentence that was not found." in page and "A sentence that was not found." in report
    assert "ten times faster" not in report
    assert "2 sentences accepted" in " ".join(text.lines(made, LineOptions()))
    cell = json.loads(dumps(matrix_json.matrix(made, STANDARD_KEYS)))["rows"][0]["cells"][0]
    assert [each["mark"] for each in cell["sentences"]] == ["rejected", "accepted"]
    assert len(cell["accepted"]) == 2
    assert [row["accepted"] for row in table(matrix_csv.dumps(made, STANDARD_KEYS))] == ["2", *[""] * 5]
    assert {row["accepted"] for row in table(matrix_csv.dumps(made, STANDARD_KEYS, blind=True))} == {""}


def test_every_name_of_the_header_is_there_once() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS)


def test_json_keeps_everything_with_the_person_apart() -> None:
    body = json.loads(dumps(matrix_json.matrix(matrix(), STANDARD_KEYS)))
    assert (body["matrix"], body["hypotheses"], body["cells"], body["total"]) == ("01abc", [H1, H2], 5, 6)
    first, second, third = body["rows"]
    cell = first["cells"][0]
    assert (cell["decision"], cell["level"], cell["stance"]) == ("accepted", "strong", "refutes 1")
    assert cell["verdict"] == cell["closeness"] == "refutes 1"
    assert first["cells"][0]["sentences"][0]["text"] == QUOTE.text
    assert [each["stance"] for each in first["cells"][0]["sentences"]] == [None, "refutes"]
    assert second["cells"][1] == {"hypothesis": H2, "computed": False, "decision": None, "accepted": []}
    assert (third["id"], third["reason"]) == (None, "not in library")
    assert body["audit"][0]["cost"] == 0.015


class Page(HTMLParser):
    """Tags with their attributes, and the text between."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_one_file_that_fetches_and_runs_nothing() -> None:
    page = Page(html.dumps(matrix()))
    assert page.open == []
    assert not {"script", "link", "img", "iframe", "object", "i-frame", "form", "base"} & {tag for tag, _ in page.tags}
    names = {name for _, attributes in page.tags for name in attributes}
    assert not {"src", "srcset", "onmouseover", "onclick", "style"} & names
    policy = next(attributes for tag, attributes in page.tags if attributes.get("http-equiv"))
    assert "default-src 'none'" in str(policy["content"])
    assert "@import" not in html.dumps(matrix())
    assert "url(" not in html.dumps(matrix())


def test_html_links_every_quote_to_its_page_or_place_and_only_to_the_web() -> None:
    made = html.dumps(matrix())
    page = Page(made)
    targets = [str(attributes["href"]) for tag, attributes in page.tags if tag == "a"]
    ids = {attributes.get("id") for _, attributes in page.tags}
    assert all(target.startswith(("https://", "#")) for target in targets)
    assert all(target[1:] in ids for target in targets if target.startswith("#"))
    assert "https://aclanthology.org/P18-1001.pdf#page=6" in targets
    assert "https://aclanthology.org/P18-1001#:~:text=%2D1%2B1%20%26%20co%2C%20they%20say" in targets
    assert "&lt;i&gt;fast&lt;/i&gt;" in made
    assert "\u202e" not in made and "\x1b" not in made


def test_html_marks_what_a_person_decided_and_gives_reasons_and_the_audit() -> None:
    made = html.dumps(matrix())
    assert made.count('class="decided"') == 2
    for said in (
        "no evidence",
        "not computed",
        "not in the library",
        "abstract only",
        "litterm 0.1.0",
        "3 calls, $0.01",
    ):
        assert said in made


def test_markdown_cites_every_quote_and_nothing_breaks_the_table() -> None:
    made = markdown.dumps(matrix(), STANDARD_KEYS)
    rows = [line for line in made.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 3
    assert {line.replace("\\|", "").count("|") for line in rows} == {4}
    assert "[@muller-2018-zebra, p. 6] Results §4 ¶1 s2" in made
    assert "**accepted**" in rows[2]
    assert made.count("> [@") == 2, "quotes of a rejected cell stay out"
    assert "## Audit" in made
    assert "litterm 0.1.0" in made


def test_lines_show_reasons_best_sentences_and_no_escape_sequence() -> None:
    made = "\n".join(text.lines(matrix(), LineOptions()))
    for said in (
        H1,
        "H1  2 sentences · refutes 1 · accepted",
        "H1  1 sentence, abstract only · refutes 1 · rejected",
        "accepted",
        QUOTE.text,
        QUOTE.locator,
        "no evidence",
    ):
        assert said in made
    assert "\x1b" not in made
    assert "owned" not in made


@pytest.mark.parametrize(
    ("strengths", "words"),
    [
        (("strong", "strong"), "on topic: 2 sentences"),
        (("weak", "strong"), "on topic: 1 of 2 sentences"),
        (("weak", "medium"), "partly on topic: 2 sentences"),
        (("weak",), "mentions: 1 sentence"),
    ],
)
def test_a_cell_without_a_model_takes_the_word_of_its_best_sentence(
    strengths: tuple[Strength, ...], words: str
) -> None:
    verdict: Verdict = "strong" if "strong" in strengths else "weak"
    quotes = tuple(replace(QUOTE, strength=strength) for strength in strengths)
    one = cell(ZEBRA.id, H1, quotes=quotes, verdict=verdict)
    assert cell_words(one) == words
    # Every form says it in the same word.
    word = words.partition(":")[0]
    whole = matrix()
    first = replace(whole.rows[0], cells=(one, *whole.rows[0].cells[1:]))
    told = replace(whole, rows=(first, *whole.rows[1:]))
    assert table(matrix_csv.dumps(told, STANDARD_KEYS))[0]["closeness"] == word
    assert words in markdown.dumps(told, STANDARD_KEYS)
    assert words in html.dumps(told)
    rows = matrix_json.matrix(told, STANDARD_KEYS)["rows"]
    assert isinstance(rows, list)
    assert rows[0]["cells"][0]["closeness"] == word


def test_a_cell_a_model_judged_counts_no_sentences_that_contradict_it() -> None:
    judged = cell(ZEBRA.id, H1, quotes=(replace(QUOTE, stance="context"),), verdict="weak")
    assert cell_words(judged) == "1 sentence"


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        (ModelCost(), "no cost"),
        (ModelCost(1, None), "1 call, cost unknown"),
        (ModelCost(1200, 3.5), "1,200 calls, $3.50"),
    ],
)
def test_the_audit_tells_the_cost(spent: ModelCost, words: str) -> None:
    from litterm.render.matrix.words import audit_words

    told = audit_words(replace(matrix().runs[0], spent=spent))
    assert words in told
    assert all(part in told for part in ("2026-11-21", "litterm 0.1.0", "h1", "k 10", "5 cells", "done"))
