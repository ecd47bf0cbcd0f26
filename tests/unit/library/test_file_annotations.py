"""Highlights of a PDF in the library: they come again as the file has them, and are searched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from libraries import HereBuilder, store
from pdfs import LEFT, paper
from zotero_databases import ZoteroDatabase

from litterm.build import build_engine
from litterm.core.errors import BadInput, OtherPaper, UsageError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.importers.reader import FileReader
from litterm.library import import_files
from litterm.library.annotated_papers import AnnotatedPapers
from litterm.library.segments.library import DuckLibrary
from litterm.library.shown_library import ShownLibrary
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.annotations import NO_DECISIONS
from litterm.model.library import ImportReport, Parsed
from litterm.model.paper import PaperId, Provenance
from litterm.text.file_annotations import annotations_of
from tests.annotated_pdfs import Entry, annotated, highlight, quad
from tests.pdf_parsers import PdfParserHere

LINE = quad(LEFT, 538, 290, 549)
OTHER_LINE = quad(LEFT, 526, 290, 537)


class Library:
    """A library in which one PDF is imported whenever it was annotated."""

    def __init__(self, folder: Path) -> None:
        self.root, self.file = folder / "library", folder / "paper.pdf"

    def annotate(self, *entries: Entry, file: Path | None = None) -> ImportReport:
        path = file or self.file
        path.write_bytes(annotated(paper(), *entries))
        return self.add(path)

    def add(self, path: Path) -> ImportReport:
        writer = LibraryWriter(self.root, HereBuilder())
        reader = FileReader(PdfParserHere()).with_attached_files()
        return run(import_files.add(writer, reader, FailureList(StateDatabase(self.root)), [path]))

    def comments(self) -> list[str]:
        library = DuckLibrary(self.root)
        ((paper_id,),) = library.find_by_title(["Choosing among Parsers by Information Alone"])
        (found,) = library.by_id([paper_id])
        library.close()
        return [annotation.comment for annotation in annotations_of(found)]

    def holding(self, words: str) -> int:
        library = DuckLibrary(self.root)
        found = AnnotatedPapers(ShownLibrary(library, lambda: NO_DECISIONS)).holding(words)
        library.close()
        return len(found)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def test_new_changed_and_removed_highlights_are_so_in_the_library(library: Library) -> None:
    library.annotate(highlight(LINE, comment="Why?"))
    assert library.comments() == ["Why?"]
    report = library.annotate(highlight(LINE, comment="Because."), highlight(OTHER_LINE, comment="Long input"))
    assert (report.added, report.merged) == (0, 1) and library.comments() == ["Because.", "Long input"]
    library.annotate(highlight(OTHER_LINE, comment="Long input"))
    assert library.comments() == ["Long input"]
    library.annotate()
    assert library.comments() == [] and library.holding("") == 0


def test_what_two_copies_of_a_file_say_is_there_once(library: Library, tmp_path: Path) -> None:
    library.annotate(highlight(LINE, comment="Why?"))
    library.annotate(highlight(LINE, comment="Why?"), highlight(OTHER_LINE), file=tmp_path / "copy.pdf")
    assert library.comments() == ["Why?", ""]
    # One copy loses its highlight, the other has it still.
    library.annotate()
    assert library.comments() == ["Why?", ""]


def test_what_was_fetched_is_known_by_where_it_came_from(library: Library, tmp_path: Path) -> None:
    for name, comment in (("tmp1.pdf", "Why?"), ("tmp2.pdf", "Because.")):
        (read,) = (item[1] for item in PdfParserHere().parse_files([_written(tmp_path / name, comment)]) if item)
        assert isinstance(read, Parsed)
        fetched = replace(read.paper, provenance=Provenance("pdf", "https://example.org/paper.pdf"))
        store(library.root, [replace(read, paper=fetched)])
    assert library.comments() == ["Because."]


def _written(path: Path, comment: str) -> Path:
    path.write_bytes(annotated(paper(), highlight(LINE, comment=comment)))
    return path


def test_words_of_quotes_and_comments_are_found(library: Library) -> None:
    library.annotate(highlight(LINE, comment="Why SLOW?"))
    assert [library.holding(words) for words in ("", "why slow", "natural language", "owls")] == [1, 1, 1, 0]


def test_the_pdf_of_a_bibliography_brings_its_highlights(library: Library, tmp_path: Path) -> None:
    bibliography = tmp_path / "refs.bib"
    title = "Choosing among Parsers by Information Alone"
    entry = f"@article{{doe, title={{{title}}}, author={{Doe, Mary}}, file={{:paper.pdf:PDF}}, year={{2004}}"
    bibliography.write_text(f"{entry}}}\n")
    library.file.write_bytes(annotated(paper(), highlight(LINE, comment="Why?")))
    library.add(bibliography)
    assert library.comments() == ["Why?"]
    # The bibliography alone has changed: its PDF is not read again.
    bibliography.write_text(f"{entry}, keywords={{parsing}}}}\n")
    library.add(bibliography)
    assert library.comments() == ["Why?"]
    # The PDF alone has changed.
    library.file.write_bytes(annotated(paper(), highlight(LINE, comment="Because.")))
    report = library.add(library.file)
    assert library.comments() == ["Because."] and report.added == 0
    # It says nothing of what it is, and the bibliography is as it was.
    library.file.write_bytes(annotated(paper(), highlight(LINE, comment="Both.")))
    assert library.add(bibliography).skipped_files == 1
    assert library.comments() == ["Both."]


def test_zotero_and_its_pdf_say_one_highlight_once(library: Library, tmp_path: Path) -> None:
    database = ZoteroDatabase(tmp_path / "Zotero" / "zotero.sqlite")
    title = "Choosing among Parsers by Information Alone"
    attachment = database.add_attachment(
        database.add_item(title=title, date="2004", key="PARS2345"), "storage:doe.pdf", key="FILE2345"
    )
    words = "Parsers of natural language have been studied for a"
    database.add_annotation(attachment, text=words, comment="Why?", pageLabel="17")
    stored = tmp_path / "Zotero" / "storage" / "FILE2345" / "doe.pdf"
    stored.parent.mkdir(parents=True)
    stored.write_bytes(annotated(paper(), highlight(LINE), highlight(OTHER_LINE, comment="Long input")))
    report = library.add(database.path)
    assert (report.added, report.documents) == (1, 1) and sorted(library.comments()) == ["Long input", "Why?"]
    # Annotated in a viewer, of which Zotero does not know.
    stored.write_bytes(annotated(paper(), highlight(LINE), highlight(OTHER_LINE, comment="Longer input")))
    report = library.add(database.path)
    assert report.added == 0 and sorted(library.comments()) == ["Longer input", "Why?"]
    # Changed in Zotero: what the PDF says stays.
    database.execute("UPDATE itemAnnotations SET comment = 'Really?'")
    library.add(database.path)
    assert sorted(library.comments()) == ["Longer input", "Really?"]
    assert library.add(database.path).skipped_files == 1


def test_a_pdf_attached_by_hand_stays_with_its_paper_until_it_is_taken_out(home: Path, tmp_path: Path) -> None:
    engine = build_engine(from_home(home))
    owls, file = tmp_path / "owls.jsonl", tmp_path / "scan.pdf"
    owls.write_text('{"id": "doi:10.5555/owls", "title": "Owls of the North", "authors": ["Jo Berg"], "year": 2018}')
    file.write_bytes(annotated(paper(), highlight(LINE, comment="Why?")))
    run(engine.add([owls]))
    key = PaperId("doi:10.5555/owls")
    with pytest.raises(OtherPaper, match=r"Choosing among Parsers.*Owls of the North"):
        run(engine.attachments.attach(key, file))
    attached = run(engine.attachments.attach(key, file, force=True))
    assert attached.full_text and [one.comment for one in annotations_of(attached)] == ["Why?"]
    file.write_bytes(annotated(paper(), highlight(LINE, comment="Because.")))
    report = run(engine.add([tmp_path]))
    again = engine.paper(key)
    assert report.added == 0 and [one.comment for one in annotations_of(again)] == ["Because."]
    assert (again.title, again.aliases) == (attached.title, attached.aliases)
    left = run(engine.attachments.detach(key, file))
    assert not left.full_text and annotations_of(left) == () and left.imprint.files == ()
    with pytest.raises(UsageError, match="not attached"):
        run(engine.attachments.detach(key, file))


def test_a_pdf_with_the_title_of_the_paper_is_attached_without_asking(home: Path, tmp_path: Path) -> None:
    engine = build_engine(from_home(home))
    record, file = tmp_path / "record.jsonl", tmp_path / "scan.pdf"
    title = "Choosing among parsers by information alone"
    record.write_text(f'{{"id": "doi:10.5555/parsers", "title": "{title}", "year": 1999}}')
    file.write_bytes(annotated(paper(), highlight(LINE)))
    run(engine.add([record]))
    attached = run(engine.attachments.attach(PaperId("doi:10.5555/parsers"), file))
    assert attached.title == title and attached.year == 1999 and len(annotations_of(attached)) == 1
    text = tmp_path / "notes.txt"
    text.write_text("no PDF at all")
    with pytest.raises(BadInput):
        run(engine.attachments.attach(attached.id, text))
