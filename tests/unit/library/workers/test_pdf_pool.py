"""PDF files in children: order, limits, and what one bad file costs."""

from __future__ import annotations

import os
import signal
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from litterm.core.errors import ChildFailed
from litterm.core.settings.model import PdfLimits
from litterm.importers.pdf.reader import read_pdf
from litterm.library.workers import pdf_pool
from litterm.library.workers.pdf import as_json, from_json
from litterm.library.workers.pdf_pool import PdfPool
from litterm.library.workers.process import Child
from litterm.model.library import Failure, Parsed
from tests.pdfs import Text, make_pdf, paper


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "paper.pdf").write_bytes(paper())
    (tmp_path / "page.pdf").write_bytes(b"<!doctype html><html></html>")
    (tmp_path / "image.pdf").write_bytes(make_pdf([[Text(72, 700, "1")]]))
    return tmp_path


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    """Every child that is started."""
    started: list[Child] = []

    class Counted(Child):
        def __init__(self, job: str) -> None:
            super().__init__(job)
            started.append(self)

    monkeypatch.setattr(pdf_pool, "Child", Counted)
    return started


def heavy(folder: Path) -> Path:
    """A file that takes longer than any test would wait."""
    path = folder / "heavy.pdf"
    path.write_bytes(make_pdf([b"BT /F0 10 Tf " + b"(abcdefghij) Tj 1 0 0 1 72 700 Tm " * 20_000 + b"ET"], copies=400))
    return path


def bomb(folder: Path) -> Path:
    """70 MB of instructions in a few kilobytes, twice."""
    stream = zlib.compress(b"BT /F0 10 Tf (abc) Tj ET\n" * 2_900_000)
    body = make_pdf([[Text(72, 700, "x")]])
    at = body.index(b"<</Length")
    end = body.index(b"endstream")
    path = folder / "bomb.pdf"
    path.write_bytes(
        body[:at] + b"<</Length %d/Filter/FlateDecode>>\nstream\n" % len(stream) + stream + b"\n" + body[end:]
    )
    return path


def causes(results: Sequence[tuple[Path, Parsed | Failure]]) -> dict[str, str]:
    return {path.name: found.cause if isinstance(found, Failure) else "" for path, found in results}


def test_results_come_in_the_order_of_the_paths(folder: Path) -> None:
    paths = [folder / name for name in ("image.pdf", "paper.pdf", "gone.pdf", "page.pdf", "paper.pdf")]
    results = list(PdfPool(PdfLimits(workers=2)).parse(paths))
    assert [path for path, _ in results] == paths
    assert [isinstance(found, Parsed) for _, found in results] == [False, True, False, False, True]


def test_every_refusal_names_its_cause_in_one_sentence(folder: Path) -> None:
    paths = [folder / name for name in ("image.pdf", "gone.pdf", "page.pdf")]
    found = causes(list(PdfPool(PdfLimits(workers=1)).parse(paths)))
    assert "OCR" in found["image.pdf"] and "HTML" in found["page.pdf"] and "No such file" in found["gone.pdf"]
    assert all(cause.endswith(".") and "\n" not in cause for cause in found.values())


def test_a_paper_crosses_from_the_child_unchanged(folder: Path) -> None:
    ((_, found),) = PdfPool().parse([folder / "paper.pdf"])
    assert isinstance(found, Parsed) and found.document is not None
    here = read_pdf(paper())
    assert from_json(as_json(here)) == here
    assert found.paper.title == here.title
    assert found.document.references == here.references


@pytest.mark.parametrize("fields", [{}, {"title": "x", "authors": "nobody"}, {"title": "x", "authors": [1]}])
def test_an_answer_that_is_no_paper_is_a_failure(fields: dict[str, object]) -> None:
    with pytest.raises(ChildFailed):
        from_json(fields)


def test_a_file_out_of_time_costs_itself_only(folder: Path) -> None:
    paths = [folder / "paper.pdf", heavy(folder), folder / "paper.pdf", folder / "page.pdf"]
    found = causes(list(PdfPool(PdfLimits(workers=1, timeout_s=4)).parse(paths)))
    assert "took over 4 s" in found["heavy.pdf"]
    assert found["paper.pdf"] == ""
    assert "HTML" in found["page.pdf"]


def test_a_file_out_of_memory_costs_itself_only(folder: Path) -> None:
    paths = [bomb(folder), folder / "paper.pdf"]
    found = causes(list(PdfPool(PdfLimits(workers=1, memory_mb=220)).parse(paths)))
    assert found["bomb.pdf"] != ""
    assert found["paper.pdf"] == ""


def test_a_killed_child_costs_its_file_only(folder: Path, children: list[Child]) -> None:
    paths = [heavy(folder), folder / "paper.pdf", folder / "paper.pdf"]
    results = PdfPool(PdfLimits(workers=1)).parse(paths)

    def kill(signum: int, frame: object) -> None:
        os.kill(children[0].pid, signal.SIGKILL)

    previous = signal.signal(signal.SIGALRM, kill)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        found = list(results)
    finally:
        signal.signal(signal.SIGALRM, previous)
    assert [isinstance(each, Parsed) for _, each in found] == [False, True, True]
    assert "signal 9" in causes(found)["heavy.pdf"]
    assert len(children) == 2


def test_children_stay_warm_and_are_replaced_in_time(
    folder: Path, children: list[Child], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_pool, "_MAX_FILES_PER_CHILD", 3)
    results = list(PdfPool(PdfLimits(workers=1)).parse([folder / "page.pdf"] * 7))
    assert len(results) == 7
    assert len(children) == 3


def test_closing_the_iterator_ends_the_children(folder: Path, children: list[Child]) -> None:
    results = PdfPool(PdfLimits(workers=2)).parse([folder / "page.pdf", heavy(folder), heavy(folder)])
    assert isinstance(results, Iterator)
    next(results)
    pids = [child.pid for child in children]
    results.close()  # type: ignore[attr-defined]
    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_files_over_the_page_limit_are_refused(folder: Path) -> None:
    (folder / "long.pdf").write_bytes(make_pdf([[Text(72, 700, "x")]], copies=12))
    ((_, found),) = PdfPool(PdfLimits(pages=10)).parse([folder / "long.pdf"])
    assert isinstance(found, Failure) and "12 pages" in found.cause
