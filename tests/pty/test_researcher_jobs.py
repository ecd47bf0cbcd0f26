"""Six jobs of a researcher in a real terminal: a first start, a claim, a draft, a PDF, a matrix, the day after."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pdfs import column, make_pdf
from pty_terminal import Terminal

pytestmark = pytest.mark.pty
CLEAR = "\x15"
CLAIM = "streptomycin cures tuberculosis of the lungs"
PAPERS = (
    (
        "trial",
        "Streptomycin in pulmonary tuberculosis",
        "Streptomycin cures tuberculosis of the lungs in young adults.",
    ),
    ("rest", "Bed rest in pulmonary tuberculosis", "Bed rest alone seldom cures tuberculosis of the lungs."),
    ("pas", "Para-aminosalicylic acid", "Resistance to streptomycin is prevented by a second drug."),
)
PDF = (
    "Methods",
    "Children with cough were treated with honey before sleep.",
    "Results",
    "Honey lowered the frequency of cough at night in children.",
    "Two children reported mild nausea after honey.",
)


def normal(shown: Terminal) -> None:
    """Commands again, whatever is open."""
    shown.until(lambda text: any(line.lstrip().startswith("NORMAL ") for line in text.splitlines()[-3:]))


def command(shown: Terminal, text: str) -> None:
    shown.press(":")
    shown.until("a command, words")
    shown.press(text, "enter")


def search(shown: Terminal, query: str) -> None:
    shown.press("1")
    shown.until("INSERT")
    shown.press(CLEAR, query)
    shown.until(query)
    shown.press("enter")
    normal(shown)


@pytest.mark.parametrize(
    ("columns", "rows"),
    [(80, 24), pytest.param(120, 40, marks=pytest.mark.extra), pytest.param(200, 60, marks=pytest.mark.extra)],
)
def test_six_jobs(terminal, tmp_path: Path, columns: int, rows: int) -> None:  # type: ignore[no-untyped-def]
    lines = [{"id": f"x:{key}", "title": title, "abstract": told, "year": 1948} for key, title, told in PAPERS]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "refs.bib").write_text("@misc{other, title = {Something else}, year = 1900}\n")
    (tmp_path / "draft.tex").write_text(
        "Streptomycin cures tuberculosis of the lungs [CITATION]. Bed rest alone seldom does [CITATION].\n"
        "\\bibliography{refs}\n"
    )
    page = column(72, 720, ["Honey for cough in children"], size=16, font="bold") + column(72, 680, PDF * 6)
    (tmp_path / "honey.pdf").write_bytes(make_pdf([page, page], title="Honey for cough in children"))

    # A first start: every letter typed at once is text.
    shown = terminal(columns=columns, rows=rows)
    shown.until("guided tour")
    shown.press("caenorhabditis next axes")
    shown.until("caenorhabditis next axes")
    shown.press("esc")
    normal(shown)

    # Papers come in, and one of them bears on a claim.
    command(shown, f"add {tmp_path / 'papers.jsonl'}")
    shown.until("local 3")
    search(shown, "pulmonary tuberculosis")
    shown.until("Streptomycin in pulmonary")
    shown.press("enter")
    shown.until("3 reader")
    shown.press("e")
    shown.until("evidence for which hypothesis?")
    shown.press(CLEAR, CLAIM, "enter")
    shown.until("4 evidence")
    shown.until("on topic")
    shown.press("4", "a")
    shown.until("◆")
    # What `u` would undo is listed.
    command(shown, "undo")
    shown.until("accepted “Streptomycin")
    shown.press("esc")
    shown.until(lambda text: "undo or redo" not in text)

    # The draft: the mark is in view, what is written knows its entries.
    command(shown, f"draft {tmp_path / 'draft.tex'}")
    shown.until("mark 1 of 2")
    shown.until("Streptomycin in")
    shown.press("a")
    shown.until("mark 2 of 2")
    shown.until("1 of 2 accepted")
    shown.press("w")
    shown.until("1 of 2 filled in")
    copy = (tmp_path / "draft.cited.tex").read_text()
    assert copy.count("[CITATION]") == 1
    assert "\\bibliography{refs,draft.cited}" in copy
    shown.press("esc")
    shown.until(lambda text: "mark 2 of 2" not in text)

    # A PDF is read, and its sentences are found.
    command(shown, f"add {tmp_path / 'honey.pdf'}")
    shown.until("local 4")
    search(shown, "honey cough children")
    shown.until("Honey for cough")
    shown.press("enter")
    shown.until("Honey lowered the frequency")

    # A matrix over two papers.
    search(shown, "tuberculosis")
    shown.until("Bed rest in")
    shown.press("v", "j", "v", "E")
    shown.until("each becomes a column")
    shown.press(CLEAR, CLAIM, "enter")
    shown.until("all 2 cells")
    shown.press("ctrl+q")
    assert shown.ended() == 0

    # The day after everything is where it was left, and the first letter is a command.
    again = terminal(columns=columns, rows=rows)
    normal(again)
    again.until("tuberculosis")
    again.press("0")
    again.until("No jobs running")
    again.press("ctrl+q")
    assert again.ended() == 0
