"""Ids of papers in their one spelling, and keys of titles by which records are looked up; nothing is looked up here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from litterm.model.paper import Author, Paper, PaperId
from litterm.text.tokens import fold

_GENERIC = frozenset(
    (
        "abstracts acknowledgements acknowledgments announcement announcements bookreview bookreviews books"
        " contents correction correspondence corrigendum discussion editorial editorials editorialboard editorsnote"
        " editorspreface errata erratum foreword frontmatter guesteditorial index indexofauthors introduction"
        " introductiontothespecialissue inthisissue invitedtalk invitedtalks keynote letter letterfromtheeditor letters"
        " masthead news obituary"
        " overview paneldiscussion panel preface prefaces program proceedings reply response retraction review"
        " reviewers reviews summary tableofcontents titlepage tutorial tutorials welcome welcomefromthechairs"
    ).split()
)
_NOT_IN_KEY = re.compile(r"[^\w+#]+|_")
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
# arXiv gives each of its papers a DOI of this form; both name the same paper.
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$", re.IGNORECASE)
# What DBLP, services and people put around the number: `CoRR abs/1409.0473`, `arXiv:1706.03762v5 [cs.CL]`, `.../pdf`.
_ARXIV_LEAD = re.compile(r"^(?:(?:arxiv|corr)(?:\s?[:.,]\s?|\s)|(?:abs|pdf)/){1,4}", re.IGNORECASE)
_ARXIV_TAIL = re.compile(r"(?:\s?\[[\w.-]{2,20}\])?(?:\.pdf)?$", re.IGNORECASE)
_ARXIV_VERSION = re.compile(r"v\d+$", re.IGNORECASE)
_OLD_ARXIV = re.compile(r"([a-z-]{2,12})(?:\.[a-z-]{2,12})?/(\d{7})", re.IGNORECASE)
_ARXIV_CLASSES = {
    "math": """ac ag ap at ca co ct cv dg ds fa gm gn gr gt ho it kt lo mg mp na nt oa oc pr qa ra rt sg sp st""",
    "cs": """ai ar cc ce cg cl cr cv cy db dc dl dm ds et fl gl gr gt hc ir it lg lo ma mm ms na ne ni oh os pf pl ro sc
    sd se si sy""",
    "nlin": "ao cd cg ps si",
    "q-bio": "bm cb gn mn nc ot pe qm sc to",
}
"""Classes that libraries of earlier versions may have in ids from before 2007."""


_KEY_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "acl": re.compile(r"[A-Za-z0-9][\w-]{0,60}(?:\.[\w-]{1,60}){0,3}", re.ASCII),
    "iclr": re.compile(r"[\w-]{1,60}(?:\.[\w-]{1,60}){0,3}", re.ASCII),
    "pmc": re.compile(r"PMC\d{1,12}(?:\.\d{1,3})?", re.ASCII),
    "pmid": re.compile(r"\d{1,12}", re.ASCII),
    "doi": re.compile(r"10\.[\d.]{1,20}/\S{1,500}"),
    "arxiv": re.compile(r"[\w-]+(?:\.[\w-]+)?(?:/[\w-]+)?", re.ASCII),
    "s2": re.compile(r"[\w-]{1,60}", re.ASCII),
    "zotero": re.compile(r"(?:\d{1,12}-)?[A-Z0-9]{8}", re.ASCII),
}
"""What a key of each scheme may look like: narrow enough that none leads out of a folder or an address."""
_MAX_KEY_CHARS = 600
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


def is_key(scheme: str, key: str) -> bool:
    """Whether `key` can be one of `scheme`; schemes that are not known take what is no control character."""
    shape = _KEY_PATTERNS.get(scheme)
    if len(key) > _MAX_KEY_CHARS or _CONTROLS.search(key):
        return False
    return bool(key) if shape is None else shape.fullmatch(key) is not None


def scheme_of(paper_id: str) -> str:
    """`acl` of `acl:P18-1001`; empty without a colon."""
    scheme, colon, _ = paper_id.partition(":")
    return scheme if colon else ""


def bare_key(paper_id: str) -> str:
    """The part after the scheme, folded for look-ups: `p18-1001` of `acl:P18-1001`, `math/9901001` of
    `arxiv:math.AG/9901001`."""
    scheme, _, key = paper_id.partition(":")
    return _without_class(key).casefold() if scheme == "arxiv" else key.casefold()


def folded_id(paper_id: str) -> str:
    """An id for comparing: two ids are the same where these are equal."""
    return f"{scheme_of(paper_id).casefold()}:{bare_key(paper_id)}"


def older_spellings(bare: str) -> tuple[str, ...]:
    """Bare keys that an earlier version may have stored instead of `bare`: arXiv ids with the class of the subject."""
    old = _OLD_ARXIV.fullmatch(bare)
    classes = _ARXIV_CLASSES.get(old[1], "").split() if old else ()
    return tuple(f"{old[1]}.{name}/{old[2]}" for name in classes) if old else ()


def _without_class(key: str) -> str:
    """`math/9901001` of `math.AG/9901001`: the number is unique without the class, which is only said along."""
    old = _OLD_ARXIV.fullmatch(key)
    return f"{old[1].lower()}/{old[2]}" if old else key


def make_id(scheme: str, key: str) -> PaperId | None:
    """`scheme:key` in the one spelling litterm uses, or `None` if `key` is no key of that scheme.

    DOIs are lower case and bare of their resolver; an arXiv DOI is the arXiv id, and arXiv ids carry neither
    version nor class; PMC ids start with `PMC`.
    """
    key = key.strip()
    if scheme == "doi":
        # DOIs are case-insensitive, and what a sentence puts behind one is no part of it.
        key = _DOI_PREFIX.sub("", key).casefold().rstrip(".,;")
        # arXiv registers a DOI for each of its papers: both are the same id.
        if arxiv := _ARXIV_DOI.match(key):
            return make_id("arxiv", arxiv.group(1))
    elif scheme == "arxiv":
        key = _without_class(_ARXIV_VERSION.sub("", _ARXIV_TAIL.sub("", _ARXIV_LEAD.sub("", key)).strip()))
    elif scheme == "pmc" and key.isdecimal():
        key = f"PMC{key}"
    return PaperId(f"{scheme}:{key}") if is_key(scheme, key) else None


def local_id(title: str, authors: Sequence[Author], year: int | None, *details: str) -> PaperId:
    """The id of a record without one: equal title, first author and year give equal ids.

    `details` tell records apart that agree in these (two editorials of one year): volume, issue, pages.
    """
    first = fold(authors[0].surname) if authors else ""
    parts = "\n".join((identity_key(title) or title, first, str(year or ""), *details))
    return PaperId(f"local:{_digest(parts).hex()[:12]}")


def title_key(title: str) -> str:
    """Letters and digits of `title`, folded and joined: hyphens, blanks and punctuation do not tell titles apart."""
    return _NOT_IN_KEY.sub("", fold(title))


def numerals(title: str) -> tuple[str, ...]:
    """Numbers of `title` in order: `GPT 2.0` and `GPT 20` have one key but not one numeral."""
    return tuple(_NUMERAL.findall(fold(title)))


def identity_key(title: str) -> str:
    """Title key and numerals in one; empty where the title has no letters or digits."""
    key = title_key(title)
    return f"{key}|{'|'.join(numerals(title))}" if key else ""


@lru_cache(maxsize=1 << 15)
def identity_hash(title: str) -> int:
    """64 bits of `identity_key`, 0 for none. Segments store it: another folding means a new schema version."""
    key = identity_key(title)
    return int.from_bytes(_digest(key), "big") if key else 0


def is_generic(title: str) -> bool:
    """Whether a title names a kind of text (`Preface`) and so says nothing about identity."""
    return title_key(title) in _GENERIC


def paper_ids(paper: Paper) -> tuple[PaperId, ...]:
    """The id, then the aliases."""
    return (paper.id, *paper.aliases)


def key_in(paper: Paper, scheme: str) -> str:
    """The bare key `paper` has in `scheme`, as written; empty if it has none."""
    return next((paper_id.partition(":")[2] for paper_id in paper_ids(paper) if scheme_of(paper_id) == scheme), "")


def first_id(paper: Paper, schemes: Iterable[str]) -> PaperId | None:
    """The id of `paper` in the first of `schemes` it has one in."""
    # From behind, so that of several ids of one scheme the first stays.
    known = {scheme_of(paper_id): paper_id for paper_id in reversed(paper_ids(paper))}
    return next((known[scheme] for scheme in schemes if scheme in known), None)


def have_conflicting_ids(one: Paper, other: Paper) -> bool:
    """Whether both name a paper in one scheme, but not the same one.

    `local` ids claim nothing, nor do the items of a Zotero library, two of which may be one paper.
    """
    one_keys = _ids_by_scheme(paper_ids(one))
    other_keys = _ids_by_scheme(paper_ids(other))
    return any(one_keys[scheme].isdisjoint(other_keys[scheme]) for scheme in one_keys.keys() & other_keys.keys())


def _ids_by_scheme(ids: Iterable[PaperId]) -> dict[str, set[str]]:
    schemes: dict[str, set[str]] = {}
    for paper_id in ids:
        scheme = scheme_of(paper_id)
        if scheme not in ("local", "zotero"):
            schemes.setdefault(scheme, set()).add(bare_key(paper_id))
    return schemes


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
