"""Files as people have them: beside damaged archives, in other encodings, with a bad first line, made by an office."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from litterm.importers import byte_sources
from litterm.importers.detect import Unreadable, detect
from litterm.importers.reader import FileReader
from litterm.model.library import Failure, FileStart, Parsed, ReadEvent
from litterm.model.paper import Paper, PaperId, Provenance

ROW = b'{"title":"%b"}\n'


class OnePage:
    """Reads any PDF as a paper named after its file."""

    def parse_files(self, paths: Iterable[Path]) -> Iterator[tuple[Path, Parsed | Failure] | None]:
        for path in paths:
            yield path, Parsed(Paper(PaperId("local:x"), path.name, provenance=Provenance("pdf", str(path))))


def titles(found: Iterable[ReadEvent]) -> list[str]:
    return [each.paper.title for each in found if isinstance(each, Parsed)]


def read(path: Path) -> list[ReadEvent]:
    return list(FileReader(OnePage()).read(path, lambda _: False))


def test_a_damaged_archive_takes_nothing_away_from_the_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7 before")
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04" + b"x" * 100)
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.7 behind")
    assert titles(read(tmp_path)) == ["a.pdf", "c.pdf"]


def test_an_archive_is_read_up_to_its_damage_pdfs_included(tmp_path: Path) -> None:
    whole = tmp_path / "whole.tar"
    (tmp_path / "in.pdf").write_bytes(b"%PDF-1.7 inside")
    with tarfile.open(whole, "w") as archive:
        for name in ("in.pdf", "behind.pdf"):
            archive.add(tmp_path / "in.pdf", name)
    folder = tmp_path / "cut"
    folder.mkdir()
    (folder / "cut.tar").write_bytes(whole.read_bytes()[:1700])
    (folder / "a.pdf").write_bytes(b"%PDF-1.7 beside")
    found = read(folder)
    assert titles(found)[0] == "a.pdf"
    assert len(titles(found)) == 2
    assert [each.cause for each in found if isinstance(each, Failure)] == [
        "The archive is damaged or cut off; what stood before the damage was read."
    ]


def test_a_file_is_named_so_that_it_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(ROW % b"x" + b"{bad\n")
    monkeypatch.chdir(tmp_path)
    found = read(Path("a.jsonl"))
    origins = {each.origin for each in found if isinstance(each, FileStart)}
    assert origins == {str(tmp_path / "a.jsonl")}
    assert [each.origin for each in found if isinstance(each, Failure)] == [f"{tmp_path / 'a.jsonl'}:2"]


def test_a_working_directory_that_is_gone_costs_its_files_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert [each.cause for each in read(Path("a.jsonl")) if isinstance(each, Failure)] == [
        "There is no such file or folder."
    ]


def test_a_bad_first_line_costs_itself_only(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"# made by a script\n" + ROW % b"seen")
    found = read(tmp_path)
    assert titles(found) == ["seen"]
    assert [each.origin.rpartition(":")[2] for each in found if isinstance(each, Failure)] == ["1"]


def test_a_byte_order_mark_hides_no_entry(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_bytes(b"\xef\xbb\xbf@article{x, title={Marked}}\n")
    assert titles(read(tmp_path)) == ["Marked"]


@pytest.mark.parametrize(
    ("head", "cause"),
    [
        ("notes of a day\n".encode("utf-16"), "Text in UTF-16 or UTF-32; save it as UTF-8."),
        (b"\xfe\xff" + '[{"title": "x"}]'.encode("utf-16-be"), "Text in UTF-16 or UTF-32; save it as UTF-8."),
        (b'[\n{"title": "x"},\n{"title": "y"}\n]', "A JSON array; JSON Lines have one object a line."),
        (b'[{"title": "x"}]', "A JSON array; JSON Lines have one object a line."),
        (b"BZh91AY&SY", "Packed with bzip2, which litterm does not unpack."),
    ],
)
def test_the_cause_is_the_true_one(head: bytes, cause: str) -> None:
    found = detect(head, "a.jsonl")
    assert isinstance(found, Unreadable)
    assert found.cause == cause
    assert not found.ignorable


@pytest.mark.parametrize(
    "xml",
    [
        "<article><front><article-meta><title-group><article-title>T</article-title></title-group>"
        "</article-meta></front></article>",
        '<collection id="2027.x"><volume id="1"><meta/><paper id="1"><title>T</title></paper></volume></collection>',
    ],
)
def test_blank_lines_before_an_xml_declaration_do_no_harm(tmp_path: Path, xml: str) -> None:
    (tmp_path / "a.xml").write_text(f'\n\n<?xml version="1.0" encoding="UTF-8"?>\n{xml}', encoding="utf-8")
    assert titles(read(tmp_path)) == ["T"]


@pytest.mark.parametrize("first", ["[Content_Types].xml", "mimetype"])
def test_office_documents_are_files_of_other_kinds_and_not_archives(tmp_path: Path, first: str) -> None:
    kind = "application/epub+zip" if first == "mimetype" else "<Types/>"
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as office:
        office.writestr(first, kind)
        office.writestr("word/document.xml", "<w:document xmlns:w='x'/>")
    (tmp_path / "b.jsonl").write_bytes(ROW % b"seen")
    found = read(tmp_path)
    assert titles(found) == ["seen"]
    assert not [each for each in found if isinstance(each, Failure)]
    (alone,) = (each for each in read(tmp_path / "a.docx") if isinstance(each, Failure))
    assert alone.cause == "An office document or an e-book: not a format litterm reads."
    (tmp_path / "a.docx").rename(tmp_path / "a.xlsx")
    (workbook,) = (each for each in read(tmp_path) if isinstance(each, Failure))
    assert workbook.cause == "A workbook of Excel is not read; save its table as CSV."


def test_a_member_that_does_not_fit_into_memory_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_sources, "_MAX_MEMORY_BYTES", 100)
    rows = [ROW % (b"Paper %03d" % number) for number in range(50)]
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "a.zip", "w") as archive:
        archive.writestr("large.jsonl", b"".join(rows))
        archive.writestr("small.jsonl", rows[0])
    found = titles(read(tmp_path / "in"))
    assert sorted(found) == sorted(["Paper 000", *(f"Paper {number:03}" for number in range(50))])


def test_a_bibliography_of_some_size_is_read_whole(tmp_path: Path) -> None:
    entries = "".join(f"@article{{a{n}, title = {{Paper {n}}}, abstract = {{{'words ' * 40}}}}}\n" for n in range(100))
    (tmp_path / "a.bib").write_text(entries)
    assert len(titles(read(tmp_path / "a.bib"))) == 100
