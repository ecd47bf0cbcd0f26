"""Fields that the importers of articles share: page URLs, composed references and venue keys."""

from __future__ import annotations

from litterm.importers.anthology import venue_of
from litterm.model.document import Reference
from litterm.model.paper import PaperId

_PAGE_URLS = {
    "acl": "https://aclanthology.org/",
    "iclr": "https://openreview.net/forum?id=",
    "pmc": "https://pmc.ncbi.nlm.nih.gov/articles/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "doi": "https://doi.org/",
    "arxiv": "https://arxiv.org/abs/",
    "s2": "https://www.semanticscholar.org/paper/",
}

PREPRINT_SERVERS = (
    "biorxiv",
    "medrxiv",
    "arxiv",
    "research square",
    "chemrxiv",
    "preprints",
    "psyarxiv",
    "ssrn",
)
"""Parts of the names, in lower case, that say that something is a preprint."""


def page_urls(ids: tuple[PaperId, ...]) -> tuple[str, ...]:
    """The public page of every id that has one, in order."""
    parts = [paper_id.partition(":") for paper_id in ids]
    return tuple(_PAGE_URLS[scheme] + key for scheme, _, key in parts if scheme in _PAGE_URLS)


def venue_keys(*names: str) -> tuple[str, ...]:
    """What `venue:` finds a venue by: its names in lower case, and these as one word with hyphens."""
    lowered = [name.lower() for name in names if name]
    # With hyphens it can be typed in a query without quotes.
    return tuple(dict.fromkeys((*lowered, *(name.replace(".", "").replace(" ", "-") for name in lowered))))


def anthology_venues(ids: tuple[PaperId, ...]) -> tuple[str, ...]:
    """The slugs of venues that ids of the Anthology tell, for records that came without them."""
    keys = (paper_id.partition(":")[2] for paper_id in ids if paper_id.startswith("acl:"))
    return tuple(slug for key in keys if (slug := venue_of(key)))


def page_range(first: str, last: str) -> str:
    """`263–273` of `263` and `273`; a shortened last page, `73`, is completed."""
    if last and len(last) < len(first) and first.isdecimal() and last.isdecimal():
        # PubMed prints 263-73 for 263-273.
        last = first[: len(first) - len(last)] + last
    return f"{first}–{last}" if first and last and first != last else first


def citation_label(families: tuple[str, ...], year: int | None) -> str:
    """The label of an entry cited by author and year; empty without authors."""
    if not families:
        return ""
    names = families[0] if len(families) == 1 else f"{families[0]} et al."
    if len(families) == 2:
        names = " and ".join(families)
    return f"{names}, {year}" if year else names


def reference_from_fields(
    index: int, title: str, families: tuple[str, ...], year: int | None, ids: tuple[PaperId, ...], source: str = ""
) -> Reference:
    """An entry that the source gives as fields, its text composed from them."""
    parts = (", ".join(families), f"({year})" if year else "", title, source)
    text = " ".join(part if part.endswith((".", "?", "!", ")")) else f"{part}." for part in parts if part)
    return Reference(
        index,
        text or ", ".join(ids),
        label=citation_label(families, year),
        title=title,
        families=families,
        year=year,
        ids=ids,
    )
