"""What is one paper stays one: the same works as two databases, a preprint server and a user's own file state them."""

from __future__ import annotations

from pathlib import Path

import pytest
from libraries import HereBuilder

from litterm.core.tasks import run
from litterm.importers.reader import FileReader
from litterm.library.import_files import add
from litterm.library.segments.library import DuckLibrary
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.library import ImportReport
from litterm.render.bibliography.publication import publication

PAIRS = {
    "one DOI, the title with a full stop, initials": (
        "author={Lee, Ann and Wu, Bo}, title={Owls of the north}, year=2019, journal={Birds}, doi={10.5555/a}",
        "author={Lee, A. and Wu, B.}, title={Owls of the north.}, year=2019, journal={BIRDS}, doi={10.5555/A}",
    ),
    "one PMID, abbreviated pages": (
        "author={Lee, Ann}, title={Larks at dusk}, year=2019, journal={Birds}, volume=3, pages={123-9}, pmid={77}",
        "author={Lee, A}, title={Larks at dusk}, year=2019, journal={Birds}, volume=3, pages={123--129}, pmid={77}",
    ),
    "no id in common, same volume and page": (
        "author={Lee, Ann}, title={Wrens in hedges}, year=2019, journal={Birds}, volume=3, pages={1--9}, pmid={78}",
        "author={Lee, A.}, title={Wrens in Hedges}, year=2019, journal={J Birds}, volume=3, pages={1-9}",
    ),
    "online in one year, in print in the next": (
        "author={Lee, Ann}, title={Swifts over towns}, year=2019, journal={Birds}, volume=3, pages={40--49}, pmid={79}",
        "author={Lee, A.}, title={Swifts over towns}, year=2020, journal={Birds}, volume=3, pages={40-9}",
    ),
    "preprint and print": (
        "author={Lee, Ann}, title={Terns and tides}, year=2019, journal={arXiv preprint arXiv:1901.00001}",
        "author={Lee, Ann}, title={Terns and Tides}, year=2020, journal={Birds}, volume=9, doi={10.5555/t}",
    ),
    "a subtitle that one lacks": (
        "author={Lee, Ann}, title={Kites above the old town}, year=2019, doi={10.5555/k}",
        "author={Lee, Ann}, title={Kites above the old town: a survey of ten years}, year=2019, doi={10.5555/k}",
    ),
    "retracted since": (
        "author={Lee, Ann}, title={Finches that count}, year=2019, doi={10.5555/f}",
        "author={Lee, Ann}, title={RETRACTED: Finches that count}, year=2019, doi={10.5555/f}",
    ),
    "markup, Greek letters and another spelling": (
        "author={Müller, Jörg}, title={Effects of β-carotene on the colour of finches}, year=2019, doi={10.5555/b}",
        'author={Mueller, J{\\"o}rg and Lee, A}, title={Effects of $\\beta$-carotene on the color of finches},'
        " doi={10.5555/b}",
    ),
    "authors missing on one side": (
        "author={Lee, Ann}, title={Storks of the plain}, year=2019, doi={10.5555/s}",
        "title={Storks of the Plain}, year=2019, doi={10.5555/s}",
    ),
}


def added(root: Path, name: str, entry: str) -> ImportReport:
    bibliography = root / f"{name}.bib"
    bibliography.write_text(f"@article{{{name},\n  {entry}\n}}\n", "utf-8")
    library = root / "library"
    return run(
        add(LibraryWriter(library, HereBuilder()), FileReader(), FailureList(StateDatabase(library)), [bibliography])
    )


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_two_records_of_one_paper_are_merged_in_either_order(tmp_path: Path, pair: tuple[str, str]) -> None:
    for order, entries in (("as listed", pair), ("reversed", pair[::-1])):
        root = tmp_path / order
        root.mkdir()
        reports = [added(root, f"entry{place}", entry) for place, entry in enumerate(entries)]
        assert [(report.added, report.merged) for report in reports] == [(1, 0), (0, 1)]
        library = DuckLibrary(root / "library")
        assert library.status().papers == 1
        library.close()


def test_a_doi_on_two_works_comes_out_of_both_as_it_came_in(tmp_path: Path) -> None:
    shared_doi = "booktitle={Birds}, year=2019, doi={10.5555/book}"
    added(tmp_path, "owls", f"author={{Lee, Ann}}, title={{On owls}}, pages={{1--9}}, {shared_doi}")
    report = added(tmp_path, "larks", f"author={{Wu, Bo}}, title={{On larks}}, pages={{10--19}}, {shared_doi}")
    assert (report.added, report.kept_apart[0].shared_id) == (1, "doi:10.5555/book")
    library = DuckLibrary(tmp_path / "library")
    papers = library.by_id([paper_id for (paper_id,) in library.find(["10.5555/book", report.kept_apart[0].paper_id])])
    assert [publication(paper).doi for paper in papers] == ["10.5555/book", "10.5555/book"]
    library.close()
