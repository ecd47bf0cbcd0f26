"""Fits the weights of reading lists: `python -m litterm_training.reading_lists FILE --library DIR`.

`FILE` holds reading lists of tutorials with queries by three annotators (JSON Lines, as for `litterm bench acl-rlg`),
`DIR` is a library with their papers. Both forms of each query are used. Scores are out of fold, with folds of whole
tutorials; tutorials of the same title are in one fold. Takes about three minutes.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from litterm.citations.graph import Graph
from litterm.citations.store import CitationStore
from litterm.core.tasks import run
from litterm.interfaces.arrays import Column
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.library import DuckLibrary
from litterm.model.paper import PaperId
from litterm.model.reading_list import MAX_PAPERS, ListRequest
from litterm.reading_lists.builder import RankedCandidates, choose
from litterm.reading_lists.candidates import FEATURES, CandidateSearch, ListCandidates
from litterm.reading_lists.order import assign_stages, sort_for_reading
from litterm.reading_lists.topic import read_topic
from litterm.reading_lists.weights import FORMAT_VERSION, WEIGHTS_FILE, score_candidates
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm.search.hybrid import HybridSearcher
from litterm.text.references.identity import title_key
from litterm_benchmarks.readers.acl_rlg import TutorialList, reading_list
from litterm_training.confidence import FOLDS, folds_of
from litterm_training.softmax import fit_listwise

Target: TypeAlias = frozenset[PaperId]
"""The ids of one reference in the library; empty if it is not there."""
RIDGE = 15.0
SEEDS = 5
FORMS = ("keywords", "sentence")
_WEIGHT_DIGITS = 4
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class AnnotatorQuery:
    """The query of one annotator for one list, with its candidates."""

    form: str
    tutorial: str
    """The key of its title, because a tutorial may have been given twice."""
    request: ListRequest
    candidates: ListCandidates
    targets: tuple[Target, ...]

    @property
    def worth(self) -> Column:
        """1 for each candidate that is in the list, else 0."""
        named = frozenset[PaperId]().union(*self.targets)
        return np.array([float(paper.id in named) for paper in self.candidates.papers])

    def order(self, weights: Column) -> tuple[PaperId, ...]:
        """The list chosen with these weights, in reading order."""
        scores = score_candidates(self.candidates, weights)
        places, _ = choose(RankedCandidates(self.candidates, scores), self.request)
        ordered = sort_for_reading(self.candidates, assign_stages(self.candidates, places, scores, ()), scores, ())
        return tuple(self.candidates.papers[index].id for index in ordered)


def collect_queries(
    lists: Sequence[TutorialList], library: DuckLibrary, search: CandidateSearch
) -> Iterator[AnnotatorQuery]:
    """Collects the candidates for both forms of every query."""
    library_papers = library.find([tutorial.key for tutorial in lists])
    for tutorial, own_papers in zip(lists, library_papers, strict=True):
        targets = _find_targets(tutorial, library)
        for _, keywords, sentence in tutorial.queries:
            for form, text in zip(FORMS, (keywords, sentence), strict=True):
                request = ListRequest(text, MAX_PAPERS, tutorial.year, exclude=frozenset(own_papers))
                candidates = run(search.collect(read_topic(text), request))
                yield AnnotatorQuery(form, title_key(tutorial.title), request, candidates, targets)


def _find_targets(tutorial: TutorialList, library: DuckLibrary) -> tuple[Target, ...]:
    keys = library.find([f"acl:{paper.acl}" if paper.acl else "" for paper in tutorial.in_acl])
    titled = library.find_by_title([paper.title for paper in tutorial.in_acl])
    return tuple(frozenset[PaperId]((*by_key, *by_title)) for by_key, by_title in zip(keys, titled, strict=True))


def fit(questions: Sequence[AnnotatorQuery]) -> Column:
    """Fits the weights of the features."""
    used = [(query.candidates.feature_matrix(), query.worth) for query in questions if query.worth.any()]
    return fit_listwise([rows for rows, _ in used], [worths for _, worths in used], ridge=RIDGE)


def compute_metrics(order: Sequence[PaperId], targets: Sequence[Target]) -> tuple[float, float, float]:
    """Computes recall, NDCG and reciprocal rank at 20."""
    ranks = [rank for rank, paper in enumerate(order[:MAX_PAPERS], 1) if any(paper in target for target in targets)]
    ideal = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(targets), MAX_PAPERS) + 1))
    gained = sum(1 / math.log2(1 + rank) for rank in ranks)
    return len(ranks) / len(targets), gained / ideal, 1 / ranks[0] if ranks else 0.0


def out_of_fold(questions: Sequence[AnnotatorQuery], seed: int) -> list[tuple[float, float, float]]:
    """The metrics of each query with weights fitted without its tutorial."""
    folds = folds_of([query.tutorial for query in questions], seed)
    figures_of: list[tuple[float, float, float]] = [(0.0, 0.0, 0.0)] * len(questions)
    for fold in range(FOLDS):
        weights = fit([query for query, own_fold in zip(questions, folds, strict=True) if own_fold != fold])
        for number in np.flatnonzero(folds == fold).tolist():
            figures_of[number] = compute_metrics(questions[number].order(weights), questions[number].targets)
    return figures_of


def cross_validate(questions: Sequence[AnnotatorQuery]) -> dict[str, dict[str, dict[str, float]]]:
    """Out-of-fold means over several divisions by form and metric, with bootstrap errors over tutorials."""
    mean_scores = np.mean([out_of_fold(questions, seed) for seed in range(SEEDS)], axis=0)
    figures_of: dict[str, dict[str, dict[str, float]]] = {}
    for form in FORMS:
        rows = np.array([query.form == form for query in questions])
        _, tutorial_index = np.unique(
            [query.tutorial for query in questions if query.form == form], return_inverse=True
        )
        counts = np.bincount(tutorial_index)
        picks = np.random.default_rng(0).integers(0, len(counts), size=(_RESAMPLES, len(counts)))
        figures_of[form] = {}
        for metric, name in enumerate(("recall@20", "ndcg@20", "mrr@20")):
            column = mean_scores[rows, metric]
            drawn = np.bincount(tutorial_index, column)[picks].sum(axis=1) / counts[picks].sum(axis=1)
            figures_of[form][name] = {
                "mean": round(100 * float(column.mean()), 1),
                "se": round(100 * float(drawn.std()), 1),
            }
    return figures_of


def build_weights_file(path: Path, root: Path, today: str) -> dict[str, object]:
    """Builds the content of the weights file."""
    rows = [
        reading_list(json.loads(line), number) for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
    ]
    lists = [item for item in rows if item.in_acl and item.queries]
    library = DuckLibrary(root)
    index, embedder = IndexFolder(), open_static()
    graph = Graph((), stored=CitationStore(root))
    searcher = HybridSearcher(library, index, embedder=embedder)
    search = CandidateSearch(searcher, CitationCandidateSearcher(library, index, embedder=embedder), lambda: graph)
    questions = list(collect_queries(lists, library, search))
    return {
        "form": FORMAT_VERSION,
        "made": today,
        "by": "python -m litterm_training.reading_lists",
        "data": [{"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "items": len(lists)}],
        "library": {"papers": library.status().papers, "embedder": embedder.name},
        "method": f"listwise softmax, ridge {RIDGE:g}; {FOLDS} folds by tutorial, mean of {SEEDS} divisions",
        "features": list(FEATURES),
        "weights": [round(float(item), _WEIGHT_DIGITS) for item in fit(questions)],
        "scores": cross_validate(questions),
        "candidates": round(sum(len(query.candidates.papers) for query in questions) / len(questions)),
    }


def main(argv: list[str] | None = None) -> None:
    """Fits the weights and writes them."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.reading_lists", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    typed = parser.parse_args(argv)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    typed.out.write_text(_dumps(build_weights_file(typed.file, typed.library, today)), "utf-8")


def _dumps(weights: Mapping[str, object]) -> str:
    return json.dumps(weights, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
