"""Services of papers in the workbench: a real engine over a local server, driven by keys."""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from arxiv_server import collection, feed
from fakes_web_server import Asked, Page, WebServer, as_json, page
from tui.harness import Bench, Start

from litterm.build import build_engine
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.services import NetworkState
from litterm.tui.citations.references import ReferencesDialog
from litterm.tui.home.jobs import JobsDialog
from litterm.tui.jobs.network_consent import network_words
from litterm.tui.messages import duration_words

TITLE = "Zebra crossings of the northern plains"
OTHER = "Zebras and their stripes in southern winters"
JATS = f"""<article><front><article-meta><article-id pub-id-type="pmc">PMC7029759</article-id>
<title-group><article-title>{TITLE}</article-title></title-group></article-meta></front>
<body><sec><title>Results</title><p>Most zebras crossed at night. Rain made them wait.</p></sec></body></article>"""
ROWS = (
    {
        "id": "pmc:PMC7029759",
        "title": TITLE,
        "abstract": "We watched zebras cross.",
        "year": 2020,
        "doi": "10.5555/one",
    },
    {"id": "acl:P18-1001", "title": OTHER, "abstract": "Stripes of zebras.", "year": 2018},
    {"doi": "10.1000/closed", "title": "A closed paper on zebras", "year": 2001, "retraction": "retracted: see notice"},
)


@pytest.fixture
def settings(home: Path, tmp_path: Path) -> Settings:
    settings = replace(from_home(home), starter=False, network_notice=False)
    path = tmp_path / "papers.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)))
    run(build_engine(settings).add([path]))
    return settings


def begin(start: Start, settings: Settings, **changes: object) -> AbstractAsyncContextManager[Bench]:
    settings = replace(settings, **changes)  # type: ignore[arg-type]
    return start(build_engine(settings), settings=settings, size=(120, 40))


def cloud(server: WebServer) -> None:
    number = "PMC7029759"
    listing = f"<ListBucketResult><CommonPrefixes><Prefix>{number}.1/</Prefix></CommonPrefixes></ListBucketResult>"
    server.on("/pmc-cloud/", page(listing))
    md5 = hashlib.md5(JATS.encode()).hexdigest()
    told = {"version": 1, "license_code": "CC BY", "xml_url": f"s3://pmc-oa-opendata/a/a.xml?md5={md5}"}
    server.on(f"/pmc-cloud/metadata/{number}.1.json", as_json(told))
    server.on("/pmc-cloud/a/a.xml", page(JATS))


def titles(bench: Bench) -> list[str]:
    return [row.paper.title for row in bench.context.results.state.rows]


async def go(bench: Bench, title: str) -> None:
    """The cursor of the results on a paper."""
    at = next(at for at, row in enumerate(bench.context.results.shown) if row.paper.title == title)
    bench.context.results.go(at)
    bench.context.focus_pane("results")
    await bench.settle()


async def test_f_fetches_the_text_and_the_reader_shows_it(start: Start, settings: Settings, server: WebServer) -> None:
    cloud(server)
    async with begin(start, settings) as bench:
        await bench.search("northern plains")
        await go(bench, TITLE)
        await bench.press("enter")
        assert "Abstract only · f full text" in bench.shown()
        await bench.press("f")
        assert "Most zebras crossed at night." in bench.shown()
        assert "Licence of the full text: CC BY" in bench.shown()
        assert any(said.startswith("The full text is here by PMC Cloud, CC BY") for said in bench.said)
        assert bench.context.results.state.rows[0].paper.full_text
        assert "online" in bench.shown().splitlines()[0]
        await bench.press("f")
        assert any("in the library: enter opens it" in said for said in bench.said)


async def test_what_is_sent_is_asked_before_anything_is_sent(
    start: Start, settings: Settings, server: WebServer
) -> None:
    cloud(server)
    async with begin(start, settings, network_notice=True) as bench:
        await bench.search("northern plains")
        await go(bench, TITLE)
        await bench.press("f")
        assert "first use of the network" in bench.shown()
        assert "Europe PMC" in bench.shown()
        await bench.press("escape")
        assert (server.asked, bench.context.results.state.rows[0].paper.full_text) == ([], False)
        await bench.press("f", "enter")
        assert bench.context.results.state.rows[0].paper.full_text
        await bench.press("f")
        assert bench.context.dialogs == []


async def test_capital_f_takes_all_selected_and_the_table_tells_of_each(
    start: Start, settings: Settings, server: WebServer
) -> None:
    cloud(server)
    for route in ("/crossref/works/10.1000%2Fclosed", "/unpaywall/10.1000%2Fclosed"):
        server.on(route, page("", 503, retry_after="9999"))
    async with begin(start, settings) as bench:
        await bench.search("zebras")
        bench.context.focus_pane("results")
        await bench.press("*", "F")
        assert any(said.startswith("3 papers:") for said in bench.said)
        await bench.press("!")
        table = bench.context.dialogs[-1]
        assert isinstance(table, JobsDialog)
        shown = bench.shown()
        assert "3 asked for: 1 full text, 1 abstract only, 1 " in shown
        assert "PMC Cloud" in shown and "Licence: CC BY." in shown
        assert "abstract only  acl:P18-1001" in shown and "does not have it" in shown
        await bench.press("j", "j", "k", "enter")
        assert not bench.context.dialogs


async def test_consent_names_the_number_of_papers_selected(start: Start, settings: Settings, server: WebServer) -> None:
    async with begin(start, settings, network_notice=True) as bench:
        await bench.search("zebras")
        bench.context.focus_pane("results")
        await bench.press("*", "F")
        assert "the ids of 3 papers" in " ".join(bench.shown().replace("│", " ").split())
        assert server.asked == []


async def test_without_a_selection_capital_f_says_what_it_needs(start: Start, settings: Settings) -> None:
    async with begin(start, settings) as bench:
        await bench.search("zebras")
        await bench.press("F")
        assert any("Select papers first" in said for said in bench.said)


async def test_offline_by_choice_asks_nobody(start: Start, settings: Settings, server: WebServer) -> None:
    async with begin(start, settings, offline=True) as bench:
        await bench.search("zebras")
        assert "offline (by setting)" in bench.shown().splitlines()[0]
        await bench.press("f")
        assert told_offline(bench)
        bench.context.query.field.focus()
        await bench.press("ctrl+o")
        assert told_offline(bench)
        bench.controllers.imports.add("10.1000/new")
        await bench.settle()
        assert told_offline(bench)
        bench.controllers.sync.sync_source("arxiv cat:cs.CL")
        await bench.settle()
        assert told_offline(bench)
        await bench.press("escape", "r")
        assert "Offline by choice: services are not asked." in bench.shown()
        assert server.asked == []


def told_offline(bench: Bench) -> bool:
    """Whether the newest toast says so; those until now are forgotten."""
    told = bench.said[-1:]
    bench.forget_toasts()
    return any("Offline by choice" in said for said in told)


def scholar(server: WebServer, *papers: dict[str, object]) -> None:
    server.on("/s2/paper/search", as_json({"total": len(papers), "offset": 0, "data": list(papers)}))


FOUND = (
    {"paperId": "a" * 40, "title": "Zebra herds seen from above", "abstract": "Drones.", "year": 2023,
     "externalIds": {"DOI": "10.5555/herds"}, "authors": [{"name": "Ada Lovelace"}]},
    {"paperId": "b" * 40, "title": OTHER, "year": 2018, "externalIds": {"ACL": "P18-1001"}, "authors": []},
)  # fmt: skip


async def test_ctrl_o_shows_a_service_above_the_library_and_plus_adds(
    start: Start, settings: Settings, server: WebServer
) -> None:
    scholar(server, *FOUND)
    async with begin(start, settings) as bench:
        bench.context.query.field.set_text("zebras")
        await bench.press("ctrl+o")
        assert titles(bench)[0] == "Zebra herds seen from above"
        assert titles(bench).count(OTHER) == 1
        shown = bench.shown()
        assert "online · 2023" in shown and "2 found, 1 of them is in the library already" in shown
        await go(bench, "Zebra herds seen from above")
        await bench.press("enter")
        assert "Drones." in bench.shown()
        await go(bench, "Zebra herds seen from above")
        await bench.press("+")
        row = next(row for row in bench.context.results.state.rows if row.paper.title == "Zebra herds seen from above")
        assert row.held
        assert bench.engine.paper("doi:10.5555/herds").title == "Zebra herds seen from above"
        await bench.press("+")
        assert any("is in the library" in said for said in bench.said)


async def test_the_way_back_leads_to_a_paper_that_was_only_found_online(
    start: Start, settings: Settings, server: WebServer
) -> None:
    scholar(server, *FOUND)
    async with begin(start, settings) as bench:
        bench.context.query.field.set_text("zebras")
        await bench.press("ctrl+o")
        await go(bench, "Zebra herds seen from above")
        await bench.press("enter")
        await bench.search("northern plains")
        await go(bench, TITLE)
        await bench.press("enter")
        await bench.press("b")
        assert "Zebra herds seen from above" in bench.shown() and "Drones." in bench.shown()
        await bench.press("B")
        assert bench.context.reader.state.paper is not None
        assert bench.context.reader.state.paper.title == TITLE
        await bench.press("b")
        bench.controllers.session.save()
        assert bench.engine.annotations.session().paper_id is None, "it is not there the next time"


async def test_unknown_references_are_not_counted_as_none(start: Start, settings: Settings, server: WebServer) -> None:
    server.on("/s2/paper/DOI%3A10.5555%2Fone/references", Page(silent=True))
    server.on("/s2/paper/PMCID%3A7029759/references", Page(silent=True))
    async with begin(start, settings) as bench:
        await bench.search("northern plains")
        await go(bench, TITLE)
        await bench.press("enter")
        await bench.tap("r")
        await bench.until(lambda: any(job.group == "listing" for job in bench.context.work.jobs))
        assert "References unknown" in bench.shown()
        assert f"references · {TITLE[:20]}" in bench.shown() and "· 0 ─" not in bench.shown()
        await bench.press("escape", "ctrl+c")


async def test_a_failed_sync_never_says_that_nothing_is_new(
    start: Start, settings: Settings, server: WebServer
) -> None:
    server.on("/arxiv/api/query", page("", 503, retry_after="9999"))
    async with begin(start, settings) as bench:
        bench.controllers.sync.sync_source("arxiv cat:cs.CL")
        await bench.settle()
        told = next(said for said in bench.said if "What has been stored is kept" in said)
        assert "nothing new" not in told and "arxiv cat:cs.CL: " in told


async def test_rows_of_a_service_go_with_their_query(start: Start, settings: Settings, server: WebServer) -> None:
    scholar(server, *FOUND)
    async with begin(start, settings) as bench:
        bench.controllers.online.find_in_service("s2 zebras")
        await bench.settle()
        assert any(row.online for row in bench.context.results.state.rows)
        await bench.search("stripes")
        assert not any(row.online for row in bench.context.results.state.rows)


async def test_a_service_in_trouble_leaves_the_library_and_is_named(
    start: Start, settings: Settings, server: WebServer
) -> None:
    server.on("/s2/paper/search", page("", 503, retry_after="9999"))
    async with begin(start, settings) as bench:
        bench.context.query.field.set_text("zebras")
        await bench.press("ctrl+o")
        assert OTHER in titles(bench)
        assert "down" in bench.shown().splitlines()[0]
        assert any("These are the papers of the library" in said for said in bench.said)


async def test_r_lists_what_services_know_and_plus_adds(start: Start, settings: Settings, server: WebServer) -> None:
    cited = {"isInfluential": False, "contexts": ["As seen before."], "intents": [], "citedPaper": FOUND[0]}
    here = {"isInfluential": False, "contexts": [], "intents": [], "citedPaper": FOUND[1]}
    server.on("/s2/paper/DOI%3A10.5555%2Fone/references", as_json({"offset": 0, "data": [cited, here]}))
    server.on("/s2/paper/PMCID%3A7029759/references", as_json({"offset": 0, "data": [cited, here]}))
    server.on("/s2/paper/batch", as_json([FOUND[0]]))
    async with begin(start, settings) as bench:
        await bench.search("northern plains")
        await go(bench, TITLE)
        await bench.press("enter", "r")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, ReferencesDialog)
        assert [(link.by, link.paper_id) for link in dialog.links] == [
            ("Semantic Scholar", None),
            ("Semantic Scholar", "acl:P18-1001"),
        ]
        await bench.until(lambda: "As seen before." in bench.shown())
        await bench.press("+")
        assert dialog.links[0].paper_id is not None
        await bench.press("j", "enter")
        assert bench.context.reader.state.paper is not None
        assert bench.context.reader.state.paper.title == OTHER
        await bench.press("b")
        assert bench.context.reader.state.paper.title == TITLE


async def test_a_retraction_is_said_in_results_and_reader(start: Start, settings: Settings) -> None:
    async with begin(start, settings) as bench:
        await bench.search("closed paper zebras")
        assert "RETRACTED" in bench.shown()
        await go(bench, "A closed paper on zebras")
        await bench.press("enter")
        assert "RETRACTED" in str(bench.shown())


async def test_a_pasted_id_is_looked_up_and_opened(start: Start, settings: Settings, server: WebServer) -> None:
    server.on("/arxiv/api/query", page(feed(range(3, 4), 1)))
    async with begin(start, settings) as bench:
        await bench.search("zebras")
        bench.controllers.imports.on_paste("https://arxiv.org/abs/2001.00003")
        await bench.settle()
        assert bench.context.reader.state.paper is not None
        assert bench.context.reader.state.paper.title == "On subject 3 of many"
        bench.controllers.imports.on_paste("10.1000/nobody 10.1000/none")
        await bench.settle()
        assert any("0 of 2 are in the library" in said for said in bench.said)
        await bench.press("!")
        assert "not found" in bench.shown()


async def test_sync_runs_in_the_background_and_is_listed(start: Start, settings: Settings, server: WebServer) -> None:
    server.on("/arxiv/api/query", collection(7))  # type: ignore[arg-type]
    async with begin(start, settings) as bench:
        await bench.search("subject")
        bench.controllers.sync.sync_source("arxiv cat:cs.CL")
        await bench.settle()
        assert any("arxiv cat:cs.CL: 7 added" in said for said in bench.said)
        assert len(titles(bench)) == 7
        await bench.press("escape", "!")
        assert "arxiv cat:cs.CL" in bench.shown() and "7 papers · just now" in bench.shown()
        await bench.press("escape")
        bench.controllers.sync.action_all()
        await bench.settle()
        assert any("nothing new" in said for said in bench.said)


async def test_syncing_at_start_is_a_choice(start: Start, settings: Settings, server: WebServer) -> None:
    server.on("/arxiv/api/query", collection(2))  # type: ignore[arg-type]
    from litterm.model.services import Scope

    engine: Engine = build_engine(settings)
    run(engine.services.sync("arxiv", Scope("cat:cs.CL")))
    before = len(server.asked)
    async with begin(start, settings):
        assert len(server.asked) == before
    server.on("/arxiv/api/query", page("", 503, retry_after="9999"))
    async with begin(start, settings, sync_at_start=True) as bench:
        assert len(server.asked) > before
        assert any("What has been stored is kept" in said for said in bench.said)


async def test_what_failed_is_retried_from_the_table(start: Start, settings: Settings, server: WebServer) -> None:
    for path in ("/crossref/works/10.1000%2Fbusy", "/s2/paper/batch"):
        server.on(path, page("", 503, retry_after="9999"))
    async with begin(start, settings) as bench:
        bench.controllers.imports.add("10.1000/busy")
        await bench.settle()
        assert [failure.origin for failure in bench.engine.failures()] == ["10.1000/busy"]
        server.on(
            "/crossref/works/10.1000%2Fbusy", as_json({"message": {"DOI": "10.1000/busy", "title": ["Busy no more"]}})
        )
        server.on("/s2/paper/batch", as_json([None]))
        await bench.press("escape", "!")
        assert "failed" in bench.shown()
        await bench.press(".")
        assert bench.engine.failures() == ()
        assert bench.engine.paper("doi:10.1000/busy").title == "Busy no more"


async def test_a_silent_service_is_left_at_once(start: Start, settings: Settings, server: WebServer) -> None:
    server.on("/s2/paper/search", Page(silent=True))
    async with begin(start, settings) as bench:
        bench.context.query.field.set_text("zebras")
        await bench.tap("ctrl+o")
        await bench.tap("escape")
        await bench.until(lambda: any(job.group == "online" for job in bench.context.work.jobs))
        await bench.tap("ctrl+c")
        assert not any(job.group == "online" for job in bench.context.work.jobs)


async def test_the_status_line_counts_papers_and_says_what_is_waited_for(
    start: Start, settings: Settings, server: WebServer
) -> None:
    def answer(asked: Asked) -> Page:
        return page(feed(range(100), 300)) if asked.one("start") == "0" else Page(silent=True)

    server.on("/arxiv/api/query", answer)
    async with begin(start, settings) as bench:
        await bench.search("zebras")
        bench.controllers.sync.sync_source("arxiv cat:cs.CL")
        await bench.until(lambda: any(job.done == 100 and "waiting" in job.step for job in bench.context.work.jobs))
        assert "100/300" in bench.shown().splitlines()[0]
        assert "waiting for" in bench.shown().splitlines()[0]
        await bench.press("ctrl+c")
        assert any("Stopped." in said for said in bench.said)


def counts(asked: Asked) -> Page:
    assert isinstance(asked.json, dict)
    return as_json([{"paperId": "x", "citationCount": 12} for _ in asked.json["ids"]])


async def test_sync_counts_typed_says_that_it_asks_and_what_came(
    start: Start, settings: Settings, server: WebServer
) -> None:
    server.on("/s2/paper/batch", counts)
    async with begin(start, settings) as bench:
        await bench.search("quokkas")
        await bench.press("escape", ":", *"sync counts", "enter")
        assert "No paper of yours is in the results" in bench.said[-1]
        await bench.search("zebras")
        await bench.press("escape", ":", *"sync counts", "enter")
        assert any(said.startswith("Services are asked how often 3 papers are cited.") for said in bench.said)
        assert any("Semantic Scholar counts 3 of 3 papers" in said for said in bench.said)
        assert bench.shown().count("cited 12 (S2)") == 3


async def test_sync_counts_typed_while_a_fetch_asks_quietly_is_answered(
    start: Start, settings: Settings, server: WebServer
) -> None:
    server.on("/s2/paper/batch", Page(silent=True))
    async with begin(start, settings) as bench:
        await bench.search("zebras")
        rows = [row.paper.id for row in bench.context.results.state.rows]
        bench.controllers.counts.fetch(rows, quiet=True)
        bench.controllers.counts.count_shown()
        await bench.tap("escape")
        assert "Citation counts of 3 papers are already being asked for" in bench.said[-1]
        bench.controllers.counts.fetch(rows[:1])
        await bench.tap("escape")
        assert "wait for “citation counts of 3 papers”" in bench.said[-1]
        await bench.tap("ctrl+c")


async def test_sync_counts_where_no_service_knows_an_id_says_so(start: Start, home: Path, tmp_path: Path) -> None:
    settings = replace(from_home(home), starter=False, network_notice=False)
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"title": "Notes on zebras of our own", "abstract": "Zebras."}))
    run(build_engine(settings).add([path]))
    async with begin(start, settings) as bench:
        await bench.search("zebras")
        await bench.press("escape", ":", *"sync counts", "enter")
        assert "without an id that a service knows" in bench.said[-1]


def test_the_words_for_the_network_tell_a_choice_from_trouble() -> None:
    down = NetworkState("service down", "arXiv")
    states = (NetworkState(), NetworkState("online", "arXiv"), NetworkState("no network", "arXiv"), down)
    told = [network_words(state, offline=False) for state in states]
    assert told == ["no network used", "online", "no network", "arXiv down"]
    assert network_words(down, offline=True) == "offline (by setting)"
    assert len(set(told)) == 4


def test_time_left_is_said_in_the_unit_that_fits() -> None:
    assert [duration_words(seconds) for seconds in (7.4, 89.0, 100.0, 5300.0, 7200.0)] == [
        "7 s", "89 s", "2 min", "88 min", "2 h"
    ]  # fmt: skip
