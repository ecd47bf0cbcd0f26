"""Parses ids as sources and people write them to the one spelling of `PaperId`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote

from litterm.importers.paper_urls import ACL_ID, id_in_url, normalize_url
from litterm.model.paper import SCHEMES, PaperId
from litterm.text.references.identity import make_id, scheme_of

_DOI: Final = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV_NUMBER: Final = r"(?:\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[a-z-]{2,12})?/\d{7})(?:v\d{1,2})?(?![\w/])"
_ARXIV: Final = re.compile(
    rf"(?:(?:arxiv|corr)(?:\s?[:.,]\s?|\s)|(?:abs|pdf)/){{0,4}}({_ARXIV_NUMBER})(?:\s?\[[\w.-]{{2,20}}\])?",
    re.IGNORECASE,
)
_MENTIONED_ARXIV: Final = re.compile(rf"\b(?:arxiv|corr)\b[^\d]{{0,20}}?\b({_ARXIV_NUMBER})", re.IGNORECASE)
_PMC: Final = re.compile(r"PMC\s?\d{3,9}(?:\.\d{1,2})?", re.IGNORECASE)
_S2: Final = re.compile(r"[0-9a-f]{40}")
_MANUSCRIPT: Final = re.compile(
    r"(?:mid:\s*)?((?:NIHMS|NIHPA|EMS|UKMS|HHMIMS|CAMS|PAMS|HALMS)-?\d{3,10})", re.IGNORECASE
)
_SCHEME_SYNONYMS: Final = {"pubmed": "pmid", "medline": "pmid", "pmcid": "pmc", "corpusid": "s2", "openreview": "iclr"}
_SPELT_SCHEME: Final = re.compile(r"(doi|pmid|pmcid|arxiv|corpusid)\s+(?=\S)", re.IGNORECASE)
"""A scheme with a blank instead of its colon."""
_OPENING_BRACKETS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_PUNCTUATION: Final = "\"'“”‘’`.,;"
_WRAPPING: Final = "<>\"'“”‘’`"


def parse_doi(text: str) -> PaperId | None:
    """The id of the DOI somewhere in `text`, with or without its resolver; `None` if it holds none."""
    # Addresses carry DOIs percent-encoded.
    match = _DOI.search(unquote(text) if "%" in text else text)
    return make_id("doi", _strip_closing(match.group())) if match else None


def _strip_closing(key: str) -> str:
    """`key` without the brackets and quotes of the text around it; those that are opened in it are its own."""
    while key and (key[-1] in _PUNCTUATION or key.count(key[-1]) > key.count(_OPENING_BRACKETS.get(key[-1], key[-1]))):
        key = key[:-1]
    return key


def parse_arxiv(text: str) -> PaperId | None:
    """The id of an arXiv number, old or new, without its version; `None` if `text` is none."""
    match = _ARXIV.fullmatch(text.strip())
    return make_id("arxiv", match.group(1)) if match else None


def find_arxiv(text: str) -> PaperId | None:
    """The id of the arXiv number that `text` names as arXiv's: `arXiv preprint arXiv:1706.03762v5 [cs.CL]`."""
    match = _MENTIONED_ARXIV.search(text)
    return make_id("arxiv", match.group(1)) if match else None


def parse_pmid(text: str) -> PaperId | None:
    """The id of a PubMed number; `None` if `text` is none."""
    number = text.strip()
    # Leading zeros go: two spellings would be two papers.
    return make_id("pmid", str(int(number))) if number.isdecimal() and len(number) <= 9 and int(number) else None


def parse_pmc(text: str) -> PaperId | None:
    """The id of a PubMed Central number, with or without `PMC`, without its version; `None` if `text` is none."""
    # The version, `PMC7029759.1`, is of the text and not of the paper.
    number = text.strip().upper().removeprefix("PMC").partition(".")[0].strip()
    return make_id("pmc", number) if number.isdecimal() and len(number) <= 9 else None


def parse_manuscript(text: str) -> PaperId | None:
    """The number of an author's manuscript, as `mid:NIHMS311352`: no id of a paper, but one that leads to it."""
    match = _MANUSCRIPT.fullmatch(text.strip())
    return PaperId(f"mid:{match.group(1).upper().replace('-', '')}") if match else None


def recognize_id(text: str) -> PaperId | None:
    """The id that `text` is: `scheme:key`, a page's address, or a key that only one scheme has; else `None`."""
    text = text.strip().strip(_WRAPPING).rstrip(".,;").strip()
    # Before the schemes: in `https://...` the scheme would be `https`.
    if address := normalize_url(text):
        url_id = id_in_url(address)
        return _id_in_scheme(*url_id) if url_id is not None else None
    text = _SPELT_SCHEME.sub(r"\1:", text, count=1) if _SPELT_SCHEME.match(text) else text
    scheme = scheme_of(text)
    if scheme.lower() in (*SCHEMES, *_SCHEME_SYNONYMS):
        return _id_in_scheme(_SCHEME_SYNONYMS.get(scheme.lower(), scheme.lower()), text[len(scheme) + 1 :].strip())
    # Keys that only one scheme has; a bare number could be PubMed's or anybody's, and is none.
    if ACL_ID.fullmatch(text):
        return _id_in_scheme("acl", text)
    if _PMC.fullmatch(text):
        return parse_pmc(text)
    if _DOI.fullmatch(text):
        return parse_doi(text)
    return make_id("s2", text) if _S2.fullmatch(text) else parse_arxiv(text)


def _id_in_scheme(scheme: str, key: str) -> PaperId | None:
    match scheme:
        case "acl" if ACL_ID.fullmatch(key):
            # Old ids have a capital letter, new ones none.
            return make_id("acl", key.upper() if key[0].isalpha() else key.lower())
        case "doi":
            return parse_doi(key)
        case "arxiv":
            return parse_arxiv(key)
        case "pmid":
            return parse_pmid(key)
        case "pmc":
            return parse_pmc(key)
        case _:
            return make_id(scheme, key) if not any(character.isspace() for character in key) else None


def rank_ids(ids: Iterable[PaperId | None]) -> tuple[PaperId, ...]:
    """`ids` without repeats and without `None`, the most telling scheme first, as `SCHEMES` orders them."""
    ranks = {scheme: rank for rank, scheme in enumerate(SCHEMES)}
    distinct = dict.fromkeys(paper_id for paper_id in ids if paper_id is not None)
    return tuple(sorted(distinct, key=lambda paper_id: ranks.get(scheme_of(paper_id), len(ranks))))
