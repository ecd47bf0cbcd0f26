from __future__ import annotations

from dataclasses import replace

from libraries import by, paper, record

from litterm.library.writer.deduplicate import RecordMatcher
from litterm.library.writer.merge import record_digest
from litterm.model.document import Document
from litterm.model.index import index_row
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import CORRECTION, Paper, PaperId, Provenance, PublicationDetails
from litterm.text.documents.builder import Block, build_document
from litterm.text.references.identity import local_id

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
    matching = matched(known(stored), record("P1", "A Title.", aliases=(PaperId("doi:10.1/X"),), abstract="Text."))
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


def from_source(key: str, title: str, name: str, **fields: object) -> Paper:
    return paper(key, title, provenance=Provenance(name, f"{name}.file", "2026-01-01T00:00:00Z"), **fields)


def test_what_each_source_said_stays_beside_the_merged_record() -> None:
    own = from_source(
        "doi:10.1/x",
        "Owls of the North",
        "bibtex",
        authors=LEE,
        abstract="With the word strix.",
        imprint=PublicationDetails(bibkey="Lee:2020"),
    )
    archive = from_source(
        "P1",
        "Owls of the north: a survey",
        "anthology",
        authors=LEE,
        abstract="They hunt at night.",
        aliases=(PaperId("doi:10.1/x"),),
        imprint=PublicationDetails(bibkey="lee-2020-owls"),
    )
    (merged,) = written(matched([], Parsed(own), Parsed(archive)))
    assert (merged.title, merged.abstract) == (archive.title, archive.abstract)
    assert merged.imprint.bibkey == "Lee:2020"
    assert [source.paper.title for source in merged.sources] == [own.title, archive.title]
    assert "With the word strix." in index_row(merged).more_text
    # The same two again: nothing is new.
    again = matched(known(merged), Parsed(archive), Parsed(own))
    assert written(again) == []


def test_a_source_that_adds_nothing_is_named_all_the_same() -> None:
    archive = from_source("P1", "Owls", "anthology", authors=LEE, year=2020, abstract="They hunt.")
    own = from_source("local:a", "Owls", "bibtex", authors=LEE, year=2020)
    (merged,) = written(matched(known(archive), Parsed(own)))
    assert [source.paper.provenance.format for source in merged.sources] == ["anthology", "bibtex"]


def test_the_report_names_what_was_merged_and_what_was_kept_apart() -> None:
    stored = from_source("doi:10.1/x", "Owls", "bibtex", authors=LEE)
    counts = matched(
        known(stored),
        Parsed(from_source("P1", "Owls", "anthology", authors=LEE, aliases=(PaperId("doi:10.1/x"),))),
        Parsed(from_source("doi:10.1/x", "Larks", "jsonl", authors=by("Bell, Bo"))),
    ).counts
    assert [(merge.title, merge.paper_id) for merge in counts.merges] == [("Owls", "doi:10.1/x")]
    assert [(pair.title, pair.other_id, pair.shared_id) for pair in counts.kept_apart] == [
        ("Larks", "doi:10.1/x", "doi:10.1/x")
    ]


def test_an_id_of_another_work_is_kept_as_not_verified_and_the_pair_is_listed() -> None:
    stored = from_source("doi:10.1/x", "On owls", "bibtex", authors=LEE, year=2020)
    other = from_source("doi:10.1/x", "On larks", "bibtex", authors=by("Bell, Bo"), year=2020)
    matching = matched(known(stored), Parsed(replace(other, imprint=PublicationDetails(bibkey="larks"))))
    (added,) = written(matching)
    assert added.id.startswith("local:")
    assert added.unverified_ids == ("doi:10.1/x",)
    assert [(link.one, link.kind) for link in matching.links] == [("doi:10.1/x", "doubtful")]
    # The record is found again, and stays one.
    again = matched(known(stored, added), Parsed(replace(other, imprint=PublicationDetails(bibkey="larks"))))
    assert written(again) == []


def test_a_supplement_is_a_paper_of_its_own_and_gives_no_title() -> None:
    stored = from_source("doi:10.1/x", "On owls", "bibtex", authors=LEE, year=2020)
    added = from_source("doi:10.1/x", "Supporting information: On owls", "bibtex", authors=LEE, year=2020)
    (new,) = written(matched(known(stored), Parsed(added)))
    assert (new.title, new.id != stored.id) == (added.title, True)


def editorial(issue: str, pages: str) -> Paper:
    imprint = PublicationDetails(journal="Birds", volume="2", issue=issue, pages=pages, bibkey=f"ed{issue}")
    return from_source(
        local_id("Editorial", LEE, 2020), "Editorial", "bibtex", authors=LEE, year=2020, type="article", imprint=imprint
    )


def test_editorials_of_two_issues_are_two_papers_also_when_they_are_read_again() -> None:
    records = [Parsed(editorial("1", "1--2")), Parsed(editorial("2", "90--91"))]
    first, second = written(matched([], *records))
    assert first.id != second.id
    assert written(matched(known(first, second), *records)) == []


def pdf(title: str, text: str, *, own_id: str = "", certain: bool = True) -> Parsed:
    title_page = [Block("title", title, section_kind="other"), Block("body", text)]
    paper_id = PaperId(own_id) if own_id else local_id(title, LEE, None)
    built = build_document(paper_id, title_page, origin="pdf", parser="1")
    return Parsed(
        paper(paper_id, title, authors=LEE, is_title_certain=certain, provenance=Provenance("pdf", f"{title}.pdf")),
        built,
    )


def test_a_file_joins_the_record_of_its_id_only_if_it_prints_that_title() -> None:
    stored = from_source("arxiv:1905.55555", "Songs of young larks", "bibtex", authors=by("Bell, Bo"))
    (new,) = written(matched(known(stored), pdf("On owls", "We follow others.", own_id="arxiv:1905.55555")))
    assert (new.title, new.unverified_ids) == ("On owls", ("arxiv:1905.55555",))
    (joined,) = written(
        matched(known(stored), pdf("scan7", "Songs of young larks. B. Bell.", own_id="arxiv:1905.55555", certain=False))
    )
    assert (joined.id, joined.title, joined.full_text) == ("arxiv:1905.55555", "Songs of young larks", True)


def test_a_scan_with_its_own_id_is_one_paper_under_two_file_names_and_after_a_correction() -> None:
    first = pdf("scan7", "Words of a scan.", own_id="arxiv:1905.55555", certain=False)
    (stored,) = written(matched([], first))
    (joined,) = written(
        matched(known(stored), pdf("copy", "Words of a scan.", own_id="arxiv:1905.55555", certain=False))
    )
    assert joined.id == stored.id
    correction = from_source("arxiv:1905.55555", "Songs of young larks", CORRECTION)
    (corrected,) = written(matched(known(stored), Parsed(correction)))
    again = matched(known(corrected), first)
    assert [paper.title for paper in written(again)] in ([], ["Songs of young larks"])


def test_what_the_user_took_apart_is_not_merged_again() -> None:
    own = from_source("local:a", "Owls", "bibtex", authors=LEE, year=2020)
    archive = from_source("P1", "Owls", "anthology", authors=LEE, year=2020, separated=(record_digest(own),))
    (new,) = written(matched(known(archive), Parsed(own)))
    assert new.id == "local:a"


def test_a_correction_by_hand_stands_over_every_source() -> None:
    archive = from_source("P1", "Owls", "anthology", authors=LEE, year=2020)
    corrected = from_source("P1", "Owls of the north", CORRECTION, year=2021)
    (merged,) = written(matched(known(archive), Parsed(corrected)))
    assert (merged.title, merged.year, merged.authors) == ("Owls of the north", 2021, LEE)
    newer = from_source("P1", "Owls", "anthology", authors=LEE, year=2020, abstract="New.")
    (later,) = written(matched(known(merged), Parsed(newer)))
    assert (later.title, later.abstract) == ("Owls of the north", "New.")
