from __future__ import annotations

from dataclasses import replace

from libraries import by, paper, record

from litterm.library.writer.deduplicate import RecordMatcher
from litterm.model.document import Document
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import Block, build_document

LEE = by("Lee, Ann")


def known(*papers: Paper) -> list[tuple[RowRef, Paper]]:
    return [(RowRef("s1", row), each) for row, each in enumerate(papers)]


def matched(stored: list[tuple[RowRef, Paper]], *records: Parsed) -> RecordMatcher:
    matching = RecordMatcher(stored, timestamp="now")
    for each in records:
        matching.add_record(each)
    return matching


def written(matching: RecordMatcher) -> list[Paper]:
    return [pending.paper for pending in matching.pending_papers if pending.changed]


def test_a_known_record_changes_nothing() -> None:
    stored = paper("P1", "A title", year=2020)
    matching = matched(known(stored), Parsed(stored))
    assert written(matching) == []
    assert (matching.counts.added, matching.counts.merged, matching.counts.unchanged) == (0, 0, 1)


def test_an_id_in_common_joins_records_and_the_first_id_stays() -> None:
    stored = paper("doi:10.1/x", "A title")
    matching = matched(known(stored), record("P1", "Another title", aliases=(PaperId("doi:10.1/X"),), abstract="Text."))
    (changed,) = written(matching)
    assert (changed.id, changed.abstract) == ("doi:10.1/x", "Text.")
    assert "acl:P1" in changed.aliases
    (pending,) = [pending for pending in matching.pending_papers if pending.changed]
    assert pending.stored == (RowRef("s1", 0),)


def test_a_title_joins_only_with_author_and_year() -> None:
    stored = paper("P1", "A Study", year=2020, authors=LEE)
    same = matched(known(stored), record("arxiv:1", "A study.", year=2019, authors=LEE))
    assert [each.id for each in written(same)] == ["acl:P1"]
    doubtful = matched(known(stored), record("arxiv:1", "A study.", year=2017, authors=LEE))
    assert [each.id for each in written(doubtful)] == ["arxiv:1"]
    assert [(link.one, link.other, link.kind) for link in doubtful.links] == [("acl:P1", "arxiv:1", "doubtful")]


def test_two_ids_of_one_scheme_are_linked_not_joined() -> None:
    shared = (PaperId("doi:10.1/x"),)
    stored = paper("P1", "A Study", year=2020, authors=LEE, aliases=shared)
    matching = matched(known(stored), record("P2", "A Study", year=2020, authors=LEE, aliases=shared))
    assert [each.id for each in written(matching)] == ["acl:P2"]
    assert [link.kind for link in matching.links] == ["version"]


def test_a_record_that_bridges_two_papers_joins_them() -> None:
    stored = known(paper("P1", "A title"), paper("pmc:PMC2", "Title, a", abstract="Text."))
    bridge = record("doi:10.1/x", "A title", aliases=(PaperId("acl:P1"), PaperId("pmc:PMC2")))
    matching = matched(stored, bridge, record("pmc:PMC2", "Title, a"))
    (changed,) = written(matching)
    assert (changed.id, changed.abstract) == ("acl:P1", "Text.")
    assert set(changed.aliases) == {"pmc:PMC2", "doi:10.1/x"}
    (pending,) = [pending for pending in matching.pending_papers if pending.changed]
    assert pending.stored == (RowRef("s1", 0), RowRef("s1", 1))


def test_of_papers_joined_the_oldest_keeps_its_id_whichever_is_named_first() -> None:
    stored = known(paper("P1", "A title"), paper("pmc:PMC2", "Title, a"))
    bridge = record("doi:10.1/x", "A title", aliases=(PaperId("pmc:PMC2"), PaperId("acl:P1")))
    for order in (stored, stored[::-1]):
        (changed,) = written(matched(order, bridge))
        assert changed.id == "acl:P1"


def test_a_bridge_between_papers_that_contradict_each_other_joins_none_of_them() -> None:
    one = paper("P1", "A title", aliases=(PaperId("doi:10.1/x"),))
    other = paper("P2", "B title", aliases=(PaperId("pmc:PMC2"),))
    bridge = record("pmid:9", "A title", aliases=(PaperId("doi:10.1/x"), PaperId("pmc:PMC2")))
    matching = matched(known(one, other), bridge)
    assert [each.id for each in written(matching)] == ["acl:P1"]
    assert [pending.paper.id for pending in matching.pending_papers if not pending.absorbed] == ["acl:P1", "acl:P2"]


def test_records_of_one_batch_meet_each_other() -> None:
    records = (record("P1", "T one"), record("P1", "T one", abstract="More."), record("P1", "T one"))
    matching = matched([], *records)
    (only,) = written(matching)
    assert only.abstract == "More."
    assert (matching.counts.added, matching.counts.merged, matching.counts.unchanged) == (1, 1, 1)
    assert matching.counts.first_ids == ["acl:P1"]


def test_new_papers_are_stamped_and_known_ones_keep_their_time() -> None:
    (fresh,) = written(matched([], record("P1")))
    assert fresh.provenance.imported_at == "now"


def test_a_title_held_by_a_crowd_lists_a_few() -> None:
    stored = known(*(paper(f"W{number}", "A Study", year=2000, authors=LEE) for number in range(30)))
    matching = matched(stored, record("W99", "A Study", year=2000, authors=LEE))
    assert len(matching.links) == 8


def test_a_local_id_that_another_paper_has_joins_nothing() -> None:
    stored = paper("local:1", "Alpha waves in sleep", year=2001, authors=LEE)
    other = record("local:1", "Beta decay of neutrons", year=2011, authors=by("Dee, Cy"))
    matching = matched(known(stored), other, other)
    (fresh,) = written(matching)
    assert fresh.id.startswith("local:") and fresh.id != "local:1" and fresh.title == "Beta decay of neutrons"
    assert (matching.counts.added, matching.counts.unchanged) == (1, 1)
    again = matched(known(stored, fresh), other)
    assert written(again) == [] and again.counts.unchanged == 1


def test_a_local_alias_that_another_paper_has_is_dropped() -> None:
    stored = paper("local:1", "Alpha waves in sleep", year=2001, authors=LEE)
    matching = matched(known(stored), record("doi:10.1/x", "Beta decay", year=2001, aliases=(PaperId("local:1"),)))
    assert [(each.id, each.aliases) for each in written(matching)] == [("doi:10.1/x", ())]


def test_a_record_told_anew_under_its_local_id_is_the_same_paper() -> None:
    stored = paper("local:1", "Alpha waves in sleep", year=2001, authors=LEE)
    retitled = matched(known(stored), record("local:1", "Slow waves", year=2002, authors=LEE))
    assert [(each.id, each.title) for each in written(retitled)] == [("local:1", "Slow waves")]
    mended = matched(known(stored), record("local:1", "Alpha waves in deep sleep", year=2009, authors=by("Dee, Cy")))
    assert [each.id for each in written(mended)] == ["local:1"]


def test_a_text_that_is_there_already_changes_nothing() -> None:
    stored = paper("P1", "A title")
    first, located = (text_of(stored.id, pages) for pages in (False, True))
    both = matched([], Parsed(stored, first), Parsed(stored, first))
    assert (both.counts.added, both.counts.merged, both.counts.unchanged, both.counts.documents) == (1, 0, 1, 1)
    assert RecordMatcher(known(stored), [(first.id, 0)]).counts.documents == 0
    again = RecordMatcher(known(replace(stored, full_text=True)), [(first.id, 0)])
    again.add_record(Parsed(stored, first))
    assert (again.counts.merged, again.counts.unchanged, again.counts.documents) == (0, 1, 0)
    again.add_record(Parsed(stored, located))
    assert (again.counts.merged, again.counts.documents) == (1, 1)


def text_of(paper_id: PaperId, pages: bool) -> Document:
    body = Block("body", "Zebras run. Lions rest.", pages=((0, 1),) if pages else ())
    return build_document(paper_id, [body], origin="jats", parser="x")
