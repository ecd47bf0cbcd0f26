"""The cited papers of a draft: which paper of the library a key means, and what it says to the citing sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from libraries import record, store

from litterm.attribution.drafts.citation_check import CitationChecker
from litterm.attribution.drafts.files import read_project
from litterm.core.tasks import Task, run
from litterm.evidence.lexical import LexicalExtractor
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.library.title_lookup import LibraryWorks
from litterm.model.attribution.draft import CheckedCitation, DraftProject
from litterm.model.events import Event, Progress
from litterm.model.evidence import Evidence, Verdict
from litterm.search.lexical import LexicalSearcher

ZEBRAS = "Zebras outrun lions by a wide margin on dry ground. Stripes of zebras confuse lions on dry ground."


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> CitationChecker:
    root = tmp_path_factory.mktemp("library")
    rows = [
        record("Z", "Zebras of the Dry Ground", abstract=ZEBRAS, year=2004, aliases=("doi:10.1234/zebras",)),
        record("T1", "Twin titles of a kind", year=2001),
        record("T2", "Twin titles of a kind", year=2009),
        record("B", "Bare horses of the coast", year=2011),
        record("L", "Ponies swim: a long voyage over the western ocean", abstract="They swim.", year=2010),
    ]
    store(root, rows)
    library = DuckLibrary(root)
    index = IndexFolder()
    return CitationChecker(library, LibraryWorks(library, index), LexicalSearcher(library, index), LexicalExtractor())


def project_of(folder: Path, text: str, *entries: str) -> DraftProject:
    (folder / "a.tex").write_text(text, "utf-8")
    (folder / "a.bib").write_text("".join(f"@misc{{{entry}}}\n" for entry in entries), "utf-8")
    return read_project(folder / "a.tex")


@pytest.mark.parametrize(
    ("key", "entry", "meant"),
    [
        ("k", "k, title = {Something else}, doi = {10.1234/zebras}", "acl:Z"),
        ("k", "k, title = {zebras of the dry ground}", "acl:Z"),
        ("k", "k, title = {Zebras on the moon}", None),
        # Without an entry the key itself is an id or a key that the library gives.
        ("acl:Z", "", "acl:Z"),
        ("unknown", "", None),
        # An entry decides, whatever its key looks like.
        ("acl:Z", "acl:Z, title = {Bare horses of the coast}", "acl:B"),
        # Of two papers with one title the year tells, if it is near.
        ("k", "k, title = {Twin titles of a kind}, year = 2001", "acl:T1"),
        ("k", "k, title = {Twin titles of a kind}, year = 2011", "acl:T2"),
        ("k", "k, title = {Twin titles of a kind}, year = 2005", None),
        ("k", "k, title = {Twin titles of a kind}, year = 1980", None),
    ],
)
def test_a_key_means_the_paper_of_its_entry(
    checker: CitationChecker, tmp_path: Path, key: str, entry: str, meant: str | None
) -> None:
    project = project_of(tmp_path, f"Zebras run \\cite{{{key}}}.", *filter(None, [entry]))
    (work,) = run(checker.match_keys(project))
    assert (work.key, work.paper and work.paper.id) == (key, meant)


def test_of_two_entries_with_one_key_the_first_counts(checker: CitationChecker, tmp_path: Path) -> None:
    entries = ("k, title = {Zebras of the dry ground}", "k, title = {Bare horses of the coast}")
    project = project_of(tmp_path, "Zebras run \\cite{k}.", *entries)
    assert [work.paper and work.paper.id for work in run(checker.match_keys(project))] == ["acl:Z"]
    assert run(checker.find_cited_papers(project)) == ("acl:Z",)
    assert [row.paper and row.paper.id for row in run(checker.check(project, k=1))] == ["acl:Z"]


def test_keys_come_in_the_order_of_the_text_and_papers_by_how_often_they_are_cited(
    checker: CitationChecker, tmp_path: Path
) -> None:
    text = "One \\cite{b,gone}. Two \\cite{z}. Three \\cite{l,z,z}. Four \\cite{z2}. Five \\cite{b}. Six \\cite{b}."
    titles = {"b": "Bare horses of the coast", "l": "Ponies swim: a long voyage over the western ocean"}
    titles |= dict.fromkeys(("z", "z2"), "Zebras of the dry ground")
    project = project_of(tmp_path, text, *(f"{key}, title = {{{title}}}" for key, title in titles.items()))
    events: list[Event] = []
    works = run(checker.match_keys(project), events.append)
    assert [(work.key, work.paper and work.paper.id) for work in works] == [
        *(("b", "acl:B"), ("gone", None), ("z", "acl:Z"), ("l", "acl:L"), ("z2", "acl:Z"))
    ]
    steps = [(event.done, event.total) for event in events if isinstance(event, Progress) and event.what == "citations"]
    assert steps == [(number, 5) for number in range(5)]
    # b in three places, z in two although it is named three times.
    assert run(checker.find_cited_papers(project)) == ("acl:B", "acl:Z", "acl:L")


def checked(checker: CitationChecker, folder: Path, text: str, *, k: int = 3) -> CheckedCitation:
    entries = ("z, title = {Zebras of the dry ground}", "b, title = {Bare horses of the coast}")
    (row,) = run(checker.check(project_of(folder, text, *entries), k=k))
    return row


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("Zebras outrun lions by a wide margin on dry ground \\cite{z}.", "supported"),
        ("Zebras run \\cite{b}.", "title only"),
        ("Zebras run \\cite{gone}.", "absent"),
        ("The \\cite{z}.", "unreadable"),
    ],
)
def test_what_the_paper_says_to_its_sentence(checker: CitationChecker, tmp_path: Path, text: str, support: str) -> None:
    row = checked(checker, tmp_path, text)
    assert row.support == support
    assert (row.paper is None) == (support == "absent")
    assert (row.evidence is None) == (support != "supported")
    assert (row.path, row.key in text) == (tmp_path / "a.tex", True)


@pytest.mark.parametrize(
    ("verdict", "support"),
    [("strong", "supported"), (None, "supported"), ("weak", "weak"), ("nothing", "nothing")],
)
def test_the_verdict_on_the_evidence_is_that_on_the_citation(
    checker: CitationChecker, tmp_path: Path, verdict: Verdict | None, support: str
) -> None:
    class Judging(LexicalExtractor):
        def extract(self, *args: Any, **options: Any) -> Task[Evidence]:
            return replace((yield from super().extract(*args, **options)), verdict=verdict)

    text = "Zebras outrun lions by a wide margin on dry ground \\cite{z}."
    assert checked(replace(checker, extractor=Judging()), tmp_path, text).support == support

    class Silent(Judging):
        def extract(self, *args: Any, **options: Any) -> Task[Evidence]:
            return replace((yield from super().extract(*args, **options)), sentences=())

    assert checked(replace(checker, extractor=Silent()), tmp_path, text).support == "nothing"


def test_the_claim_is_the_sentence_without_its_marks(checker: CitationChecker, tmp_path: Path) -> None:
    text = "We begin. Zebras \\cite{gone} outrun lions \\cite{z}, as do horses~\\cite{gone}. They rest."
    rows = run(checker.check(project_of(tmp_path, text, "z, title = {Zebras of the dry ground}"), k=3))
    assert [(row.key, row.claim) for row in rows] == [
        ("gone", "Zebras outrun lions, as do horses."),
        ("z", "Zebras outrun lions, as do horses."),
        ("gone", "Zebras outrun lions, as do horses."),
    ]


def test_sentences_come_with_their_places_and_no_more_than_wanted(checker: CitationChecker, tmp_path: Path) -> None:
    text = "Zebras outrun lions on dry ground \\cite{z}."
    for k in (1, 2):
        row = checked(checker, tmp_path, text, k=k)
        assert row.evidence is not None
        assert len(row.evidence.sentences) == len(row.where) == k
        assert all("bstract" in place for place in row.where)
    assert row.paper is not None and row.paper.abstract == ZEBRAS
