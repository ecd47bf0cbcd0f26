"""Europe PMC: search, records by id, open full texts, references, citations. Contract: apis.md section 3.6."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from litterm.errors import Malformed, NotOpen, NotThere, RequestFaulty, ServiceDown
from litterm.formats.articles import reference_from_fields
from litterm.model.document import Reference
from litterm.model.graph import Direction, ExternalList, Listed
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.sources import ANY_YEAR, OpenText
from litterm.sources.door import Door
from litterm.sources.payload import Record, decoded, only_papers, parsed, promised, record, records, text, texts, whole
from litterm.sources.request import MEGABYTE, TEXT_S, Answer, Request, file_for, segment
from litterm.tasks import Task
from litterm.text.identity import first_id, make_id

NAME = "europepmc"
BASE = "https://www.ebi.ac.uk/europepmc/webservices/rest"
_HOST = "www.ebi.ac.uk"
_PAGE = 100
_LIST_PAGE = 100
_LARGEST_TEXT = 64 * MEGABYTE
_FIELD = re.compile(r"\b[A-Z_]{3,}:")
_UNFIT = re.compile(r"[^\w\s\"'-]+")
_KINDS = {"preprint": "preprint", "journal article": "article", "book": "book"}


class EuropePmc:
    """Fits `Finder`, `IdLookup`, `TextRoute` and `CitationLister`."""

    name = NAME
    schemes = ("pmid", "pmc", "doi")

    def __init__(self, door: Door, *, base: str = BASE) -> None:
        self._door = door
        self._base = base

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` papers by relevance."""
        rows: list[Record] = []
        cursor = "*"
        while len(rows) < limit:
            size = str(min(_PAGE, limit - len(rows)))
            page = yield from self._search(_query(query, years), [("pageSize", size), ("cursorMark", cursor)])
            found = records(record(page.get("resultList")).get("result"))
            following = text(page.get("nextCursorMark"))
            rows += found
            if not found or following in ("", cursor):
                break
            cursor = following
        return only_papers([_parsed(row) for row in rows[:limit]])

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order."""
        results: list[Parsed | Failure] = []
        for each in ids:
            row = yield from self._record(each)
            results.append(_parsed(row) if row else Failure(each, "Europe PMC does not have it."))
        return tuple(results)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has an id by which it is found here."""
        return _best(paper) is not None

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The full text as JATS, where the record says that it is open.

        Raises:
            NotOpen: it is not, or there is no full text here.
            NotThere: there is no record.
        """
        best = _best(paper)
        row = (yield from self._record(best)) if best is not None else {}
        if not row:
            raise NotThere("Europe PMC does not have it.")
        number = text(row.get("pmcid"))
        # Asked for a closed article this route answers with status 500, so the record is asked first.
        if row.get("isOpenAccess") != "Y" or not number:
            raise NotOpen("Europe PMC may not give its full text.")
        url = f"{self._base}/{segment(number)}/fullTextXML"
        request = Request(url, expect="xml", read_s=TEXT_S, most_bytes=_LARGEST_TEXT, keep=False)
        try:
            answer = yield from self._door.get(request)
        except NotThere as error:
            raise ServiceDown("Europe PMC says the text is open, and does not give it just now.", status=404) from error
        path = file_for(folder, number, ".xml")
        path.write_bytes(answer.body)
        return OpenText(path, "jats", answer.url, licence=text(row.get("license")))

    def listed(self, paper: Paper, direction: Direction, *, limit: int) -> Task[ExternalList]:
        """Works without the sentences that cite; unmatched references have no id.

        Raises:
            NotThere: there is no record.
        """
        best = _best(paper)
        row = (yield from self._record(best)) if best is not None else {}
        if not row:
            raise NotThere("Europe PMC does not have it.")
        path = f"/{segment(text(row.get('source')))}/{segment(text(row.get('id')))}/{direction}"
        names = ("referenceList", "reference") if direction == "references" else ("citationList", "citation")
        rows: list[Record] = []
        number = 1
        while len(rows) < limit:
            params = [("page", str(number)), ("pageSize", str(_LIST_PAGE)), ("format", "json")]
            page = yield from self._get(path, params)
            found = records(record(page.get(names[0])).get(names[1]))
            rows += found
            if not found or len(rows) >= (whole(page.get("hitCount")) or 0):
                break
            number += 1
        works = tuple(Listed(_reference(each, index)) for index, each in enumerate(rows[:limit]))
        return ExternalList(paper.id, "europepmc", direction, works)

    def _record(self, paper_id: PaperId) -> Task[Record]:
        page = yield from self._search(_by_id(paper_id), [("pageSize", "1")])
        found = records(record(page.get("resultList")).get("result"))
        return found[0] if found else {}

    def _search(self, query: str, params: Sequence[tuple[str, str]]) -> Task[Record]:
        told = [("query", query), ("format", "json"), ("resultType", "core"), *params]
        return (yield from self._get("/search", told))

    def _get(self, path: str, params: Sequence[tuple[str, str]]) -> Task[Record]:
        answer = yield from self._door.get(Request(f"{self._base}{path}", tuple(params)), _check)
        return record(decoded(answer, _HOST))


def _check(answer: Answer) -> None:
    told = promised(answer, _HOST, "hitCount", "resultList", "referenceList", "citationList", "errCode")
    code = whole(told.get("errCode"))
    if code is not None:
        kind = RequestFaulty if code < 500 else Malformed
        raise kind(f"Europe PMC reports an error inside its answer: {text(told.get('errMsg'))[:160]}")


def _query(query: str, years: YearRange) -> str:
    told = query if _FIELD.search(query) else " ".join(_UNFIT.sub(" ", query).split())
    if years == ANY_YEAR:
        return told
    return f"({told}) AND PUB_YEAR:[{years.first or 1500} TO {years.last or 2999}]"


def _by_id(paper_id: PaperId) -> str:
    scheme, _, key = paper_id.partition(":")
    forms = {"pmid": f"EXT_ID:{key} AND SRC:MED", "pmc": f"PMCID:{key}"}
    return forms.get(scheme, f'DOI:"{key}"')


def _best(paper: Paper) -> PaperId | None:
    return first_id(paper, ("pmc", "pmid", "doi"))


def _parsed(row: Record) -> Parsed | Failure:
    return parsed(_row(row), NAME, f"https://europepmc.org/article/{text(row.get('source'))}/{text(row.get('id'))}")


def _row(row: Record) -> Record:
    """A record as a row of `formats.rows`."""
    info = record(row.get("journalInfo"))
    journal = record(info.get("journal"))
    kinds = [each.lower() for each in texts(record(row.get("pubTypeList")).get("pubType"))]
    return {
        "pmid": text(row.get("pmid")),
        "pmcid": text(row.get("pmcid")),
        "doi": row.get("doi"),
        "title": text(row.get("title")).removesuffix("."),
        "abstract": re.sub(r"</?h4>", " ", text(row.get("abstractText"))),
        "authors": [_person(each) for each in records(record(row.get("authorList")).get("author"))],
        "year": whole(row.get("pubYear")),
        "date": row.get("firstPublicationDate"),
        "venue": text(journal.get("isoabbreviation")) or text(journal.get("title")),
        "type": next((_KINDS[kind] for kind in kinds if kind in _KINDS), "article"),
        "journal": journal.get("title"),
        "volume": info.get("volume"),
        "issue": info.get("issue"),
        "pages": text(row.get("pageInfo")).replace("-", "–"),
        "language": row.get("language"),
        "keywords": list(texts(record(row.get("keywordList")).get("keyword"))),
        "retraction": _retraction(row, kinds),
    }


def _retraction(row: Record, kinds: Sequence[str]) -> str:
    told = records(record(row.get("commentCorrectionList")).get("commentCorrection"))
    notices = {text(each.get("type")).lower() for each in told}
    if "retracted publication" in kinds or "retraction in" in notices:
        return "retracted"
    if "expression of concern in" in notices:
        return "concern"
    return "corrected" if notices & {"erratum in", "corrected and republished in"} else ""


def _person(told: Record) -> Record:
    family = text(told.get("lastName"))
    if family:
        return {"family": family, "given": text(told.get("firstName")) or text(told.get("initials"))}
    return {"name": text(told.get("collectiveName")) or text(told.get("fullName"))}


def _reference(row: Record, index: int) -> Reference:
    source, key = text(row.get("source")), text(row.get("id"))
    ids = (make_id("pmid", key) if source == "MED" else None, make_id("pmc", key) if source == "PMC" else None)
    known = tuple(each for each in (*ids, make_id("doi", text(row.get("doi")))) if each is not None)
    # Names come as `Smith J, Doe A.`: family name first, initials last.
    names = (
        re.sub(r"(?<!\s)\s+[A-Z-]{1,4}$", "", name.strip(" .")) for name in text(row.get("authorString")).split(",")
    )
    families = tuple(name for name in names if name)
    title = text(row.get("title")).removesuffix(".")
    return reference_from_fields(
        index, title, families, whole(row.get("pubYear")), known, text(row.get("journalAbbreviation"))
    )
