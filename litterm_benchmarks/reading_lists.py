"""ACL-rlg: do the papers of a tutorial's reading list come for what somebody types who asks for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.model.events import Notice
from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import LONGEST, ListRequest
from litterm.reading_lists.builder import BY
from litterm.reading_lists.selection import covered
from litterm.reading_lists.topic import read_topic
from litterm_benchmarks.cases import QueryCase, Target, limited
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.library_records import found
from litterm_benchmarks.litterm_methods import DEPTH, RERANK, Subject, typed
from litterm_benchmarks.published_lists import is_development, out_of_fold_rows, published_rows
from litterm_benchmarks.readers.acl_rlg import TutorialList, TutorialPaper, read_published, reading_list
from litterm_benchmarks.relevance import figures, hit_ranks
from litterm_benchmarks.report import BenchReport, MethodRow
from litterm_benchmarks.retrieval import chosen, rankings, rows
from litterm_benchmarks.training_overlap import overlap_note

LIST, LIST_SENTENCE, LIST_MODEL = "list", "list-sentence", "list-model"
SENTENCE, PLAIN_SENTENCE, MOST_CITED = "litterm-sentence", "bm25-sentence", "most-cited"
_NO_COUNTS, _NO_MODEL, _MODEL = "no counts stored", "no model is set up", "--method list-model --yes asks it"
"""Why a row has no figures."""


def measure(
    path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None
) -> Task[BenchReport]:
    """Both forms of each annotator's query, papers up to the tutorial's year, without the tutorial's own.

    `path` is a file with one list a line, or the folder as published.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: no list has a reference in the Anthology, or a method is not known.
    """
    read = read_published(path) if path.is_dir() else read_rows(path, reading_list)
    lists = [each for each in read if each.in_acl and each.queries]
    if not lists:
        raise UsageError(f"{path} holds no reading list with a reference in the Anthology")
    sentences = {f"{each.key} {name}": sentence for each in lists for name, _, sentence in each.queries}
    asking = _Asking(subject, sentences)
    ways = {
        "litterm": subject.search,
        "bm25": subject.plain,
        LIST: asking.listed,
        LIST_SENTENCE: asking.listed_by_sentence,
        SENTENCE: asking.searched_by_sentence,
        PLAIN_SENTENCE: asking.plain_by_sentence,
    }
    if asking.counts_known():
        ways[MOST_CITED] = asking.most_cited
    wanted = chosen(
        ways, methods, {RERANK: subject.reranked, MOST_CITED: asking.most_cited, LIST_MODEL: asking.listed_by_model}
    )
    asked = cases(lists, subject, until)
    told = yield from rankings(asked, wanted)
    known = is_development(path)
    notes = (
        f"{len(lists)} lists, each asked for by every annotator; mrr and map over the first {DEPTH} results",
        "relevant are the references flagged in_acl, whether or not this library holds them; 'all' counts every one",
        "tau: agreement of the order with the experts', over lists with two hits or more; keywords: share covered",
        *(("the weights of `list` were fitted on these lists: what holds for others is out of fold",) if known else ()),
        *asking.invented_note(),
        overlap_note(asked, subject.holdings),
    )
    scored = rows(asked, told, subject.holdings, _measure(lists, asked, subject))
    if not methods:
        elsewhere = (*out_of_fold_rows(), *published_rows(len(lists))) if known else ()
        scored = (*scored[:-1], *asking.missing_rows(wanted), *elsewhere, scored[-1])
    return BenchReport("acl-rlg", path.name, len(asked), scored, notes)


class _Asking:
    """What is asked of one library beside plain search."""

    def __init__(self, subject: Subject, sentences: Mapping[str, str]) -> None:
        """`sentences` by the key of a case."""
        self._subject = subject
        self._sentences = sentences
        self._named, self._lost = 0, 0

    def listed(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm list` gives for the keywords."""
        request = ListRequest(case.query, LONGEST, case.until, exclude=case.exclude)
        made = yield from self._subject.engine.reading_lists.build(request)
        return [entry.paper.id for entry in made.entries]

    def listed_by_sentence(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm list` gives for the sentence."""
        return (yield from self.listed(replace(case, query=self._sentences[case.key])))

    def listed_by_model(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm list --model` gives for the keywords; replies that are kept cost nothing."""
        request = ListRequest(case.query, LONGEST, case.until, exclude=case.exclude)
        lists = self._subject.engine.reading_lists
        made = yield from lists.build(request, lists.with_model())
        self._named += made.titles_named
        self._lost += made.titles_lost
        if made.by == BY:
            yield Notice(f"{case.key}: counted as the list without a model, for the model gave none.")
        return [entry.paper.id for entry in made.entries]

    def invented_note(self) -> tuple[str, ...]:
        """How many titles a model wrote down that nobody here has."""
        if not self._named:
            return ()
        share = 100 * self._lost / self._named
        told = f"{self._lost} of {self._named} titles that the model named beside the candidates ({share:.0f} %)"
        return (f"{told} are not in the library, or later than the year: left out",)

    def searched_by_sentence(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What `litterm search` gives for the sentence."""
        return (yield from self._subject.search(replace(case, query=self._sentences[case.key])))

    def plain_by_sentence(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """What bm25s finds for the sentence."""
        return (yield from self._subject.plain(replace(case, query=self._sentences[case.key])))

    def most_cited(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """The first hundred of the search in the order of their citations up to the year: those of the world where a
        service counts them, else those within the library."""
        engine = self._subject.engine
        ranking = yield from engine.search(typed(case), k=DEPTH + len(case.exclude))
        ids = [each.paper.id for each in ranking.papers]
        here = [count.papers for count in engine.citations.graph().counts(ids, until=case.until)]
        world = engine.counts.until(ids, case.until) if case.until is not None else (None,) * len(ids)
        cited = [(count or 0, own) for count, own in zip(world, here, strict=True)]
        places = sorted(range(len(ids)), key=lambda place: cited[place], reverse=True)
        return [ids[place] for place in places]

    def counts_known(self) -> bool:
        """Whether this library knows of any citation, its own papers' or the world's."""
        engine = self._subject.engine
        return any(True for _ in engine.counts.cited_at_least(1))

    def missing_rows(self, methods: Collection[str]) -> Iterator[MethodRow]:
        """Rows without figures for what could not be measured, which say why."""
        if MOST_CITED not in methods:
            yield MethodRow(f"{MOST_CITED}: {_NO_COUNTS}", ())
        if LIST_MODEL not in methods:
            yield MethodRow(f"{LIST_MODEL}: {_MODEL if self._subject.has_model else _NO_MODEL}", ())


def _measure(
    lists: Sequence[TutorialList], asked: Sequence[QueryCase], subject: Subject
) -> Callable[[Sequence[PaperId], QueryCase], Mapping[str, float]]:
    """The metrics every bench shares, those of the publication, and what nobody else scores."""
    by_key = {each.key: each for each in lists}
    whole = {key: tuple(_targets(each.references, subject)) for key, each in by_key.items()}
    own = {case.key: case.targets for case in asked}
    papers: dict[PaperId, Paper] = {}

    def measured(order: Sequence[PaperId], case: QueryCase) -> Mapping[str, float]:
        first = order[:LONGEST]
        values = {**figures(order, case), **at_20(first, case.targets)}
        if own[case.key] is not case.targets:
            return values
        reachable = subject.holdings.candidates(whole[case.cluster], case.until)
        values |= {f"{name} all": value for name, value in at_20(first, reachable).items()}
        if (tau := order_agreement(first, reachable)) is not None:
            values["tau"] = tau
        new = [each for each in first if each not in papers]
        papers.update(zip(new, subject.library.by_id(new), strict=True))
        return values | _breadth([papers[each] for each in first], case.query)

    return measured


def at_20(first: Sequence[PaperId], targets: Sequence[Target]) -> dict[str, float]:
    """Recall, NDCG and reciprocal rank of at most 20 papers, as ACL-rlg counts them."""
    if not targets:
        return {}
    ranks = hit_ranks(first, targets)
    ideal = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(targets), LONGEST) + 1))
    return {
        "recall@20": len(ranks) / len(targets),
        "ndcg@20": sum(1 / math.log2(1 + rank) for rank in ranks) / ideal,
        "mrr@20": 1 / ranks[0] if ranks else 0.0,
    }


def order_agreement(first: Sequence[PaperId], targets: Sequence[Target]) -> float | None:
    """Kendall's tau between the order of the hits and that of the experts; `None` with fewer than two hits."""
    places = [place for paper in first for place, target in enumerate(targets) if paper in target]
    pairs = [(one, two) for one, two in combinations(places, 2) if one != two]
    return sum(1 if one < two else -1 for one, two in pairs) / len(pairs) if pairs else None


def _breadth(papers: Collection[Paper], query: str) -> dict[str, float]:
    """Share of different first authors, and of the keywords that some paper covers."""
    if not papers:
        return {"authors": 0.0, "keywords": 0.0}
    keywords = read_topic(query).keywords
    first = [paper.authors[0] for paper in papers if paper.authors]
    held = {keyword for paper in papers for keyword in covered(paper, keywords)}
    return {"authors": len(set(first)) / len(papers), "keywords": len(held) / len(keywords)}


def cases(lists: Sequence[TutorialList], subject: Subject, until: int | None) -> list[QueryCase]:
    """One case an annotator and list."""
    own = found(subject.library, [each.key for each in lists])
    made: list[QueryCase] = []
    for each, itself in zip(lists, own, strict=True):
        year = limited(each.year, until)
        targets = subject.holdings.candidates(_targets(each.in_acl, subject), year)
        made += [
            QueryCase(
                key=f"{each.key} {annotator}",
                query=keywords,
                targets=targets,
                cluster=each.key,
                parts=(("annotator", annotator), ("year", str(each.year))),
                until=year,
                exclude=itself,
            )
            for annotator, keywords, _ in each.queries
        ]
    return made


def _targets(references: Sequence[TutorialPaper], subject: Subject) -> list[Target]:
    """Per reference the papers with its Anthology key or its title."""
    keys = found(subject.library, [f"acl:{reference.acl}" if reference.acl else "" for reference in references])
    titled = subject.library.titled([reference.title for reference in references])
    return [by_key | frozenset[PaperId](by_title) for by_key, by_title in zip(keys, titled, strict=True)]
