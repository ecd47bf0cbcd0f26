"""PDFs that records of bibliographies name come in with them, each as one paper."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from libraries import HereBuilder
from pdf_parsers import PdfParserHere
from pdfs import column, make_pdf

from litterm.core.tasks import run
from litterm.importers.attached_files import find_attached
from litterm.importers.reader import FileReader
from litterm.library import import_files
from litterm.library.segments.library import DuckLibrary
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.library import ImportReport
from litterm.model.paper import Paper, PaperId, PublicationDetails

BIBLIOGRAPHY = """@article{berg2018owls, title={Owls of the North}, author={Berg, Jo}, year={2018}, journal={Birds},
  file={:files/scan.pdf:PDF;:files/more.pdf:PDF}, groups={Thesis}}
@article{roe2019, title={Voles by Night}, author={Roe, Mary}, year={2019}, file={:gone.pdf:PDF}}
"""
SENTENCES = [f"In the winter of {year} the owls ate many voles in the north." for year in range(1990, 2000)]


@dataclass
class Imports:
    """Imports into a library below `root`, in this process."""

    root: Path

    def add(self, path: Path, *, attached: bool = True) -> ImportReport:
        reader = FileReader(PdfParserHere())
        reader = reader.with_attached_files() if attached else reader
        writer = LibraryWriter(self.root, HereBuilder())
        return run(import_files.add(writer, reader, FailureList(StateDatabase(self.root)), [path]))

    def paper(self, title: str) -> Paper:
        library = DuckLibrary(self.root)
        ((paper_id,),) = library.find_by_title([title])
        (paper,) = library.by_id([paper_id])
        library.close()
        return paper


@pytest.fixture
def imports(tmp_path: Path) -> Imports:
    return Imports(tmp_path / "library")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    (folder / "files").mkdir(parents=True)
    (folder / "refs.bib").write_text(BIBLIOGRAPHY)
    for name in ("scan", "more"):
        page = column(72, 700, ["Under Another Name", "", "1 Introduction", *SENTENCES, name])
        (folder / "files" / f"{name}.pdf").write_bytes(make_pdf([page]))
    return folder


def test_a_record_and_its_pdf_are_one_paper_and_read_once(imports: Imports, folder: Path) -> None:
    report = imports.add(folder)
    assert (report.added, report.merged, report.documents, report.failures) == (2, 1, 1, ())
    owls = imports.paper("Owls of the North")
    assert owls.full_text and owls.imprint.bibkey == "berg2018owls" and owls.imprint.collections == ("Thesis",)
    again = imports.add(folder)
    # The bibliography and, as files of the folder, both PDFs of the record.
    assert (again.skipped_files, again.added) == (3, 0)


def test_an_added_entry_leaves_what_was_read_as_it_is(imports: Imports, folder: Path) -> None:
    library = folder / "refs.bib"
    imports.add(library)
    library.write_text(BIBLIOGRAPHY + "@article{new, title={Moths of the South}, file={:files/more.pdf:PDF}}")
    report = imports.add(library)
    assert (report.added, report.documents) == (1, 1) and imports.paper("Moths of the South").full_text


def test_a_pdf_that_cannot_be_read_is_tried_again_with_its_bibliography(imports: Imports, folder: Path) -> None:
    scan = folder / "files" / "scan.pdf"
    sound = scan.read_bytes()
    scan.write_bytes(b"%PDF-1.4\nnothing")
    report = imports.add(folder / "refs.bib")
    (failure,) = report.failures
    assert (report.added, failure.origin) == (2, f"{folder}/refs.bib!{scan}")
    assert import_files.failed_file(failure.origin) == folder / "refs.bib"
    scan.write_bytes(sound)
    assert imports.add(folder / "refs.bib").documents == 1
    assert FailureList(StateDatabase(imports.root)).all() == ()


def test_each_folder_of_papis_is_one_paper(imports: Imports, folder: Path) -> None:
    library = folder.parent / "papers"
    for name, pdf in (("owls", "scan"), ("moths", "more")):
        (library / name).mkdir(parents=True)
        (folder / "files" / f"{pdf}.pdf").rename(library / name / "paper.pdf")
        record = f"title: The {name} of the north\nauthor: Berg, Jo\nref: {name}\nyear: 2018\nfiles:\n- paper.pdf\n"
        (library / name / "info.yaml").write_text(record)
        (library / name / "notes.tex").write_text("My notes")
    report = imports.add(library)
    assert (report.added, report.documents, report.failures) == (2, 2, ())
    assert imports.paper("The owls of the north").full_text
    assert imports.add(library).skipped_files == 4


def test_a_bibliography_from_elsewhere_chooses_no_file(imports: Imports, folder: Path) -> None:
    (folder / "refs.bib").write_text(f"@article{{a, title={{Owls}}, file={{{folder}/files/scan.pdf}}}}")
    assert imports.add(folder / "refs.bib", attached=False).documents == 0
    with zipfile.ZipFile(folder / "refs.zip", "w") as archive:
        archive.write(folder / "refs.bib", "other.bib")
    assert imports.add(folder / "refs.zip").documents == 0


@pytest.mark.parametrize("name", ["/dev/zero", "pipe.pdf", "folder.pdf", "~nobody/a.pdf", "x" * 5000, "text.pdf", "\0"])
def test_what_is_no_pdf_is_left_alone(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe.pdf")
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "text.pdf").write_text("not a PDF")
    paper = Paper(PaperId("local:a"), "Owls", imprint=PublicationDetails(files=(name,)))
    assert find_attached(paper, tmp_path / "refs.bib") is None
