"""CSL-JSON items, as pandoc and citation processors read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from litterm.model.annotations import PaperNotes
from litterm.model.paper import Author, Paper, PaperId
from litterm.render.bibliography.publication import NO_NOTES, Kind, Publication, publications
from litterm.render.json import dumps
from litterm.render.names import thesis_name

_TYPES: dict[Kind, str] = {
    "conference": "paper-conference",
    "journal": "article-journal",
    "preprint": "article",
    "submission": "manuscript",
    "proceedings": "book",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "other": "document",
}


def entries(
    papers: Sequence[Paper],
    notes: Mapping[PaperId, PaperNotes] = NO_NOTES,
    keys: Mapping[PaperId, str] | None = None,
) -> str:
    """A JSON list with an item a paper, in order, each paper once.

    `notes` become `note` and `keyword`; `keys` as in `publications`.
    """
    return dumps([_item(key, published) for key, published in publications(papers, notes, keys)]) + "\n"


def _item(key: str, published: Publication) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": key,
        "type": _TYPES[published.kind],
        "title": published.title,
        "author": [_person(author) for author in published.authors],
        "editor": [_person(editor) for editor in published.editors],
        "issued": _date_issued(published),
        "container-title": published.container,
        "volume": published.volume,
        "issue": published.issue,
        "collection-title": published.series,
        "edition": published.edition,
        # Styles print `page`, and most of them no `number` of an article.
        "page": published.pages or published.article_number,
        "genre": thesis_name(published.thesis) if published.kind == "thesis" else "",
        "publisher": published.institution or published.publisher,
        "publisher-place": published.address,
        "DOI": published.doi,
        "PMID": published.pmid,
        "PMCID": published.pmcid,
        "ISBN": published.isbn,
        "ISSN": published.issn,
        **_numbers(published),
        "URL": published.url,
        "language": published.language,
        "note": "\n".join(part for part in (published.note, published.source_note, published.remark) if part),
        "annote": published.correction,
        "keyword": ("; " if any("," in word for word in published.keywords) else ", ").join(published.keywords),
        "abstract": published.abstract,
    }
    return {name: value for name, value in fields.items() if value}


def _numbers(published: Publication) -> dict[str, str]:
    number = f"arXiv:{published.arxiv}" if published.arxiv else ""
    if not published.article_number:
        return {"number": number}
    # There is one `number`: that of arXiv then has the place that Zotero gives it in an archive.
    archive = {"archive": "arXiv", "archive_location": number} if number else {}
    return {"number": published.article_number, **archive}


def _person(author: Author) -> dict[str, str]:
    # A citation processor prints a `literal` as it is: groups and mononyms have no parts to turn around.
    if author.is_literal or not (author.given or author.prefix or author.suffix):
        return {"literal": author.surname}
    parts = {
        "family": author.family,
        "given": author.given,
        "non-dropping-particle": author.prefix,
        "suffix": author.suffix,
    }
    return {name: part for name, part in parts.items() if part}


def _date_issued(published: Publication) -> dict[str, list[list[int]]] | None:
    if not published.year:
        return None
    parts = [published.year, published.month, published.day if published.month else None]
    return {"date-parts": [[part for part in parts if part]]}
