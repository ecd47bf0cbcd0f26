"""ACL-rlg: do the papers of a tutorial's reading list come for what somebody types who asks for it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from litterm.bench.cases import Case, Target, limited
from litterm.bench.holdings import found
from litterm.bench.relevance import figures, hit_ranks
from litterm.bench.report import Report
from litterm.bench.retrieval import chosen, rankings, rows
from litterm.bench.subject import DEPTH, RERANK, Subject, typed
from litterm.bench.tables import read_rows
from litterm.bench.training_overlap import overlap_note
from litterm.errors import UsageError
from litterm.formats.readinglists import Listed, ReadingList, read_published, reading_list
from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import LONGEST, ListRequest
from litterm.reading_lists.selection import covered
from litterm.reading_lists.topic import read_topic
from litterm.reading_lists.weights import FILE
from litterm.tasks import Task

LIST, LIST_SENTENCE, SENTENCE, MOST_CITED = "list", "list-sentence", "litterm-sentence", "most-cited"


def measure(path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None) -> Task[Report]:
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
    }
    wanted = chosen(ways, methods, {RERANK: subject.reranked, MOST_CITED: asking.most_cited})
    asked = cases(lists, subject, until)
    told = yield from rankings(asked, wanted)
    notes = (
        f"{len(lists)} lists, each asked for by every annotator; mrr and map over the first {DEPTH} results",
        "relevant are the references flagged in_acl, whether or not this library holds them; 'all' counts every one",
        "tau: agreement of the order with the experts', over lists with two hits or more; keywords: share covered",
        *_fitted_note(path),
        overlap_note(asked, subject.holdings),
    )
    scored = rows(asked, told, subject.holdings, _measure(lists, asked, subject))
    return Report("acl-rlg", path.name, len(asked), scored, notes)


class _Asking:
    """What is asked of one library beside plain search."""

    def __init__(self, subject: Subject, sentences: Mapping[str, str]) -> None:
        """`sentences` by the key of a case."""
        self._subject = subject
        self._sentences = sentences

    def listed(self, case: Case) -> Task[Sequence[PaperId]]:
        """What `litterm list` gives for the keywords."""
        request = ListRequest(case.query, LONGEST, case.until, exclude=case.exclude)
        made = yield from self._subject.engine.reading_lists.build(request)
        return [entry.paper.id for entry in made.entries]

    def listed_by_sentence(self, case: Case) -> Task[Sequence[PaperId]]:
        """What `litterm list` gives for the sentence."""
        return (yield from self.listed(replace(case, query=self._sentences[case.key])))

    def searched_by_sentence(self, case: Case) -> Task[Sequence[PaperId]]:
        """What `litterm search` gives for the sentence."""
        return (yield from self._subject.search(replace(case, query=self._sentences[case.key])))

    def most_cited(self, case: Case) -> Task[Sequence[PaperId]]:
        """The first hundred of the search in the order of their citations within the library, up to the year."""
        ranking = yield from self._subject.engine.search(typed(case), k=DEPTH + len(case.exclude))
        ids = [each.paper.id for each in ranking.papers]
        counts = self._subject.engine.citations.graph().counts(ids, until=case.until)
        places = sorted(range(len(ids)), key=lambda place: (-counts[place].papers, place))
        return [ids[place] for place in places]


def _measure(
    lists: Sequence[ReadingList], asked: Sequence[Case], subject: Subject
) -> Callable[[Sequence[PaperId], Case], Mapping[str, float]]:
    """The metrics every bench shares, those of the publication, and what nobody else scores."""
    by_key = {each.key: each for each in lists}
    whole = {key: tuple(_targets(each.references, subject)) for key, each in by_key.items()}
    own = {case.key: case.targets for case in asked}
    papers: dict[PaperId, Paper] = {}

    def measured(order: Sequence[PaperId], case: Case) -> Mapping[str, float]:
        first = order[:LONGEST]
        values = {**figures(order, case), **at_20(first, case.targets)}
        if own[case.key] is not case.targets:
            return values
        reachable = subject.holdings.candidates(whole[case.cluster], case.until)
        values["recall@20 all"] = at_20(first, reachable).get("recall@20", 0.0) if reachable else 0.0
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


def cases(lists: Sequence[ReadingList], subject: Subject, until: int | None) -> list[Case]:
    """One case an annotator and list."""
    own = found(subject.library, [each.key for each in lists])
    made: list[Case] = []
    for each, itself in zip(lists, own, strict=True):
        year = limited(each.year, until)
        targets = subject.holdings.candidates(_targets(each.in_acl, subject), year)
        made += [
            Case(
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


def _targets(references: Sequence[Listed], subject: Subject) -> list[Target]:
    """Per reference the papers with its Anthology key or its title."""
    keys = found(subject.library, [f"acl:{reference.acl}" if reference.acl else "" for reference in references])
    titled = subject.library.titled([reference.title for reference in references])
    return [by_key | frozenset[PaperId](by_title) for by_key, by_title in zip(keys, titled, strict=True)]


def _fitted_note(path: Path) -> tuple[str, ...]:
    """What the weights reach on tutorials they have not seen, where they were fitted on the very lists measured."""
    made = json.loads(FILE.read_text("utf-8"))
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != made["data"][0]["sha256"]:
        return ()
    told = "; ".join(
        f"{form} " + ", ".join(f"{name} {value['mean']}±{value['se']}" for name, value in values.items())
        for form, values in made["scores"].items()
    )
    return (f"the weights of `list` were fitted on these lists; out of fold, by tutorial: {told}",)
