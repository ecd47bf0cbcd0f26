"""Citation counts over a real library: brought in batches, kept, filtered and sorted by."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest
from counters import DAY, Counter
from fakes_web_server import Asked, Page, WebServer, as_json, nothing_known
from graphs import small_library
from libraries import record, store

from litterm.build import build_engine
from litterm.citations.count_store import CountStore
from litterm.citations.counts import CitationCounts
from litterm.core.errors import Offline, ServiceDown
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.citations.citation_counts import CountsReport
from litterm.model.paper import Paper, PaperId
from litterm.model.search import CountRange

IDS = ("acl:A", "acl:B", "acl:C", "acl:D")


@pytest.fixture
def engine(home: Path) -> Engine:
    settings = from_home(home)
    store(settings.library, [*small_library(), record("D", "Decoding with phrase tables", year=2012)])
    return build_engine(settings)


def over(engine: Engine, *counters: Counter, today: date = date(2026, 11, 23)) -> CitationCounts:
    """Counts in the engine's own library, from these services."""
    counts = engine.counts
    counts.services = lambda: SimpleNamespace(counters=counters, refuse_offline=lambda whom: None)  # type: ignore[assignment,return-value]
    counts.today = lambda: today
    return counts


def found(engine: Engine, typed: str, **options: object) -> list[str]:
    return [each.paper.id for each in run(engine.search(typed, k=20, **options)).papers if each.is_own]  # type: ignore[arg-type]


def asked(report: CountsReport) -> dict[str, tuple[int, int]]:
    return {each.source: (each.asked, each.known) for each in report.services}


def test_counts_are_kept_by_service_and_shown_side_by_side(engine: Engine) -> None:
    run(engine.citations.update())
    counts = over(engine, Counter("s2", {"acl:A": 40}), Counter("openalex", {"acl:A": 31, "acl:B": 2}))
    assert asked(run(counts.sync())) == {"s2": (4, 1), "openalex": (4, 2)}
    (one, other, _, last) = counts.counts_of([PaperId(each) for each in IDS])
    assert (one.library, [(each.source, each.count, each.date) for each in one.services]) == (
        2,
        [("s2", 40, DAY), ("openalex", 31, DAY)],
    )
    assert [each.source for each in other.services] == ["openalex"]
    assert (last.library, last.services) == (0, ())


def test_crossref_is_asked_about_what_nobody_else_counts(engine: Engine) -> None:
    crossref = Counter("crossref", {"acl:C": 1})
    run(over(engine, Counter("s2", {"acl:A": 4, "acl:B": 0}), crossref).sync())
    assert sorted(crossref.about) == ["acl:C", "acl:D"]


def test_nobody_is_asked_again_before_the_counts_are_old(engine: Engine) -> None:
    counter = Counter("s2", {"acl:A": 4})
    run(over(engine, counter).sync())
    again = Counter("s2", {"acl:A": 5})
    assert run(over(engine, again).sync()).fresh == 4
    assert not again.asked
    run(over(engine, again, today=date(2026, 12, 24)).sync())
    assert sorted(again.about) == list(IDS)


def test_trouble_of_one_service_leaves_the_others_going_and_what_came(engine: Engine) -> None:
    first = Counter("s2", dict.fromkeys(IDS, 1), fails_at=1, trouble=ServiceDown("down"))
    report = run(over(engine, first, Counter("openalex", {})).sync())
    assert [(each.asked, each.trouble, each.transient) for each in report.services] == [
        (2, "down", True),
        (4, "", False),
    ]
    then = Counter("s2", dict.fromkeys(IDS, 1))
    assert asked(run(over(engine, then).sync())) == {"s2": (2, 2)}
    assert set(then.asked[0]).isdisjoint(first.asked[0])


def test_what_is_stopped_goes_on_behind_the_last_batch(engine: Engine) -> None:
    counter = Counter("s2", dict.fromkeys(IDS, 1))
    task = over(engine, counter).sync()
    while not counter.asked:
        next(task)
    task.close()
    assert len(CountStore(from_home(Path(os.environ["LITTERM_HOME"])).library).numbers("s2")) == 2
    then = Counter("s2", dict.fromkeys(IDS, 1))
    run(over(engine, then).sync())
    assert sorted((*counter.about, *then.about)) == list(IDS)


def test_a_search_filters_and_sorts_by_citations(engine: Engine) -> None:
    run(engine.citations.update())
    assert set(found(engine, "cited:>0")) == {"acl:A", "acl:B"}
    assert found(engine, "sort:citations")[:2] == ["acl:A", "acl:B"]
    run(over(engine, Counter("s2", {"acl:A": 3, "acl:D": 60, "acl:C": 7})).sync())
    assert found(engine, "sort:citations") == ["acl:D", "acl:C", "acl:A", "acl:B"]
    assert found(engine, "", sort="citations") == ["acl:D", "acl:C", "acl:A", "acl:B"]
    assert set(found(engine, "cited:>=7")) == {"acl:D", "acl:C"}
    assert set(found(engine, "cited:1..7")) == {"acl:A", "acl:B", "acl:C"}
    assert found(engine, "cited:0") == []
    assert found(engine, "phrase cited:>50") == ["acl:D"]
    ranking = run(engine.search("sort:citations", k=2))
    assert "By citations as Semantic Scholar counts them, then by those within the library." in ranking.notices


def test_a_library_made_before_there_were_counts_is_as_it_was(engine: Engine) -> None:
    assert not (from_home(Path(os.environ["LITTERM_HOME"])).library / "counts").exists()
    ranking = run(engine.search("phrase table", k=20))
    shown = engine.counts.with_counts(ranking)
    assert [each.paper.id for each in shown.papers] == [each.paper.id for each in ranking.papers]
    assert all(each.cited is not None and not each.cited.services for each in shown.papers if each.is_own)
    assert len(found(engine, "sort:citations")) == 4
    assert any("`litterm sync counts`" in each for each in run(engine.search("sort:citations", k=2)).notices)


def test_counts_up_to_a_year_come_from_the_first_service_that_tells(engine: Engine) -> None:
    counts = over(engine, Counter("s2", {"acl:A": 40}))
    run(counts.sync())
    assert counts.until([PaperId("acl:A"), PaperId("acl:B")], 2026) == (40, None)
    assert counts.until([PaperId("acl:A")], 2020) == (None,)


@pytest.mark.parametrize(
    ("typed", "cited"),
    [
        ("cited:>50", CountRange(51)),
        ("cited:>=50", CountRange(50)),
        ("cited:<10", CountRange(0, 9)),
        ("cited:<=10", CountRange(0, 10)),
        ("cited:5..50", CountRange(5, 50)),
        ("cited:50..", CountRange(50)),
        ("cited:0", CountRange(0, 0)),
    ],
)
def test_how_a_number_of_citations_is_written(engine: Engine, typed: str, cited: CountRange) -> None:
    assert engine.parse(typed).filters.cited == (cited,)


def test_offline_nobody_is_asked(home: Path) -> None:
    with pytest.raises(Offline):
        run(build_engine(replace(from_home(home), offline=True)).counts.sync([Paper(PaperId("doi:10.1/a"), "One")]))


def test_a_kill_loses_no_batch_that_came(home: Path, server: WebServer) -> None:
    """The second batch never answers: killed there, the next run asks about the rest alone."""
    waiting = threading.Event()
    batches: list[Sequence[str]] = []

    def answer(asked: Asked) -> Page:
        dois = asked.one("filter").removeprefix("doi:").split("|")
        batches.append(dois)
        if len(batches) == 2:
            waiting.set()
            return Page(silent=True)
        return as_json({"results": [{"doi": f"https://doi.org/{each}", "cited_by_count": 3} for each in dois]})

    server.on("/s2/paper/batch", nothing_known)
    server.on("/openalex/works", answer)
    store(from_home(home).library, [record(f"doi:10.1/p{number:02}") for number in range(60)])
    environ = {**os.environ, "LITTERM_HOME": str(home), "LITTERM_SERVICES": server.url}
    command = [sys.executable, "-m", "litterm", "sync", "counts"]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert waiting.wait(120)
    process.kill()
    process.wait(30)
    report = run(build_engine(from_home(home)).counts.sync())
    assert next(each for each in report.services if each.source == "openalex").known == 10
    assert [len(each) for each in batches] == [50, 10, 10]
    assert batches[1] == batches[2]
