"""Finds the paper id in the URL of a page or file: the services' own pages, their mirrors, and publishers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

SchemeAndKey = tuple[str, str]
"""Scheme and key, the key as it is in the address."""

ACL_ID: Final = re.compile(r"[A-Z]\d{2}-\d{4}|(?:19|20)\d\d\.[a-z0-9_]+-[a-z0-9_]+\.\d+", re.IGNORECASE)
_ACL_TAIL: Final = re.compile(r"(?:[ve]\d{1,2})?(?:\.(?:pdf|bib|xml|endf|ris))?$", re.IGNORECASE)
"""Behind the id in the name of a file: a revision or an erratum, and what kind of file it is."""
_ARXIV: Final = re.compile(
    r"/(?:abs|pdf|html|format|e-print|src|ps|papers|overview)/((?:[a-z-]+(?:\.[A-Z]{2})?/)?\d[\d.]+\d(?:v\d+)?)",
    re.IGNORECASE,
)
_PMC: Final = re.compile(r"/(?:pmc/)?articles?/(?:pmc/)?(?:PMC)?(\d{3,9})(?:[/.]|$)", re.IGNORECASE)
_PUBMED: Final = re.compile(r"^/(?:m/)?(?:pubmed/)?(\d{1,9})/?$")
_EUROPE: Final = re.compile(r"/(?:abstract|article)/med/(\d{1,9})", re.IGNORECASE)
_SCHOLAR: Final = re.compile(r"/(?:paper|reader)/(?:[^/]+/)?([0-9a-f]{40})(?:/|$)")
_CORPUS: Final = re.compile(r"/CorpusId:(\d+)", re.IGNORECASE)
_NATURE: Final = re.compile(r"/articles/((?:s\d{5}-|n[a-z]+\d|srep|ncomms|nature|nbt|nmeth)[\w.-]*?\d)(?:\.pdf)?$")
_DOI: Final = re.compile(r"10\.\d{4,9}/.+")
# bioRxiv and medRxiv put the version behind the DOI, and a view of the page behind that.
_PREPRINT_VERSION: Final = re.compile(r"(10\.1101/[\d.]+?)v\d+\b.*")
_VIEW_SUFFIX: Final = re.compile(
    r"(?:/(?:full(?:text|\.pdf|\.html)?|abstract|e?pdf(?:plus)?|meta|html|xml|summary|references|citations?|download"
    r"|supplementary-?\w*|figures|tables?|issue)|\.(?:full|pdf|html|xml|abstract)|/){1,6}$",
    re.IGNORECASE,
)
"""What publishers put behind a DOI to show the article in one way or another."""


def id_in_url(address: str) -> SchemeAndKey | None:
    """The paper that `address` leads to, as scheme and key; `None` if it does not tell."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    # The fragment is left out: it names a place on the page.
    path, query = unquote(parts.path), parts.query
    # Known hosts first: their addresses may hold another paper's DOI.
    for known, read_id in _READERS_BY_HOST:
        if known.fullmatch(host):
            return read_id(path, query)
    return _publisher(path, query)


def _acl(path: str, _query: str) -> SchemeAndKey | None:
    # From the end: mirrors put the id behind folders of their own.
    for part in reversed(path.split("/")):
        name = _ACL_TAIL.sub("", part)
        if ACL_ID.fullmatch(name):
            return "acl", name
    return None


def _openreview(_path: str, query: str) -> SchemeAndKey | None:
    forums = parse_qs(query).get("id")
    return ("iclr", forums[0]) if forums and re.fullmatch(r"[\w-]{5,40}", forums[0]) else None


def _arxiv(path: str, _query: str) -> SchemeAndKey | None:
    # `/pdf/1706.03762v7.pdf` leads there as well.
    return _first_match(_ARXIV, "arxiv", path.removesuffix(".pdf"))


def _ncbi(path: str, _query: str) -> SchemeAndKey | None:
    if path.startswith("/pmc"):
        return _first_match(_PMC, "pmc", path)
    return _first_match(_PUBMED, "pmid", path)


def _pmc(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_PMC, "pmc", path)


def _pubmed(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_PUBMED, "pmid", path)


def _europe(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_EUROPE, "pmid", path) or _first_match(_PMC, "pmc", path)


def _scholar(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_SCHOLAR, "s2", path) or _first_match(_CORPUS, "s2", path)


def _doi(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_DOI, "doi", path, group=0)


def _nature(path: str, query: str) -> SchemeAndKey | None:
    suffix = _first_match(_NATURE, "doi", path)
    return ("doi", f"10.1038/{suffix[1]}") if suffix is not None else _publisher(path, query)


def _publisher(path: str, query: str) -> SchemeAndKey | None:
    """The DOI that most publishers put into their addresses, without what chooses a view of the article."""
    parameters = parse_qs(query)
    stated_id = next((value for name in ("id", "doi") for value in parameters.get(name, ())), "")
    match = _DOI.search(path) or _DOI.match(stated_id)
    if match is None:
        return None
    key = _PREPRINT_VERSION.sub(r"\1", match.group())
    return "doi", _VIEW_SUFFIX.sub("", key)


def _first_match(pattern: re.Pattern[str], scheme: str, text: str, *, group: int = 1) -> SchemeAndKey | None:
    match = pattern.search(text)
    return (scheme, match.group(group)) if match else None


_READERS_BY_HOST: Final[tuple[tuple[re.Pattern[str], Callable[[str, str], SchemeAndKey | None]], ...]] = (
    (re.compile(r"aclanthology\.(?:org|info)|aclweb\.org|aclanthology\.coli\.uni-saarland\.de"), _acl),
    (re.compile(r"(?:api2?\.)?openreview\.net"), _openreview),
    (re.compile(r"(?:[\w-]+\.)*arxiv\.org|ar5iv\.org|xxx\.lanl\.gov|alphaxiv\.org|huggingface\.co"), _arxiv),
    (re.compile(r"(?:dx\.)?doi\.org"), _doi),
    (re.compile(r"pmc\.ncbi\.nlm\.nih\.gov"), _pmc),
    (re.compile(r"pubmed\.ncbi\.nlm\.nih\.gov"), _pubmed),
    (re.compile(r"ncbi\.nlm\.nih\.gov"), _ncbi),
    (re.compile(r"europepmc\.org"), _europe),
    (re.compile(r"(?:api\.)?semanticscholar\.org"), _scholar),
    (re.compile(r"nature\.com"), _nature),
)
_ADDRESS_WITHOUT_SCHEME: Final = re.compile(
    r"(?:www\.)?(?:aclanthology\.org|aclweb\.org|openreview\.net|(?:[\w-]+\.)?arxiv\.org|ar5iv\.org|(?:dx\.)?doi\.org"
    r"|(?:\w+\.)?ncbi\.nlm\.nih\.gov|europepmc\.org|(?:api\.)?semanticscholar\.org)/\S+",
    re.IGNORECASE,
)


def normalize_url(text: str) -> str:
    """`text` as an address, with a scheme added before a known host; empty if it is no address."""
    if text.lower().startswith(("http://", "https://")):
        return text
    return f"https://{text}" if _ADDRESS_WITHOUT_SCHEME.fullmatch(text) else ""
