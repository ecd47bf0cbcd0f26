"""Candidates of an excerpt in numbers: what the learned ranking weighs.

Whether the excerpt names a paper (by title, coined name, acronym or authors), which of several papers of one name it
speaks of, and how like it the sentences are in which others cite a candidate. A candidate's own text plays no part in
the last, and one that no known text cites gets 0, which takes nothing from its points.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.attribution.attributability import is_coined_name
from litterm.attribution.fact_features import FACT_FEATURES
from litterm.attribution.supporting_sentence import stem_weights
from litterm.core.errors import LibraryError
from litterm.core.tasks import Task
from litterm.interfaces import CitationGraph
from litterm.interfaces.arrays import Column
from litterm.model.attribution.citation import CandidateBounds, Excerpt
from litterm.model.citations.graph import Citance
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.text.references.titles import main_title
from litterm.text.tokens import FUNCTION_WORDS, fold, tokens, words

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
_MIN_MARGIN = 0.1
"""Share of the words around the mark by which one paper must lead another of its name to be told from it."""
_MIN_CONTEXT_STEMS = 4
"""Stems around the mark of which a paper that is only known by its name must share one; fewer say nothing."""
_USERS_SHARE = 0.05
"""What all later papers that use the name count beside the words; it decides where these say nothing."""
MAX_CONFIDENCE = 0.45
"""Of a paper that only its name speaks for."""
MAX_CITING_PAPERS, MAX_SENTENCES = 8, 12
"""Citing papers that are read for a candidate, the newest, and sentences of theirs."""
_PAPERS_PER_YIELD = 10
"""Candidates between two reports of progress, which are also the places where the task can be stopped."""
_CACHE_SIZE = 4096
"""Pairs of citing and cited paper whose sentences stay in memory; all are dropped when there are more."""

StemSet = frozenset[str]
POOL_FEATURES = (
    "text",
    "phrase",
    "length",
    "age",
    "log_age",
    "same_year",
    "conference",
    "leading",
    "workshop",
    "journal",
    "author",
    "first_author",
    "followers",
    "same_author",
    "same_topic",
)
"""Known of every paper of the pool, from the index alone."""
RECORD_FEATURES = ("acronym", "cited_as")
"""Known once the paper's record, and how others cite it, has been read: for the first of the pool."""
FEATURE_NAMES = (*POOL_FEATURES, *FACT_FEATURES, *RECORD_FEATURES)
"""In the order of the weights."""

NAMED_POINTS, COINED_POINTS, STATED_POINTS, CONTRADICTED_POINTS = 6.0, 3.0, 5.0, -2.0
"""Points for a title that is in the claim, for having coined the name right at the mark, and for authors and year
beside the mark that agree, or do not. Set by hand: the excerpts that weights are fitted on have names taken out, and
in few of them a coined name is at the mark (19 of 600; right in 9, and R@1 gains .2)."""

INTRODUCED_POINTS = 8.0
"""For the first paper that introduces the name right at the mark in its title; half where only its abstract does. Set
by hand on typed sentences about 30 well-known works of the Anthology, see docs/benchmarks-history.md."""
_MAX_EARLIER_USERS = 2
"""Candidates of earlier years that may hold a new name by chance."""
_LATER_FACTOR = 0.75
"""Of the points of a later one with that name in its title, where too few words are around the mark to tell."""
_RIVAL_FACTOR = 0.25
"""Of the points of another work of that name, for which the words around the mark speak less."""

RARE_WORD_POINTS = 40.0
"""For a rare word near the mark that the semantic model does not know and the paper holds: more than all else says for
others. A long abstract that holds no other word of the excerpt has 20 points less than the best of a hundred thousand
papers, and its rivals up to 8 more by venue and authors; with 6 such a paper came first in half of the cases there,
with 24 in 197 of 200 (made-up names). On the excerpts that weights are fitted on 6 to 24 give the same."""
RARE_WORD_POINTS_WITH_AUTHORS = 6.0
"""The same where the mark states authors, who say more; and for the confidence, which was fitted on few such words."""

Matrix = npt.NDArray[np.float64]


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


@dataclass(frozen=True, slots=True)
class NameSupport:
    """How the words around the mark speak for each of some papers; those that did not introduce its name have 0."""

    name: str
    shares: tuple[float, ...]
    introduces: tuple[bool, ...]
    is_telling: bool
    """Whether there are enough words around the mark to tell."""

    @property
    def rivals(self) -> int:
        """Papers that have the name by their titles."""
        return sum(self.introduces)

    def is_doubtful(self, place: int) -> bool:
        """Whether only its name speaks for the paper at `place`, and might speak for another."""
        if not self.introduces[place]:
            return False
        others = [share for other, share in enumerate(self.shares) if other != place and self.introduces[other]]
        if others:
            return self.shares[place] - max(others) < _MIN_MARGIN
        return self.is_telling and self.shares[place] == 0.0


def support_names(excerpt: Excerpt, papers: Sequence[Paper]) -> NameSupport:
    """How the words of `excerpt` speak for those of `papers` that have the name at the mark by their titles."""
    name = name_at_mark(excerpt)
    introduces = [bool(name) and introduction_strength(name, paper) == 1.0 for paper in papers]
    weights = stem_weights(excerpt.words)
    for stem in tokens(name):
        weights.pop(stem, None)
    total = sum(weights.values())
    shares = []
    for paper, is_rival in zip(papers, introduces, strict=True):
        stems = frozenset(tokens(f"{paper.title} {paper.abstract}")) if is_rival else frozenset()
        shares.append(sum(weight for stem, weight in weights.items() if stem in stems) / total if total else 0.0)
    return NameSupport(name, tuple(shares), tuple(introduces), len(weights) >= _MIN_CONTEXT_STEMS)


def best_supported(support: NameSupport, papers: Sequence[Paper]) -> int:
    """The place of the rival that the words, or else those who use its name after it, speak most for."""
    rivals = [place for place, is_rival in enumerate(support.introduces) if is_rival]
    users = [paper.year for paper in papers if paper.year and uses_name(support.name, paper)]
    followers = dict.fromkeys(rivals, 0)
    for year in users:
        earlier = [place for place in rivals if (papers[place].year or 0) <= year]
        if earlier:
            followers[max(earlier, key=lambda place: papers[place].year or 0)] += 1
    return max(
        rivals,
        key=lambda place: (
            support.shares[place] + _USERS_SHARE * followers[place] / max(1, len(users)),
            -(papers[place].year or 0),
        ),
    )


class CitationContexts:
    """The sentences around citations within the library; safe from any thread."""

    def __init__(self, graph: Callable[[], CitationGraph]) -> None:
        """`graph` gives the citation graph as it is; it is asked once an excerpt."""
        self._graph = graph
        self._read: tuple[CitationGraph, dict[tuple[PaperId, PaperId], tuple[StemSet, ...]]] | None = None

    def similarities(self, excerpt: Excerpt, papers: Sequence[PaperId], bounds: CandidateBounds) -> Task[Column]:
        """Per paper, in [0, 1], the share of the excerpt's weighted words in the one sentence citing it that has most.

        Citing papers are those of `bounds.year` or earlier, the excluded ones not among them; 0 where there is
        none.
        """
        weights = stem_weights(excerpt.words)
        column = np.zeros(len(papers))
        try:
            graph = self._graph()
        except LibraryError:
            # A database that cannot be read costs this feature, not the answer.
            return column
        for start in range(0, len(papers), _PAPERS_PER_YIELD):
            yield Progress("reading citing sentences", start, len(papers))
            turn = papers[start : start + _PAPERS_PER_YIELD]
            for index, edges in enumerate(graph.citations(turn, until=bounds.year), start):
                citing = [edge.citing for edge in edges if edge.citing not in bounds.exclude][:MAX_CITING_PAPERS]
                column[index] = _best_share(
                    weights, islice(self._sentences(graph, citing, papers[index]), MAX_SENTENCES)
                )
        return column

    def _sentences(self, graph: CitationGraph, citing: Collection[PaperId], cited: PaperId) -> Iterator[StemSet]:
        read_contexts = self._cache_of(graph)
        for citing_id in citing:
            if (citing_id, cited) not in read_contexts:
                if len(read_contexts) >= _CACHE_SIZE:
                    read_contexts.clear()
                read_contexts[citing_id, cited] = tuple(map(_stems, graph.contexts(citing_id, cited)))
            yield from read_contexts.get((citing_id, cited), ())

    def _cache_of(self, graph: CitationGraph) -> dict[tuple[PaperId, PaperId], tuple[StemSet, ...]]:
        """What was read of this very graph."""
        # When a list is stored, there is another graph, and the cache starts again.
        if self._read is None or self._read[0] is not graph:
            self._read = (graph, {})
        return self._read[1]


def _best_share(weights: Mapping[str, float], sentences: Iterator[StemSet]) -> float:
    total_weight = sum(weights.values())
    shares = (sum(weight for stem, weight in weights.items() if stem in stems) / total_weight for stems in sentences)
    return max(shares, default=0.0) if total_weight else 0.0


def _stems(citance: Citance) -> StemSet:
    """The words of a citing sentence, those of the mark left out."""
    text, mark = citance.text, citance.mark
    return frozenset(tokens(f"{text[: mark.start]} {text[mark.end :]}" if mark else text))


def pool_features(features: Mapping[str, Column]) -> Matrix:
    """The features of a pool with every term as a column; what is not known yet, or not at all, is 0."""
    count = len(next(iter(features.values())))
    return np.column_stack([features[name] if name in features else np.zeros(count) for name in FEATURE_NAMES])


def add_record_features(
    rows: Matrix, places: Sequence[int], excerpt: Excerpt, papers: Sequence[Paper], cited_as: Column
) -> Matrix:
    """`rows` of the pool with what the records of `papers`, which are at `places`, and those who cite them add."""
    matrix = rows.copy()
    first = len(FEATURE_NAMES) - len(RECORD_FEATURES)
    for place, paper, likeness in zip(places, papers, cited_as.tolist(), strict=True):
        matrix[place, first:] = (match_names(excerpt, paper).acronym, likeness)
    return matrix


def known_from_others(rows: Matrix) -> dict[str, Column]:
    """How others cite each candidate, for `confidence`."""
    return {name: rows[:, FEATURE_NAMES.index(name)] for name in ("cited_as", "profiled", "profile_share")}


def named_points(excerpt: Excerpt, paper: Paper) -> float:
    """Points for what names the paper outright, or somebody else."""
    agreeing = stated_author_score(excerpt, paper)
    stated = agreeing * (STATED_POINTS if agreeing > 0 else -CONTRADICTED_POINTS)
    named = match_names(excerpt, paper)
    return NAMED_POINTS * named.title + COINED_POINTS * (named.coined == 1.0) + stated


def introduction_points(excerpt: Excerpt, papers: Sequence[Paper], known_by_name: Collection[PaperId] = ()) -> Column:
    """Points for those of `papers` that introduce the name at the mark, most for the first.

    Those `known_by_name` are known to have introduced it, whatever their records say.
    """
    points = np.zeros(len(papers))
    name = name_at_mark(excerpt)
    strengths = np.array([introduction_strength(name, paper) for paper in papers])
    if known_by_name and not (strengths == 1.0).any():
        # As much as for a paper whose title has the name: its record lacks only what is known from elsewhere.
        return (INTRODUCED_POINTS + COINED_POINTS) * np.array([float(paper.id in known_by_name) for paper in papers])
    if not name or not strengths.any():
        return points
    users = sorted(paper.year for paper in papers if paper.year and uses_name(name, paper))
    # Whoever explains a name that was in use already did not introduce it.
    is_new = [bool(paper.year) and bisect_left(users, paper.year or 0) <= _MAX_EARLIER_USERS for paper in papers]
    introducing = np.flatnonzero(strengths * is_new).tolist()
    support = support_names(excerpt, papers)
    if support.rivals > 1 and (support.is_telling or any(support.shares)):
        # Several works have that name: the words around the mark tell which is meant, and not who was first.
        points = INTRODUCED_POINTS * _RIVAL_FACTOR * (strengths == 1.0)
        points[best_supported(support, papers)] = INTRODUCED_POINTS
    elif introducing:
        # Of one year, the one with the name in its title; an abstract may repeat what another title says.
        first = min(introducing, key=lambda place: (papers[place].year or 0, -strengths[place]))
        if strengths[first] == 1.0:
            points = INTRODUCED_POINTS * _LATER_FACTOR * (strengths == 1.0)
        points[first] = INTRODUCED_POINTS * strengths[first]
    return points


def rare_word_points(excerpt: Excerpt) -> float:
    """What a rare word near the mark counts."""
    return RARE_WORD_POINTS_WITH_AUTHORS if excerpt.stated.families else RARE_WORD_POINTS
