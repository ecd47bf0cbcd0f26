"""Parsing in a child: the same records as here, and a bound on memory that costs one file and not the import."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import signal
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import file_content
from litterm.importers.import_context import ImportContext
from litterm.importers.reader import FileReader
from litterm.library.workers import record_parser as parsing
from litterm.library.workers.memory import process_usage
from litterm.library.workers.record_parser import ChildParser
from litterm.model.library import Failure, FileEnd, FileProgress, Parsed, ReadEvent
from litterm.model.paper import Author, Paper, PaperId

SAMPLES = Path(__file__).resolve().parents[3] / "data" / "formats"
MEGABYTES = 160
"""Enough for the child and any sound file of these tests."""
linux = pytest.mark.skipif(sys.platform != "linux", reason="the system refuses no memory here")


def in_child(path: Path, memory_mb: int = 1024) -> list[ReadEvent]:
    """Everything under `path`, each file in a child however small it is."""
    reader = FileReader(None, lambda folder: ChildParser(folder, memory_mb=memory_mb, small_bytes=0))
    return [each for each in reader.read(path, lambda _: False) if not isinstance(each, FileProgress)]


def row(number: int) -> str:
    return json.dumps({"id": f"doi:10.1000/{number}", "title": f"Row number {number}", "authors": ["Ada B"]}) + "\n"


def page() -> str:
    return '<html><body class="ltx_page ltx_document">' + "<p class='ltx_p'>x" * 150_000 + "</body></html>"


def article() -> str:
    front = "<front><article-meta><title-group><article-title>T</article-title></title-group></article-meta></front>"
    return f"<article>{front}<body><sec><title>S</title>{'<p>A.</p>' * 150_000}</sec></body></article>"


def pubmed() -> str:
    people = "<Author><LastName>A</LastName></Author>" * 150_000
    return (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>T</ArticleTitle>"
        f"<AuthorList>{people}</AuthorList></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )


def bioc() -> str:
    passages = "<passage><infon key='type'>p</infon><offset>0</offset><text>A b.</text></passage>" * 80_000
    return f"<collection><document><id>1</id>{passages}</document></collection>"


BOMBS = {
    "page.html": page,
    "article.xml": article,
    "pubmed.xml": pubmed,
    "bioc.xml": bioc,
    "rows.jsonl": lambda: row(1) + json.dumps({"title": "T", "x": [{"a": 1}] * 900_000}) + "\n",
    "bioc.json": lambda: json.dumps([{"source": "x", "documents": [{"id": "1", "passages": [{"a": 1}] * 900_000}]}]),
    "entry.bib": lambda: "@article{k, title = {T}, author = {" + "A B and " * 3_000_000 + "C D}}\n",
}
PLAIN = ("page.html", "article.xml", "rows.jsonl")
"""One for each of the libraries that make objects of bytes; the others are for a longer run."""


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir() if path.is_file()))
def test_a_child_reads_what_this_process_reads(name: str) -> None:
    here = [each for each in FileReader().read(SAMPLES / name, lambda _: False) if not isinstance(each, FileProgress)]
    assert in_child(SAMPLES / name) == here


def test_what_all_files_of_a_checkout_tell_is_known_in_the_child() -> None:
    here = FileReader().read(SAMPLES / "checkout", lambda _: False)
    found = in_child(SAMPLES / "checkout")
    assert found == [each for each in here if not isinstance(each, FileProgress)]
    assert any(isinstance(each, Parsed) and each.paper.venue for each in found)


@linux
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in PLAIN else pytest.mark.extra) for name in BOMBS]
)
def test_a_file_that_takes_too_much_memory_fails_alone_and_says_so(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(BOMBS[name](), "utf-8")
    (tmp_path / "z-after.jsonl").write_text(row(7))
    found = in_child(tmp_path, MEGABYTES)
    (failure,) = (each for each in found if isinstance(each, Failure))
    assert Path(failure.origin).name == name
    assert failure.cause == f"Reading it takes more memory than the {MEGABYTES} MB that one file may have."
    papers = [each.paper.id for each in found if isinstance(each, Parsed)]
    assert papers == ["doi:10.1000/1"] * (name == "rows.jsonl") + ["doi:10.1000/7"]
    assert [each.failures for each in found if isinstance(each, FileEnd)] == [1, 0]


@linux
def test_a_bomb_in_an_archive_costs_itself_only(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("a.jsonl", row(1))
        archive.writestr("b.html", page())
        archive.writestr("c.jsonl", row(2))
    found = in_child(tmp_path / "all.zip", MEGABYTES)
    assert [each.paper.id for each in found if isinstance(each, Parsed)] == ["doi:10.1000/1", "doi:10.1000/2"]
    assert [each.origin.partition("!")[2] for each in found if isinstance(each, Failure)] == ["b.html"]


def test_packed_files_and_members_of_archives_reach_the_child(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress("".join(map(row, range(500))).encode()))
    with tarfile.open(tmp_path / "b.tar.gz", "w:gz") as archive:
        data = gzip.compress(row(900).encode())
        member = tarfile.TarInfo("c.jsonl.gz")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    found = in_child(tmp_path)
    assert [each.paper.id for each in found if isinstance(each, Parsed)] == [
        *(f"doi:10.1000/{n}" for n in range(500)),
        "doi:10.1000/900",
    ]


def test_a_packed_file_that_is_cut_off_keeps_what_came_before(tmp_path: Path) -> None:
    whole = gzip.compress("".join(map(row, range(3_000))).encode())
    (tmp_path / "a.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    found = in_child(tmp_path)
    assert sum(isinstance(each, Parsed) for each in found) > 500
    assert [each.cause for each in found if isinstance(each, Failure)] == [
        "The gzip data ends too early: the file is cut off."
    ]


def test_a_child_that_dies_costs_the_file_under_work(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(map(row, range(20_000))))
    parser = ChildParser(tmp_path)
    readings = parser.records(file_content(path, path.stat().st_size), "jsonl", ImportContext())
    assert isinstance(next(each for each in readings if isinstance(each, Parsed)), Parsed)
    assert parser.pid is not None
    os.kill(parser.pid, signal.SIGKILL)
    with pytest.raises(BadInput, match="signal 9"):
        list(readings)
    again = [*parser.records(file_content(path, path.stat().st_size), "jsonl", ImportContext())]
    assert sum(isinstance(each, Parsed) for each in again) == 20_000
    parser.close()


def test_what_is_stopped_leaves_no_child(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(map(row, range(20_000))))
    parser = ChildParser(tmp_path)
    readings = parser.records(file_content(path, path.stat().st_size), "jsonl", ImportContext())
    next(iter(readings))
    readings.close()  # type: ignore[attr-defined]  # a generator
    assert parser.pid is None
    assert [each.name for each in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_small_file_starts_no_child(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(row(1))
    parser = ChildParser(tmp_path)
    content = file_content(tmp_path / "a.jsonl", (tmp_path / "a.jsonl").stat().st_size)
    assert len(list(parser.records(content, "jsonl", ImportContext()))) == 1
    assert parser.pid is None


class Harm:
    """What a child that was taken over might send."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("true",)


@pytest.mark.parametrize("sent", [Harm(), os.getcwd, "a text", Author("B", "A")])
def test_nothing_but_records_is_taken_from_a_child(tmp_path: Path, sent: object) -> None:
    (tmp_path / "batch").write_bytes(pickle.dumps(sent))
    with pytest.raises(BadInput, match="gave no record"):
        parsing._load_records(tmp_path / "batch", 1)


def test_a_record_is_taken_whole(tmp_path: Path) -> None:
    record = Parsed(Paper(PaperId("local:1"), "T", authors=(Author("B", "A"),)))
    (tmp_path / "batch").write_bytes(pickle.dumps(record))
    assert parsing._load_records(tmp_path / "batch", 1) == [record]


@pytest.mark.parametrize(
    ("usage", "cause"),
    [
        ((float(MEGABYTES), 0.0), f"Reading it takes more memory than the {MEGABYTES} MB that one file may have."),
        ((0.0, float("inf")), "Reading it takes more than the 300 seconds that one file may have."),
    ],
)
def test_a_child_that_hangs_without_memory_or_works_without_end_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usage: tuple[float, float], cause: str
) -> None:
    # Looked at before a child has started, which is long before it has read anything.
    monkeypatch.setattr("litterm.library.workers.record_parser._POLL_S", 0.0)
    (tmp_path / "rows.jsonl").write_text(row(1))
    before = iter([(0.0, 0.0)])
    monkeypatch.setattr("litterm.library.workers.record_parser.process_usage", lambda _pid: next(before, usage))
    monkeypatch.setattr("litterm.library.workers.record_parser._FULL_TIMEOUT_S", -1.0)
    (failure,) = (each for each in in_child(tmp_path / "rows.jsonl", MEGABYTES) if isinstance(each, Failure))
    assert failure.cause == cause


@linux
def test_what_a_process_has_used_is_told() -> None:
    megabytes, seconds = process_usage(os.getpid())
    assert megabytes > 10
    assert 0 < seconds <= time.process_time() + 1
    assert process_usage(2**22 + 1) == (0.0, 0.0)
