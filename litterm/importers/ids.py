"""Parses ids as sources and people write them to the one spelling of `PaperId`, also out of the URLs of papers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from litterm.model.paper import SCHEMES, PaperId
from litterm.text.references.identity import make_id, scheme_of

SchemeAndKey = tuple[str, str]
"""Scheme and key, the key as it is in the address."""
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
ACL_ID: Final = re.compile(r"[A-Z]\d{2}-\d{4}|(?:19|20)\d\d\.[a-z0-9_]+-[a-z0-9_]+\.\d+", re.IGNORECASE)
_ACL_TAIL: Final = re.compile(r"(?:[ve]\d{1,2})?(?:\.(?:pdf|bib|xml|endf|ris))?$", re.IGNORECASE)
"""Behind the id in the name of a file: a revision or an erratum, and what kind of file it is."""
_ARXIV_PATH: Final = re.compile(
    r"/(?:abs|pdf|html|format|e-print|src|ps|papers|overview)/((?:[a-z-]+(?:\.[A-Z]{2})?/)?\d[\d.]+\d(?:v\d+)?)",
    re.IGNORECASE,
)
_PMC_PATH: Final = re.compile(r"/(?:pmc/)?articles?/(?:pmc/)?(?:PMC)?(\d{3,9})(?:[/.]|$)", re.IGNORECASE)
_PUBMED: Final = re.compile(r"^/(?:m/)?(?:pubmed/)?(\d{1,9})/?$")
_EUROPE: Final = re.compile(r"/(?:abstract|article)/med/(\d{1,9})", re.IGNORECASE)
_SCHOLAR: Final = re.compile(r"/(?:paper|reader)/(?:[^/]+/)?([0-9a-f]{40})(?:/|$)")
_CORPUS: Final = re.compile(r"/CorpusId:(\d+)", re.IGNORECASE)
_NATURE: Final = re.compile(r"/articles/((?:s\d{5}-|n[a-z]+\d|srep|ncomms|nature|nbt|nmeth)[\w.-]*?\d)(?:\.pdf)?$")
_DOI_PATH: Final = re.compile(r"10\.\d{4,9}/.+")
# bioRxiv and medRxiv put the version behind the DOI, and a view of the page behind that.
_PREPRINT_VERSION: Final = re.compile(r"(10\.1101/[\d.]+?)v\d+\b.*")
_VIEW_SUFFIX: Final = re.compile(
    r"(?:/(?:full(?:text|\.pdf|\.html)?|abstract|e?pdf(?:plus)?|meta|html|xml|summary|references|citations?|download"
    r"|supplementary-?\w*|figures|tables?|issue)|\.(?:full|pdf|html|xml|abstract)|/){1,6}$",
    re.IGNORECASE,
)
"""What publishers put behind a DOI to show the article in one way or another."""


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
    return _first_match(_ARXIV_PATH, "arxiv", path.removesuffix(".pdf"))


def _ncbi(path: str, _query: str) -> SchemeAndKey | None:
    if path.startswith("/pmc"):
        return _first_match(_PMC_PATH, "pmc", path)
    return _first_match(_PUBMED, "pmid", path)


def _pmc(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_PMC_PATH, "pmc", path)


def _pubmed(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_PUBMED, "pmid", path)


def _europe(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_EUROPE, "pmid", path) or _first_match(_PMC_PATH, "pmc", path)


def _scholar(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_SCHOLAR, "s2", path) or _first_match(_CORPUS, "s2", path)


def _doi(path: str, _query: str) -> SchemeAndKey | None:
    return _first_match(_DOI_PATH, "doi", path, group=0)


def _nature(path: str, query: str) -> SchemeAndKey | None:
    suffix = _first_match(_NATURE, "doi", path)
    return ("doi", f"10.1038/{suffix[1]}") if suffix is not None else _publisher(path, query)


def _publisher(path: str, query: str) -> SchemeAndKey | None:
    """The DOI that most publishers put into their addresses, without what chooses a view of the article."""
    parameters = parse_qs(query)
    stated_id = next((value for name in ("id", "doi") for value in parameters.get(name, ())), "")
    match = _DOI_PATH.search(path) or _DOI_PATH.match(stated_id)
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
