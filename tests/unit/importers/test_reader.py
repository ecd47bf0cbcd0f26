"""Whatever `litterm add` is given: recognised by content, skipped by content, and never an exception."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from litterm.importers.reader import FileReader
from litterm.model.library import Failure, FileEnd, FileProgress, FileSkipped, FileStart, Parsed, ReadEvent
from litterm.model.paper import Paper, PaperId, Provenance

Read = Callable[[Path], list[ReadEvent]]
ROW = b'{"title":"%b"}\n'


def anonymous(found: Iterable[ReadEvent]) -> list[Parsed]:
    """The papers, without the name of the file they came from."""
    return [
        replace(each, paper=replace(each.paper, provenance=Provenance(each.paper.provenance.format)))
        for each in found
        if isinstance(each, Parsed)
    ]


def failures(found: Iterable[ReadEvent]) -> dict[str, str]:
    """Cause by the last part of the origin."""
    return {each.origin.rpartition("/")[2]: each.cause for each in found if isinstance(each, Failure)}


def titles(found: Iterable[ReadEvent]) -> list[str]:
    return [each.paper.title for each in found if isinstance(each, Parsed)]


def tar_of(target: Path, members: Iterable[tuple[str, bytes]], mode: str = "w:gz") -> Path:
    with tarfile.open(target, mode) as archive:  # type: ignore[call-overload]  # the mode is a plain string here
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return target


@pytest.fixture
def collection(samples: Path, tmp_path: Path) -> Path:
    """Every format once, plain and packed."""
    folder = tmp_path / "all"
    folder.mkdir()
    for name in ("article.xml", "articleset.xml", "oai.xml", "bioc.xml", "bioc.json", "pubmed.xml", "papers.jsonl"):
        shutil.copy(samples / name, folder / name)
    shutil.copy(samples / "entries.bib", folder / "entries.bib")
    (folder / "packed.jsonl.gz").write_bytes(gzip.compress((samples / "papers.jsonl").read_bytes()))
    (folder / "packed.xml.gz").write_bytes(gzip.compress((samples / "article.xml").read_bytes()))
    checkout = samples / "checkout"
    files = [
        (f"acl/{file.relative_to(checkout)}", file.read_bytes())
        for file in sorted(checkout.rglob("*"))
        if file.is_file()
    ]
    tar_of(folder / "archive.tar.gz", files)
    tar_of(folder / "archive.tar", files, "w")
    with zipfile.ZipFile(folder / "archive.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    shutil.copy(checkout / "data" / "xml" / "W99.xml", folder / "one.xml")
    return folder


def test_every_format_is_recognised_under_the_name_bin(collection: Path, tmp_path: Path, read: Read) -> None:
    blind = tmp_path / "blind"
    blind.mkdir()
    for file in sorted(collection.iterdir()):
        renamed = blind / f"{file.name.replace('.', '_')}.bin"
        shutil.copy(file, renamed)
        named = read(file)
        assert anonymous(named), file.name
        assert anonymous(read(renamed)) == anonymous(named), file.name


def test_an_archive_is_read_like_the_folder_it_was_made_from(collection: Path, samples: Path, read: Read) -> None:
    folder = anonymous(read(samples / "checkout"))
    assert len(folder) == 4
    for name in ("archive.tar.gz", "archive.tar", "archive.zip"):
        assert anonymous(read(collection / name)) == folder


def test_starts_and_ends_enclose_and_count(collection: Path, read: Read) -> None:
    found = [each for each in read(collection / "archive.tar.gz") if not isinstance(each, FileProgress | Parsed)]
    assert [type(each) for each in found] == [FileStart, FileStart, FileEnd, FileStart, FileEnd, FileEnd]
    assert [each.papers for each in found if isinstance(each, FileEnd)] == [3, 1, 4]


def test_known_files_and_members_are_skipped(collection: Path) -> None:
    known: set[str] = set()
    reader = FileReader()
    for each in reader.read(collection, known.__contains__):
        if isinstance(each, FileEnd) and not each.failures:
            known.add(each.sha256)
    again = [each for each in reader.read(collection, known.__contains__) if not isinstance(each, FileProgress)]
    read_again = {each.origin.rpartition("/")[2] for each in again if isinstance(each, FileStart)}
    assert read_again == {"papers.jsonl", "packed.jsonl.gz", "entries.bib"}, "what had failures is tried again"
    assert any(isinstance(each, FileSkipped) and each.origin.endswith("archive.tar.gz") for each in again)


def test_an_interrupted_archive_goes_on_behind_the_last_known_member(collection: Path) -> None:
    archive = collection / "archive.tar.gz"
    ends = [each for each in FileReader().read(archive, lambda _: False) if isinstance(each, FileEnd)]
    found = list(FileReader().read(archive, {ends[0].sha256}.__contains__))
    assert len(anonymous(found)) == 1
    assert any(isinstance(each, FileSkipped) and each.origin == ends[0].origin for each in found)


def test_other_venue_names_make_other_papers(samples: Path, tmp_path: Path) -> None:
    """A file read without its venue names is read again once they are there."""
    alone = tmp_path / "alone.xml"
    shutil.copy(samples / "checkout/data/xml/W99.xml", alone)
    (first,) = (each for each in FileReader().read(alone, lambda _: False) if isinstance(each, FileEnd))
    found = list(FileReader().read(samples / "checkout/data/xml/W99.xml", {first.sha256}.__contains__))
    assert [each.paper.venue for each in found if isinstance(each, Parsed)] == ["DemoConf"]


def test_progress_ends_at_the_whole(collection: Path, read: Read) -> None:
    steps = [each for each in read(collection) if isinstance(each, FileProgress)]
    assert steps[-1].done == steps[-1].total == sum(file.stat().st_size for file in collection.iterdir())
    assert all(0 <= step.done <= step.total for step in steps)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.tar"])
def test_progress_among_the_records_tells_how_many_are_to_come(tmp_path: Path, read: Read, name: str) -> None:
    """Having been looked through counts for nothing: the time left is reckoned from this."""
    rows = b"".join(ROW % f"paper {n} {'x' * 400}".encode() for n in range(2000))
    if name == "rows.tar":
        tar_of(tmp_path / name, [(f"{n}.jsonl", rows) for n in range(4)], "w")
    else:
        (tmp_path / name).write_bytes(rows)
    found = read(tmp_path / name)
    papers = sum(isinstance(each, Parsed) for each in found)
    middle = [n for n, each in enumerate(found) if isinstance(each, Parsed)][papers // 2]
    told = [each for each in found[:middle] if isinstance(each, FileProgress)][-1]
    assert 0.3 <= told.done / told.total <= 0.7


def test_files_of_other_kinds_in_a_folder_are_passed_over(tmp_path: Path, read: Read) -> None:
    (tmp_path / "README.md").write_text("hello")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "a.jsonl").write_bytes(ROW % b"hidden")
    (tmp_path / "notes.yaml").write_text("a: 1")
    (tmp_path / "manifest.jsonl").write_text('{"file": "a.jsonl"}\n{"file": "b"}\n')
    (tmp_path / "a.jsonl").write_bytes(ROW % b"seen")
    found = read(tmp_path)
    assert titles(found) == ["seen"]
    assert failures(found) == {}
    assert failures(read(tmp_path / "manifest.jsonl")) == {
        "manifest.jsonl": "JSON Lines, but its rows have no title: no papers."
    }
    assert failures(read(tmp_path / "README.md")) == {"README.md": "Text in no format litterm reads."}


@pytest.mark.parametrize(
    ("name", "data", "cause"),
    [
        ("empty.pdf", b"", "The file is empty."),
        ("page.pdf", b"<!DOCTYPE html><html><body>404</body></html>", "An HTML page, not a paper"),
        ("junk.bin", bytes(range(256)) * 20, "Binary data in no format litterm reads."),
        ("pom.xml", b"<project/>", "XML with the root “project”"),
        ("other.json", b'{\n "a": 1\n}', "JSON, but neither"),
        ("bad.xml", b"<article><front>\xff</front></article>", "Not well-formed XML"),
        ("cut.xml", b"<article><front><article-meta>", "Not well-formed XML: it ends too early"),
        (
            "bomb.xml",
            b'<!DOCTYPE a [<!ENTITY x "aaaa"><!ENTITY y "&x;&x;">]><article>&y;</article>',
            "Declares the entity “y”, which could grow",
        ),
        (
            "long.xml",
            b'<!DOCTYPE a [<!ENTITY x "' + b"a" * 9999 + b'">]><article>&x;</article>',
            "Declares the entity “x”, which could grow",
        ),
        (
            "xxe.xml",
            b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><article>&x;</article>',
            "Declares the entity “x” as content from elsewhere",
        ),
        ("empty-set.xml", b"<PubmedArticleSet/>", "Holds no PubMed record."),
        ("cut.jsonl.gz", gzip.compress(ROW % b"x" * 5000)[:-20], "The gzip data ends too early"),
        ("sum.jsonl.gz", gzip.compress(ROW % b"x")[:-8] + bytes(8), "The gzip data is damaged"),
        ("bomb.jsonl.gz", gzip.compress(b"{" + b" " * (70 << 20)), "JSON, but neither"),
        ("bad.tar.gz", gzip.compress(b"x" * 257 + b"ustar" + b"x" * 4000), "The archive is damaged"),
        ("bad.zip", b"PK\x03\x04" + b"x" * 100, "The zip archive is damaged"),
        ("nothing.bib", b"@comment{x, y}", "Holds no BibTeX entry."),
        (
            "deep.xml",
            b"<article><body>" + b"<sec>" * 3000 + b"<p>x</p>" + b"</sec>" * 3000 + b"</body></article>",
            "Nested",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value[:14] else "",
)
def test_bad_input_is_one_line_and_the_rest_is_imported(
    tmp_path: Path, read: Read, name: str, data: bytes, cause: str
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "zz.jsonl").write_bytes(ROW % b"the rest")
    found = read(tmp_path)
    assert titles(found)[-1] == "the rest"
    told = failures(found)
    assert list(told) == [name]
    assert told[name].startswith(cause)
    assert told[name].count("\n") == 0


def test_external_parts_are_never_fetched_and_harmless_entities_are_read(tmp_path: Path, read: Read) -> None:
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ENTITY x "leaked">')
    (tmp_path / "a.xml").write_text(
        f'<!DOCTYPE article SYSTEM "{secret}" [<!ENTITY % p SYSTEM "{secret}"> <!ENTITY dash "&#8211;">'
        '<!NOTATION tif SYSTEM ""> <!ENTITY pic SYSTEM "f1.tif" NDATA tif>]>'
        "<article><front><article-meta><title-group><article-title>One &dash; two &alpha;</article-title>"
        "</title-group></article-meta></front></article>"
    )
    assert titles(read(tmp_path / "a.xml")) == ["One – two α"]


def test_what_was_whole_before_a_truncation_stays(tmp_path: Path, read: Read) -> None:
    rows = b"".join(ROW % f"row {number} {os.urandom(9).hex()}".encode() for number in range(5000))
    packed = gzip.compress(rows)
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    members = [(f"{number}.jsonl", ROW % os.urandom(3000).hex().encode()) for number in range(20)]
    whole = tar_of(tmp_path / "b.tar.gz", members).read_bytes()
    (tmp_path / "b.tar.gz").write_bytes(whole[: len(whole) // 2])
    found = read(tmp_path)
    from_lines = [each for each in found if isinstance(each, Parsed) and each.paper.title.startswith("row")]
    assert 2000 < len(from_lines) < 3000
    assert 5 <= len(titles(found)) - len(from_lines) <= 10
    assert set(failures(found).values()) == {"The gzip data ends too early: the file is cut off."}


def test_archives_cannot_lead_out_nor_link(tmp_path: Path, read: Read) -> None:
    target = tar_of(
        tmp_path / "a.tar.gz",
        [("../evil.jsonl", ROW % b"evil"), ("/abs.jsonl", ROW % b"abs"), ("ok/../fine.jsonl", ROW % b"fine")],
    )
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("..\\up.jsonl", ROW % b"up")
        archive.writestr("C:/drive.jsonl", ROW % b"drive")
        archive.writestr("good.jsonl", ROW % b"good")
    with tarfile.open(tmp_path / "c.tar", "w") as links:
        for name, kind, leads_to in (("a", tarfile.SYMTYPE, "/etc/passwd"), ("b", tarfile.SYMTYPE, "c.jsonl")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, leads_to
            links.addfile(info)
    assert target.exists()
    found = read(tmp_path)
    assert titles(found) == ["fine", "good"]
    assert len(failures(found)) == 5
    assert set(failures(found).values()) == {"Its path leads out of the archive; left out."}
    assert not (tmp_path.parent / "evil.jsonl").exists()


def test_bombs_are_refused_by_their_ratio(tmp_path: Path, read: Read) -> None:
    bomb = (ROW % b"x") * 6_000_000
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(bomb, 9))
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("b.jsonl", bomb)
    reader = FileReader().read(tmp_path / "b.zip", lambda _: False)
    assert [each.cause for each in reader if isinstance(each, Failure)] == [
        "Unpacks to more than 200 times its size: taken for a decompression bomb."
    ]


def test_archives_in_archives_end_somewhere(tmp_path: Path, read: Read) -> None:
    data = ROW % b"at the bottom"
    for depth in range(5):
        tar_of(tmp_path / "x.tar", [(f"{depth}.tar" if depth else "a.jsonl", data)], "w")
        data = (tmp_path / "x.tar").read_bytes()
    found = read(tmp_path / "x.tar")
    assert titles(found) == []
    assert list(failures(found).values()) == ["An archive inside 3 others; unpack it first."]


def test_loops_pipes_and_broken_links(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "b.jsonl").write_bytes(ROW % b"once")
    (tmp_path / "dead").symlink_to("nowhere")
    (tmp_path / "self").symlink_to("self")
    os.mkfifo(tmp_path / "pipe")
    found = read(tmp_path)
    assert titles(found) == ["once"]
    assert set(failures(found)) == {"dead", "self", "pipe"}
    assert failures(read(tmp_path / "gone"))["gone"] == "There is no such file or folder."


def test_what_may_not_be_read_can_be_retried(tmp_path: Path, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.jsonl").write_bytes(ROW % b"x")
    # Not by `chmod`: root may read everything.
    monkeypatch.setattr(Path, "open", refuse)
    (failure,) = (each for each in read(tmp_path) if isinstance(each, Failure))
    assert failure.transient


def test_names_that_cannot_be_shown_are_made_printable(tmp_path: Path, read: Read) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff\x1b[31m.jsonl"
    Path(os.fsdecode(odd)).write_bytes(b"{broken")
    (failure,) = (each for each in read(tmp_path) if isinstance(each, Failure))
    assert failure.origin.isprintable()
    failure.origin.encode()


class OnePage:
    """Reads any PDF as a paper named after its file."""

    def parse_files(self, paths: Iterable[Path]) -> Iterator[tuple[Path, Parsed | Failure] | None]:
        for path in paths:
            yield None
            assert path.read_bytes().startswith(b"%PDF-")
            if b"bad" in path.read_bytes():
                yield path, Failure(str(path), "No text.")
            else:
                yield path, Parsed(Paper(PaperId("local:x"), "From a PDF", provenance=Provenance("pdf", str(path))))


def test_pdfs_go_through_their_own_door_and_come_last(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"%PDF-1.7 fine")
    (tmp_path / "b.jsonl").write_bytes(ROW % b"first")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.7 bad")
    tar_of(tmp_path / "d.tar", [("in/e.pdf", b"%PDF-1.7 packed")], "w")
    found = list(FileReader(OnePage()).read(tmp_path, lambda _: False))
    assert titles(found) == ["first", "From a PDF", "From a PDF"]
    origins = [each.paper.provenance.origin.rpartition("/")[2] for each in found if isinstance(each, Parsed)]
    assert origins == ["b.jsonl", "e.pdf", "a.bin"]
    assert failures(found) == {"c.pdf": "No text."}
    steps = [each.done for each in found if isinstance(each, FileProgress)]
    assert steps[-1] == sum(file.stat().st_size for file in tmp_path.iterdir())
    assert [each.failures for each in found if isinstance(each, FileEnd)] == [0, 0, 0, 0, 1]


def test_a_pdf_that_fails_keeps_its_archive_from_being_known(tmp_path: Path) -> None:
    tar_of(tmp_path / "d.tar", [("a.pdf", b"%PDF-1.7 bad"), ("b.pdf", b"%PDF-1.7 fine")], "w")
    ends = [each for each in FileReader(OnePage()).read(tmp_path, lambda _: False) if isinstance(each, FileEnd)]
    assert [(each.papers, each.failures) for each in ends] == [(0, 1), (1, 0), (1, 1)]


def test_without_a_pdf_reader_that_is_said(tmp_path: Path, read: Read) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    assert "no PDF reader" in failures(read(tmp_path))["a.pdf"]


def test_a_link_out_of_a_folder_is_read_only_where_it_is_named(tmp_path: Path, read: Read) -> None:
    private, folder = tmp_path / "private", tmp_path / "folder"
    private.mkdir()
    (folder / "in").mkdir(parents=True)
    (private / "p.jsonl").write_bytes(ROW % b"private")
    (folder / "in" / "a.jsonl").write_bytes(ROW % b"once")
    (folder / "z.jsonl").symlink_to(folder / "in" / "a.jsonl")
    (folder / "out").symlink_to(private)
    (folder / "in" / "p.jsonl").symlink_to("../../private/p.jsonl")
    (tmp_path / "named").symlink_to(folder)
    for path in (folder, tmp_path / "named"):
        found = read(path)
        assert set(titles(found)) == {"once"}
        causes = failures(found)
        assert set(causes) == {"out", "p.jsonl"}
        assert all("A link that leads out of the folder" in cause for cause in causes.values())
    assert titles(read(folder / "out")) == ["private"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc here")
def test_what_the_system_makes_up_is_not_read(tmp_path: Path, read: Read) -> None:
    (tmp_path / "status").symlink_to("/proc/self/status")
    for path in (Path("/proc/kmsg"), Path("/proc/self/environ"), Path("/proc"), tmp_path, tmp_path / "status"):
        found = read(path)
        assert titles(found) == []
        assert list(failures(found).values()) == ["A file of the system itself, which holds no paper; left out."]
