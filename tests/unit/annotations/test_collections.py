"""Collections: nested, many-to-many, undone, in several windows, of merged records, found by queries and imported."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.annotations.annotations import Annotations, find_tagged, open_annotations
from litterm.annotations.merged_records import make_pair_change
from litterm.annotations.paper_changes import change_papers
from litterm.core.errors import UsageError
from litterm.model.annotations import (
    CollectionSummary,
    ImportedCollection,
    PaperChanges,
    PaperList,
    PaperNotes,
    TakenCollections,
)
from litterm.model.paper import PaperId
from litterm.model.search import COLLECTION_PREFIX
from litterm.text.collection_names import clean_part, join_collection, split_collection
from litterm.text.queries.parser import append_filters, parse_query
from tests.unit.annotations.journals import ListJournal, MemorySession

A, B, C, D = PaperId("acl:A"), PaperId("acl:B"), PaperId("acl:C"), PaperId("acl:D")


def annotations_over(journal: ListJournal, writer: str = "one") -> Annotations:
    return open_annotations(journal, MemorySession(), writer=writer)  # type: ignore[arg-type]


@pytest.fixture
def journal() -> ListJournal:
    return ListJournal()


@pytest.fixture
def annotations(journal: ListJournal) -> Annotations:
    return annotations_over(journal)


def papers_of(annotations: Annotations, name: str) -> set[PaperId]:
    """What `collection:NAME` finds."""
    return set(find_tagged(annotations, f"{COLLECTION_PREFIX}{name}"))


def test_papers_lie_in_many_collections_and_count_once_in_each_outer_one(
    journal: ListJournal, annotations: Annotations
) -> None:
    collections = annotations.collections
    collections.file([A, B], "Thesis/Methods")
    assert collections.file([A], "thesis / Results") == "Thesis/Results"
    collections.file([C, A], "Teaching")
    known = (
        CollectionSummary("Teaching", 2, 2, 0),
        CollectionSummary("Thesis", 2, 0, 0),
        CollectionSummary("Thesis/Methods", 2, 2, 1),
        CollectionSummary("Thesis/Results", 1, 1, 1),
    )
    assert collections.all() == annotations_over(journal, "two").collections.all() == known
    assert annotations.notes(A).collections == ("Teaching", "Thesis/Methods", "Thesis/Results")
    assert collections.take_out([A, C], "TEACHING") == "Teaching"
    assert annotations.notes(C) == PaperNotes()
    # An empty collection stays until it is deleted.
    assert collections.all()[0] == CollectionSummary("Teaching", 0, 0, 0)
    assert annotations.paper_lists() == (
        PaperList("collection Thesis", "collection:Thesis", 2),
        PaperList("collection Thesis/Methods", "collection:Thesis/Methods", 2),
        PaperList("collection Thesis/Results", "collection:Thesis/Results", 1),
    )


@pytest.mark.parametrize(
    ("name", "papers"),
    [
        ("Thesis", {A, B}),
        ("thesis/methods", {A}),
        ("Thesis/", {A, B}),
        ("Methods", set()),
        ("The*", {A, B}),
        ("Thesis/M*", {A}),
        ("Thesis/*", {A}),
        ("T*", {A, B, C}),
        ("*", {A, B, C}),
        ("", set()),
        ('The "old" one', {C}),
        ("Nowhere", set()),
    ],
)
def test_a_query_finds_what_lies_in_a_collection_and_below(
    annotations: Annotations, name: str, papers: set[PaperId]
) -> None:
    annotations.collections.file([A], "Thesis/Methods")
    annotations.collections.file([B], "Thesis")
    annotations.collections.file([C], 'The "old" one')
    annotations.collections.file([C], "TCP\\/IP")
    expected = papers | ({C} if name == "The*" else set())
    assert papers_of(annotations, name) == expected


def test_what_is_typed_reaches_the_filter_with_quotes_slashes_and_a_minus() -> None:
    query = parse_query('pruning collection:"My Thesis/Part one" -collection:Teaching,Old*')
    assert query.filters.collections == ("My Thesis/Part one",)
    assert [excluded.collections for excluded in query.filters.without] == [("Teaching",), ("Old*",)]
    assert append_filters("", [("collection", "My Thesis")]) == 'collection:"My Thesis"'


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4))
def test_a_name_is_taken_apart_into_what_it_was_made_of(parts: list[str]) -> None:
    assert split_collection(join_collection(parts)) == tuple(filter(None, map(clean_part, parts)))


def test_a_slash_within_a_name_is_escaped() -> None:
    assert split_collection(r"Nets/TCP\/IP/a\\b") == ("Nets", "TCP/IP", "a\\b")
    assert join_collection(("Nets", "TCP/IP", "a\\b")) == r"Nets/TCP\/IP/a\\b"
    assert split_collection(" / a //b/") == ("a", "b")


def test_every_change_is_undone_and_redone(annotations: Annotations) -> None:
    collections = annotations.collections
    collections.file([A, B], "Thesis/Methods")
    collections.file([C], "Thesis/Methods")
    assert collections.rename("thesis", "PhD") == "PhD"
    assert papers_of(annotations, "PhD/Methods") == {A, B, C}
    assert papers_of(annotations, "Thesis") == set()
    assert annotations.undo() == "Undone: renamed the collection thesis to PhD."
    assert collections.delete("Thesis") == 1
    assert collections.all() == ()
    assert annotations.notes(A) == PaperNotes()
    assert annotations.undo() == "Undone: deleted the collection Thesis."
    assert papers_of(annotations, "Thesis") == {A, B, C}
    assert annotations.undo() == "Undone: filed acl:C under Thesis/Methods."
    assert annotations.undo() == "Undone: filed 2 papers under Thesis/Methods."
    assert collections.all() == ()
    assert annotations.redo() == "Redone: filed 2 papers under Thesis/Methods."
    assert papers_of(annotations, "Thesis") == {A, B}


def test_a_new_collection_with_the_name_of_a_deleted_one_begins_empty(annotations: Annotations) -> None:
    annotations.collections.file([A], "Thesis")
    annotations.collections.delete("Thesis")
    annotations.collections.file([B], "Thesis")
    assert papers_of(annotations, "Thesis") == {B}


def test_a_renamed_collection_frees_its_name(annotations: Annotations) -> None:
    annotations.collections.file([A], "Thesis")
    annotations.collections.rename("Thesis", "Old/Thesis")
    annotations.collections.file([B], "Thesis")
    assert papers_of(annotations, "Thesis") == {B}
    assert papers_of(annotations, "Old") == {A}
    annotations.collections.rename("old", "OLD")
    assert annotations.collections.names() == ("OLD", "OLD/Thesis", "Thesis")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.take_out([A], "Methods"), "no collection Methods. Did you mean Thesis/Methods?"),
        (lambda c: c.delete("Tesis"), "Did you mean Thesis?"),
        (lambda c: c.rename("Zebra", "x"), "`litterm collections` lists"),
        (lambda c: c.rename("Thesis", "thesis/Old"), "into itself"),
        (lambda c: c.rename("Thesis", "Teaching"), "already a collection Teaching"),
        (lambda c: c.rename("Thesis", " / "), "name of a collection is empty"),
        (lambda c: c.file([A], ""), "name of a collection is empty"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(annotations: Annotations, change, message: str) -> None:  # type: ignore[no-untyped-def]
    annotations.collections.file([A], "Thesis/Methods")
    annotations.collections.file([B], "Teaching")
    before = annotations.collections.all()
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        change(annotations.collections)
    assert annotations.collections.all() == before


def test_two_windows_file_the_same_paper_and_none_loses_what_it_did(journal: ListJournal) -> None:
    one, two = annotations_over(journal, "one"), annotations_over(journal, "two")
    one.notes(A), two.notes(A)
    one.collections.file([A], "Thesis")
    two.collections.file([B], "thesis")
    two.collections.file([A], "Teaching")
    assert one.notes(A).collections == two.notes(A).collections == ("Teaching", "Thesis")
    # The first window undoes that it made the collection: what the second has filed under it stays.
    assert one.undo() == "Undone: filed acl:A under Thesis."
    assert papers_of(two, "Thesis") == {B}
    assert two.collections.names() == ("Teaching", "Thesis")


def test_merged_records_lie_in_the_collections_of_both(annotations: Annotations) -> None:
    annotations.collections.file([A], "One")
    annotations.collections.file([B], "Two")
    annotations.undo_log.write("merged", [make_pair_change(A, B, A)])
    assert annotations.notes(A).collections == annotations.notes(B).collections == ("One", "Two")
    assert papers_of(annotations, "Two") == {A}
    annotations.collections.take_out([A], "Two")
    assert annotations.notes(B).collections == ("One",)


def test_a_litterm_without_collections_leaves_them_out_and_undoes_them(journal: ListJournal) -> None:
    """As every litterm does with a topic that it does not know, which stays in the journal."""
    annotations = annotations_over(journal)
    annotations.collections.file([A], "Thesis")
    (line,) = journal.lines
    body = json.loads(line[2])
    body["set"] = [[f"later-{topic}", *rest] for topic, *rest in body["set"]]
    older = ListJournal()
    older.lines = [(line[0], line[1], json.dumps(body))]
    earlier = annotations_over(older, "two")
    assert earlier.notes(A) == PaperNotes()
    assert earlier.undo() == "Undone: filed acl:A under Thesis."


def test_projects_share_collections_and_decisions_stay_apart(annotations: Annotations) -> None:
    annotations.screen(A, "included")
    annotations.collections.file([A], "Thesis")
    annotations.projects.use("other")
    assert annotations.notes(A) == PaperNotes(collections=("Thesis",))


def test_marking_files_and_takes_out_in_one_step(annotations: Annotations) -> None:
    annotations.collections.file([A, B], "Old")
    changes = PaperChanges(starred=True, collections=("New/One", "old"), removed_collections=())
    assert change_papers(annotations, [A, C], changes) == {A, C}
    assert annotations.notes(C) == PaperNotes(starred=True, collections=("New/One", "Old"))
    assert change_papers(annotations, [C], changes) == frozenset()
    assert change_papers(annotations, [A, C], PaperChanges(removed_collections=("OLD",))) == {A, C}
    assert papers_of(annotations, "Old") == {B}
    assert annotations.undo() == "Undone: taken out of OLD: 2 papers."
    assert annotations.undo() == "Undone: starred, filed under New/One, old: 2 papers."
    assert annotations.notes(C) == PaperNotes()
    with pytest.raises(UsageError, match="no collection Nowhere"):
        change_papers(annotations, [A], PaperChanges(starred=True, removed_collections=("Nowhere",)))
    assert not annotations.notes(A).starred


def imported(*, papers: tuple[PaperId, ...] = (A,)) -> tuple[ImportedCollection, ...]:
    return (
        ImportedCollection("zotero:T", "Thesis", ()),
        ImportedCollection("zotero:M", "TCP/IP", papers, parent="zotero:T"),
        ImportedCollection("zotero:G", "Shared", (B,), outer=("Bryology lab",)),
        ImportedCollection("zotero:E", "Empty", ()),
    )


def take(
    annotations: Annotations, taken: Sequence[ImportedCollection], source: str = "/zotero.sqlite"
) -> TakenCollections:
    return annotations.collections.take_imported(taken, source, lambda papers: set(papers) - {D})


def test_imported_collections_come_in_once_and_what_was_taken_out_stays_out(annotations: Annotations) -> None:
    collections = annotations.collections
    assert take(annotations, imported()) == TakenCollections(filed=2, created=4)
    assert collections.names() == ("Bryology lab", "Bryology lab/Shared", "Empty", "Thesis", r"Thesis/TCP\/IP")
    assert annotations.notes(A).collections == (r"Thesis/TCP\/IP",)
    assert take(annotations, imported()) == TakenCollections()
    collections.take_out([A], r"Thesis/TCP\/IP")
    assert take(annotations, imported(papers=(A, C))) == TakenCollections(filed=1)
    assert papers_of(annotations, "Thesis") == {C}
    assert annotations.undo() == "Undone: 1 paper filed under collections."
    assert take(annotations, imported(papers=(A, C))) == TakenCollections()


def test_an_imported_collection_keeps_the_name_it_has_here_and_does_not_come_back(annotations: Annotations) -> None:
    collections = annotations.collections
    collections.file([B], "Thesis")
    take(annotations, imported())
    assert papers_of(annotations, "Thesis") == {A, B}
    collections.rename("Thesis", "PhD")
    collections.delete("Bryology lab")
    more = (*imported(), ImportedCollection("zotero:N", "New", (C,), parent="zotero:T"))
    assert take(annotations, more) == TakenCollections(filed=1, created=1)
    assert collections.names() == ("Empty", "PhD", "PhD/New", r"PhD/TCP\/IP")
    collections.delete("PhD")
    other = ImportedCollection("zotero:O", "Other", (C,), parent="zotero:T")
    assert take(annotations, (*more, other)) == TakenCollections()


def test_what_is_renamed_or_moved_elsewhere_is_so_here_except_what_was_renamed_here(annotations: Annotations) -> None:
    collections = annotations.collections
    take(annotations, imported())
    collections.file([C], "Thesis/My own")
    thesis, part, shared, empty = imported()
    first = (replace(thesis, name="Draft"), part, shared, empty)
    assert take(annotations, first) == TakenCollections(renamed=1)
    assert set(collections.names()) >= {"Draft", "Draft/My own", r"Draft/TCP\/IP"}
    renamed = (replace(thesis, name="Dissertation"), replace(part, name="Nets"), shared, empty)
    assert take(annotations, renamed) == TakenCollections(renamed=2)
    assert collections.names() == (
        "Bryology lab", "Bryology lab/Shared", "Dissertation", "Dissertation/My own", "Dissertation/Nets", "Empty",
    )  # fmt: skip
    assert take(annotations, renamed) == TakenCollections()
    # A half of a name that was changed here stays; the other one follows.
    collections.rename("Dissertation", "PhD")
    again = (replace(thesis, name="Doctorate"), replace(part, name="Networks"), shared, empty)
    assert take(annotations, again) == TakenCollections(renamed=1)
    assert set(collections.names()) > {"PhD", "PhD/My own", "PhD/Networks"}
    assert "Doctorate" not in collections.names()
    moved = (again[0], replace(again[1], parent=""), shared, replace(empty, parent="zotero:M"))
    assert take(annotations, moved) == TakenCollections(renamed=2)
    assert set(collections.names()) >= {"Networks", "Networks/Empty", "PhD/My own"}
    annotations.undo()
    assert take(annotations, moved) == TakenCollections() and "PhD/Networks" in collections.names()


def test_what_is_taken_out_elsewhere_is_taken_out_here_unless_it_was_filed_here(annotations: Annotations) -> None:
    collections = annotations.collections
    thesis = ImportedCollection("zotero:T", "Thesis", (A, B, D))
    assert take(annotations, [thesis]).filed == 3
    collections.file([C], "Thesis")
    collections.take_out([B], "Thesis")
    collections.file([B], "Thesis")
    # Of one that the library does not have now it cannot be told.
    empty = replace(thesis, papers=())
    assert take(annotations, [empty]) == TakenCollections(taken_out=1)
    assert papers_of(annotations, "Thesis") == {B, C, D}
    assert take(annotations, [empty]) == TakenCollections()
    assert take(annotations, [replace(thesis, papers=(A,))]) == TakenCollections(filed=1)
    assert take(annotations, [empty]) == TakenCollections(taken_out=1)
    annotations.undo()
    assert take(annotations, [empty]) == TakenCollections() and A in papers_of(annotations, "Thesis")


def test_what_is_gone_elsewhere_goes_unless_it_was_made_ones_own(annotations: Annotations) -> None:
    collections = annotations.collections
    taken = [ImportedCollection(f"zotero:{name}", name, (A,)) for name in ("Gone", "Filed", "Renamed", "Around")]
    take(annotations, taken)
    collections.file([B], "Filed")
    collections.rename("Renamed", "Mine")
    collections.file([C], "Around/Own")
    # Another database says nothing of these.
    assert take(annotations, [], source="/other.sqlite") == TakenCollections()
    assert take(annotations, []) == TakenCollections(taken_out=1, removed=2)
    assert collections.names() == ("Around", "Around/Own", "Filed", "Mine")
    assert (papers_of(annotations, "Filed"), papers_of(annotations, "Mine")) == ({B}, {A})
    assert take(annotations, []) == TakenCollections()
    assert take(annotations, taken[:1]) == TakenCollections(filed=1, created=1)
    take(annotations, [])
    annotations.undo()
    assert take(annotations, []) == TakenCollections() and papers_of(annotations, "Gone") == {A}
