"""Notes of OpenReview, of both its interfaces and of the public copy, as papers with their decisions."""

from __future__ import annotations

import re

from litterm.importers.ids import recognize_id
from litterm.model.library import Failure, Parsed
from litterm.services.json_access import Record, parse_service_row, record, records, text, texts
from litterm.text.references.identity import scheme_of

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
