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
from litterm.model.reading_list import LINEAR_METHOD, MAX_PAPERS, ListLlmOptions, ListRequest
from litterm.reading_lists.selection import find_covered_keywords
from litterm.reading_lists.topic import read_topic
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.readers.acl_rlg import TutorialList, TutorialPaper, read_published, reading_list
from litterm_benchmarks.reading_lists.published_lists import is_development, out_of_fold_rows, published_rows
from litterm_benchmarks.report import BenchReport, MethodRow, Metric
from litterm_benchmarks.search.cases import QueryCase, Target, earlier_year
from litterm_benchmarks.search.library_records import papers_by_key
from litterm_benchmarks.search.litterm_methods import DEPTH, RERANK, Subject, typed_query
from litterm_benchmarks.search.relevance import compute_metrics, hit_ranks
from litterm_benchmarks.search.retrieval import choose_methods, rank_cases, report_rows
from litterm_benchmarks.search.training_overlap import overlap_note

LIST, LIST_SENTENCE, LIST_MODEL = "list", "list-sentence", "list-model"
SENTENCE, PLAIN_SENTENCE, MOST_CITED = "litterm-sentence", "bm25-sentence", "most-cited"
METHODS = ("litterm", "bm25", LIST, LIST_SENTENCE, SENTENCE, PLAIN_SENTENCE, MOST_CITED, RERANK, LIST_MODEL)
_NO_COUNTS = "not measured here: no citations are known for most lists; `litterm sync counts` brings counts"
_MIN_COUNTED_CASES = 0.5
"""Share of the cases with any citation among the papers found; below it the order would be that of plain search."""
_NO_MODEL = "not measured here: needs a model, which `litterm config model` sets up"
_NOT_AGREED = "not measured here: needs --yes, which agrees to what the model costs"
"""Why a row has no figures."""


def measure(
    path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None
) -> Task[BenchReport]:
    """Measures both forms of each annotator's query, with papers up to the tutorial's year except its own.

    `path` is a file with one list a line, or the folder as published.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: no list has a reference in the Anthology, or a method is not known.
    """
    read = read_published(path) if path.is_dir() else read_rows(path, reading_list)
    lists = [item for item in read if item.in_acl and item.queries]
    if not lists:
        raise UsageError(f"{path} holds no reading list with a reference in the Anthology")
    sentences = {f"{item.key} {name}": sentence for item in lists for name, _, sentence in item.queries}
    asking = _ListMethods(subject, sentences)
    ways = {
        "litterm": subject.search,
        "bm25": subject.plain,
        LIST: asking.build_list,
        LIST_SENTENCE: asking.build_list_from_sentence,
        SENTENCE: asking.search_sentence,
        PLAIN_SENTENCE: asking.search_sentence_plainly,
    }
    ways[MOST_CITED] = asking.rank_by_citations
    if subject.has_model and subject.may_ask_model:
        ways[LIST_MODEL] = asking.build_list_with_model
    selected = choose_methods(
        ways,
        methods,
        {RERANK: subject.rerank, LIST_MODEL: asking.build_list_with_model},
    )
    queries = build_cases(lists, subject, until)
    answers = yield from rank_cases(queries, selected, subject.at_once(RERANK, LIST_MODEL))
    if asking.lacks_counts():
        answers = tuple(answer for answer in answers if answer.method != MOST_CITED)
    known = is_development(path)
    notes = (
        f"{len(lists)} lists, each asked for by every annotator; mrr and map over the first {DEPTH} results",
        "relevant are the references flagged in_acl, whether or not this library holds them; 'all' counts every one",
        "tau: agreement of the order with the experts', over lists with two hits or more; keywords: share covered",
        *(("the weights of `list` were fitted on these lists: what holds for others is out of fold",) if known else ()),
        *asking.counts_note(),
        *asking.invented_note(),
        overlap_note(queries, subject.holdings),
    )
    scored = asking.with_invented(
        report_rows(queries, answers, subject.holdings, _metric_function(lists, queries, subject))
    )
    if asking.lacks_counts():
        scored = (*scored[:-1], MethodRow(f"{MOST_CITED}: {_NO_COUNTS}", ()), scored[-1])
    if not methods:
        elsewhere = (*out_of_fold_rows(), *published_rows(len(lists))) if known else ()
        scored = (*scored[:-1], *asking.missing_rows(selected), *elsewhere, scored[-1])
    return BenchReport("acl-rlg", path.name, len(queries), scored, notes)


class _ListMethods:
    """The methods that are measured beside plain search."""

    def __init__(self, subject: Subject, sentences: Mapping[str, str]) -> None:
        """`sentences` are the queries in sentence form by the key of a case."""
        self._subject = subject
        self._sentences = sentences
        self._named, self._lost = 0, 0
        self._counted: list[float] = []
        """Per case, the share of the papers found that are known to be cited."""

    def build_list(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """The list of `litterm list` for the keywords."""
        request = ListRequest(case.query, MAX_PAPERS, case.until, exclude=case.exclude)
        built = yield from self._subject.engine.reading_lists.build(request)
        return [entry.paper.id for entry in built.entries]

    def build_list_from_sentence(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """The list of `litterm list` for the sentence."""
        return (yield from self.build_list(replace(case, query=self._sentences[case.key])))

    def build_list_with_model(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """The list of `litterm list --model` for the keywords; cached replies cost nothing."""
        request = ListRequest(case.query, MAX_PAPERS, case.until, exclude=case.exclude)
        lists = self._subject.engine.reading_lists
        built = yield from lists.build(request, lists.open_model_builder(ListLlmOptions()))
        self._named += built.titles_named
        self._lost += built.titles_lost
        if built.by == LINEAR_METHOD:
            yield Notice(f"{case.key}: counted as the list without a model, for the model gave none.")
        return [entry.paper.id for entry in built.entries]

    def invented_note(self) -> tuple[str, ...]:
        """A note with the number of titles named by a model that do not exist here."""
        if not self._named:
            return ()
        share = 100 * self._lost / self._named
        counts = f"{self._lost} of {self._named} titles that the model named beside the candidates ({share:.0f} %)"
        return (f"{counts} are not in the library, or later than the year: left out",)

    def with_invented(self, scored: Sequence[MethodRow]) -> tuple[MethodRow, ...]:
        """Adds the share of invented titles to the row of the model."""
        share = Metric("invented", 100 * self._lost / self._named) if self._named else None
        return tuple(
            replace(row, metrics=(*row.metrics, share)) if share is not None and row.method == LIST_MODEL else row
            for row in scored
        )

    def search_sentence(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """The results of `litterm search` for the sentence."""
        return (yield from self._subject.search(replace(case, query=self._sentences[case.key])))

    def search_sentence_plainly(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """The results of bm25s for the sentence."""
        return (yield from self._subject.plain(replace(case, query=self._sentences[case.key])))

    def rank_by_citations(self, case: QueryCase) -> Task[Sequence[PaperId]]:
        """The first hundred results sorted by citations up to the year: worldwide ones if a service counts them, else
        those by papers of the library, of its texts and of the citation facts."""
        engine = self._subject.engine
        ranking = yield from engine.search(typed_query(case), k=DEPTH + len(case.exclude))
        ids = [item.paper.id for item in ranking.papers]
        counts = engine.citations.graph().counts(ids, until=case.until, exclude=case.exclude)
        in_library = [count.papers for count in counts]
        world = engine.counts.until(ids, case.until) if case.until is not None else (None,) * len(ids)
        cited = [(count or 0, own) for count, own in zip(world, in_library, strict=True)]
        self._counted.append(sum(map(any, cited)) / len(cited) if cited else 0.0)
        places = sorted(range(len(ids)), key=lambda index: cited[index], reverse=True)
        return [ids[index] for index in places]

    def lacks_counts(self) -> bool:
        """Whether papers were to be sorted by citations, of which too few are known."""
        counted_cases = sum(map(bool, self._counted))
        return bool(self._counted) and counted_cases < _MIN_COUNTED_CASES * len(self._counted)

    def counts_note(self) -> tuple[str, ...]:
        """A note on how many of the papers sorted by citations have any."""
        if not self._counted or self.lacks_counts():
            return ()
        share = 100 * sum(self._counted) / len(self._counted)
        return (f"{MOST_CITED}: {share:.0f} % of the papers sorted are known to be cited; others keep their order",)

    def missing_rows(self, methods: Collection[str]) -> Iterator[MethodRow]:
        """Rows without figures for methods that could not be measured, with the reason."""
        if LIST_MODEL not in methods:
            yield MethodRow(f"{LIST_MODEL}: {_NOT_AGREED if self._subject.has_model else _NO_MODEL}", ())


def _metric_function(
    lists: Sequence[TutorialList], queries: Sequence[QueryCase], subject: Subject
) -> Callable[[Sequence[PaperId], QueryCase], Mapping[str, float]]:
    """Returns a function that computes the common metrics, those of the publication, and our own."""
    by_key = {item.key: item for item in lists}
    whole = {key: tuple(_find_targets(item.references, subject)) for key, item in by_key.items()}
    own = {case.key: case.targets for case in queries}
    papers: dict[PaperId, Paper] = {}

    def measure_list(order: Sequence[PaperId], case: QueryCase) -> Mapping[str, float]:
        first = order[:MAX_PAPERS]
        values = {**compute_metrics(order, case), **metrics_at_20(first, case.targets)}
        if own[case.key] is not case.targets:
            return values
        reachable = subject.holdings.candidates(whole[case.cluster], case.until)
        values |= {f"{name} all": value for name, value in metrics_at_20(first, reachable).items()}
        if (tau := order_agreement(first, reachable)) is not None:
            values["tau"] = tau
        new = [paper for paper in first if paper not in papers]
        papers.update(zip(new, subject.library.by_id(new), strict=True))
        return values | _measure_breadth([papers[paper] for paper in first], case.query)

    return measure_list


def metrics_at_20(first: Sequence[PaperId], targets: Sequence[Target]) -> dict[str, float]:
    """Recall, NDCG and reciprocal rank of at most 20 papers, as ACL-rlg defines them."""
    if not targets:
        return {}
    ranks = hit_ranks(first, targets)
    ideal = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(targets), MAX_PAPERS) + 1))
    return {
        "recall@20": len(ranks) / len(targets),
        "ndcg@20": sum(1 / math.log2(1 + rank) for rank in ranks) / ideal,
        "mrr@20": 1 / ranks[0] if ranks else 0.0,
    }


def order_agreement(first: Sequence[PaperId], targets: Sequence[Target]) -> float | None:
    """Kendall's tau between the order of the hits and that of the experts; `None` with fewer than two hits."""
    places = [index for paper in first for index, target in enumerate(targets) if paper in target]
    pairs = [(earlier, later) for earlier, later in combinations(places, 2) if earlier != later]
    return sum(1 if earlier < later else -1 for earlier, later in pairs) / len(pairs) if pairs else None


def _measure_breadth(papers: Collection[Paper], query: str) -> dict[str, float]:
    """The shares of distinct first authors, and of keywords that a paper covers."""
    if not papers:
        return {"authors": 0.0, "keywords": 0.0}
    keywords = read_topic(query).keywords
    first = [paper.authors[0] for paper in papers if paper.authors]
    covered_keywords = {keyword for paper in papers for keyword in find_covered_keywords(paper, keywords)}
    return {"authors": len(set(first)) / len(papers), "keywords": len(covered_keywords) / len(keywords)}


def build_cases(lists: Sequence[TutorialList], subject: Subject, until: int | None) -> list[QueryCase]:
    """Builds a case for each annotator and list."""
    own = papers_by_key(subject.library, [item.key for item in lists])
    queries: list[QueryCase] = []
    for item, own_papers in zip(lists, own, strict=True):
        year = earlier_year(item.year, until)
        targets = subject.holdings.candidates(_find_targets(item.in_acl, subject), year)
        queries += [
            QueryCase(
                key=f"{item.key} {annotator}",
                query=keywords,
                targets=targets,
                cluster=item.key,
                parts=(("annotator", annotator), ("year", str(item.year))),
                until=year,
                exclude=own_papers,
            )
            for annotator, keywords, _ in item.queries
        ]
    return queries


def _find_targets(references: Sequence[TutorialPaper], subject: Subject) -> list[Target]:
    """For each reference, the papers with its Anthology key or title."""
    keys = papers_by_key(subject.library, [f"acl:{reference.acl}" if reference.acl else "" for reference in references])
    titled = subject.library.find_by_title([reference.title for reference in references])
    return [by_key | frozenset[PaperId](by_title) for by_key, by_title in zip(keys, titled, strict=True)]
