"""Ids as sources and people write them, to the one spelling of `PaperId`."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from litterm.model.paper import SCHEMES, PaperId
from litterm.text.identity import make_id, scheme_of

_DOI: Final = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV: Final = re.compile(r"(?:arxiv:\s*)?((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?)", re.IGNORECASE)
_ACL: Final = re.compile(r"[A-Z]\d{2}-\d{4}|(?:19|20)\d\d\.[a-z0-9_]+-[a-z0-9_]+\.\d+")
_PMC: Final = re.compile(r"PMC\d{3,9}")
_S2: Final = re.compile(r"[0-9a-f]{40}")
_MANUSCRIPT: Final = re.compile(
    r"(?:mid:\s*)?((?:NIHMS|NIHPA|EMS|UKMS|HHMIMS|CAMS|PAMS|HALMS)-?\d{3,10})", re.IGNORECASE
)
_PREFIXED: Final = {"pubmed": "pmid", "medline": "pmid", "pmcid": "pmc", "corpusid": "s2", "openreview": "iclr"}
_URLS: Final = (
    (
        "acl",
        re.compile(
            r"https?://(?:www\.)?(?:aclanthology\.org|aclweb\.org/anthology)/(?:papers/)?([^/?#\s]+?)(?:\.pdf|/)?"
        ),
    ),
    ("iclr", re.compile(r"https?://openreview\.net/(?:forum|pdf)\?id=([\w-]+).*")),
    ("arxiv", re.compile(r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/(\S+?)(?:\.pdf)?/?")),
    ("doi", re.compile(r"https?://(?:dx\.)?doi\.org/(\S+)")),
    (
        "pmc",
        re.compile(
            r"https?://(?:www\.ncbi\.nlm\.nih\.gov/pmc/articles|pmc\.ncbi\.nlm\.nih\.gov/articles)/(PMC\d+)/?.*"
        ),
    ),
    ("pmid", re.compile(r"https?://(?:pubmed\.ncbi\.nlm\.nih\.gov|www\.ncbi\.nlm\.nih\.gov/pubmed)/(\d+)/?.*")),
    ("s2", re.compile(r"https?://(?:www\.)?semanticscholar\.org/paper/(?:[^/]+/)?([0-9a-f]{40})")),
)


def doi(text: str) -> PaperId | None:
    """The id of the DOI somewhere in `text`, with or without its resolver; `None` if it holds none."""
    match = _DOI.search(unquote(text) if "%" in text else text)
    return make_id("doi", match.group()) if match else None


def arxiv(text: str) -> PaperId | None:
    """The id of an arXiv number, old or new, without its version; `None` if `text` is none."""
    match = _ARXIV.fullmatch(text.strip())
    return make_id("arxiv", match.group(1)) if match else None


def pmid(text: str) -> PaperId | None:
    """The id of a PubMed number; `None` if `text` is none."""
    number = text.strip()
    return make_id("pmid", str(int(number))) if number.isdecimal() and len(number) <= 9 and int(number) else None


def pmc(text: str) -> PaperId | None:
    """The id of a PubMed Central number, with or without `PMC`, without its version; `None` if `text` is none."""
    number = text.strip().upper().removeprefix("PMC").partition(".")[0]
    return make_id("pmc", number) if number.isdecimal() and len(number) <= 9 else None


def manuscript(text: str) -> PaperId | None:
    """The number of an author's manuscript, as `mid:NIHMS311352`: no id of a paper, but one that leads to it."""
    match = _MANUSCRIPT.fullmatch(text.strip())
    return PaperId(f"mid:{match.group(1).upper().replace('-', '')}") if match else None


def recognised(text: str) -> PaperId | None:
    """The id that `text` is: `scheme:key`, a page's address, or a key that only one scheme has; else `None`."""
    text = text.strip()
    scheme = scheme_of(text)
    if scheme in ("http", "https"):
        return _from_url(text)
    if scheme.lower() in (*SCHEMES, *_PREFIXED):
        return _in_scheme(_PREFIXED.get(scheme.lower(), scheme.lower()), text[len(scheme) + 1 :].strip())
    if _ACL.fullmatch(text):
        return make_id("acl", text)
    if _PMC.fullmatch(text):
        return pmc(text)
    if _DOI.fullmatch(text):
        return doi(text)
    return make_id("s2", text) if _S2.fullmatch(text) else arxiv(text)


def _from_url(url: str) -> PaperId | None:
    for scheme, pattern in _URLS:
        if match := pattern.fullmatch(url):
            return _in_scheme(scheme, match.group(1))
    return None


def _in_scheme(scheme: str, key: str) -> PaperId | None:
    match scheme:
        case "doi":
            return doi(key)
        case "arxiv":
            return arxiv(key)
        case "pmid":
            return pmid(key)
        case "pmc":
            return pmc(key)
        case _:
            return make_id(scheme, key) if key and not any(character.isspace() for character in key) else None


def by_rank(ids: tuple[PaperId, ...]) -> tuple[PaperId, ...]:
    """`ids` without repeats, the most telling scheme first, as `SCHEMES` orders them."""
    ranks = {scheme: rank for rank, scheme in enumerate(SCHEMES)}
    return tuple(sorted(dict.fromkeys(ids), key=lambda each: ranks.get(scheme_of(each), len(ranks))))
