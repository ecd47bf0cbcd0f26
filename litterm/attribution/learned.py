"""Attribution by a fitted sum of features: words, title, meaning, and what a citing author of that year could know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from litterm.attribution.attributability import is_coined_name
from litterm.attribution.candidate_bounds import is_admitted
from litterm.attribution.confidence import estimate_confidences, verdict_of
from litterm.attribution.fact_features import PROFILE_CANDIDATES, FactFeatures
from litterm.attribution.features import (
    FEATURE_NAMES,
    MAX_CONFIDENCE,
    RARE_WORD_POINTS_WITH_AUTHORS,
    CitationContexts,
    Matrix,
    add_record_features,
    introduced_names,
    introduction_points,
    introduction_strength,
    known_from_others,
    match_names,
    name_at_mark,
    named_points,
    pool_features,
    rare_word_points,
    stated_author_score,
    support_names,
)
from litterm.attribution.lexical import NO_BOUNDS, LexicalAttributor, no_candidates_notice
from litterm.attribution.online_query import online_query
from litterm.attribution.supporting_sentence import find_supporting_sentence, stem_weights
from litterm.attribution.weights import WEIGHTS_FILE, FittedWeights, read_weights
from litterm.core.errors import BadInput, LibraryError, UsageError
from litterm.core.tasks import Task
from litterm.interfaces import Attributor
from litterm.interfaces.arrays import Column
from litterm.model.attribution.citation import Attribution, Candidate, CandidateBounds, Excerpt
from litterm.model.document import Document
from litterm.model.events import Progress, ProvisionalRanking
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query, RankedPaper, Ranking
from litterm.text.escape import plain
from litterm.text.tokens import fold, words

if TYPE_CHECKING:
    from litterm.library.citation_facts.profiles import ProfileMatches
    from litterm.search.citation_candidates import CitationCandidateSearcher, CitationPool
    from litterm.search.lexical import LexicalSearcher

_REASONS = {
    "text": "similar wording and meaning",
    "phrase": "shares a phrase",
    "conference": "main venue",
    "leading": "main venue",
    "journal": "journal of the field",
    "author": "prolific author",
    "first_author": "prolific author",
    "followers": "influential title",
    "age": "age",
    "log_age": "age",
    "same_year": "age",
    "same_author": "shares an author with the citing paper",
    "same_topic": "near the citing paper's topic",
    "acronym": "its title abbreviates to “{}”",
    "cited_as": "others cite it in such words",
    "profile": "public texts cite it with such words",
    "profile_share": "public texts cite it with such words",
    "profile_square": "public texts cite it with such words",
    "count_rank": "cited more than others of its year",
    "lone_count_rank": "cited more than others of its year",
}
_MAX_REASONS = 4
"""Reasons of one candidate."""
_MIN_POINTS = 0.25
"""Points over the average candidate that are worth a word."""
POOL_SIZE = 600
"""Candidates that are weighed, by what the index alone knows of them."""
MAX_RECORDS_READ = 60
"""The first of these, whose records are read; what only the record tells can move a paper up from among them."""

MAX_STATED_PAPERS = 200
"""Papers by the authors that a mark states without a year; more say little."""

FindByName = Callable[[str], Sequence[PaperId]]
"""A coined name to the papers that are known by it from elsewhere, though their records may lack it."""
FindNamed = Callable[[str], Mapping[PaperId, str]]
"""The text before a mark to the papers that the name at its end stands for, each with a sentence that says so."""
FindByAuthorYear = Callable[[str, int | None], Sequence[Paper]]
"""Family name and year, if one is known, to papers, for marks that state them."""


def explain_candidate(excerpt: Excerpt, paper: Paper, points_over_average: Sequence[float]) -> tuple[str, ...]:
    """At most four reasons, the weightiest first; `points_over_average` are those of each feature."""
    sentences = []
    match = match_names(excerpt, paper)
    if match.title:
        sentences.append("the excerpt names its title")
    if stated_author_score(excerpt, paper) > 0:
        sentences.append("authors at the mark agree")
    if match.coined:
        # Many titles use a name that another paper introduced: "A case study of BERT".
        is_introduced = fold(match.coined_name) in introduced_names(paper.title)
        sentences.append(f"{'introduced' if is_introduced else 'its title has'} “{plain(match.coined_name)}”")
    elif (name := name_at_mark(excerpt)) and (strength := introduction_strength(name, paper)):
        sentences.append(f"{'introduced' if strength == 1.0 else 'its abstract introduces'} “{plain(name)}”")
    for term in sorted(range(len(FEATURE_NAMES)), key=lambda term: -points_over_average[term]):
        reason = _REASONS.get(FEATURE_NAMES[term], "").format(plain(match.acronym_name))
        if points_over_average[term] >= _MIN_POINTS and reason and reason not in sentences:
            sentences.append(reason)
    return tuple(sentences[:_MAX_REASONS])


@dataclass(frozen=True, slots=True)
class ScoredPool:
    """A pool with the points of every candidate."""

    pool: CitationPool
    rows: Matrix
    points: Column
    read: Mapping[int, RankedPaper]
    """The first of the pool by place, and those that authors and year name."""
    named: Mapping[PaperId, str] = field(default_factory=dict)
    """Papers that the name before the mark stands for, with a sentence that says so."""


class LinearAttributor:
    """Implements `interfaces.Attributor`."""

    name = "linear"

    def __init__(
        self,
        searcher: CitationCandidateSearcher,
        fits: Mapping[str, FittedWeights],
        *,
        document: Callable[[PaperId], Document | None] = lambda _id: None,
        find_by_author_year: FindByAuthorYear = lambda _family, _year: (),
        find_by_name: FindByName = lambda _name: (),
        find_named: FindNamed = lambda _text: {},
        contexts: CitationContexts | None = None,
        facts: FactFeatures | None = None,
    ) -> None:
        """`document` gives full texts, for supporting sentences; `find_by_author_year` papers by author and year.

        `find_by_name` gives papers that are known by a coined name, `find_named` those that the name before a mark
        stands for.

        `contexts` say how the library's papers cite one another; without them candidates are ranked as in a library
        without full texts. `facts` say what is known of papers from elsewhere.
        """
        self._searcher = searcher
        self._fits = fits
        self._document = document
        self._find_by_author_year = find_by_author_year
        self._find_by_name = find_by_name
        self._find_named = find_named
        self._contexts = contexts
        self._facts = facts

    def attribute(self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds = NO_BOUNDS) -> Task[Attribution]:
        """At most `k` candidates within `bounds`; yields the ranking before it looks for supporting sentences.

        Raises:
            UsageError: `k` is below 1, or neither a word around the mark nor the mark itself can be searched for.
        """
        if k < 1:
            raise UsageError(f"Ask for at least one candidate, not {k}.")
        if not excerpt.words and not excerpt.stated.families:
            raise UsageError("No word around the mark can be searched for; paste the whole citing sentence.")
        scored = yield from self.score_pool(excerpt, bounds, max_records=max(MAX_RECORDS_READ, k))
        if scored is None:
            return Attribution(
                excerpt,
                self.name,
                (),
                notices=(no_candidates_notice(bounds),),
                verdict="absent",
                online_query=online_query(excerpt),
            )
        return (yield from self._answer(excerpt, scored, k))

    def score_pool(
        self, excerpt: Excerpt, bounds: CandidateBounds, *, max_records: int = MAX_RECORDS_READ
    ) -> Task[ScoredPool | None]:
        """The pool with its points; `None` when nothing in the library shares anything with the excerpt."""
        name = name_at_mark(excerpt)
        named_at_mark = self._find_named(excerpt.text[: excerpt.marks[excerpt.chosen].start]) if excerpt.marks else {}
        by_name = self._find_by_name(name) if is_coined_name(name) else ()
        known_by_name = frozenset((*by_name, *named_at_mark))
        meant = {*self._stated_papers(excerpt), *known_by_name}
        matches = self._match_profiles(excerpt)
        pool = yield from self._searcher.pool(
            excerpt.words,
            words(excerpt.text),
            size=POOL_SIZE,
            bounds=bounds,
            include=(*meant, *(matches.best(PROFILE_CANDIDATES) if matches is not None else ())),
        )
        ids = pool.ids()
        known = self._facts.columns(ids, matches, bounds) if self._facts is not None and matches is not None else {}
        rows = pool_features({**pool.features, **known})
        if not len(rows):
            return None
        if len(rows) > POOL_SIZE:
            # Who is a candidate by a profile alone counts as the last by its words, however far behind it is.
            text = rows[:, FEATURE_NAMES.index("text")]
            np.maximum(text, np.partition(text, -POOL_SIZE)[-POOL_SIZE], out=text)
        fit = self._fits[pool.by]
        rare = rare_word_points(excerpt) * pool.features.get("rare", np.zeros(len(rows)))
        points = rows @ fit.terms + rare
        named = [place for place, paper_id in enumerate(ids) if paper_id in meant] if meant else []
        # Stable, so that equal points keep the order of the pool on every machine.
        places = list(dict.fromkeys([*np.argsort(-points, kind="stable")[:max_records].tolist(), *named]))
        ranked = yield from pool.papers(places)
        papers = [item.paper for item in ranked]
        cited_as = yield from self._cited_as(excerpt, papers, bounds)
        rows = add_record_features(rows, places, excerpt, papers, cited_as)
        points = rows @ fit.terms + rare
        introduced = introduction_points(excerpt, papers, known_by_name).tolist()
        for place, item, introduction in zip(places, ranked, introduced, strict=True):
            points[place] += named_points(excerpt, item.paper) + introduction
        admissible = {
            place: item for place, item in zip(places, ranked, strict=True) if is_admitted(item.paper, bounds)
        }
        points[[place for place in places if place not in admissible]] = -np.inf
        return ScoredPool(pool, rows, points, admissible, named_at_mark) if np.isfinite(points).any() else None

    def _match_profiles(self, excerpt: Excerpt) -> ProfileMatches | None:
        if self._facts is None:
            return None
        try:
            return self._facts.match(excerpt)
        except (OSError, ValueError):
            # Facts that cannot be read cost some features, not the answer.
            return None

    def _cited_as(self, excerpt: Excerpt, papers: Sequence[Paper], bounds: CandidateBounds) -> Task[Column]:
        if self._contexts is None:
            return np.zeros(len(papers))
        try:
            return (yield from self._contexts.similarities(excerpt, [paper.id for paper in papers], bounds))
        except LibraryError:
            # Derived data that cannot be read costs a feature, not the answer.
            return np.zeros(len(papers))

    def _stated_papers(self, excerpt: Excerpt) -> tuple[PaperId, ...]:
        """Papers by the authors that the mark states, of the year it states if it does."""
        stated = excerpt.stated
        if not stated.families:
            return ()
        papers = self._find_by_author_year(stated.families[0], stated.year)
        if stated.year is None:
            papers = [paper for paper in papers if stated_author_score(excerpt, paper) > 0]
        return tuple(paper.id for paper in papers[:MAX_STATED_PAPERS])

    def _answer(self, excerpt: Excerpt, scored: ScoredPool, k: int) -> Task[Attribution]:
        fit = self._fits[scored.pool.by]
        order = sorted(scored.read, key=lambda place: (-scored.points[place], scored.read[place].paper.id))[:k]
        chosen = [replace(scored.read[place], rank=rank) for rank, place in enumerate(order, 1)]
        yield ProvisionalRanking(Ranking(Query(excerpt.text), tuple(chosen), found=len(chosen), by=self.name))
        features = {**scored.pool.features, **known_from_others(scored.rows)}
        # The confidence was fitted on few rare words, so it gives one only the points it has beside stated authors.
        surplus = rare_word_points(excerpt) - RARE_WORD_POINTS_WITH_AUTHORS
        rare = surplus * features.get("rare", np.zeros(len(scored.points)))
        present, likely = estimate_confidences(features, scored.points - rare, fit)
        likely = _temper_shared_names(excerpt, scored, likely)
        # Over the average candidate: what all of them have is no reason for any.
        points_over_average = (scored.rows - scored.rows.mean(axis=0)) * fit.terms
        stems = stem_weights(excerpt.words)
        candidates: list[Candidate] = []
        for place, ranked in zip(order, chosen, strict=True):
            yield Progress("supporting sentences", len(candidates), len(order))
            candidate = Candidate(
                rank=ranked.rank,
                paper=ranked.paper,
                score=round(float(scored.points[place]), 6),
                matched=tuple(word for word, _ in ranked.matched),
                support=self._support(ranked.paper, stems),
                confidence=round(float(likely[place]), 4),
                why=tuple(
                    filter(
                        None,
                        (
                            scored.named.get(ranked.paper.id, ""),
                            *explain_candidate(excerpt, ranked.paper, points_over_average[place].tolist()),
                        ),
                    )
                )[:_MAX_REASONS],
            )
            candidates.append(candidate)
        first = candidates[0].confidence or 0.0
        verdict = verdict_of(present, first)
        if verdict == "absent" and any(stated_author_score(excerpt, item.paper) > 0 for item in candidates):
            # Whoever has a paper by these authors is not told that it is not there.
            verdict = "unsure"
        return Attribution(
            excerpt,
            self.name,
            tuple(candidates),
            notices=scored.pool.notices,
            verdict=verdict,
            confidence=first,
            online_query=online_query(excerpt) if verdict != "found" else "",
        )

    def _support(self, paper: Paper, stems: Mapping[str, float]) -> str:
        return find_supporting_sentence(stems, paper, self._document(paper.id) if paper.full_text else None)


def _temper_shared_names(excerpt: Excerpt, scored: ScoredPool, likely: Column) -> Column:
    """`likely`, at most `MAX_CONFIDENCE` where only a name speaks for the first, and it may be another's."""
    places = list(scored.read)
    support = support_names(excerpt, [scored.read[place].paper for place in places])
    best = int(scored.points.argmax())
    is_doubtful = best in scored.read and support.is_doubtful(places.index(best))
    if not is_doubtful or stated_author_score(excerpt, scored.read[best].paper) > 0:
        return likely
    column: Column = np.minimum(likely, MAX_CONFIDENCE)
    return column


def open_attributor(
    citable: CitationCandidateSearcher,
    plain: Callable[[], LexicalSearcher],
    *,
    document: Callable[[PaperId], Document | None],
    find_by_author_year: FindByAuthorYear,
    find_by_name: FindByName = lambda _name: (),
    find_named: FindNamed = lambda _text: {},
    contexts: CitationContexts | None = None,
    facts: FactFeatures | None = None,
    weights: Path = WEIGHTS_FILE,
) -> Attributor:
    """The fitted attributor, or BM25 over the words around the mark where the weights cannot be read."""
    try:
        return LinearAttributor(
            citable,
            read_weights(weights),
            document=document,
            find_by_author_year=find_by_author_year,
            find_by_name=find_by_name,
            find_named=find_named,
            contexts=contexts,
            facts=facts,
        )
    except BadInput as error:
        notice = f"{error} Candidates are ranked by words alone, without confidence."
        return LexicalAttributor(plain(), document, notice)
