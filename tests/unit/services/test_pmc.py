"""Walking through PubMed Central: everything is reached, whatever a search lists, and nothing is passed over."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from fakes_web_server import WebServer, as_json, page
from pmc_server import Archive

from litterm.core import errors
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import run
from litterm.importers.byte_sources import file_content
from litterm.importers.jats.article import read_jats
from litterm.model.events import Event, Notice
from litterm.model.library import Failure, Parsed
from litterm.model.search import YearRange
from litterm.model.services import CatalogueBatch, Scope
from litterm.services.http.client import HttpClient
from litterm.services.ncbi import pmc
from litterm.services.ncbi.entrez import Entrez
from litterm.services.ncbi.pmc import PubMedCentral


@pytest.fixture
def source(client: HttpClient, server: WebServer, no_key: ApiKey) -> PubMedCentral:
    return PubMedCentral(Entrez(client, lambda: no_key, base=server.url))


@pytest.fixture
def low_wall(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(pmc, "MAX_LISTED", 60)
    return 60


def walked(
    source: PubMedCentral, scope: Scope, folder: Path, cursor: str = ""
) -> tuple[list[CatalogueBatch], list[Event]]:
    batches: list[CatalogueBatch] = []
    events: list[Event] = []
    while not batches or not batches[-1].done:
        batches.append(run(source.next_batch(scope, cursor, folder), events.append))
        cursor = batches[-1].cursor
    return batches, events


def spread(count: int, first: date, *, days: int) -> dict[int, date]:
    return {1000 + n: first + timedelta(days=n * days // count) for n in range(count)}


def test_more_than_a_search_lists_is_reached_by_days(
    source: PubMedCentral, server: WebServer, low_wall: int, tmp_path: Path
) -> None:
    early, late = spread(7, date(1890, 1, 1), days=9000), spread(390, date(2015, 3, 1), days=1400)
    archive = Archive(early | {5000 + n: day for n, day in late.items()}, wall=low_wall)
    archive.open_at(server)
    batches, _ = walked(source, Scope("x"), tmp_path)
    assert sorted(archive.served) == sorted(archive.published)
    assert batches[-1].seen == len(archive.published)
    assert [batch.seen for batch in batches] == sorted(batch.seen for batch in batches)


def test_a_year_is_cut_within_itself(source: PubMedCentral, server: WebServer, low_wall: int, tmp_path: Path) -> None:
    archive = Archive(spread(200, date(2020, 1, 1), days=366), wall=low_wall)
    archive.open_at(server)
    walked(source, Scope("x", YearRange(2020, 2020)), tmp_path)
    assert sorted(archive.served) == sorted(archive.published)
    spans = {each.one("mindate") for each in server.asked_for("/esearch.fcgi") if "mindate" in each.query}
    assert min(spans) == "2020/01/01"


def test_a_day_that_holds_too_many_is_told(
    source: PubMedCentral, server: WebServer, low_wall: int, tmp_path: Path
) -> None:
    archive = Archive(dict.fromkeys(range(1, 100), date(2020, 5, 5)) | {500: date(2019, 1, 1)}, wall=low_wall)
    archive.open_at(server)
    batches, events = walked(source, Scope("x"), tmp_path)
    assert [event.text for event in events if isinstance(event, Notice)] == [
        "99 articles of one day match; the service lists 60 of them. Narrow the query."
    ]
    assert len(archive.served) == low_wall + 1 and 500 in archive.served and batches[-1].seen == low_wall + 1


def test_what_has_come_in_since_is_cut_by_the_day_it_came_in(
    source: PubMedCentral, server: WebServer, low_wall: int, tmp_path: Path
) -> None:
    Archive({1: date(2020, 1, 1)}).open_at(server)
    (only,), _ = walked(source, Scope("x"), tmp_path)
    fresh = Archive(spread(150, date(2027, 1, 10), days=5), wall=low_wall)
    fresh.open_at(server)
    batches, _ = walked(source, Scope("x"), tmp_path, only.cursor)
    assert sorted(fresh.served) == sorted(fresh.published) and batches[-1].seen == 150
    assert {each.one("datetype") for each in server.asked_for("/esearch.fcgi")[1:]} == {"edat"}


def test_a_limit_below_the_wall_needs_no_days(
    source: PubMedCentral, server: WebServer, low_wall: int, tmp_path: Path
) -> None:
    archive = Archive(spread(100, date(2020, 1, 1), days=100), wall=low_wall)
    archive.open_at(server)
    batches, events = walked(source, Scope("x", limit=30), tmp_path)
    assert [batch.seen for batch in batches] == [25, 30]
    assert sorted(archive.served) == sorted(archive.published)[-30:]
    assert not [event for event in events if isinstance(event, Notice)]


def test_an_article_that_is_listed_and_not_given_is_no_secret(
    source: PubMedCentral, server: WebServer, tmp_path: Path
) -> None:
    Archive(spread(3, date(2020, 1, 1), days=3), withheld=[1001]).open_at(server)
    (batch,), _ = walked(source, Scope("x"), tmp_path)
    (failure,) = (each for each in batch.items if isinstance(each, Failure))
    assert failure.origin == "pmc:PMC1001" and failure.transient and len(batch.files) == 1


def test_a_page_that_is_empty_in_the_middle_is_no_end(source: PubMedCentral, server: WebServer, tmp_path: Path) -> None:
    archive = Archive(spread(30, date(2020, 1, 1), days=30))
    archive.open_at(server)
    first = run(source.next_batch(Scope("x"), "", tmp_path))
    server.on("/esearch.fcgi", as_json({"esearchresult": {"count": "30", "idlist": []}}))
    with pytest.raises(errors.ServiceDown, match="nothing after 25 of 30"):
        run(source.next_batch(Scope("x"), first.cursor, tmp_path))
    archive.open_at(server)
    assert run(source.next_batch(Scope("x"), first.cursor, tmp_path)).seen == 30


def test_a_step_of_which_nothing_is_given_does_not_end_the_walk(
    source: PubMedCentral, server: WebServer, tmp_path: Path
) -> None:
    Archive(spread(30, date(2020, 1, 1), days=30)).open_at(server)
    server.on("/efetch.fcgi", page("<eFetchResult><ERROR>Wrong UID</ERROR></eFetchResult>"))
    batches, _ = walked(source, Scope("x"), tmp_path)
    assert [(len(batch.items), batch.files) for batch in batches] == [(25, ()), (5, ())]


def test_a_step_that_is_repeated_finds_what_had_come(source: PubMedCentral, server: WebServer, tmp_path: Path) -> None:
    archive = Archive(spread(25, date(2020, 1, 1), days=25))
    archive.open_at(server)
    first, again = (run(source.next_batch(Scope("x"), "", tmp_path)) for _ in range(2))
    assert first == again and len(server.asked_for("/efetch.fcgi")) == 1
    archive.published = spread(25, date(2021, 1, 1), days=25) | {77: date(2022, 1, 1)}
    other = run(source.next_batch(Scope("y"), "", tmp_path))
    assert other.files != first.files and len(server.asked_for("/efetch.fcgi")) == 2


def test_articles_that_break_off_are_asked_for_again(source: PubMedCentral, server: WebServer, tmp_path: Path) -> None:
    archive = Archive(spread(2, date(2020, 1, 1), days=2))
    archive.open_at(server)
    whole = "<pmc-articleset><article><article-id pub-id-type='x'>1</article-id></article></pmc-articleset>"
    server.on("/efetch.fcgi", page(whole[:60]), *[page(whole[:70])] * 3)
    with pytest.raises(errors.ServiceDown, match="breaks off"):
        run(source.next_batch(Scope("x"), "", tmp_path))
    assert len(server.asked_for("/efetch.fcgi")) == 4


def test_a_cursor_of_an_older_litterm_goes_on(source: PubMedCentral, server: WebServer, tmp_path: Path) -> None:
    archive = Archive(spread(30, date(2020, 1, 1), days=30))
    archive.open_at(server)
    batch = run(source.next_batch(Scope("x"), '{"start": 25, "since": ""}', tmp_path))
    assert (batch.seen, batch.done, len(archive.served)) == (30, True, 5)


@pytest.mark.parametrize("broken", [("</p>", ""), ("matter", "mat\x01ter"), ("matter", "mat&unknown;ter")])
def test_a_broken_article_takes_no_other_along(
    source: PubMedCentral, server: WebServer, tmp_path: Path, broken: tuple[str, str]
) -> None:
    Archive(spread(30, date(2020, 1, 1), days=30), broken={1010: broken}).open_at(server)
    batches, _ = walked(source, Scope("x"), tmp_path)
    came = [
        item for batch in batches for path in batch.files for item in read_jats(file_content(path, path.stat().st_size))
    ]
    assert {item.paper.id for item in came if isinstance(item, Parsed)} == {
        f"pmc:PMC{number}" for number in range(1000, 1030) if number != 1010
    }
    (failure,) = [item for batch in batches for item in batch.items]
    assert isinstance(failure, Failure)
    assert (failure.origin, failure.transient, failure.missing) == ("pmc:PMC1010", True, "text")


def test_an_answer_without_any_article_is_no_file(source: PubMedCentral, server: WebServer, tmp_path: Path) -> None:
    Archive(spread(3, date(2020, 1, 1), days=3), withheld=range(1000, 1003)).open_at(server)
    ((batch,), _) = walked(source, Scope("x"), tmp_path)
    assert batch.files == () and len(batch.items) == 3
