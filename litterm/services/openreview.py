"""ICLR's submissions from OpenReview: the lists of each year, read page by page.

Since 2026 both interfaces refuse callers who have not logged in. With credentials they are used; without, or where
they refuse all the same, a public copy of the lists is read instead, and a notice says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from litterm.core.errors import AuthRequired, Challenged, Malformed, NotFound, RequestFaulty, ServiceDown, SourceError
from litterm.core.tasks import Task
from litterm.importers.ids import recognize_id
from litterm.model.events import Notice, Progress
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import CatalogueBatch, ExpectedSize, OpenText, Scope
from litterm.services.http.client import HttpClient
from litterm.services.http.download import open_pdf
from litterm.services.http.messages import (
    DUMP_TIMEOUT_S,
    HOUR_S,
    MEGABYTE,
    Request,
    ServiceResponse,
    hashed_file,
    quote_segment,
)
from litterm.services.json_access import (
    Record,
    decode_json,
    integer,
    parse_service_row,
    position,
    record,
    records,
    require_fields,
    text,
    texts,
)
from litterm.text.references.identity import key_in, scheme_of

NAME = "iclr"
V1 = "https://api.openreview.net"
V2 = "https://api2.openreview.net"
LISTS = "https://raw.githubusercontent.com/papercopilot/paperlists/main/iclr"
_V1_PAGE_SIZE, _V2_PAGE_SIZE = 200, 1000
"""The old interface sends every review along: its pages are kept small."""
_MAX_LIST_BYTES = 256 * MEGABYTE
_NOT_MODIFIED = 304
_HOST = "openreview.net"
_LOGIN_VARIABLES = "OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD"
Secret = tuple[tuple[str, str], ...]
T = TypeVar("T")
SITE = "https://openreview.net"
_ICLR_PREFIX = "ICLR.cc/"
_YEAR = re.compile(r"(?:19|20)\d\d")
V2_STATUS = {
    "Conference": "",
    "Conference/Rejected_Submission": "Reject",
    "Conference/Withdrawn_Submission": "Withdraw",
    "Conference/Desk_Rejected_Submission": "Desk Reject",
    "Conference/Submission": "Active",
}
"""The decision on a submission, by the end of its venue's id in the new interface; empty: its venue states it."""


@dataclass(frozen=True, slots=True)
class OpenReviewLogin:
    """Name and password at OpenReview; both empty: none."""

    name: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"OpenReviewLogin({'given' if self.is_there else 'none'})"

    @property
    def is_there(self) -> bool:
        """Whether credentials are set."""
        return bool(self.name and self.password)


@dataclass(frozen=True, slots=True)
class _Cursor:
    """How far a synchronisation has come in the lists."""

    step: int = 0
    after: str = ""
    seen: int = 0
    copy: bool = False
    """Whether the rest comes from the public copy."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """By year, what the list of the public copy was marked with when it last came."""

    @staticmethod
    def parse(cursor: str) -> _Cursor:
        """The place that `cursor` holds."""
        fields = position(cursor)
        marks = {year: text(mark) for year, mark in record(fields.get("marks")).items()}
        step, seen = integer(fields.get("step")) or 0, integer(fields.get("seen")) or 0
        return _Cursor(step, text(fields.get("after")), seen, fields.get("copy") is True, marks)

    def batch_of(self, items: tuple[Parsed | Failure, ...], *, of: int) -> CatalogueBatch:
        """The batch of `items` that leads here, `of` so many steps in all."""
        seen, complete = self.seen + len(items), self.step >= of
        # Decisions change after the fact: the next synchronisation begins again.
        place = _Cursor(marks=self.marks) if complete else replace(self, seen=seen)
        return CatalogueBatch(items, cursor=json.dumps(asdict(place)), done=complete, seen=seen)


class OpenReview:
    """Fits `Catalogue`, `IdLookup` and `TextRoute`."""

    name = NAME
    schemes = ("iclr",)

    def __init__(
        self,
        client: HttpClient,
        login: Callable[[], OpenReviewLogin],
        *,
        newest: Callable[[], int],
        bases: tuple[str, str, str, str] = (V1, V2, SITE, LISTS),
    ) -> None:
        """`newest` gives the last year to ask for."""
        self._client = client
        self._login = login
        self._newest = newest
        self._v1, self._v2, self._site, self._lists = bases
        self._token = ""

    def expected_size(self, scope: Scope, cursor: str) -> Task[ExpectedSize]:
        """Unknown in advance: counting costs as much as fetching."""
        yield Progress("ICLR")
        return ExpectedSize()

    def next_batch(self, scope: Scope, cursor: str, folder: Path) -> Task[CatalogueBatch]:
        """One page of one list of one year; or one whole year from the public copy."""
        place, steps = _Cursor.parse(cursor), steps_of(scope.years, self._newest())
        if place.step >= len(steps):
            return CatalogueBatch(done=True, seen=place.seen)
        step = steps[place.step]
        # Asking without a login would only cost a refusal for every list.
        if place.copy or not self._login().is_there:
            return (yield from self._copied_batch(steps, replace(place, copy=True)))
        try:
            items, following = yield from self._page(step, place.after)
        except (Challenged, AuthRequired) as error:
            yield Notice(f"{error} The public copy of its lists is read instead.")
            return (yield from self._copied_batch(steps, replace(place, copy=True)))
        # The wrong host and a list not open to this account both answer with nothing.
        if not items and not place.after and step.is_there(self._newest()):
            yield Notice(f"OpenReview lists nothing for ICLR {step.year}. The public copy is read instead.")
            return (yield from self._copied_batch(steps, place))
        next_place = replace(place, step=place.step if following else place.step + 1, after=following)
        return next_place.batch_of(items, of=len(steps))

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order; a note is in one of the two interfaces.

        Raises:
            AuthRequired: nobody is let in without a login, and there is none.
        """
        if not self._login().is_there:
            raise AuthRequired(f"OpenReview gives single papers only after a login: set {_LOGIN_VARIABLES}.")
        results: list[Parsed | Failure] = []
        for paper_id in ids:
            note = yield from self._note(paper_id.partition(":")[2])
            item = (
                parse_service_row(row_of_any(note), NAME, f"{SITE}/forum?id={text(note.get('id'))}") if note else None
            )
            results.append(item or Failure(paper_id, "OpenReview does not have it."))
        return tuple(results)

    def _note(self, forum: str) -> Task[Record]:
        # A note is on one of the two, and nothing in its id says on which.
        for base, more in ((self._v2, ()), (self._v1, (("details", "directReplies"),))):
            try:
                answer = yield from self._notes(base, [("id", forum), *more])
            except NotFound:
                continue
            if notes := records(answer.get("notes")):
                return notes[0]
        return {}

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` was submitted at OpenReview."""
        key = key_in(paper, "iclr")
        return bool(key) and "arxiv" not in key.lower()

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """Its PDF; with the login where only browsers are let in.

        Raises:
            NotFound: it has none any more.
            Challenged: only browsers are let in; a login helps.
        """
        key = key_in(paper, "iclr")
        if not key:
            raise NotFound(f"{paper.id} is not at OpenReview.")
        path = hashed_file(folder, key, ".pdf")
        try:
            return (
                yield from open_pdf(
                    self._client, f"{self._site}/pdf?id={quote_segment(key)}", path, version="submitted"
                )
            )
        except (Challenged, AuthRequired):
            if not self._login().is_there:
                raise
        try:
            return (yield from self._signed_pdf(f"{self._v2}/pdf?id={quote_segment(key)}", path))
        except NotFound:
            return (yield from self._signed_pdf(f"{self._v1}/pdf?id={quote_segment(key)}", path))

    def _signed_pdf(self, url: str, path: Path) -> Task[OpenText]:
        def ask(secret: Secret) -> Task[OpenText]:
            return (yield from open_pdf(self._client, url, path, version="submitted", secret_headers=secret))

        return (yield from self._send_signed(ask))

    def _copied_batch(self, steps: Sequence[SubmissionList], reached: _Cursor) -> Task[CatalogueBatch]:
        """The rest of the year from the public copy, unless its list is marked as when it last came."""
        year = steps[reached.step].year
        following = next((place for place in range(reached.step, len(steps)) if steps[place].year != year), len(steps))
        items: tuple[Parsed | Failure, ...] = ()
        marks = dict(reached.marks)
        request_headers = (("if-none-match", marks[str(year)]),) if marks.get(str(year)) else ()
        url = f"{self._lists}/iclr{year}.json"
        request = Request(url, headers=request_headers, read_s=DUMP_TIMEOUT_S, most_bytes=_MAX_LIST_BYTES, keep=False)
        try:
            answer = yield from self._client.get(request, _require_rows)
            items = tuple(parse_copied_row(row, year, url) for row in _require_rows(answer))
            marks[str(year)] = answer.headers.get("etag", "")
        except NotFound:
            missing = f"There is no public list of ICLR {year}; set {_LOGIN_VARIABLES}."
            if following >= len(steps) and not reached.seen and not marks:
                # A service that knows none of the years is in trouble; the field is not empty.
                raise NotFound(missing) from None
            yield Notice(missing)
        except RequestFaulty as error:
            if error.status != _NOT_MODIFIED:
                raise
        return replace(reached, step=following, after="", marks=marks).batch_of(items, of=len(steps))

    def _page(self, step: SubmissionList, after: str) -> Task[tuple[tuple[Parsed | Failure, ...], str]]:
        """The notes after `after`, and the note after which the next page begins; empty at the end."""
        size = _V2_PAGE_SIZE if step.v2 else _V1_PAGE_SIZE
        params = [*step.query, ("limit", str(size)), ("sort", "id"), *([("after", after)] if after else [])]
        answer = yield from self._notes(self._v2 if step.v2 else self._v1, params)
        # Reviews and comments are listed among the submissions.
        notes = [note for note in records(answer.get("notes")) if note.get("id") == note.get("forum")]
        rows = records(answer.get("notes"))
        items = tuple(
            parse_service_row(row_of(note, step.year, step.status), NAME, f"{SITE}/forum?id={text(note.get('id'))}")
            for note in notes
        )
        last = text(rows[-1].get("id")) if len(rows) >= size else ""
        if last and last == after:
            raise ServiceDown("OpenReview's list leads in a circle.")
        return items, last

    def _notes(self, base: str, params: Sequence[tuple[str, str]]) -> Task[Record]:
        def ask(secret: Secret) -> Task[ServiceResponse]:
            request = Request(
                f"{base}/notes", tuple(params), secret_headers=secret, most_bytes=_MAX_LIST_BYTES, fresh_s=HOUR_S
            )
            return (yield from self._client.get(request, _check))

        return record(decode_json((yield from self._send_signed(ask)), _HOST))

    def _send_signed(self, ask: Callable[[Secret], Task[T]]) -> Task[T]:
        """What `ask` is given with the token of the login, a new one if need be: it lives for an hour."""
        for attempt in range(2):
            if not self._token:
                self._token = yield from self._log_in()
            try:
                return (yield from ask((("authorization", f"Bearer {self._token}"),)))
            except AuthRequired:
                # The first time it may only be too old.
                self._token = ""
                if attempt:
                    raise
        raise AuthRequired("OpenReview does not accept the login.")

    def _log_in(self) -> Task[str]:
        login = self._login()
        body = {"id": login.name, "password": login.password}
        request = Request(f"{self._v2}/login", method="POST", json=body, keep=False)
        try:
            answer = yield from self._client.get(request)
        except Challenged:
            raise
        except SourceError as error:
            if error.transient:
                raise
            raise AuthRequired(
                "OpenReview refuses the name or the password; check OPENREVIEW_USERNAME and the password."
            ) from error
        fields = record(decode_json(answer, _HOST))
        token = text(fields.get("token"))
        if not token:
            reason = "the account wants a second factor" if fields.get("mfaPending") else "it sent no token"
            raise AuthRequired(f"OpenReview did not log in: {reason}, which litterm cannot give.")
        return token


def _require_rows(answer: ServiceResponse) -> list[Record]:
    rows = records(decode_json(answer, _HOST))
    if not rows:
        raise Malformed("The public copy of OpenReview's lists holds no list.")
    return rows


def _check(answer: ServiceResponse) -> None:
    fields = record(decode_json(answer, _HOST))
    name = text(fields.get("name"))
    if name == "ChallengeRequiredError":
        raise Challenged("OpenReview currently accepts only browsers.")
    if name.endswith("Error"):
        raise Malformed(f"OpenReview reports an error inside its answer: {text(fields.get('message'))[:160]}")
    require_fields(answer, _HOST, "notes")


_FIRST_YEAR = 2013
_FIRST_V2_YEAR = 2024
_MISSING_YEAR = 2015
"""The one year that was not on OpenReview."""
_LOWER_CASE_YEARS = (2013, 2014, 2016, 2017)
"""Years whose invitations are written in lower case."""


@dataclass(frozen=True, slots=True)
class SubmissionList:
    """One list of notes: a year, and which of its lists."""

    year: int
    query: tuple[tuple[str, str], ...]
    status: str = ""
    v2: bool = False

    def is_there(self, newest: int) -> bool:
        """Whether the list certainly exists: the conference is over, where `newest` is the coming year."""
        return not self.status and self.year < newest - 1


def steps_of(years: YearRange, newest: int) -> list[SubmissionList]:
    """Every list to read, the newest year first."""
    first, last = max(years.first or _FIRST_YEAR, _FIRST_YEAR), min(years.last or newest, newest)
    return [step for year in range(last, first - 1, -1) if year != _MISSING_YEAR for step in _lists_of(year)]


def _lists_of(year: int) -> Iterable[SubmissionList]:
    if year >= _FIRST_V2_YEAR:
        domain = ("domain", f"ICLR.cc/{year}/Conference")
        for path, status in V2_STATUS.items():
            yield SubmissionList(year, (("content.venueid", f"ICLR.cc/{year}/{path}"), domain), status, v2=True)
        return
    if year in _LOWER_CASE_YEARS:
        tracks = ("workshop",) if year == 2016 else ("conference",) if year == 2013 else ("conference", "workshop")
        for track in tracks:
            status = "Workshop" if track == "workshop" else ""
            yield _v1_step(year, f"{track}/-/submission", status)
        return
    yield _v1_step(year, "Conference/-/Blind_Submission")
    yield _v1_step(year, "Conference/-/Withdrawn_Submission", "Withdraw")
    yield _v1_step(year, "Conference/-/Desk_Rejected_Submission", "Desk Reject")


def _v1_step(year: int, path: str, status: str = "") -> SubmissionList:
    return SubmissionList(year, (("invitation", f"ICLR.cc/{year}/{path}"), ("details", "directReplies")), status)


def _value(content: Record, *names: str) -> object:
    """The first of the fields that is there; the new interface wraps each into an object."""
    for name in names:
        field = content.get(name)
        value = field.get("value") if isinstance(field, dict) else field
        # Hidden fields have readers and no value.
        if value not in (None, "", []):
            return value
    return None


def row_of(note: Record, year: int, status: str = "") -> Record:
    """A note as a row of `importers.jsonl.rows`; `status` where the list it is in states it."""
    content = record(note.get("content"))
    status = status or _status(content, note)
    authors, keywords = _value(content, "authors"), _value(content, "keywords")
    pdf = text(_value(content, "pdf"))
    return {
        "id": f"iclr:{text(note.get('id'))}",
        "title": _value(content, "title"),
        "abstract": _value(content, "abstract"),
        "authors": authors if isinstance(authors, list) and authors != ["Anonymous"] else text(authors),
        "year": year,
        "venue": "ICLR",
        "type": "inproceedings",
        "booktitle": "International Conference on Learning Representations",
        "keywords": keywords if isinstance(keywords, list) else text(keywords),
        "tldr": _value(content, "TLDR", "TL;DR", "one-sentence_summary"),
        "status": status,
        "decision": decision_of(status),
        # In its first years a paper lay at arXiv, and the note only pointed there.
        "aliases": [arxiv_id] if (arxiv_id := recognize_id(pdf)) and scheme_of(arxiv_id) == "arxiv" else [],
        "pdf_url": f"{SITE}{pdf}" if pdf.startswith("/") else pdf,
        "url": f"{SITE}/forum?id={text(note.get('id'))}",
        "licence": text(note.get("license")),
    }


def row_of_any(note: Record) -> Record:
    """A note of which it is not known where it was submitted, as a row of `importers.jsonl.rows`."""
    content = record(note.get("content"))
    group = text(note.get("domain")) or text(note.get("invitation")) or " ".join(texts(note.get("invitations")))
    year = _YEAR.search(group) or _YEAR.search(text(_value(content, "venue")))
    place = text(_value(content, "venueid")).partition(f"/{year.group()}/")[2] if year else ""
    row = row_of(note, int(year.group()) if year else 0, V2_STATUS.get(place, ""))
    if group.startswith(_ICLR_PREFIX):
        return row
    # The scheme is that of the whole site; the conference is another one, as its note says.
    venue = _YEAR.split(text(_value(content, "venue")))[0].strip()
    kind = "inproceedings" if venue and not venue.lower().startswith("submitted") else "other"
    return {**row, "venue": venue if kind != "other" else "", "booktitle": "", "type": kind}


def _status(content: Record, note: Record) -> str:
    """The decision in the source's words: of the note's venue, of itself, or of a reply to it."""
    venue = text(_value(content, "venue"))
    if venue:
        return venue.partition(" ")[2].partition(" ")[2] or venue if venue.startswith("ICLR ") else venue
    stated = text(_value(content, "decision"))
    replies = records(record(note.get("details")).get("directReplies"))
    decisions = (text(_value(record(reply.get("content")), "decision", "recommendation")) for reply in replies)
    return stated or next((decision for decision in decisions if decision_of(decision) != "unknown"), "")


def decision_of(status: str) -> str:
    """`accept`, `reject`, `withdrawn`, `desk-reject`, `workshop` or `unknown`, of a status in OpenReview's words."""
    lowered = status.lower()
    # Before "reject", which it holds.
    if "desk" in lowered and "reject" in lowered:
        return "desk-reject"
    if "withdraw" in lowered:
        return "withdrawn"
    if "workshop" in lowered:
        return "workshop"
    if "reject" in lowered or lowered.startswith("submitted"):
        return "reject"
    if any(word in lowered for word in ("accept", "oral", "poster", "spotlight", "notable", "talk", "top-")):
        return "accept"
    return "unknown"


def parse_copied_row(row: Record, year: int, origin: str) -> Parsed | Failure:
    """A row of the public copy; its lists are joined by semicolons."""
    forum = text(row.get("id"))
    status = text(row.get("status"))
    authors = [name for name in text(row.get("author")).split(";") if name.strip()]
    fields = {
        "id": f"iclr:{forum}" if forum else "",
        "title": row.get("title"),
        "abstract": row.get("abstract"),
        "authors": authors or list(texts(row.get("author"))),
        "year": year,
        "venue": "ICLR",
        "type": "inproceedings",
        "booktitle": "International Conference on Learning Representations",
        "keywords": row.get("keywords"),
        "tldr": row.get("tldr"),
        "status": status,
        "decision": decision_of(status),
        "pdf_url": row.get("pdf"),
        "url": f"{SITE}/forum?id={forum}" if forum else row.get("site"),
    }
    return parse_service_row(fields, "iclr", origin)
