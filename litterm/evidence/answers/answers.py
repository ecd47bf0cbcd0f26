"""Answers to questions: the best sentences over the first papers of a search, each named with its paper and place.

The papers are read and their sentences measured against the question, or against each of its aspects; fitted weights
rank them across papers. Where no sentence is likely enough to answer, the library does not say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from litterm.core.errors import UsageError
from litterm.core.tasks import Task, as_one_step
from litterm.evidence.answers.features import ComparedSentence, ReadPaper, answer_values, compare_sentences
from litterm.evidence.answers.groups import join_restatements
from litterm.evidence.answers.question import AskedQuestion, QuestionAspect, read_question
from litterm.evidence.answers.weights import AnswerWeights
from litterm.evidence.features import weighted_sum
from litterm.evidence.hypothesis import Hypothesis, read_hypothesis
from litterm.evidence.language.concepts import Concept
from litterm.evidence.learned import LinearExtractor
from litterm.evidence.strength import logistic, logit
from litterm.interfaces import PaperSearcher
from litterm.model.answer import (
    DEFAULT_ANSWER_PAPERS,
    DEFAULT_ANSWER_SENTENCES,
    MAX_ANSWER_PAPERS,
    MAX_ANSWER_SENTENCES,
    Answer,
    AnswerGroup,
    AnswerSentence,
    AnswerSide,
    SilenceReason,
)
from litterm.model.document import Document, Sentence
from litterm.model.events import Progress
from litterm.model.evidence import LikelyStance
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query, RankedPaper
from litterm.render.locator import locator, section_of
from litterm.search.notices import missing_paper_notices
from litterm.text.queries.parser import free_text, parse_query

ReadDocument: TypeAlias = Callable[[PaperId], Task[Document]]
KeysOf: TypeAlias = Callable[[Sequence[Paper]], Mapping[PaperId, str]]

METHOD: Final = "linear"
"""As that of `LinearExtractor`, which measures the sentences."""
MIN_SAID_PROBABILITY: Final = 0.35
"""Probability, where half of all questions are answered, below which the library does not say."""
MIN_SENTENCE_PROBABILITY: Final = 0.05
"""Probability below which a sentence is not shown."""
MAX_SENTENCES_OF_PAPER: Final = 3
"""Sentences shown of one paper, so that one does not take the place of the others."""
MIN_UNKNOWN_SHARE: Final = 0.5
"""Part of the question, its rare words weighing more, that no paper read holds in any form: it is of another field."""
_MAX_RESTATEMENTS: Final = 5
_CANDIDATES_PER_SENTENCE: Final = 3
"""Sentences looked at for each that is shown: some of them say the same."""
_CHARACTERS_PER_TOKEN: Final = 3.6
_BEST_SENTENCES: Final = 3
"""Sentences by which it is told whether the library answers at all."""
_SIDES: Final[tuple[AnswerSide, ...]] = ("for", "against", "unclear")


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A candidate of one of the papers read."""

    paper: int
    """Its number among the papers read, from 0."""
    place: int
    """In the pool of its paper."""
    score: float
    probability: float
    """That it is an answer."""
    compared: ComparedSentence


@dataclass(frozen=True, slots=True)
class _ReadAspect:
    """An aspect of the question with what was read for it."""

    aspect: QuestionAspect
    hypothesis: Hypothesis
    papers: tuple[ReadPaper, ...]
    ranked: Sequence[RankedSentence]
    said: float
    """The probability that the papers answer it."""
    silence: SilenceReason


@dataclass(frozen=True, slots=True)
class QuoteLimits:
    """How much of the papers a model is shown; a token is 3.6 characters."""

    abstract_tokens: int = 4_500
    """Of whole abstracts: those of 12 papers."""
    passage_tokens: int = 3_000
    """Of passages of full texts."""
    passages_of_paper: int = 4


@dataclass(frozen=True, slots=True)
class QuotedAnswer:
    """An answer with the quotes that a model may write from."""

    answer: Answer
    quotes: tuple[AnswerSentence, ...]
    """Paper by paper in the order of the search, in the order of their text; `rank` is the number of a quote."""


class Answers:
    """Answers questions from the papers of a library."""

    def __init__(
        self,
        searcher: PaperSearcher,
        read: ReadDocument,
        keys_of: KeysOf,
        extractor: LinearExtractor,
        weights: AnswerWeights,
    ) -> None:
        self._searcher = searcher
        self._read = read
        self._keys_of = keys_of
        self._extractor = extractor
        self._weights = weights

    def ask(
        self,
        typed: str | Query,
        *,
        k: int = DEFAULT_ANSWER_SENTENCES,
        papers: int = DEFAULT_ANSWER_PAPERS,
    ) -> Task[Answer]:
        """At most `k` sentences of the first `papers` papers of the search that answer.

        Raises:
            UsageError: there is no word to look for, or `k` or `papers` is out of range.
            QueryError: `typed` cannot be read as a query.
        """
        return (yield from self.ask_with_quotes(typed, k=k, papers=papers, quotes=None)).answer

    def ask_with_quotes(
        self, typed: str | Query, *, k: int = DEFAULT_ANSWER_SENTENCES, papers: int, quotes: QuoteLimits | None
    ) -> Task[QuotedAnswer]:
        """As `ask`, with the quotes that a model is to write from: whole abstracts, and the best passages of texts.

        Without `quotes` there are none.

        Raises:
            UsageError: there is no word to look for, or `k` or `papers` is out of range.
            QueryError: `typed` cannot be read as a query.
        """
        _require(k, MAX_ANSWER_SENTENCES, "sentence")
        _require(papers, MAX_ANSWER_PAPERS, "paper")
        query = parse_query(typed) if isinstance(typed, str) else typed
        question = read_question(free_text(query))
        yield Progress("searching")
        ranking = yield from self._searcher.search(replace(query, kind=query.kind or "question"), k=papers)
        read = yield from self.read_aspects(question, ranking.papers[:papers])
        # A word of a question is seldom the name of a paper that is missed.
        names = frozenset(missing_paper_notices(ranking.names))
        notices = tuple(notice for notice in ranking.notices if notice not in names)
        shown = [item.paper for item in ranking.papers[:papers]]
        answer = self._compose(question, read, shown, k, notices)
        return QuotedAnswer(answer, self._quotes(read, shown, quotes) if quotes is not None else ())

    def _quotes(
        self, read: Sequence[_ReadAspect], papers: Sequence[Paper], limits: QuoteLimits
    ) -> tuple[AnswerSentence, ...]:
        """The quotes in the order of the papers and of their text, ranked in this order."""
        keys = self._keys_of(papers)
        best = {(item.paper, item.place): item for aspect in reversed(read) for item in aspect.ranked}
        chosen: set[tuple[int, int]] = set()
        left = limits.abstract_tokens
        for number, paper in enumerate(read[0].papers):
            pool = paper.sentences.paper.candidates.pool.sentences
            abstract = [place for place, sentence in enumerate(pool) if sentence.kind == "abstract"]
            # A paper whose text has no abstract still begins with what it is about.
            for place in abstract or ([] if paper.is_full_text else range(len(pool))):
                cost = _tokens(pool[place].text)
                if cost <= left:
                    left -= cost
                    chosen.add((number, place))
        # What is left of the abstracts goes to the passages: few papers, more of each.
        left += limits.passage_tokens
        of_paper: Counter[int] = Counter()
        for item in sorted(best.values(), key=lambda item: (-item.probability, item.paper, item.place)):
            paper = read[0].papers[item.paper]
            pool = paper.sentences.paper.candidates.pool.sentences
            if not paper.is_full_text or of_paper[item.paper] == limits.passages_of_paper:
                continue
            if item.probability < MIN_SENTENCE_PROBABILITY:
                break
            passage = {(item.paper, place) for place in _passage(pool, item.place)} - chosen
            cost = sum(_tokens(pool[place].text) for _, place in passage)
            if passage and cost <= left:
                left -= cost
                of_paper[item.paper] += 1
                chosen |= passage
        return tuple(
            _answer_sentence(rank, best[each], read[0].papers[each[0]], papers[each[0]], keys, None)
            for rank, each in enumerate(sorted(chosen & best.keys()))
        )

    def first_sentences(
        self, typed: str | Query, papers: Sequence[RankedPaper]
    ) -> Task[Mapping[PaperId, AnswerSentence]]:
        """The best sentence of each of `papers`, by its id; papers that say nothing on the question have none.

        Raises:
            UsageError: there is no word to look for.
            QueryError: `typed` cannot be read as a query.
        """
        query = parse_query(typed) if isinstance(typed, str) else typed
        question = read_question(free_text(query))
        read = yield from self.read_aspects(replace(question, aspects=question.aspects[:1]), papers)
        aspect, shown = read[0], [item.paper for item in papers]
        keys = self._keys_of(shown)
        best: dict[PaperId, AnswerSentence] = {}
        for item in choose_sentences(aspect.ranked, aspect.papers, k=len(aspect.ranked)):
            paper = shown[item.paper]
            if paper.id not in best:
                best[paper.id] = _answer_sentence(len(best), item, aspect.papers[item.paper], paper, keys, None)
        return best

    def read_aspects(self, question: AskedQuestion, papers: Sequence[RankedPaper]) -> Task[list[_ReadAspect]]:
        """The sentences of `papers` ranked for each aspect of `question`."""
        statements = [aspect.statement for aspect in question.aspects]
        hypotheses, by_statement = yield from read_papers(papers, statements, self._read, self._extractor)
        read: list[_ReadAspect] = []
        for aspect, hypothesis, measured in zip(question.aspects, hypotheses, by_statement, strict=True):
            yield Progress("comparing sentences", len(read), len(statements))
            ranked = rank_sentences(measured, self._weights)
            said = said_probability(ranked, self._weights)
            silence = silence_of(measured, said)
            read.append(_ReadAspect(aspect, hypothesis, measured, ranked, said, silence))
        return read

    def _compose(
        self,
        question: AskedQuestion,
        read: Sequence[_ReadAspect],
        papers: Sequence[Paper],
        k: int,
        notices: tuple[str, ...],
    ) -> Answer:
        answered = [aspect for aspect in read if not aspect.silence]
        silence = "" if answered else read[0].silence
        keys = self._keys_of(papers)
        groups: list[AnswerGroup] = []
        rank = 0
        shown: set[tuple[int, int]] = set()
        for aspect in read if answered else ():
            of_aspect = self._sentences(question, aspect, read, papers, keys, _share(k, len(answered)), rank, shown)
            rank += len(of_aspect)
            if question.is_polar:
                sides = ((side, tuple(item for item in of_aspect if item.side == side)) for side in _SIDES)
                groups += (AnswerGroup(side, side, sentences) for side, sentences in sides if sentences)
            else:
                groups.append(AnswerGroup(aspect.aspect.text if len(read) > 1 else "", None, of_aspect))
        if not rank:
            groups, silence = [], silence or "nothing bears on it"
        return Answer(
            question=question.text,
            hypotheses=tuple(aspect.aspect.statement for aspect in read),
            groups=tuple(groups),
            by=METHOD,
            papers_read=len(papers),
            full_texts=sum(paper.is_full_text for paper in read[0].papers),
            probability=max(aspect.said for aspect in read),
            silence=silence,
            unknown_words=tuple(dict.fromkeys(word for aspect in read for word in _unknown_words(aspect.papers))),
            notices=notices,
        )

    def _sentences(
        self,
        question: AskedQuestion,
        aspect: _ReadAspect,
        read: Sequence[_ReadAspect],
        papers: Sequence[Paper],
        keys: Mapping[PaperId, str],
        k: int,
        before: int,
        taken: set[tuple[int, int]],
    ) -> tuple[AnswerSentence, ...]:
        """The sentences shown for an aspect, with ranks after `before`; those `taken` stand under another one."""
        if aspect.silence:
            return ()
        ranked = [item for item in aspect.ranked if (item.paper, item.place) not in taken]
        own = _own_concepts(aspect, read) if len(read) > 1 else frozenset()
        if own:
            # What aspects share would put the same sentences first under each of them.
            ranked = [item for item in ranked if not own.isdisjoint(_held(aspect.papers, item))] or ranked
        chosen = choose_sentences(ranked, aspect.papers, k=k * _CANDIDATES_PER_SENTENCE)
        stances = self._stances(aspect, chosen) if question.is_polar else {}
        shown = [
            _answer_sentence(number, item, aspect.papers[item.paper], papers[item.paper], keys, stances.get(number))
            for number, item in enumerate(chosen)
        ]
        counts = [aspect.papers[item.paper].sentences.paper.candidates.pool.counts[item.place] for item in chosen]
        joined = join_restatements([item.text for item in shown], counts, _pooled_idf(aspect.papers), k=k)
        taken.update(
            (chosen[number].paper, chosen[number].place) for each in joined for number in (each.first, *each.others)
        )
        return tuple(
            replace(
                shown[each.first],
                rank=rank,
                restatements=tuple(replace(shown[other], rank=rank) for other in each.others[:_MAX_RESTATEMENTS]),
            )
            for rank, each in enumerate(joined, before + 1)
        )

    def _stances(self, aspect: _ReadAspect, chosen: Sequence[RankedSentence]) -> dict[int, LikelyStance]:
        """By number of a chosen sentence, what it says for or against; at most one of each paper tells."""
        stances: dict[int, LikelyStance] = {}
        for paper in dict.fromkeys(item.paper for item in chosen):
            numbers = [number for number, item in enumerate(chosen) if item.paper == paper]
            places = [chosen[number].place for number in numbers]
            told = self._extractor.tell_stance(aspect.hypothesis, aspect.papers[paper].sentences.paper, places)
            if told is not None:
                place, stance = told
                stances[numbers[places.index(place)]] = stance
        return stances


def read_papers(
    papers: Sequence[RankedPaper], statements: Sequence[str], read: ReadDocument, extractor: LinearExtractor
) -> Task[tuple[list[Hypothesis], list[tuple[ReadPaper, ...]]]]:
    """Reads `papers`, and measures their sentences against each of `statements`."""
    hypotheses = [read_hypothesis(statement) for statement in statements]
    best = max((item.score or 0.0 for item in papers), default=0.0)
    measured: list[list[ReadPaper]] = [[] for _ in hypotheses]
    for number, item in enumerate(papers):
        step = Progress("reading the first papers", number, len(papers))
        document = yield from as_one_step(step, read(item.paper.id))
        share = max(0.0, min(1.0, (item.score or 0.0) / best)) if best > 0 else 1.0
        # All statements of one paper in a row: the extractor prepares it once.
        for hypothesis, of_statement in zip(hypotheses, measured, strict=True):
            sentences = yield from as_one_step(step, extractor.measure(document, hypothesis))
            of_statement.append(ReadPaper(sentences, item.rank, share, document.origin != "abstract"))
    return hypotheses, [tuple(of_statement) for of_statement in measured]


def rank_sentences(papers: Sequence[ReadPaper], weights: AnswerWeights) -> list[RankedSentence]:
    """All candidates of `papers`, the best first; ties by search rank, then by place."""
    ranked: list[RankedSentence] = []
    for number, of_paper in enumerate(compare_sentences(papers)):
        for place, compared in enumerate(of_paper):
            score = weighted_sum(answer_values(compared.features), weights.rank)
            probability = logistic(weighted_sum((score, 1.0), weights.calibration))
            ranked.append(RankedSentence(number, place, score, probability, compared))
    return sorted(ranked, key=lambda item: (-item.score, item.paper, item.place))


def said_values(ranked: Sequence[RankedSentence]) -> tuple[float, ...]:
    """The numbers in the order of `SAID_NAMES`."""
    best = ranked[:_BEST_SENTENCES]
    if not best:
        return (logit(0.0), 0.0, logit(0.0), logit(0.0))
    return (
        logit(best[0].probability),
        max(item.compared.paper_share for item in best),
        max(item.compared.features.confidence for item in best),
        logit(best[-1].probability),
    )


def said_probability(ranked: Sequence[RankedSentence], weights: AnswerWeights) -> float:
    """That the papers read answer; 0 without any sentence."""
    return logistic(weighted_sum((*said_values(ranked), 1.0), weights.said)) if ranked else 0.0


def choose_sentences(ranked: Sequence[RankedSentence], papers: Sequence[ReadPaper], *, k: int) -> list[RankedSentence]:
    """The first `k` that may be shown: at most a few of one paper, and none that holds nothing of the question."""
    of_paper: Counter[int] = Counter()
    chosen: list[RankedSentence] = []
    for item in ranked:
        if len(chosen) == k or item.probability < MIN_SENTENCE_PROBABILITY:
            break
        if of_paper[item.paper] < MAX_SENTENCES_OF_PAPER and papers[item.paper].sentences.paper.holds(item.place):
            of_paper[item.paper] += 1
            chosen.append(item)
    return chosen


def _answer_sentence(
    number: int,
    item: RankedSentence,
    read: ReadPaper,
    paper: Paper,
    keys: Mapping[PaperId, str],
    stance: LikelyStance | None,
) -> AnswerSentence:
    scored = read.sentences.paper
    document, sentence = scored.candidates.document, scored.candidates.pool.sentences[item.place]
    return AnswerSentence(
        rank=number + 1,
        paper=paper,
        document_id=document.id,
        origin=document.origin,
        index=sentence.index,
        text=sentence.text,
        kind=sentence.kind,
        section=section_of(document, sentence),
        locator=locator(document, sentence),
        page=sentence.page,
        key=keys[paper.id],
        probability=item.probability,
        strength=scored.strength(item.place),
        stance=stance,
    )


def _held(papers: Sequence[ReadPaper], item: RankedSentence) -> Iterable[int]:
    """The concepts of the question that a sentence holds."""
    return papers[item.paper].sentences.paper.candidates.occurrences.counts[item.place]


def _passage(pool: Sequence[Sentence], place: int) -> list[int]:
    """A sentence with the one before it, which mostly says who or what is meant."""
    sentence = pool[place]
    is_beside = place > 0 and pool[place - 1].index == sentence.index - 1 and pool[place - 1].kind == sentence.kind
    return [place - 1, place] if is_beside else [place]


def _tokens(text: str) -> int:
    return math.ceil(len(text) / _CHARACTERS_PER_TOKEN)


def _pooled_idf(papers: Sequence[ReadPaper]) -> Mapping[str, float]:
    pools = [paper.sentences.paper.candidates.pool for paper in papers]
    frequency = Counter(stem for pool in pools for counts in pool.counts for stem in counts)
    count = sum(len(pool.counts) for pool in pools)
    return {stem: math.log(1 + (count - df + 0.5) / (df + 0.5)) for stem, df in frequency.items()}


def silence_of(papers: Sequence[ReadPaper], said: float) -> SilenceReason:
    """Why `papers`, which answer with the probability `said`, are taken to say nothing; empty where they answer."""
    if not papers:
        return "no papers"
    rarities = [concept.rarity for concept in _concepts(papers)]
    unknown = math.fsum(rarities[number] for number in _unknown_concepts(papers))
    if unknown >= MIN_UNKNOWN_SHARE * math.fsum(rarities):
        return "outside the library"
    return "" if said >= MIN_SAID_PROBABILITY else "nothing bears on it"


def _unknown_words(papers: Sequence[ReadPaper]) -> list[str]:
    """Words of the question, as typed, that no paper read holds in any form."""
    return [_concepts(papers)[number].word for number in _unknown_concepts(papers)]


def _unknown_concepts(papers: Sequence[ReadPaper]) -> list[int]:
    occurrences = [paper.sentences.paper.candidates.occurrences for paper in papers]
    titled = {number for paper in papers for number in paper.sentences.paper.closeness.title}
    return [
        number
        for number in range(len(_concepts(papers)))
        if number not in titled and not any(each.frequency[number] for each in occurrences)
    ]


def _concepts(papers: Sequence[ReadPaper]) -> Sequence[Concept]:
    return papers[0].sentences.paper.candidates.occurrences.concepts if papers else ()


def _own_concepts(aspect: _ReadAspect, read: Sequence[_ReadAspect]) -> frozenset[int]:
    """The concepts of an aspect that no other aspect of the question has."""
    others = {concept.stem for other in read if other is not aspect for concept in _concepts(other.papers)}
    return frozenset(number for number, concept in enumerate(_concepts(aspect.papers)) if concept.stem not in others)


def _share(k: int, aspects: int) -> int:
    return max(1, -(-k // max(1, aspects)))


def _require(number: int, most: int, what: str) -> None:
    if not 1 <= number <= most:
        raise UsageError(f"Ask for 1 to {most} {what}s, not {number}.")
