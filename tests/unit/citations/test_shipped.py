"""Edges and counts that ship, over a library without any full text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import by, record, store

from litterm.build import build_engine
from litterm.citations.shipped import anthology_year
from litterm.cli.main import main
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.citations.facts import NETWORK_NAME
from litterm.model.citations.graph import Direction
from litterm.model.document import Reference
from litterm.model.library import Parsed
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, References, build_document

CITING, BLEU, MERT = PaperId("acl:E06-1032"), PaperId("acl:P02-1040"), PaperId("acl:P03-1021")
PHRASES = PaperId("arxiv:0607.00001")
Run = Callable[..., tuple[int, str, str]]


def papers() -> list[Parsed]:
    """Papers of the Anthology; one came from elsewhere, and has its id of the Anthology as another one."""
    return [
        record(CITING, "Re-evaluating the role of Bleu in machine translation research", year=2006),
        record(BLEU, "Bleu: a method for evaluation of translation", authors=by("Papineni, Kishore"), year=2002),
        record(MERT, "Minimum error rate training", year=2003),
        record(PHRASES, "Improvements in phrase tables", year=2004, aliases=(PaperId("acl:N04-1033"),)),
        record("later", "Machine translation today", year=2020),
    ]


def settings_of(home: Path) -> Settings:
    return replace(from_home(home), starter=False, offline=True)


def open_over_papers(home: Path) -> Engine:
    store(home / "library", papers())
    return build_engine(settings_of(home))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """For tests that change nothing."""
    return open_over_papers(tmp_path_factory.mktemp("home"))


@pytest.fixture
def litterm(home: Path, engine: Engine, capsys: pytest.CaptureFixture[str]) -> Run:
    assert home.is_dir()

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(list(argv), build=lambda _settings: engine)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


def held(engine: Engine, paper: PaperId, direction: Direction) -> list[PaperId]:
    works = run(engine.listed_works(engine.paper(paper), direction))
    return [work.reference.target for work in works if work.reference.target is not None]


def found(engine: Engine, typed: str) -> list[str]:
    return [item.paper.id for item in run(engine.search(typed, k=20)).papers]


def test_papers_to_2012_have_references_and_citations_without_a_text(engine: Engine) -> None:
    assert held(engine, CITING, "references") == [BLEU, MERT]
    assert held(engine, BLEU, "citations") == [CITING]
    assert engine.citations.graph().has_references([CITING, PaperId("acl:later")]) == (True, False)
    (edge,) = engine.citations.graph().citations([BLEU])[0]
    assert (edge.year, edge.source) == (2006, "acl-network")
    assert engine.citations.graph().citations([BLEU], until=2005) == ((),)


def test_a_paper_is_known_by_any_of_its_ids(engine: Engine) -> None:
    assert held(engine, PHRASES, "references") == [MERT]
    assert set(held(engine, MERT, "citations")) == {CITING, PHRASES}
    (counts,) = engine.counts.counts_of([PHRASES])
    assert [(count.source, count.count, count.date) for count in counts.services] == [("acl-network", 61, "2012")]


def test_works_that_are_not_in_the_library_are_listed_by_their_ids(litterm: Run) -> None:
    status, out, err = litterm("refs", CITING, "--local", "--json")
    assert status == 0
    rows = {row["ids"][0]: row for row in json.loads(out)["references"]}
    assert rows[BLEU]["in_library"] == BLEU
    assert rows["acl:N03-1020"]["in_library"] is None and rows["acl:N03-1020"]["year"] == 2003
    assert {row["collection"] for row in rows.values()} == {NETWORK_NAME}
    _, out, err = litterm("refs", CITING, "--local")
    assert "  2003 · acl:N03-1020" in out.splitlines()
    assert f"by {NETWORK_NAME}; * is in the library" in err


def test_what_a_text_here_says_comes_before_what_ships(home: Path) -> None:
    engine = open_over_papers(home)
    paper = papers()[0].paper
    listed = References(
        (Reference(0, "Och. 2003. Minimum error rate training. In Proceedings.", label="1"),), known=True
    )
    text = build_document(paper.id, [Block("body", "We tune [1].")], origin="jats", parser="t", references=listed)
    store(home / "library", [Parsed(paper, text)])
    works = run(engine.listed_works(paper, "references"))
    assert [(work.reference.target, work.collection) for work in works[:2]] == [(MERT, ""), (BLEU, NETWORK_NAME)]
    (edges,) = engine.citations.graph().references([CITING])
    assert [(edge.cited, edge.source) for edge in edges] == [(MERT, "text"), (BLEU, "acl-network")]


def test_searches_filter_and_sort_by_the_counts(engine: Engine) -> None:
    assert found(engine, "sort:citations")[:4] == [BLEU, MERT, CITING, PHRASES]
    assert set(found(engine, "cited:>300")) == {BLEU, MERT}
    assert set(found(engine, "cited:61")) == {PHRASES, CITING}
    (notice,) = (text for text in run(engine.search("translation sort:citations", k=5)).notices if "citations" in text)
    assert NETWORK_NAME in notice


def test_rows_and_records_say_where_a_count_ends(litterm: Run) -> None:
    _, out, _ = litterm("search", "bleu", "evaluation")
    assert "cited 729 (to 2012)" in out
    _, out, _ = litterm("show", BLEU)
    assert f"{NETWORK_NAME}: 729 citations." in out


def test_one_hop_follows_edges_that_ship(litterm: Run) -> None:
    _, out, err = litterm("search", "--one-hop", "role", "research")
    assert "via one-hop from “Re-evaluating the role" in out
    assert NETWORK_NAME in err


def test_rankings_with_fitted_weights_see_no_edge_that_ships(engine: Engine) -> None:
    assert engine.citations.resolved_graph().citations([BLEU, MERT]) == ((), ())
    assert engine.counts.until([BLEU], 2012) == (None,)


def test_benches_see_the_bench_build(home: Path) -> None:
    outside_bench = PaperId("acl:W04-3250")
    for facts, count in (("full", [142]), ("bench", [])):
        engine = build_engine(settings_of(home), facts=facts)
        assert [service.count for service in engine.counts.counts_of([outside_bench])[0].services] == count
        assert bool(engine.citations.shipped.unheld(outside_bench, "citations")) == bool(count)


def test_merged_papers_have_their_edges_and_counts_together(home: Path) -> None:
    engine = open_over_papers(home)
    engine.record_curation.merge(engine.paper("acl:later"), engine.paper(BLEU))
    (edge,) = engine.citations.graph().citations([PaperId("acl:later")])[0]
    assert edge.citing == CITING
    assert found(engine, "sort:citations")[0] == "acl:later"


@pytest.mark.parametrize(
    ("paper", "year"),
    [("acl:P02-1040", 2002), ("acl:J93-2004", 1993), ("acl:2020.cl-1.1", 2020), ("arxiv:0201.00001", None)],
)
def test_the_year_in_an_id(paper: str, year: int | None) -> None:
    assert anthology_year(PaperId(paper)) == year
