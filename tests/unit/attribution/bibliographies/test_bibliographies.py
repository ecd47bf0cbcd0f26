"""Bibliographies over a real library: the record each entry means, its outcome, and what absence says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import by, from_format, record, store

from litterm.attribution.bibliographies.bibliographies import Bibliographies
from litterm.attribution.bibliographies.entries import printed_entry
from litterm.build import build_engine
from litterm.core.errors import BadInput, MissingInput
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.attribution.bibliography import CheckedEntry
from litterm.model.document import Reference
from litterm.model.library import Parsed
from litterm.model.paper import PaperId, PublicationDetails

EMNLP = "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing"
NAACL = (
    "Proceedings of the 2019 Conference of the North American Chapter of the Association for Computational Linguistics"
)


def published(key: str, title: str, authors: str, book: str = EMNLP, venue: str = "EMNLP", **fields: object) -> Parsed:
    fields = {"year": 2019, "type": "inproceedings", **fields}
    return record(
        key,
        title,
        authors=by(*authors.split("; ")),
        venue=venue,
        venue_keys=(venue.lower(),),
        imprint=PublicationDetails(booktitle=book, pages=f"{len(title)}01–{len(title)}12"),
        provenance=from_format("anthology"),
        **fields,
    )


RECORDS = [
    published("D19-1001", "Owls in the Night Sky of Large Corpora", "Bee, Ann; Dee, Carl; Eff, Eve"),
    published(
        "D19-1002",
        "Parsing Sentences with Several Heads",
        "Gee, Hal; Jay, Kay",
        aliases=(PaperId("doi:10.18653/v1/d19-1002"),),
    ),
    published(
        "D19-1003", "Counting Words until Morning Comes", "Ell, Em", retraction="retracted: the counts were made up"
    ),
    published("D19-1004", "Erratic Pages of a Good Paper", "Enn, Oh", retraction="corrected: two tables"),
    published("D19-1005", "Zipf and the Tail of Everything", "Pee, Cue; Arr, Ess"),
    *(published(f"D19-11{number:02}", f"Filler {number} of the Volume", "Tee, Yu") for number in range(6)),
    *(published(f"N19-11{number:02}", f"Other Filler {number} Here", "Vee, Ex", NAACL, "NAACL") for number in range(6)),
]


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    store(settings.library, RECORDS)
    return build_engine(settings)


@pytest.fixture
def check(engine: Engine, tmp_path: Path) -> Callable[[str], list[CheckedEntry]]:
    """Writes a bibliography, and gives the outcome of each entry."""

    def checked(text: str) -> list[CheckedEntry]:
        path = tmp_path / "refs.bib"
        path.write_text(text, "utf-8")
        bibliographies: Bibliographies = engine.bibliographies
        return list(run(bibliographies.check(bibliographies.read(path))).entries)

    return checked


def entry(title: str, authors: str, **fields: str) -> str:
    stated = {"title": f"{{{title}}}", "author": f"{{{authors}}}", "booktitle": "{EMNLP}", "year": "2019", **fields}
    return "@inproceedings{key,\n" + ",\n".join(f"  {name} = {value}" for name, value in stated.items()) + "\n}\n"


OWLS, OWL_AUTHORS = "Owls in the night sky of large corpora", "Ann Bee and Carl Dee and Eve Eff"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (entry(OWLS, OWL_AUTHORS), "sound"),
        (entry(OWLS, "A. Bee and others"), "sound"),
        (entry(OWLS, "Ann Bee and Carl Zee and Eve Eff"), "wrong field"),
        (entry(OWLS, OWL_AUTHORS, year="2017"), "wrong field"),
        (entry("Owls in the night sky of small corpora", OWL_AUTHORS), "wrong field"),
        (entry(OWLS, OWL_AUTHORS, booktitle="{NAACL}"), "wrong field"),
        (entry("Counting words until morning comes", "Em Ell"), "retracted"),
        (entry("Erratic pages of a good paper", "Oh Enn"), "corrected"),
        (
            entry(OWLS, OWL_AUTHORS, booktitle="{}", journal="{arXiv preprint arXiv:1901.00001}", year="2018"),
            "published since",
        ),
        (entry(OWLS, OWL_AUTHORS, booktitle="{Journal of Ornithology}", year="2020"), "other version"),
        (entry("Gradient soup for imaginary treebanks", "Jane Doe and Jim Roe"), "not found"),
        (entry("Gradient soup for imaginary treebanks", "Jane Doe", booktitle="{CVPR}"), "outside coverage"),
        (entry("Gradient soup for imaginary treebanks", "Jane Doe", year="2022"), "outside coverage"),
        (
            entry("Gradient soup for imaginary treebanks", "Jane Doe", booktitle="{EMNLP Workshop on Soup}"),
            "outside coverage",
        ),
    ],
)
def test_each_entry_has_one_outcome(check: Callable[[str], list[CheckedEntry]], text: str, status: str) -> None:
    (found,) = check(text)
    assert found.status == status, found.differences
    assert found.is_finding is (status in ("wrong field", "retracted", "not found"))


def test_a_doi_that_names_another_paper_leads_elsewhere(check: Callable[[str], list[CheckedEntry]]) -> None:
    (found,) = check(entry(OWLS, OWL_AUTHORS, doi="{10.18653/v1/D19-1002}"))
    (difference,) = found.differences
    assert (found.status, difference.degree) == ("wrong field", "leads elsewhere")
    assert difference.known == "Parsing Sentences with Several Heads"
    assert found.record is not None and found.record.id == "acl:D19-1001"


def test_absence_says_how_much_is_known_of_such_works(check: Callable[[str], list[CheckedEntry]]) -> None:
    nowhere = entry("Gradient soup for imaginary treebanks", "Jane Doe and Jim Roe")
    covered, elsewhere = check(nowhere + nowhere.replace("{EMNLP}", "{Nature}").replace("{key", "{other"))
    assert covered.coverage is not None and elsewhere.coverage is not None
    assert covered.coverage > 0.9 > 0.1 > elsewhere.coverage


def test_a_title_with_other_words_is_not_taken_for_a_paper_of_another_venue(
    check: Callable[[str], list[CheckedEntry]],
) -> None:
    (found,) = check(entry("Owls in the day sky of large corpora", OWL_AUTHORS, booktitle="{CVPR}"))
    assert found.record is None


def test_lines_are_those_of_the_entry_and_its_fields(check: Callable[[str], list[CheckedEntry]]) -> None:
    first, second = check(
        f"% a comment\n\n{entry(OWLS, OWL_AUTHORS)}\n{entry(OWLS, OWL_AUTHORS)}".replace("{key", "{a", 1)
    )
    assert (first.entry.line, second.entry.line) == (3, 10)
    assert first.entry.field_lines is not None and first.entry.field_lines["year"] == 7


def test_an_entry_without_a_title_is_told_and_a_broken_one_named_by_its_line(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(f"@misc{{bare, url = {{https://a.example}}}}\n{entry(OWLS, OWL_AUTHORS)}", "utf-8")
    read = engine.bibliographies.read(path)
    assert len(read.entries) == 1 and read.notices == (f"{path}:1: The entry “bare” has no title.",)
    path.write_text(f"{entry(OWLS, OWL_AUTHORS)}\n@misc{{broken, title = {{open\n", "utf-8")
    with pytest.raises(BadInput, match=rf"{path}:8: "):
        engine.bibliographies.read(path)
    with pytest.raises(MissingInput):
        engine.bibliographies.read(tmp_path / "nothing.bib")


def test_the_bibliography_of_a_draft_is_checked_with_its_citations(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(entry(OWLS, OWL_AUTHORS, year="2016"), "utf-8")
    draft = tmp_path / "draft.tex"
    draft.write_text("Owls are in corpora \\cite{key}, and cats \\cite{cats}.\n\\bibliography{refs}\n", "utf-8")
    report = run(engine.bibliographies.check(engine.bibliographies.read(draft)))
    assert [item.status for item in report.entries] == ["wrong field"]
    assert [(one.key, one.support) for one in report.citations] == [("key", "title only"), ("cats", "absent")]
    assert report.undefined_keys == ("cats",) and report.has_findings
    draft.write_text("Cats sleep.", "utf-8")
    (tmp_path / "refs.bib").unlink()
    with pytest.raises(BadInput, match="no bibliography was found"):
        engine.bibliographies.read(draft)


PRINTED = "Ann Bee, Carl Dee, and Eve Eff. 2019. Owls in the night sky of large corpora. In EMNLP, pages 3801–3812."


@pytest.mark.parametrize(
    ("text", "status", "certain"),
    [
        (PRINTED, "sound", []),
        (
            PRINTED.replace("Owls in the night sky of large corpora", "Owls in the night-sky of large cor- pora"),
            "sound",
            [],
        ),
        ("Bee A, Dee C, Eff E (2019) Owls in the night sky of large corpora. In: Proc. EMNLP.", "sound", []),
        (PRINTED.replace("2019", "2015"), "wrong field", ["year"]),
        (PRINTED.replace("Carl Dee", "Xan Zebra"), "wrong field", ["authors"]),
        (PRINTED.replace("Carl Dee", "Cat Zebra"), "wrong field", ["authors"]),
        # Misread by a scanner: not called absent, nor its people invented.
        (PRINTED.replace("Owls in the night sky of large", "Owis in the nlght sky of iarge"), "sound", []),
        (PRINTED.replace("Eve Eff", "Eve EIlf"), "sound", []),
        ('[Zee. 1990] Z. ~ee "Unificatimt Soup" In Proc. of EMNLP, 2019.', "outside coverage", []),
        ("Jo Li and Xi Lu. Zipf and the soup of nothing much. In EMNLP, 2019.", "not found", []),
    ],
)
def test_a_printed_reference_is_checked_as_far_as_it_can_be_read(
    engine: Engine, text: str, status: str, certain: list[str]
) -> None:
    (found,) = run(engine.bibliographies.checker().check([printed_entry(Path("a.pdf"), Reference(0, text))]))
    assert (found.status, [item.field for item in found.differences if item.is_certain]) == (status, certain)


def test_a_preprint_of_a_refused_submission_has_not_been_published(home: Path, tmp_path: Path) -> None:
    settings = from_home(home)
    refused = published("x", "Refused Owls of Every Kind", "Bee, Ann", "", "ICLR", decision="reject")
    paper = replace(refused.paper, id=PaperId("iclr:x"), imprint=PublicationDetails())
    store(settings.library, [Parsed(paper)])
    bibliographies = build_engine(settings).bibliographies
    path = tmp_path / "refs.bib"
    path.write_text(entry("Refused owls of every kind", "Ann Bee", booktitle="{arXiv}", year="2018"), "utf-8")
    (found,) = run(bibliographies.check(bibliographies.read(path))).entries
    assert found.status == "sound"
