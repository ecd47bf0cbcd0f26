"""The citation facts that ship: names, edges, counts and profiles of both builds."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from litterm.library.citation_facts.shipped import FACTS_FILE, name_key, open_facts, title_id
from litterm.model.citations.facts import CitedProfile, FieldCount

FULL, BENCH = open_facts("full"), open_facts("bench")
SUBWORDS = "acl:P16-1162"


def test_a_name_leads_to_the_paper_that_introduced_it_and_says_who_knows() -> None:
    (fact,) = FULL.names(name_key("snli"))
    assert (fact.name, fact.kind, fact.usage) == ("SNLI", "dataset", "coined")
    assert fact.ids[0] == "acl:D15-1075"
    assert "Hugging Face data sets" in fact.sources
    assert fact in FULL.names_of(["acl:D15-1075"])
    assert fact in FULL.names_of([title_id(fact.title)])
    assert FULL.names(name_key("no such name")) == FULL.names_of(["acl:X00-0000"]) == ()


def test_a_name_of_two_papers_leads_to_both() -> None:
    assert len({fact.ids for fact in FULL.names("dream")}) > 1


def test_words_that_were_in_use_before_are_marked() -> None:
    assert {FULL.names(key)[0].usage for key in ("race", "drop", "math")} == {"topic"}
    assert {FULL.names(key)[0].usage for key in ("scan", "glue")} == {"words"}
    assert {FULL.names(key)[0].usage for key in ("bert", "elmo", "squad", "byte pair encoding")} == {"coined"}


def test_the_bench_build_lacks_papers_of_benchmarks() -> None:
    assert FULL.names("bert") and not BENCH.names("bert")
    assert set(BENCH.all_names()) < set(FULL.all_names())
    assert set(BENCH.profiles().papers) < set(FULL.profiles().papers)
    assert len(BENCH.counts()[0]) < len(FULL.counts()[0])


def test_every_name_begins_with_a_first_word_and_is_found_by_its_key() -> None:
    for fact in FULL.all_names():
        key = name_key(fact.name)
        assert key.split()[0] in FULL.first_words
        assert len(key.split()) <= FULL.max_name_words
    assert fact in FULL.names(key)


def test_edges_are_the_same_from_both_ends() -> None:
    cited = "acl:P02-1040"
    citing = FULL.citations(cited)
    assert len(citing) > 500 and list(citing) == sorted(citing)
    assert all(cited in FULL.references(paper) for paper in citing[:20])
    # A paper of the benchmarks: nobody cites it in the bench build.
    bench = [paper for paper in citing if cited in BENCH.references(paper)]
    assert list(BENCH.citations(cited)) == bench
    assert FULL.citations("acl:X00-0000") == FULL.references("acl:X00-0000") == ()


def test_counts_end_with_the_network() -> None:
    count = FULL.count("acl:P02-1040")
    assert count is not None and count.as_of == 2012 and count.count > 500
    papers, counts = FULL.counts()
    assert FieldCount(int(counts[7]), 2012) == FULL.count(papers[7])
    assert FULL.count("acl:2023.acl-long.1") is None
    assert FULL.is_counted("acl:P12-1001", 2012)
    assert not FULL.is_counted("acl:P13-1001", 2013) and not FULL.is_counted("arxiv:1001.0001", 2010)


def test_a_profile_counts_stems_and_both_ways_to_read_it_agree() -> None:
    profile = BENCH.profile(SUBWORDS)
    assert profile is not None and profile.stems["subword"] >= 2 and profile.texts >= max(profile.stems.values())
    assert "the" not in profile.stems
    arrays = BENCH.profiles()
    place = arrays.papers.index(SUBWORDS)
    span = slice(int(arrays.starts[place]), int(arrays.starts[place + 1]))
    stems = {
        arrays.stems[number]: count
        for number, count in zip(arrays.stem_numbers[span].tolist(), arrays.counts[span].tolist(), strict=True)
    }
    assert CitedProfile(int(arrays.texts[place]), stems) == profile
    # A stem of one text comes from a text whose licence lets it be passed on.
    assert np.all(arrays.counts >= 1) and np.all(arrays.texts >= 1)
    assert FULL.profile("acl:X00-0000") is None


def test_every_source_has_a_name_and_its_licence() -> None:
    assert all(source.name and source.licence for source in FULL.sources if source.key != "citing sentences")


def test_the_file_is_small() -> None:
    assert len(zlib.compress(FACTS_FILE.read_bytes())) < 1_500_000


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "facts.pack").write_bytes(b"no pack")
    with pytest.raises(ValueError, match=r"facts\.pack"):
        open_facts("full", tmp_path / "facts.pack")
