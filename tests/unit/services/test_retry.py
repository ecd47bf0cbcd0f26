"""Another try at what failed: files, ids and full texts, each the way it came."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from arxiv_server import feed
from fakes_web_server import Asked, Page, WebServer, as_json, page

from litterm.build import build_engine
from litterm.core.errors import Offline
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.events import Event, Notice
from litterm.model.library import Failure, MissingPart
from litterm.model.paper import PaperId
from litterm.model.services import Scope

TITLE = "Zebra crossings of the northern plains"
JATS = f"""<article><front><article-meta><article-id pub-id-type="pmc">PMC7029759</article-id>
<title-group><article-title>{TITLE}</article-title></title-group></article-meta></front>
<body><sec><title>Results</title><p>Most zebras crossed at night. Rain made them wait.</p></sec></body></article>"""


@pytest.fixture
def engine(home: Path, server: WebServer) -> Engine:
    return build_engine(from_home(home))


def fail(home: Path, *origins: str, missing: MissingPart = "record") -> None:
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.failures import FailureList

    failures = [Failure(each, "Bad.", True, missing=missing) for each in origins]
    FailureList(StateDatabase(from_home(home).library)).record(failures)


def standing(engine: Engine) -> list[str]:
    return [failure.origin for failure in engine.failures()]


def test_each_failure_is_tried_the_way_it_came(engine: Engine, server: WebServer, home: Path, tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").write_text(json.dumps({"id": "pmc:PMC7029759", "title": TITLE}) + "\n{broken\n")
    run(engine.add([tmp_path / "papers.jsonl"]))
    (broken,) = standing(engine)
    fail(home, "pmc:PMC7029759", missing="text")
    fail(home, "10.1000/new", "acl:2020.acl.xml:7", f"{tmp_path}/gone.tar!x.pdf")
    server.on("/pmc-cloud/", page("<ListBucketResult/>"))
    server.on("/ncbi/efetch.fcgi", page(f"<pmc-articleset>{JATS}</pmc-articleset>"))
    server.on("/crossref/works/10.1000%2Fnew", as_json({"message": {"DOI": "10.1000/new", "title": ["A new paper"]}}))
    (tmp_path / "papers.jsonl").write_text(json.dumps({"id": "pmc:PMC7029759", "title": TITLE}) + "\n")
    done = run(engine.retry_failures())
    assert [(each.asked, each.outcome) for each in done.obtained] == [
        ("pmc:PMC7029759", "full text"),
        ("10.1000/new", "abstract only"),
    ]
    assert done.left == 1
    assert broken not in standing(engine)
    assert "acl:2020.acl.xml:7" in standing(engine)
    assert {"pmc:PMC7029759", "10.1000/new"}.isdisjoint(standing(engine))


def test_what_fails_again_stays_in_the_list(engine: Engine, server: WebServer, home: Path) -> None:
    fail(home, "10.1000/busy")
    for path in ("/crossref/works/10.1000%2Fbusy", "/s2/paper/batch"):
        server.on(path, page("", 503, retry_after="9999"))
    (got,) = run(engine.retry_failures()).obtained
    assert (got.outcome, got.transient) == ("failed", True)
    assert standing(engine) == ["10.1000/busy"]
    assert "left alone" in engine.failures()[0].cause


def test_one_failure_is_tried_or_dismissed_and_the_others_stay(engine: Engine, server: WebServer, home: Path) -> None:
    fail(home, "10.1000/one", "10.1000/two", "10.1000/three")
    for name in ("one", "two"):
        told = {"message": {"DOI": f"10.1000/{name}", "title": [f"Paper {name}"]}}
        server.on(f"/crossref/works/10.1000%2F{name}", as_json(told))
    done = run(engine.retry_failures(("10.1000/two",)))
    assert [each.asked for each in done.obtained] == ["10.1000/two"]
    assert engine.dismiss_failures(("10.1000/three",)) == 1
    assert standing(engine) == ["10.1000/one"]
    assert engine.dismiss_failures() == 1


def test_what_has_come_under_another_id_leaves_the_list(
    engine: Engine, server: WebServer, home: Path, tmp_path: Path
) -> None:
    fail(home, "https://doi.org/10.1000/new", "10.1000/other")
    fail(home, "doi:10.1000/text", missing="text")
    rows = [
        {"id": "acl:P18-1001", "title": TITLE, "doi": "10.1000/new"},
        {"id": "pmc:PMC7029759", "title": "Rain", "doi": "10.1000/text"},
    ]
    (tmp_path / "papers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run(engine.add([tmp_path / "papers.jsonl"]))
    assert standing(engine) == ["10.1000/other", "doi:10.1000/text"]
    server.on("/pmc-cloud/", page("<ListBucketResult/>"))
    server.on("/ncbi/efetch.fcgi", page(f"<pmc-articleset>{JATS.replace(TITLE, 'Rain')}</pmc-articleset>"))
    (got,) = run(engine.services.fetch([PaperId("pmc:PMC7029759")]))
    assert got.outcome == "full text"
    assert standing(engine) == ["10.1000/other"]


def test_what_failed_for_a_while_is_tried_at_the_next_synchronisation(
    engine: Engine, server: WebServer, home: Path
) -> None:
    def arxiv(asked: Asked) -> Page:
        return page(feed(range(5, 6), 1)) if "id_list" in asked.query else page(feed(range(1), 1))

    fail(home, "arxiv:2001.00005", "10.1000/other")
    server.on("/arxiv/api/query", arxiv)
    events: list[Event] = []
    run(engine.services.sync("arxiv", Scope("cat:cs.CL")), events.append)
    assert standing(engine) == ["10.1000/other"]
    assert Notice("1 that had failed were retried; 1 came.") in events
    for name in ("crossref/works/10.1000%2Fother", "s2/paper/batch"):
        server.on(f"/{name}", page("", 503, retry_after="9999"))
    run(engine.services.sync_all())
    assert "left alone" in engine.failures()[0].cause
    told = {"message": {"DOI": "10.1000/other", "title": ["Another"]}}
    server.on("/crossref/works/10.1000%2Fother", as_json(told))
    run(engine.services.sync_all())
    assert standing(engine) == []


def test_offline_tries_the_files_and_asks_nobody(home: Path, server: WebServer, tmp_path: Path) -> None:
    offline = build_engine(Settings(**{**_fields(home), "offline": True}))
    fail(home, "10.1000/new")
    with pytest.raises(Offline):
        run(offline.retry_failures())
    (tmp_path / "papers.jsonl").write_text(json.dumps({"id": "acl:P1-1", "title": TITLE}))
    fail(home, f"{tmp_path}/papers.jsonl:1")
    done = run(offline.retry_failures())
    assert (done.report.added, done.obtained, done.left) == (1, (), 1)
    assert standing(offline) == ["10.1000/new"]
    assert server.asked == []


def _fields(home: Path) -> dict[str, object]:
    settings = from_home(home)
    return {name: getattr(settings, name) for name in ("config", "library", "cache", "logs", "themes")}
