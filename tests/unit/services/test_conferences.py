"""The ACL Anthology and OpenReview, as their contracts say."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_web_server import Asked, Page, WebServer, as_json, page, ranged, sample

from litterm.core import errors
from litterm.core.tasks import run
from litterm.model.events import Event, Notice
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import CatalogueBatch, Scope
from litterm.services.acl import AclAnthology
from litterm.services.http.client import HttpClient
from litterm.services.openreview import OpenReview, OpenReviewLogin, decision_of

PACKED = gzip.compress(b"packed")

# -- ACL Anthology -----------------------------------------------------------------------------------------------------


@pytest.fixture
def acl(client: HttpClient, server: WebServer) -> AclAnthology:
    url = server.url
    return AclAnthology(client, archive=f"{url}/all.tar.gz", tree=f"{url}/tree", raw=f"{url}/raw", site=url)


def tree(**files: str) -> Page:
    rows = [{"path": f"{name.replace('_', '.')}.xml", "sha": sha * 40, "size": 100} for name, sha in files.items()]
    return as_json({"tree": [*rows, {"path": "schema.rnc", "sha": "0"}]})


def test_the_first_time_the_archive_later_only_what_changed(
    acl: AclAnthology, server: WebServer, tmp_path: Path, clock: object
) -> None:
    server.on("/all.tar.gz", ranged(PACKED))
    server.on("/tree", tree(P18="a", **{"2020_acl": "b"}), tree(P18="a", **{"2020_acl": "c", "2025_acl": "d"}))
    first = run(acl.next_batch(Scope(), "", tmp_path))
    assert first.done and first.files[0].read_bytes() == PACKED
    clock.now += 10_000  # type: ignore[attr-defined]
    server.on("/json/venues.json", as_json({"acl": {"acronym": "ACL"}}))
    server.on("/raw/2020.acl.xml", page("<collection id='2020.acl'/>"))
    server.on("/raw/2025.acl.xml", page("<collection id='2025.acl'/>"))
    assert run(acl.expected_size(Scope(), first.cursor)).bytes == 200
    later = run(acl.next_batch(Scope(), first.cursor, tmp_path))
    assert [path.name for path in later.files] == ["2025.acl.xml", "2020.acl.xml"]
    assert (later.files[0].parent.parent / "json" / "venues.json").read_text() == '{"acl": {"acronym": "ACL"}}'
    assert later.done
    assert run(acl.next_batch(Scope(), later.cursor, tmp_path)) == CatalogueBatch(cursor=later.cursor, done=True)


def test_years_and_venues_narrow_it_to_single_files(acl: AclAnthology, server: WebServer, tmp_path: Path) -> None:
    listed = dict.fromkeys(("P18", "P79", "E17", "2020_acl", "2020_lrec", "2020_findings", "2012_acl"), "a")
    server.on("/tree", tree(**listed))
    server.on("*", page("<collection/>"))
    got = run(acl.next_batch(Scope(years=YearRange(2015, None), venues=("ACL",)), "", tmp_path))
    assert sorted(path.name for path in got.files) == ["2020.acl.xml", "2020.findings.xml", "P18.xml"]


def test_an_archive_that_had_come_before_a_kill_does_not_come_again(
    acl: AclAnthology, server: WebServer, tmp_path: Path
) -> None:
    server.on("/tree", as_json({"tree": [{"path": "2020.acl.xml", "sha": "a" * 40, "size": 10}]}))
    server.on("/all.tar.gz", page(PACKED))
    first = run(acl.next_batch(Scope(), "", tmp_path))
    server.on("/tree", as_json({"tree": [{"path": "2020.acl.xml", "sha": "b" * 40, "size": 10}]}))
    again = run(acl.next_batch(Scope(), "", tmp_path))
    assert again == first and len(server.asked_for("/all.tar.gz")) == 1


def test_without_the_listing_the_archive_still_comes(acl: AclAnthology, server: WebServer, tmp_path: Path) -> None:
    server.on("/tree", page('{"message": "API rate limit exceeded"}', 403))
    server.on("/all.tar.gz", ranged(PACKED))
    first = run(acl.next_batch(Scope(), "", tmp_path))
    assert first.done and first.files


def test_without_the_archive_the_site_s_own_entries_come(acl: AclAnthology, server: WebServer, tmp_path: Path) -> None:
    server.on("/all.tar.gz", page("404: Not Found", 404))
    server.on("/anthology+abstracts.bib.gz", ranged(PACKED))
    told: list[Event] = []
    got = run(acl.next_batch(Scope(), "", tmp_path), told.append)
    assert got.files[0].read_bytes() == PACKED and (got.done, got.cursor) == (True, "")
    assert any(isinstance(event, Notice) and "own site" in event.text for event in told)


def test_without_anything_the_archive_s_trouble_is_told(acl: AclAnthology, server: WebServer, tmp_path: Path) -> None:
    server.on("/all.tar.gz", page("", 429, retry_after="9999"))
    with pytest.raises(errors.RateLimited):
        run(acl.next_batch(Scope(), "", tmp_path))


def test_more_than_twenty_files_are_several_steps(acl: AclAnthology, server: WebServer, tmp_path: Path) -> None:
    server.on("/tree", tree(**{f"{year}_acl": "a" for year in range(2000, 2030)}))
    server.on("*", page("<collection/>"))
    scope = Scope(years=YearRange(2000, None))
    first = run(acl.next_batch(scope, "", tmp_path))
    second = run(acl.next_batch(scope, first.cursor, tmp_path))
    assert (len(first.files), first.done, len(second.files), second.done) == (20, False, 10, True)


def test_a_listed_file_that_is_not_there_stops_nothing(acl: AclAnthology, server: WebServer, tmp_path: Path) -> None:
    server.on("/tree", tree(**{"2020_acl": "a", "2021_acl": "a"}))
    server.on("/raw/2020.acl.xml", page("<collection id='2020.acl'/>"))
    server.on("/raw/2021.acl.xml", page("404: Not Found", 404))
    scope = Scope(years=YearRange(2020, None))
    got = run(acl.next_batch(scope, "", tmp_path))
    assert [path.name for path in got.files] == ["2020.acl.xml"] and got.done
    assert [item.origin for item in got.items if isinstance(item, Failure)] == ["acl:2021.acl.xml"]
    assert run(acl.next_batch(scope, got.cursor, tmp_path)) == CatalogueBatch(cursor=got.cursor, done=True)


def test_its_pdf_with_the_licence_of_its_year(acl: AclAnthology, server: WebServer, tmp_path: Path) -> None:
    server.on("/P10-1001.pdf", ranged(b"%PDF-1.4"))
    got = run(acl.fetch(Paper(PaperId("acl:P10-1001"), "T", year=2010), tmp_path))
    assert (got.licence, got.path.suffix) == ("CC BY-NC-SA 3.0", ".pdf")
    with pytest.raises(errors.NotFound):
        run(acl.fetch(Paper(PaperId("acl:P10-9999"), "T", year=2010), tmp_path))


def test_a_pdf_under_another_name_or_elsewhere(acl: AclAnthology, server: WebServer, tmp_path: Path) -> None:
    site = "https://aclanthology.org"
    server.on("/2023.acl-long.report.pdf", ranged(b"%PDF-1.4 own"))
    server.on("/8.pdf", ranged(b"%PDF-1.4 foreign"))
    own = Paper(PaperId("acl:2023.acl-long.911"), "T", year=2023, urls=(f"{site}/2023.acl-long.report.pdf",))
    foreign = Paper(PaperId("acl:L08-1001"), "T", year=2008, urls=(f"{site}/L08-1001", f"{server.url}/8.pdf"))
    gone = Paper(PaperId("acl:2023.acl-long.5"), "T", retraction="removed: wrong", urls=(f"{site}/2023.acl-long.5",))
    assert run(acl.fetch(own, tmp_path)).path.read_bytes() == b"%PDF-1.4 own"
    got = run(acl.fetch(foreign, tmp_path))
    assert (got.path.read_bytes(), got.licence) == (b"%PDF-1.4 foreign", "")
    with pytest.raises(errors.NotFound, match="removed"):
        run(acl.fetch(gone, tmp_path))


ENTRY = """@inproceedings{lovelace-2018-zebras,
    title = "Zebras in {T}ext",
    author = "Lovelace, Ada and Bell, Bob",
    booktitle = "Proceedings of the Demo Conference",
    month = jul,
    year = "2018",
    url = "https://aclanthology.org/P18-1001/",
    doi = "10.9999/v1/P18-1001",
    pages = "1--9",
    abstract = "We found some."
}
"""


def test_a_single_paper_by_its_entry(acl: AclAnthology, server: WebServer) -> None:
    server.on("/P18-1001.bib", page(ENTRY))
    found, missing = run(acl.lookup([PaperId("acl:P18-1001"), PaperId("acl:P18-9999")]))
    assert isinstance(found, Parsed)
    paper = found.paper
    assert (paper.id, paper.title, paper.abstract, paper.year) == (
        "acl:P18-1001",
        "Zebras in Text",
        "We found some.",
        2018,
    )
    assert paper.aliases == ("doi:10.9999/v1/p18-1001",)
    assert missing == Failure("acl:P18-9999", "The ACL Anthology does not have it.")
    assert paper.provenance.format == "anthology", "its word counts as much as that of its archive"


def test_a_page_in_place_of_an_entry_is_trouble(acl: AclAnthology, server: WebServer) -> None:
    server.on("/P18-1001.bib", page("<html>Sign in, or write to help@example.org {now}</html>"))
    with pytest.raises(errors.Malformed):
        run(acl.lookup([PaperId("acl:P18-1001")]))


# -- OpenReview --------------------------------------------------------------------------------------------------------


@pytest.fixture
def login() -> OpenReviewLogin:
    return OpenReviewLogin("me@uni.example", "pw-1234")


@pytest.fixture
def openreview(client: HttpClient, server: WebServer, login: OpenReviewLogin) -> OpenReview:
    url = server.url
    return OpenReview(client, lambda: login, newest=lambda: 2025, bases=(f"{url}/v1", f"{url}/v2", url, f"{url}/lists"))


def walked(source: OpenReview, scope: Scope, folder: Path, told: list[Event] | None = None) -> Iterator[Paper]:
    cursor, done = "", False
    while not done:
        batch = run(source.next_batch(scope, cursor, folder), (told if told is not None else []).append)
        cursor, done = batch.cursor, batch.done
        yield from (item.paper for item in batch.items if isinstance(item, Parsed))


def v2_note(number: int, venue: str) -> dict[str, object]:
    content = {"title": {"value": f"Paper {number}"}, "venue": {"value": venue}, "keywords": {"value": ["a"]}}
    content |= {"authors": {"value": ["Ada Lovelace"]}, "abstract": {"readers": ["x"]}, "pdf": {"value": "/pdf/h.pdf"}}
    return {"id": f"f{number}", "forum": f"f{number}", "content": content, "license": "CC BY 4.0"}


def test_a_year_of_the_new_interface(openreview: OpenReview, server: WebServer, tmp_path: Path) -> None:
    def notes(asked: Asked) -> Page:
        venue = asked.one("content.venueid")
        if venue.endswith("/Conference"):
            return as_json({"notes": [v2_note(1, "ICLR 2025 Poster"), {"id": "r", "forum": "f1", "content": {}}]})
        return as_json({"notes": [v2_note(2, "Submitted to ICLR 2025")] if "/Rejected" in venue else []})

    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v2/notes", notes)
    one, two = walked(openreview, Scope(years=YearRange(2025, 2025)), tmp_path)
    assert (one.id, one.title, one.decision, one.status, one.year) == ("iclr:f1", "Paper 1", "accept", "Poster", 2025)
    assert (two.decision, two.status, two.abstract) == ("reject", "Reject", "")
    assert "https://openreview.net/pdf/h.pdf" in one.urls
    assert all(each.headers["authorization"] == "Bearer tok" for each in server.asked_for("/v2/notes"))
    assert len(server.asked_for("/v2/login")) == 1
    assert server.asked_for("/v2/login")[0].json == {"id": "me@uni.example", "password": "pw-1234"}


def test_decisions_of_the_old_interface_are_found_among_the_replies(
    openreview: OpenReview, server: WebServer, tmp_path: Path
) -> None:
    reply = {"content": {"decision": "Accept (Poster)"}}
    note = {"id": "B1", "forum": "B1", "content": {"title": "Old", "authors": ["A. B."]}, "details": {}}
    note["details"] = {"directReplies": [{"content": {"review": "x"}}, reply]}
    first = as_json({"notes": [note]})
    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v1/notes", lambda asked: first if "Blind" in asked.one("invitation") else as_json({"notes": []}))
    (paper,) = walked(openreview, Scope(years=YearRange(2020, 2020)), tmp_path)
    assert (paper.decision, paper.status) == ("accept", "Accept (Poster)")
    invitations = [each.one("invitation").rpartition("/")[2] for each in server.asked_for("/v1/notes")]
    assert invitations == ["Blind_Submission", "Withdrawn_Submission", "Desk_Rejected_Submission"]


def test_a_note_that_only_points_to_arxiv(openreview: OpenReview, server: WebServer, tmp_path: Path) -> None:
    content = {"title": "Early", "authors": ["A. B."], "pdf": "http://arxiv.org/abs/1301.3781", "decision": "reject"}
    content |= {"TL;DR": "In short.", "keywords": "one, two"}
    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v1/notes", as_json({"notes": [{"id": "idpCdOWtqXd60", "forum": "idpCdOWtqXd60", "content": content}]}))
    (paper,) = walked(openreview, Scope(years=YearRange(2013, 2013)), tmp_path)
    assert (paper.id, paper.aliases) == ("iclr:idpCdOWtqXd60", ("arxiv:1301.3781",))
    assert (paper.decision, paper.abstract, paper.keywords) == ("reject", "In short.", ("one", "two"))


@pytest.mark.parametrize(("authors", "names"), [(["Anonymous"], []), (None, []), ("Ada Lovelace", ["Lovelace"])])
def test_authors_while_under_review(
    openreview: OpenReview, server: WebServer, tmp_path: Path, authors: object, names: list[str]
) -> None:
    note = {"id": "f1", "forum": "f1", "content": {"title": "T", "authors": authors, "venue": "Submitted to ICLR 2017"}}
    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v1/notes", lambda asked: as_json({"notes": [note] if "conference" in asked.one("invitation") else []}))
    (paper,) = walked(openreview, Scope(years=YearRange(2017, 2017)), tmp_path)
    assert ([each.family for each in paper.authors], paper.decision) == (names, "reject")


def test_a_wait_of_an_hour_is_told_and_not_slept(
    openreview: OpenReview, server: WebServer, tmp_path: Path, clock: object
) -> None:
    refusal = {
        "name": "RateLimitError",
        "message": "Too many requests: You have made 37 requests, surpassing the limit of 36 requests.",
        "status": 429,
        "details": {"limit": 36, "remaining": 0, "resetTime": "2027-01-15T09:00:00.000Z", "used": 37},
    }
    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v2/notes", as_json(refusal, 429, retry_after="1", ratelimit_reset="1"))
    with pytest.raises(errors.RateLimited, match="asks to be left alone for 3,600 s"):
        run(openreview.next_batch(Scope(years=YearRange(2025, 2025)), "", tmp_path))
    assert clock.slept == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "status", "kind"),
    [("NotFoundError", 404, errors.NotFound), ("ValidationError", 400, errors.RequestFaulty)],
)
def test_errors_of_openreview_in_their_own_words(
    openreview: OpenReview, server: WebServer, tmp_path: Path, name: str, status: int, kind: type[errors.SourceError]
) -> None:
    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v2/notes", as_json({"name": name, "message": "limit must be <= 1000", "status": status}, status))
    with pytest.raises(kind, match="limit must be"):
        run(openreview.next_batch(Scope(years=YearRange(2025, 2025)), "", tmp_path))


def test_a_pdf_with_a_browser_check_before_it(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    url = server.url
    openreview = OpenReview(client, OpenReviewLogin, newest=lambda: 2025, bases=(url, url, url, url))
    paper = Paper(PaperId("iclr:f1"), "T")
    server.on("/pdf", page("<html>Verifying your browser</html>"))
    with pytest.raises(errors.Challenged):
        run(openreview.fetch(paper, tmp_path))
    server.on("/pdf", ranged(b"%PDF-1.5 text"))
    assert run(openreview.fetch(paper, tmp_path)).path.read_bytes() == b"%PDF-1.5 text"
    assert server.asked[-1].one("id") == "f1"


def test_a_single_paper_of_either_interface(openreview: OpenReview, server: WebServer) -> None:
    def new(asked: Asked) -> Page:
        if asked.one("id") == "f7":
            note = v2_note(7, "Submitted to ICLR 2025") | {"domain": "ICLR.cc/2025/Conference"}
            note["content"]["venueid"] = {"value": "ICLR.cc/2025/Conference/Withdrawn_Submission"}  # type: ignore[index]
            return as_json({"notes": [note]})
        return as_json({"name": "NotFoundError", "status": 404, "message": "no such note"}, 404)

    def old(asked: Asked) -> Page:
        content = {"title": "Elsewhere", "authors": ["Ada Lovelace"], "venue": "NeurIPS 2022 Accept"}
        note = {"id": "old1", "forum": "old1", "invitation": "NeurIPS.cc/2022/Conference/-/Blind", "content": content}
        return as_json({"notes": [note] if asked.one("id") == "old1" else []})

    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v2/notes", new)
    server.on("/v1/notes", old)
    first, second, none = run(openreview.lookup([PaperId(f"iclr:{key}") for key in ("f7", "old1", "zzz")]))
    assert isinstance(first, Parsed) and isinstance(second, Parsed)
    assert (first.paper.venue, first.paper.year, first.paper.decision) == ("ICLR", 2025, "withdrawn")
    assert (second.paper.venue, second.paper.year, second.paper.id) == ("NeurIPS", 2022, "iclr:old1")
    assert none == Failure("iclr:zzz", "OpenReview does not have it.")


def test_a_single_paper_wants_a_login(client: HttpClient) -> None:
    with pytest.raises(errors.AuthRequired, match="OPENREVIEW_USERNAME"):
        run(OpenReview(client, OpenReviewLogin, newest=lambda: 2025).lookup([PaperId("iclr:abc")]))


def test_recorded_notes_are_read(openreview: OpenReview, server: WebServer, shared: Path, tmp_path: Path) -> None:
    recorded = sample(shared / "data" / "api-samples" / "openreview" / "v1_notes.json")
    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v1/notes", recorded)
    batch = run(openreview.next_batch(Scope(years=YearRange(2018, 2018)), "", tmp_path))
    papers = [item.paper for item in batch.items if isinstance(item, Parsed)]
    assert papers[0].title == "Targeted Dropout" and papers[0].authors[-1].family == "Hinton"


def test_pages_go_on_behind_the_last_note(openreview: OpenReview, server: WebServer, tmp_path: Path) -> None:
    def notes(asked: Asked) -> Page:
        start = int(asked.one("after")[1:]) + 1 if "after" in asked.query else 0
        rows = [v2_note(n, "ICLR 2025 Oral") for n in range(start, min(start + 1000, 1500))]
        return as_json({"notes": rows if asked.one("content.venueid").endswith("/Conference") else []})

    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v2/notes", notes)
    assert len(list(walked(openreview, Scope(years=YearRange(2025, 2025)), tmp_path))) == 1500


CHALLENGE = as_json({"name": "ChallengeRequiredError", "message": "verify", "status": 403}, 403)
COPY = [
    {
        "id": "a1",
        "title": "T1",
        "status": "Oral",
        "author": "Ada Lovelace;Bob Bell",
        "keywords": "x;y",
        "abstract": "A.",
    },
    {"id": "a2", "title": "T2", "status": "Withdraw", "author": "", "keywords": ""},
]


@pytest.mark.parametrize("refusal", [CHALLENGE, page("<html>Verifying your browser</html>")])
def test_where_only_browsers_are_let_in_the_public_copy_is_read(
    openreview: OpenReview, server: WebServer, tmp_path: Path, refusal: Page
) -> None:
    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v2/notes", refusal)
    server.on("/lists/iclr2025.json", as_json(COPY))
    told: list[Event] = []
    one, two = walked(openreview, Scope(years=YearRange(2025, 2025)), tmp_path, told)
    assert (one.decision, [each.family for each in one.authors], one.keywords) == (
        "accept",
        ["Lovelace", "Bell"],
        ("x", "y"),
    )
    assert two.decision == "withdrawn"
    assert any(isinstance(event, Notice) and "public copy" in event.text for event in told)
    assert len(server.asked_for("/v2/notes")) == 1


def test_without_a_login_nobody_is_asked_for_one(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    bases = (f"{server.url}/v1", f"{server.url}/v2", server.url, f"{server.url}/lists")
    source = OpenReview(client, OpenReviewLogin, newest=lambda: 2025, bases=bases)
    server.on("/lists/iclr2025.json", as_json(COPY))
    assert len(list(walked(source, Scope(years=YearRange(2024, 2025)), tmp_path))) == 2
    assert {each.path for each in server.asked} == {"/lists/iclr2025.json", "/lists/iclr2024.json"}


def test_lists_that_are_all_missing_are_no_empty_field(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    bases = (f"{server.url}/v1", f"{server.url}/v2", server.url, f"{server.url}/lists")
    source = OpenReview(client, OpenReviewLogin, newest=lambda: 2025, bases=bases)
    with pytest.raises(errors.NotFound, match="no public list of ICLR 2024"):
        list(walked(source, Scope(years=YearRange(2024, 2025)), tmp_path))


def test_an_expired_token_is_replaced_once(openreview: OpenReview, server: WebServer, tmp_path: Path) -> None:
    expired = as_json({"name": "TokenExpiredError", "status": 401}, 401)
    server.on("/v2/login", as_json({"token": "one"}), as_json({"token": "two"}))
    server.on("/v2/notes", expired, as_json({"notes": [v2_note(1, "ICLR 2025 Poster")]}))
    batch = run(openreview.next_batch(Scope(years=YearRange(2025, 2025)), "", tmp_path))
    assert len(batch.items) == 1
    assert [each.headers["authorization"] for each in server.asked_for("/v2/notes")] == ["Bearer one", "Bearer two"]


@pytest.mark.parametrize(
    "answer",
    [
        as_json({"mfaPending": True, "mfaPendingToken": "t", "mfaMethods": ["totp"]}),
        as_json({"name": "Error", "message": "Invalid username or password", "status": 400}, 400),
    ],
)
def test_a_login_that_fails_leads_to_the_public_copy(
    openreview: OpenReview, server: WebServer, tmp_path: Path, answer: Page
) -> None:
    server.on("/v2/login", answer)
    server.on("/lists/iclr2025.json", as_json(COPY))
    told: list[Event] = []
    assert len(list(walked(openreview, Scope(years=YearRange(2025, 2025)), tmp_path, told))) == 2
    assert any("OpenReview" in event.text for event in told if isinstance(event, Notice))
    assert not any("pw-1234" in str(event) for event in told)


@pytest.mark.parametrize(
    ("status", "decision"),
    [
        ("Accept (Oral)", "accept"),
        ("notable top 5%", "accept"),
        ("conferencePoster-iclr2013-conference", "accept"),
        ("Invite to Workshop Track", "workshop"),
        ("Submitted to ICLR 2023", "reject"),
        ("Reject", "reject"),
        ("Desk Rejected Submission", "desk-reject"),
        ("Conference Withdrawn Submission", "withdrawn"),
        ("Active", "unknown"),
        ("", "unknown"),
    ],
)
def test_words_of_a_decision(status: str, decision: str) -> None:
    assert decision_of(status) == decision


@pytest.mark.online
def test_the_real_listing_of_the_anthology(tmp_path: Path) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        scope = Scope(years=YearRange(2024, 2024), venues=("tacl",))
        assert run(AclAnthology(client).next_batch(scope, "", tmp_path)).files


@pytest.mark.online
def test_the_real_public_copy(tmp_path: Path) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        source = OpenReview(client, OpenReviewLogin, newest=lambda: 2025)
        batch = run(source.next_batch(Scope(years=YearRange(2014, 2014)), "", tmp_path))
    assert len(batch.items) > 50


def test_a_pdf_behind_a_check_for_browsers_comes_with_the_login(
    openreview: OpenReview, server: WebServer, tmp_path: Path
) -> None:
    server.on("/pdf", page("<html>Verifying your browser</html>", 403, content_type="text/html"))
    server.on("/v2/login", as_json({"token": "old"}), as_json({"token": "new"}))
    server.on("/v2/pdf", as_json({"name": "TokenExpiredError"}, 401), page("", 404))
    server.on("/v1/pdf", page(b"%PDF-1.5"))
    got = run(openreview.fetch(Paper(PaperId("iclr:abc"), "T"), tmp_path))
    assert got.path.read_bytes() == b"%PDF-1.5"
    told = [each.headers.get("authorization") for each in server.asked if each.path.endswith("/pdf")]
    assert told == [None, "Bearer old", "Bearer new", "Bearer new"]


def test_a_list_of_the_copy_that_has_not_changed_does_not_come_again(
    client: HttpClient, server: WebServer, tmp_path: Path
) -> None:
    row = {"id": "n1", "title": "One", "status": "Poster"}

    def listed(asked: Asked) -> Page:
        same = asked.headers.get("if-none-match") == '"one"'
        return page(status=304) if same else as_json([row], etag='"one"')

    server.on("/iclr2024.json", listed)
    server.on("/iclr2023.json", page("", 404))
    url, scope = server.url, Scope(years=YearRange(2023, 2024))
    source = OpenReview(client, OpenReviewLogin, newest=lambda: 2025, bases=(url, url, url, url))
    first = run(source.next_batch(scope, "", tmp_path))
    last = run(source.next_batch(scope, first.cursor, tmp_path))
    assert (len(first.items), last.items, last.done) == (1, (), True)
    again = run(source.next_batch(scope, last.cursor, tmp_path))
    assert (again.items, again.done, server.asked[-1].headers["if-none-match"]) == ((), False, '"one"')
    assert run(source.next_batch(scope, again.cursor, tmp_path)).done, "that nothing has changed is no trouble"


def test_a_year_that_cannot_be_empty_comes_from_the_copy(
    openreview: OpenReview, server: WebServer, tmp_path: Path
) -> None:
    def notes(asked: Asked) -> Page:
        held = asked.one("invitation") == "ICLR.cc/2022/Conference/-/Blind_Submission"
        return as_json({"notes": [{"id": "old1", "forum": "old1", "content": {"title": "Held"}}] if held else []})

    server.on("/v2/login", as_json({"token": "tok"}))
    server.on("/v1/notes", notes)
    server.on("/lists/iclr2023.json", as_json([{"id": "new1", "title": "Copied", "status": "Poster"}]))
    told: list[Event] = []
    papers = walked(openreview, Scope(years=YearRange(2022, 2023)), tmp_path, told)
    assert [paper.title for paper in papers] == ["Copied", "Held"], "what is held is taken from where it is"
    assert any(isinstance(event, Notice) and "lists nothing for ICLR 2023" in event.text for event in told)
