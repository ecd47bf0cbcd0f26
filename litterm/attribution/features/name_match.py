"""Whether an excerpt names a paper: by its title, a name it coined, an acronym of its title, or its authors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from litterm.attribution.attributability import is_coined_name
from litterm.model.attribution.citation import Excerpt
from litterm.model.paper import Paper, PaperId
from litterm.text.references.titles import main_title
from litterm.text.tokens import FUNCTION_WORDS, fold, words

if TYPE_CHECKING:
    from litterm.interfaces import WorkLookup

_MIN_TITLE_WORDS, _MIN_TELLING_WORDS = 4, 2
"""Words, and words that tell something, that a title must have before its standing in a text is no accident."""
_COINED_TITLE = re.compile(r"^(?P<name>[^\s:]{2,20}(?:\s[^\s:]{2,15})?)\s?:\s")
_IN_BRACKETS = re.compile(r"\((?P<name>[A-Z][\w-]{1,15})\)")
_LAST_WORD = re.compile(r"\b(?P<word>[^\W\d_][\w-]{2,29})[\s(\[“\"]{1,3}\Z")
_PIECE = re.compile(r"[^\W_]+")
# No past tense: "the recently released SNLI corpus" is the work of others.
_INTRODUCING_WORDS = (
    r"introduc(?:es?|ing)|present(?:s|ing)?|propos(?:es?|ing)|releas(?:es?|ing)|provid(?:es?|ing)|describ(?:es?|ing)"
    r"|develop(?:s|ing)?|creat(?:es?|ing)|construct(?:s|ing)?|call(?:ed)?|named|dubbed|termed"
)
_INTRODUCTION = rf"\b(?:{_INTRODUCING_WORDS})[^\w.]+(?:\w+[^\w.]+){{0,8}}"
_MIN_SPELT_OUT_LENGTH = 4
"""Letters of a name whose words an abstract may spell out without it; shorter ones are initials of much else."""
_MIN_ACRONYM_LENGTH = 3
"""Letters: two stand by accident among the initials of many titles."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """How an excerpt names a paper; each in [0, 1]."""

    title: float = 0.0
    """Its title is in the claim; half where it is short, or only the main title does."""
    coined: float = 0.0
    """A name it coined is in the excerpt; 1 where the name stands right at the mark."""
    coined_name: str = ""
    """The name it coined, as the excerpt writes it; the nearest to the mark where there are several."""
    acronym: float = 0.0
    """A coined name in the excerpt is made of the first letters of its title."""
    acronym_name: str = ""
    """That name."""


def match_names(excerpt: Excerpt, paper: Paper) -> NameMatch:
    """How `excerpt` names `paper`."""
    title_names = coined_names(paper.title)
    shared = [name for name in excerpt.coined if fold(name) in title_names]
    strength = 0.0
    if shared:
        # `trivial` means that a coined name stands right at the mark, and `coined` begins with the nearest.
        strength = 1.0 if excerpt.kind == "trivial" and shared[0] == excerpt.coined[0] else 0.5
    initials = _initials(paper.title)
    acronym = next((name for name in excerpt.coined if _is_acronym(name, initials)), "")
    return NameMatch(
        title=_title_quote_score(excerpt, paper.title),
        coined=strength,
        coined_name=shared[0] if shared else "",
        acronym=float(bool(acronym)),
        acronym_name=acronym,
    )


def stated_author_score(excerpt: Excerpt, paper: Paper) -> float:
    """How well the authors and the year beside the mark agree with `paper`: 1 wholly, 0 nothing stated, -1 not."""
    stated = excerpt.stated
    if not stated.families:
        return 0.0
    # A year apart is usual: a preprint is cited by one year and recorded by the other.
    if stated.year is not None and paper.year is not None and abs(stated.year - paper.year) > 1:
        return -1.0
    author_keys = {_key(author.surname) for author in paper.authors}
    agreeing = sum(_key(family) in author_keys for family in stated.families) / len(stated.families)
    if agreeing < 1.0:
        return -1.0
    lead = paper.authors[0]
    if _key(stated.families[0]) not in (_key(lead.family), _key(lead.surname)):
        # Who is named first at a mark has hardly ever written second.
        return 0.25
    return 1.0 if stated.year is None or stated.year == paper.year else 0.5


@lru_cache(maxsize=4096)
def coined_names(title: str) -> frozenset[str]:
    """The coined names of `title`, folded: `elmo` of `ELMo: deep vectors`, `glove` of `GloVe vectors`."""
    # A title in capitals coins nothing.
    if title.isupper():
        return frozenset()
    words_of_title = re.split(r"[\s:,;()]+", title)
    return introduced_names(title).union(
        fold(word) for word in words_of_title if is_coined_name(word) and word != title
    )


def introduced_names(title: str) -> frozenset[str]:
    """The names that `title` explains, folded: `elmo` of `ELMo: deep vectors`, but none of `A study of ELMo`."""
    if title.isupper():
        return frozenset()
    names = {match["name"] for match in _IN_BRACKETS.finditer(title)}
    if lead := _COINED_TITLE.match(title):
        names.add(lead["name"])
    return frozenset(map(fold, names))


def introduction_strength(name: str, paper: Paper) -> float:
    """How surely `paper` explains `name` to its readers: 1 in its title, 0.5 in its abstract alone, else 0."""
    if fold(name) in introduced_names(paper.title):
        return 1.0
    # Abstracts introduce much that bears no name: "we present a parser".
    return 0.5 if is_coined_name(name) and _is_explained(name, paper.abstract) else 0.0


def find_introducing(name: str, papers: Iterable[Paper]) -> Paper | None:
    """The first of `papers` that has `name` by its title, or whose summary begins a sentence with it."""
    begins = re.compile(rf"(?:\A|[.!?]\s){re.escape(name)}\b")
    introducing = [
        paper for paper in papers if fold(name) in introduced_names(paper.title) or begins.search(paper.abstract)
    ]
    return min(introducing, key=lambda paper: paper.year or 0, default=None)


def find_introduced_works(name: str, papers: Iterable[Paper], works: WorkLookup) -> tuple[PaperId, ...]:
    """The papers of `works` that are known by `name` because one of `papers` introduces it; often the same paper."""
    introducing = find_introducing(name, papers)
    if introducing is None:
        return ()
    by_id = [paper_id for ids in works.find(introducing.aliases) for paper_id in ids]
    return tuple(dict.fromkeys(by_id)) or works.find_by_title([introducing.title])[0]


def uses_name(name: str, paper: Paper) -> bool:
    """Whether title or abstract of `paper` holds `name`, in whatever letters."""
    return re.search(rf"\b{re.escape(name)}\b", f"{paper.title} {paper.abstract}", re.IGNORECASE) is not None


def name_at_mark(excerpt: Excerpt) -> str:
    """The coined name right before the mark, or else the word there, which may be the name of something."""
    if excerpt.kind == "trivial" and excerpt.coined:
        return excerpt.coined[0]
    if excerpt.chosen < 0:
        return ""
    match = _LAST_WORD.search(excerpt.text[: excerpt.marks[excerpt.chosen].start])
    return match["word"] if match else ""


def _is_explained(name: str, abstract: str) -> bool:
    """Whether `abstract` has `name`, as it is or spelt out, a few words behind a verb that introduces things."""
    if re.search(rf"{_INTRODUCTION}{re.escape(name)}\b", abstract, re.IGNORECASE):
        return True
    if len(name) < _MIN_SPELT_OUT_LENGTH or not name.isalpha() or not name.isupper():
        return False
    # `Stanford Natural Language Inference` for SNLI: with capitals, which such words have where they are a name.
    spelt_out = r"[\s-]".join(rf"{letter}[a-z]+" for letter in name)
    return re.search(rf"(?i:{_INTRODUCTION})\b{spelt_out}", abstract) is not None


def _title_quote_score(excerpt: Excerpt, title: str) -> float:
    claim = _padded_words(excerpt.text[excerpt.claim.start : excerpt.claim.end])
    for spelling in dict.fromkeys((title, main_title(title))):
        if _padded_words(spelling) in claim:
            all_words = words(spelling)
            telling = sum(word not in FUNCTION_WORDS for word in all_words)
            if len(all_words) >= _MIN_TITLE_WORDS and telling >= _MIN_TELLING_WORDS:
                return 1.0 if spelling == title and telling > _MIN_TELLING_WORDS else 0.5
    return 0.0


@lru_cache(maxsize=4096)
def _padded_words(text: str) -> str:
    """The folded words of `text` between blanks, so that a title is in a claim word for word or not at all."""
    return f" {' '.join(words(text))} "


def _initials(title: str) -> str:
    return "".join(word[0] for word in words(title) if word not in FUNCTION_WORDS and not word.isdigit())


def _is_acronym(name: str, initials: str) -> bool:
    letters = "".join(_PIECE.findall(name))
    if not letters.isupper() or not letters.isalpha():
        return False
    return len(letters) >= _MIN_ACRONYM_LENGTH and fold(letters) in initials


def _key(family: str) -> str:
    return "".join(words(family))
