from __future__ import annotations

from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st
from libraries import by, from_format, paper

from litterm.library.writer.merge import merge_records
from litterm.model.paper import SCHEMES, Author, Paper, PaperId, Provenance, PublicationDetails

WORD = st.text(alphabet="abcé ß語", max_size=6)
NAMES = st.lists(st.builds(Author, WORD, WORD), max_size=3).map(tuple)
IDS = st.lists(
    st.builds(lambda scheme, key: PaperId(f"{scheme}:{key}"), st.sampled_from(SCHEMES), st.sampled_from("xyz")),
    max_size=3,
    unique=True,
).map(tuple)
WORDS = st.lists(WORD, max_size=3, unique=True).map(tuple)
PAPERS = st.builds(
    Paper,
    id=st.sampled_from([PaperId("acl:1"), PaperId("doi:2")]),
    title=WORD,
    abstract=WORD,
    authors=NAMES,
    year=st.none() | st.integers(1900, 2030),
    date=st.sampled_from(["", "2018", "2018-07", "2018-07-15", "2019"]),
    venue=WORD,
    venue_keys=WORDS,
    type=st.sampled_from(["other", "article", "preprint"]),
    keywords=WORDS,
    aliases=IDS,
    urls=WORDS,
    retraction=WORD,
    decision=st.sampled_from(["", "accept", "reject"]),
    status=WORD,
    imprint=st.builds(PublicationDetails, booktitle=WORD, pages=WORD, editors=NAMES, bibkey=WORD),
    provenance=st.sampled_from(["", "pdf", "jsonl", "anthology"]).map(lambda name: Provenance(name, "o", "t")),
)


def filled(whole: Paper) -> set[str]:
    named = {field.name for field in fields(whole) if getattr(whole, field.name) not in ("", (), None, "other")}
    return named | {
        f"imprint.{field.name}" for field in fields(PublicationDetails) if getattr(whole.imprint, field.name)
    }


@given(PAPERS, PAPERS)
def test_no_field_is_lost(old: Paper, new: Paper) -> None:
    both = merge_records(old, new)
    assert both.id == old.id
    assert filled(both) >= filled(old) | filled(new)
    for name in ("venue_keys", "keywords", "urls"):
        assert set(getattr(both, name)) == {*getattr(old, name), *getattr(new, name)}
    assert {both.id, *both.aliases} == {old.id, new.id, *old.aliases, *new.aliases}


@given(PAPERS, PAPERS)
def test_merging_again_changes_nothing(old: Paper, new: Paper) -> None:
    both = merge_records(old, new)
    assert merge_records(both, new) is both
    assert merge_records(both, replace(new, provenance=replace(new.provenance, imported_at="later"))) is both


def test_the_more_trusted_format_is_shown_whatever_came_first() -> None:
    catalogue = paper("P1", "True title", authors=by("Lee, Ann"), provenance=from_format("anthology"))
    scraped = paper("P1", "TRUE TITLE*", authors=by("lee"), keywords=("a",), provenance=from_format("pdf"))
    for both in (merge_records(catalogue, scraped), merge_records(scraped, catalogue)):
        assert (both.title, both.authors, both.keywords) == ("True title", by("Lee, Ann"), ("a",))
        assert both.provenance.format == "anthology"


def test_the_abstract_of_the_more_trusted_source_is_shown_with_who_wrote_it() -> None:
    catalogue = paper("P1", "T", abstract="As printed.", provenance=from_format("anthology"))
    scraped = paper("P1", "T", abstract="As a machine wrote it.", abstract_by="tldr", provenance=from_format("pdf"))
    for both in (merge_records(catalogue, scraped), merge_records(scraped, catalogue)):
        assert (both.abstract, both.abstract_by) == ("As printed.", "authors")
    without = replace(catalogue, abstract="")
    for both in (merge_records(without, scraped), merge_records(scraped, without)):
        assert (both.abstract, both.abstract_by) == ("As a machine wrote it.", "tldr")


def test_a_newer_record_of_the_same_format_corrects_the_older() -> None:
    old = paper("P1", "Typo", year=2020, provenance=from_format("anthology"))
    new = paper("P1", "No typo", provenance=from_format("anthology"), retraction="retracted: fraud")
    both = merge_records(old, new)
    assert (both.title, both.year, both.retraction) == ("No typo", 2020, "retracted: fraud")


def test_what_is_graver_is_shown_whoever_tells_it() -> None:
    stated = paper("P1", "T", provenance=from_format("anthology"), retraction="corrected: Table 2")
    for grave in ("retracted: see doi:10.1/n", "removed", "concern"):
        told = paper("P1", "T", provenance=from_format("crossref"), retraction=grave)
        assert merge_records(stated, told).retraction == merge_records(told, stated).retraction == grave
    assert merge_records(stated, paper("P1", "T")).retraction == "corrected: Table 2"


def test_the_more_exact_date_is_kept() -> None:
    old, new = paper("P1", date="2018-07-15"), paper("P1", date="2018")
    assert merge_records(old, new).date == merge_records(new, old).date == "2018-07-15"
    assert merge_records(old, paper("P1", date="2019")).date == "2019"


def test_the_day_a_paper_was_first_seen_stays() -> None:
    first = paper("P1", "A title", provenance=Provenance("s2", "a", "2026-01-01T00:00:00Z"))
    better = paper("P1", "A Title", provenance=Provenance("anthology", "b", "2026-05-01T00:00:00Z"))
    assert merge_records(first, better).provenance == Provenance("anthology", "b", "2026-01-01T00:00:00Z")


def test_an_unknown_decision_takes_no_known_one_away() -> None:
    accepted, unsaid = paper("iclr:x", "T", decision="accept"), paper("iclr:x", "T", decision="unknown")
    assert merge_records(accepted, unsaid).decision == merge_records(unsaid, accepted).decision == "accept"
    assert merge_records(paper("iclr:x", "T"), unsaid).decision == "unknown"
