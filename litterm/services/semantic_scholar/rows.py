"""Papers as Semantic Scholar names and describes them, and what they are here."""

from __future__ import annotations

from collections.abc import Mapping

from litterm.importers.article_fields import reference_from_fields
from litterm.model.citations.graph import ListedWork
from litterm.model.paper import Paper, PaperId
from litterm.services.json_access import Record, families_of, integer, record, records, text, texts
from litterm.text.references.identity import bare_key, key_in, make_id, numerals, scheme_of, title_key
from litterm.text.references.titles import main_title

_ID_PREFERENCE = ("s2", "doi", "arxiv", "acl", "pmid", "pmc")
"""Its own number is exact; its list of Anthology ids has gaps."""
_MIN_TITLE_RATIO = 95.0
"""Likeness of two title keys, 0 to 100, from which they are one: the service finds something under any title."""
_TYPES = {"JournalArticle": "article", "Conference": "inproceedings", "Book": "book", "BookSection": "chapter"}
_ID_FORMS: Mapping[str, str] = {
    "acl": "ACL:{}",
    "doi": "DOI:{}",
    "arxiv": "ARXIV:{}",
    "pmid": "PMID:{}",
}


def form_of(paper_id: PaperId) -> str:
    """An id as the service spells it."""
    return _form(scheme_of(paper_id), paper_id.partition(":")[2])


def _form(scheme: str, key: str) -> str:
    if scheme == "pmc":
        return f"PMCID:{key.removeprefix('PMC')}"
    if scheme == "s2":
        return f"CorpusId:{key}" if key.isdecimal() else key
    return _ID_FORMS[scheme].format(key) if scheme in _ID_FORMS else key


def forms_of(paper: Paper) -> tuple[str, ...]:
    """Every id of `paper` as the service spells it, the surest first."""
    keys = ((scheme, key_in(paper, scheme)) for scheme in _ID_PREFERENCE)
    return tuple(_form(scheme, key) for scheme, key in keys if key)


def is_same(paper: Paper, record_found: Record) -> bool:
    """Whether what the service found under the title of `paper` is that paper: its own score says nothing."""
    year = integer(record_found.get("year"))
    # A preprint and its publication are often a year apart.
    is_near_year = year is None or paper.year is None or abs(year - paper.year) <= 1
    return is_near_year and _is_one_title(paper.title, text(record_found.get("title")))


def _is_one_title(first: str, second: str) -> bool:
    """Equal but for a subtitle that one lacks, or nearly equal with equal numerals."""
    first_key, second_key = title_key(first), title_key(second)
    if not second_key:
        return False
    if (
        first_key == second_key
        or title_key(main_title(first)) == second_key
        or first_key == title_key(main_title(second))
    ):
        return True
    from rapidfuzz import fuzz

    # "YOLOv3" and "YOLOv4" are 0.97 alike.
    return numerals(first) == numerals(second) and fuzz.ratio(first_key, second_key) >= _MIN_TITLE_RATIO


def row_of(row: Record) -> Record:
    """A record of the service as a row of `importers.jsonl.rows`."""
    ids = record(row.get("externalIds"))
    journal = record(row.get("journal"))
    kinds = [_TYPES[kind] for kind in texts(row.get("publicationTypes")) if kind in _TYPES]
    # The number is the durable one: the other changes when records are merged.
    hexadecimal = text(row.get("paperId"))
    return {
        "s2": text(row.get("corpusId")) or text(ids.get("CorpusId")) or hexadecimal,
        "aliases": [f"s2:{hexadecimal}"] if hexadecimal else [],
        "title": row.get("title"),
        "abstract": row.get("abstract"),
        "authors": [text(author.get("name")) for author in records(row.get("authors"))],
        "year": row.get("year"),
        "date": row.get("publicationDate"),
        "venue": _venue(row),
        "type": kinds[0] if kinds else "",
        "journal": "" if "inproceedings" in kinds else text(journal.get("name")),
        "volume": journal.get("volume"),
        "pages": " ".join(text(journal.get("pages")).split()),
        "anthology_id": ids.get("ACL"),
        "doi": ids.get("DOI"),
        "arxiv": ids.get("ArXiv"),
        "pmid": text(ids.get("PubMed")),
        "pmcid": text(ids.get("PubMedCentral")),
        "url": row.get("url"),
        "pdf_url": record(row.get("openAccessPdf")).get("url"),
    }


def _venue(row: Record) -> str:
    venue = text(row.get("venue"))
    return "arXiv" if venue == "arXiv.org" else venue


def listed_work(row: Record, side: str, index: int) -> ListedWork | None:
    """The work on the other side of a citation; `None` where the publisher withholds it."""
    work = record(row.get(side))
    title = text(work.get("title"))
    if not title:
        return None
    ids = record(work.get("externalIds"))
    pairs = (("acl", "ACL"), ("pmc", "PubMedCentral"), ("pmid", "PubMed"), ("doi", "DOI"), ("arxiv", "ArXiv"))
    paper_ids = [make_id(scheme, text(ids.get(name))) for scheme, name in pairs]
    paper_ids.append(make_id("s2", text(ids.get("CorpusId")) or text(work.get("paperId"))))
    families = families_of(text(item.get("name")) for item in records(work.get("authors")))
    known = tuple(dict.fromkeys(item for item in paper_ids if item is not None and bare_key(item)))
    reference = reference_from_fields(index, title, families, integer(work.get("year")), known)
    return ListedWork(reference, texts(row.get("contexts")))
