"""Records shown as one, papers not shown: decided, undone, and seen by everybody who shows papers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from graphs import citing, small_library, written
from libraries import by, record, store

from litterm.annotations.journal_codec import Value
from litterm.annotations.merged_records import fold_decisions
from litterm.build import build_engine
from litterm.core.errors import UnknownPaper, UsageError
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.citations.graph import CitedCount
from litterm.model.library import Parsed
from litterm.model.paper import PaperId

FULL, BARE, OTHER = PaperId("acl:full"), PaperId("arxiv:1901.00001"), PaperId("acl:other")
TITLE = "Deep nets are nice to have"


def pair() -> list[Parsed]:
    return [
        record("acl:full", TITLE, abstract="Nets with many layers.", year=2019, authors=by("Bee")),
        record("arxiv:1901.00001", TITLE, year=2015, authors=by("Dee"), aliases=(PaperId("doi:10.1/x"),)),
        record("acl:other", "Shallow nets are cheap", abstract="Few layers.", year=2020, authors=by("Eff")),
    ]


@pytest.fixture
def settings(home: Path) -> Settings:
    settings = from_home(home)
    store(settings.library, pair())
    return settings


@pytest.fixture
def engine(settings: Settings) -> Engine:
    return build_engine(settings)


def found(engine: Engine, query: str = "nets") -> set[str]:
    return {each.paper.id for each in run(engine.search(query)).papers if each.is_own}


def merge(engine: Engine, one: str = BARE, other: str = FULL) -> PaperId:
    return engine.record_curation.merge(engine.paper(one), engine.paper(other))


def test_a_doubtful_pair_is_listed_until_it_is_decided_on(engine: Engine) -> None:
    (doubt,) = engine.record_curation.doubts()
    assert {doubt.one.id, doubt.other.id} == {FULL, BARE}
    assert "1 pairs" in engine.status().notices[0]
    assert engine.record_curation.apart(BARE, FULL)
    assert not engine.record_curation.apart(FULL, BARE)
    assert engine.record_curation.doubts() == ()
    assert engine.status().notices == ()
    assert found(engine) == {FULL, BARE, OTHER}
    assert "apart" in str(engine.record_curation.undo_pair())
    assert len(engine.record_curation.doubts()) == 1


def test_of_a_merged_pair_the_fuller_record_is_shown_with_all_of_both(engine: Engine) -> None:
    assert merge(engine) == FULL
    assert found(engine) == {FULL, OTHER}
    for key in (FULL, BARE, "doi:10.1/x", "1901.00001"):
        paper = engine.paper(key)
        assert (paper.id, paper.abstract) == (FULL, "Nets with many layers.")
        assert set(paper.aliases) >= {BARE, "doi:10.1/x"}
    (shown,) = [each.paper for each in run(engine.search("deep nice")).papers if each.paper.id == FULL]
    assert shown == engine.paper(BARE)
    assert engine.record_curation.doubts() == ()
    assert engine.status().papers == 2
    assert [json.loads(line)["id"] for line in engine.export_rows()] == [FULL, OTHER]
    with pytest.raises(UsageError, match="already shown as one paper"):
        merge(engine)


def test_a_merge_is_undone_like_any_verb_and_taken_apart_by_name(engine: Engine) -> None:
    merge(engine)
    assert "merged" in str(engine.annotations.undo())
    assert found(engine) == {FULL, BARE, OTHER}
    assert engine.paper(BARE).id == BARE
    engine.annotations.redo()
    assert engine.paper(BARE).id == FULL
    assert engine.record_curation.apart(FULL, BARE)
    assert engine.paper(BARE).id == BARE


def test_what_was_written_about_either_is_seen_under_the_one_shown(engine: Engine) -> None:
    annotations = engine.annotations
    annotations.note(FULL, "first")
    annotations.note(BARE, "second")
    annotations.tag(BARE, ("deep",))
    annotations.screen(BARE, "included")
    document = run(engine.read(BARE))
    annotations.mark(document, 0, "accepted", "nets are nice")
    merge(engine)
    notes = annotations.notes(FULL)
    assert (notes.note, notes.tags, notes.screening) == ("first\n\nsecond", ("deep",), "included")
    assert annotations.included_papers() == (FULL,) == annotations.quoted_papers()
    (mark,) = annotations.marks(run(engine.read(FULL)))
    assert (mark.mark.kind, mark.index) == ("accepted", 0)
    annotations.note(FULL, "both")
    annotations.unmark(run(engine.read(FULL)), 0)
    assert (annotations.notes(FULL).note, annotations.notes(BARE).note) == ("both", "both")
    assert annotations.marks(run(engine.read(FULL))) == ()
    annotations.undo()
    assert len(annotations.marks(run(engine.read(FULL)))) == 1
    engine.record_curation.apart(FULL, BARE)
    assert annotations.notes(FULL).note == "both"
    assert annotations.notes(BARE).tags == ("deep",)


def test_a_removed_paper_is_nowhere_until_it_is_brought_back(engine: Engine, settings: Settings) -> None:
    engine.annotations.screen(OTHER, "included")
    assert engine.record_curation.remove([engine.paper(OTHER)]) == 1
    assert found(engine) == {FULL, BARE}
    assert engine.annotations.included_papers() == ()
    assert engine.status().papers == 2
    with pytest.raises(UnknownPaper):
        engine.paper(OTHER)
    store(settings.library, [record("acl:other", "Shallow nets are very cheap", year=2020, authors=by("Eff"))])
    assert found(engine) == {FULL, BARE}
    assert engine.record_curation.removed_papers() == (OTHER,)
    assert "removed" in str(engine.record_curation.undo_removal())
    assert found(engine) == {FULL, BARE, OTHER}
    assert engine.annotations.included_papers() == (OTHER,)


def test_a_merge_survives_what_is_imported_later(engine: Engine, settings: Settings) -> None:
    merge(engine)
    later = record("arxiv:1901.00001", TITLE, year=2015, authors=by("Dee"), venue="Later Venue")
    store(settings.library, [later])
    assert found(engine) == {FULL, OTHER}
    assert engine.paper(BARE).venue == "Later Venue"


def test_another_process_and_a_restart_see_the_same(engine: Engine, settings: Settings) -> None:
    elsewhere = build_engine(settings)
    assert found(elsewhere) == {FULL, BARE, OTHER}
    merge(engine)
    engine.record_curation.remove([engine.paper(OTHER)])
    assert found(elsewhere) == {FULL} == found(build_engine(settings))
    assert elsewhere.record_curation.restore([OTHER]) == 1
    assert found(engine) == {FULL, OTHER}


def test_removing_a_merged_paper_hides_both_records(engine: Engine) -> None:
    merge(engine)
    engine.record_curation.remove([engine.paper(BARE)])
    assert found(engine) == {OTHER}
    assert engine.record_curation.removed_papers() == (FULL,)
    assert engine.record_curation.restore([FULL]) == 1
    assert found(engine) == {FULL, OTHER}


def test_papers_merged_in_a_row_are_shown_under_one_id(engine: Engine) -> None:
    merge(engine, BARE, OTHER)
    assert engine.paper(BARE).id == OTHER
    merge(engine, FULL, OTHER)
    assert found(engine) == {FULL}
    assert {engine.paper(key).id for key in (FULL, BARE, OTHER)} == {FULL}


def test_a_chain_of_merged_records_ends_at_one_name_and_a_circle_does_too() -> None:
    a, b, c, d = map(PaperId, ("acl:a", "acl:b", "acl:c", "acl:d"))
    chain: list[tuple[PaperId, str, Value]] = [(a, b, b), (b, c, c)]
    for order in (chain, chain[::-1]):
        assert fold_decisions(order, []).shown == {a: c, b: c}
    assert fold_decisions([*chain, (a, c, a)], [(d, "", "x")]).shown == {a: c, b: c}
    assert fold_decisions(chain, [(a, "", "x")]).removed == {c}


def test_a_paper_of_the_starter_library_is_not_removed_one_by_one(engine: Engine) -> None:
    with pytest.raises(UsageError, match="starter"):
        engine.record_curation.remove([engine.paper("starter:he2016")])


def test_citations_of_both_records_count_for_the_one_shown(home: Path) -> None:
    settings = from_home(home)
    store(settings.library, [*small_library(), written("D"), citing("Z", ["See [1]."], "D", title="On Z")])
    engine = build_engine(settings)
    run(engine.citations.update())
    a, other = PaperId("acl:A"), PaperId("acl:D")
    before = engine.citations.graph().counts([a])[0]
    engine.record_curation.merge(engine.paper(a), engine.paper(other))
    graph = engine.citations.graph()
    assert graph.counts([a])[0] == CitedCount(before.papers + 1, before.marks + 1)
    assert [one.citing for one in graph.citances([a])[0]].count(PaperId("acl:Z")) == 1
    assert graph.counts([other])[0] == CitedCount()
    engine.record_curation.remove([engine.paper("acl:Z")])
    assert engine.citations.graph().counts([a])[0] == before
