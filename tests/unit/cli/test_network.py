"""Commands that ask services, against a local server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from arxiv_server import collection
from commands import Command, Done, done
from fakes_web_server import WebServer, as_json, nothing_known, page, ranged

from litterm.cli.main import main


@pytest.fixture
def litterm(home: Path, server: WebServer, capsys: pytest.CaptureFixture[str]) -> Command:
    def command(*argv: str) -> Done:
        return done(main(list(argv)), capsys)

    return command


WORK = {"DOI": "10.1000/new", "title": ["A new paper"], "abstract": "About zebras."}


def crossref(server: WebServer) -> None:
    server.on("*", page("", 404))
    server.on("/europepmc/search", as_json({"hitCount": 0, "resultList": {"result": []}}))
    server.on("/s2/paper/batch", nothing_known)
    server.on("/crossref/works/10.1000%2Fnew", as_json({"message": WORK}))


def test_sync_and_what_is_subscribed(litterm: Command, server: WebServer) -> None:
    server.on("/arxiv/api/query", collection(7))  # type: ignore[arg-type]
    done = litterm("sync", "arxiv", "cat:cs.CL", "--since", "2020", "--json")
    assert done.status == 0
    (synced,) = done.json["synced"]  # type: ignore[misc]
    assert (synced["source"], synced["added"], synced["complete"], synced["trouble"]) == ("arxiv", 7, True, "")
    listed = litterm("sync", "--list")
    assert "arxiv cat:cs.CL 2020..: 7 papers, complete" in listed.out
    assert litterm("sync").status == 0
    assert litterm("search", "subject", "-k", "3", "--json").json["count"]
    assert litterm("sync", "arxiv", "cat:cs.CL", "--since", "2020", "--forget").status == 0
    assert litterm("sync").status == 2


def test_a_service_that_fails_is_status_4_and_no_empty_result(litterm: Command, server: WebServer) -> None:
    server.on("*", page("", 403))
    done = litterm("sync", "arxiv", "x")
    assert done.status == 4
    assert "refuses" in done.err


OFFLINE = [
    *(["sync", name] for name in ("acl", "iclr")),
    *(["sync", name, "x"] for name in ("pmc", "arxiv", "s2")),
    ["sync"],
    *(["find", "x", "--in", name] for name in ("s2", "arxiv", "europepmc", "pubmed", "openalex")),
    *([verb, word] for verb in ("add", "fetch") for word in ("10.1000/new", "https://arxiv.org/abs/1706.03762")),
    ["add", "--ids", "ids.txt"],
    ["fetch", "held"],
    ["refs", "held"],
    ["cited-by", "held"],
    ["failures", "--retry"],
]


@pytest.mark.parametrize("argv", OFFLINE, ids=" ".join)
def test_offline_is_said_at_once(litterm: Command, server: WebServer, tmp_path: Path, argv: list[str]) -> None:
    (tmp_path / "ids.txt").write_text("10.1000/new\n10.1000/unknown\n")
    (tmp_path / "held.jsonl").write_text('{"id": "doi:10.1000/held", "title": "A paper that is here"}\n')
    server.on("/arxiv/api/query", collection(1))  # type: ignore[arg-type]
    server.on("*", page("", 503, retry_after="999"))
    assert litterm("add", str(tmp_path / "held.jsonl")).status == 0
    assert litterm("sync", "arxiv", "cat:cs.CL").status == 0
    assert litterm("add", "10.1000/later").status == 4
    before = len(server.asked)
    words = [{"held": "doi:10.1000/held", "ids.txt": str(tmp_path / "ids.txt")}.get(word, word) for word in argv]
    done = litterm("--offline", *words)
    assert (done.status, done.out) == (4, "")
    (line,) = done.err.splitlines()
    assert line.startswith("litterm: offline:")
    assert len(server.asked) == before


def test_add_takes_ids_and_addresses_beside_files(litterm: Command, server: WebServer, tmp_path: Path) -> None:
    crossref(server)
    (tmp_path / "ids.txt").write_text("10.1000/new\n10.1000/unknown\n")
    done = litterm("add", "--ids", str(tmp_path / "ids.txt"), "--json")
    assert done.status == 1
    assert [(each["asked"], each["outcome"]) for each in done.json["papers"]] == [  # type: ignore[attr-defined]
        ("10.1000/new", "abstract only"),
        ("10.1000/unknown", "not found"),
    ]
    assert litterm("add", "https://doi.org/10.1000/new").status == 0
    assert litterm("add", "10.1000/unknown").status == 3
    assert litterm("add", str(tmp_path / "absent.pdf")).status == 1
    elsewhere = litterm("add", "https://example.org/foo")
    assert elsewhere.status == 3 and "https://example.org/foo · It is neither an id nor an address" in elsewhere.out
    assert litterm("add").status == 2


def test_fetch_looks_up_what_it_does_not_hold(litterm: Command, server: WebServer) -> None:
    crossref(server)
    done = litterm("fetch", "10.1000/new")
    assert (done.status, done.out.startswith("abstract only · doi:10.1000/new · A new paper")) == (0, True)
    assert litterm("fetch", "--missing", "--query", "zebras", "--json").json["papers"][0]["outcome"] == (  # type: ignore[index]
        "abstract only"
    )


def test_find_shows_and_adds(litterm: Command, server: WebServer) -> None:
    rows = [{"paperId": "a" * 40, "corpusId": 5, "title": "\x1b[31mFound", "externalIds": {"DOI": "10.1000/f"}}]
    server.on("/s2/paper/search", as_json({"total": 1, "data": rows}))
    done = litterm("find", "zebra")
    assert "litterm add doi:10.1000/f" in done.out and "\x1b" not in done.out
    assert litterm("find", "zebra", "--add", "--json").json["papers"][0]["in_library"] is True  # type: ignore[index]


def test_refs_of_services_and_of_the_library(litterm: Command, server: WebServer) -> None:
    crossref(server)
    litterm("add", "10.1000/new")
    work = {"title": "Cited", "year": 2001, "authors": [{"name": "Ada Lovelace"}], "externalIds": {"DOI": "10.1000/c"}}
    server.on(
        "/s2/paper/DOI%3A10.1000%2Fnew/references", as_json({"data": [{"contexts": ["So."], "citedPaper": work}]})
    )
    done = litterm("refs", "10.1000/new")
    assert "Lovelace · 2001 · Cited · doi:10.1000/c" in done.out and "“So.”" in done.out
    assert litterm("refs", "10.1000/new", "--local", "--json").json["references"] == []
    assert litterm("cited-by", "10.1000/new").status == 3
    assert litterm("refs", "nobody").status == 3


HELD = {
    "id": "doi:10.1000/citing",
    "title": "A paper that cites",
    "year": 2020,
    "sections": [{"title": "Introduction", "sentences": ["Zebras are striped (Lovelace, 2001).", "So it is."]}],
    "references": [
        {"title": "On stripes", "authors": ["Ada Lovelace"], "year": 2001, "doi": "10.1000/stripes"},
        {"title": "Not here", "authors": ["Bo Roe"], "year": 2002, "text": "Roe, B. (2002). Not here."},
    ],
}
STRIPES = {"id": "doi:10.1000/stripes", "title": "On stripes", "authors": ["Ada Lovelace"], "year": 2001}
RECORD = {"id": "pmid:77", "title": "A record without a text", "abstract": "Short.", "references": HELD["references"]}


@pytest.fixture
def citing(litterm: Command, tmp_path: Path) -> Command:
    rows = "\n".join(map(json.dumps, (HELD, STRIPES, RECORD)))
    (tmp_path / "citing.jsonl").write_text(rows)
    assert litterm("add", str(tmp_path / "citing.jsonl")).status == 0
    return litterm


def test_refs_are_those_of_the_papers_own_list(citing: Command) -> None:
    told = citing("refs", "10.1000/citing", "--local", "--json").json
    first, second = told["references"]  # type: ignore[misc]
    assert (told["by"], first["id"], first["contexts"]) == (
        "library",
        "doi:10.1000/stripes",
        ["Zebras are striped (Lovelace, 2001)."],
    )
    assert (second["id"], second["title"], second["text"]) == (None, "Not here", "Roe, B. (2002). Not here.")
    done = citing("refs", "10.1000/citing", "--local")
    assert done.out.splitlines()[0].startswith("* Lovelace · 2001 · On stripes · doi:10.1000/stripes")
    assert len(citing("refs", "pmid:77", "--local", "-k", "1", "--json").json["references"]) == 1  # type: ignore[arg-type]


def test_cited_by_here_tells_the_sentences(citing: Command) -> None:
    told = citing("cited-by", "10.1000/stripes", "--local", "--json").json["citations"]
    assert {each["id"]: each["contexts"] for each in told} == {  # type: ignore[attr-defined]
        "doi:10.1000/citing": ["Zebras are striped (Lovelace, 2001)."],
        "pmid:77": [],
    }


@pytest.mark.parametrize("switch", ["--offline", "--plain"])
def test_what_no_service_tells_the_library_does(citing: Command, server: WebServer, switch: str) -> None:
    server.on("*", page("", 503, retry_after="999"))
    done = citing(switch, "refs", "10.1000/citing")
    assert (done.status, len(done.out.splitlines())) == (0, 3)
    assert "the library's own" in done.err
    assert citing(switch, "refs", "10.1000/stripes").status == 4


def test_references_without_a_text_go_out_and_come_back(
    citing: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = citing("export", "--all", "--jsonl").out
    record = next(row for row in map(json.loads, rows.splitlines()) if row["id"] == "pmid:77")
    assert "sections" not in record and len(record["references"]) == 2
    (tmp_path / "out.jsonl").write_text(rows)
    monkeypatch.setenv("LITTERM_HOME", str(tmp_path / "second"))
    assert citing("add", str(tmp_path / "out.jsonl")).status == 0
    assert citing("refs", "pmid:77", "--local", "--json").json["references"][0]["id"] == "doi:10.1000/stripes"  # type: ignore[index]


def test_a_library_goes_out_and_comes_back(
    litterm: Command, server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on("/arxiv/api/query", collection(3))  # type: ignore[arg-type]
    server.on("/arxiv/pdf/2001.00001", ranged(b"%PDF-1.4 broken"))
    litterm("sync", "arxiv", "x")
    rows = litterm("export", "--all", "--jsonl").out
    assert [json.loads(line)["id"] for line in rows.splitlines()] == [f"arxiv:2001.{n:05d}" for n in range(3)]
    (tmp_path / "out.jsonl").write_text(rows)
    monkeypatch.setenv("LITTERM_HOME", str(tmp_path / "second"))
    assert litterm("add", str(tmp_path / "out.jsonl")).status == 0
    again = [json.loads(line) for line in litterm("export", "--all", "--jsonl").out.splitlines()]
    first = [json.loads(line) for line in rows.splitlines()]
    assert [{**each, "source": "", "origin": ""} for each in again] == [
        {**each, "source": "", "origin": ""} for each in first
    ]
    assert litterm("export", "--all").out.count("@") == 3
    assert litterm("export", "--jsonl").status == 2


def test_failures_retry_asks_again_for_ids(litterm: Command, server: WebServer) -> None:
    crossref(server)
    server.on("/crossref/works/10.1000%2Fnew", page("", 503, retry_after="9999"))
    assert litterm("add", "10.1000/new").status == 4
    again = litterm("failures", "--retry", "--json")
    assert (again.status, again.json["papers"][0]["outcome"]) == (1, "failed")  # type: ignore[index]
    server.on("/crossref/works/10.1000%2Fnew", as_json({"message": WORK}))
    done = litterm("failures", "--retry")
    assert (done.status, done.out.startswith("abstract only · doi:10.1000/new")) == (0, True)
    assert litterm("failures", "--json").json["count"] == 0


def test_kept_answers_are_counted_and_cleared(litterm: Command, server: WebServer) -> None:
    crossref(server)
    assert litterm("add", "10.1000/new").status == 0
    kept = litterm("cache", "--json").json["answers"]
    assert kept["files"] > 0 and kept["bytes"] > 0  # type: ignore[index]
    assert "answers of online services" in litterm("cache", "--clear").out
    assert litterm("cache", "--json").json["answers"] == {"files": 0, "bytes": 0}


def test_doctor_says_what_is_set_up_for_services_and_no_key(
    litterm: Command, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2_API_KEY", "very-secret-key")
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "hush-hush")
    monkeypatch.setenv("LITTERM_CONTACT", "me@uni.example")
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    done = litterm("doctor", "--json")
    rows = {row["name"]: row for row in done.json["services"]}  # type: ignore[attr-defined]
    assert rows["key for Semantic Scholar"]["value"] == "there"
    assert rows["key for Semantic Scholar"]["where"] == "S2_API_KEY"
    assert "OPENREVIEW_USERNAME" in rows["key for OpenReview"]["hint"]
    assert rows["contact"] == {
        "name": "contact", "value": "me@uni.example", "where": "", "state": "ok", "hint": ""
    }  # fmt: skip
    assert rows["proxy of the environment"]["value"] == "none"
    assert "secret" not in done.out and "hush" not in done.out
    monkeypatch.setenv("https_proxy", "http://me:pass@proxy.example:3128")
    shown = litterm("doctor").out
    assert "proxy.example" in shown and "only check numeric addresses" in shown and "pass@" not in shown
    assert "network: offline (by setting)" in litterm("--offline", "doctor").out
    assert server.asked == []


def test_counts_are_brought_for_a_query_and_shown(litterm: Command, server: WebServer, tmp_path: Path) -> None:
    rows = [{"id": f"doi:10.1000/{name}", "title": f"Zebras of {name}"} for name in ("asia", "europe")]
    (tmp_path / "held.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    litterm("add", str(tmp_path / "held.jsonl"))
    server.on("/s2/paper/batch", lambda asked: as_json([{"citationCount": 60}] * len(asked.json["ids"])))  # type: ignore[index,call-overload]
    server.on("/openalex/works", page("", 403))
    brought = litterm("sync", "counts", "asia", "--json")
    assert brought.status == 1
    (scholar, openalex) = brought.json["counts"]["services"]  # type: ignore[index,call-overload]
    assert (scholar["source"], scholar["asked"], scholar["known"]) == ("s2", 1, 1)
    assert openalex["trouble"]
    found = litterm("search", "zebras", "--sort", "citations", "--json").json["results"]
    assert [each["citations"]["services"] for each in found][1:] == [[]]  # type: ignore[attr-defined]
    assert found[0]["citations"]["services"][0]["count"] == 60  # type: ignore[index]
    assert "cited 60 (S2)" in litterm("search", "zebras", "--cited", ">50").out
    assert "Semantic Scholar: 60 citations" in litterm("show", "doi:10.1000/asia").out
    assert litterm("sync", "counts", "--years", "2020").status == 2
