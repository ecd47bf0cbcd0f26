"""`python -m litterm_training.attribution FILE --library DIR`: the weights of citation attribution.

`FILE` holds citing sentences whose paper is known (JSON Lines with `id`, `excerpt`, `target_id`, `citing_id` and
`citing_year`), `DIR` a library that holds those papers. Scores are out of fold, the folds parted by cited paper.
Confidence is fitted on the same excerpts with and without their paper in the library, and in small libraries drawn
from it. Needs numpy only and takes about six minutes. The full texts of a second library (`--texts DIR`), which
may be the same, give the weight of how others cite a paper; every other weight is fitted without them. Those of an
author and of the topic in common with the citing paper are added in the same way: whoever does not say who cites loses
nothing.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.attribution.confidence import candidate_probabilities
from litterm.attribution.features import FEATURE_NAMES, RECORD_FEATURES, CitationContexts, Matrix
from litterm.attribution.weights import CONFIDENCE_FEATURES, FORMAT_VERSION, WEIGHTS_FILE
from litterm.citations.graph import Graph
from litterm.citations.store import CitationStore
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.library import DuckLibrary
from litterm.model.index import index_row
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import Paper
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary
from litterm_training.citances import (
    CITED_AS,
    SAME_AUTHOR,
    SAME_TOPIC,
    CitanceCase,
    TrainingCitance,
    cases,
    read_citances,
)
from litterm_training.confidence import (
    FOLDS,
    CaseList,
    fit_chance,
    folds_of,
    probabilities_out_of_fold,
    questions,
    reliability,
)
from litterm_training.softmax import fit_listwise

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel

RIDGE = 15.0
"""Of 3 to 60 all give an MRR of 22.0 to 22.1 out of fold, see docs/benchmarks-history.md."""
SEEDS = 5
"""Divisions into folds over which the recorded scores are averaged: which one is taken moves a figure by about 1."""
SMALL_POOL_SIZES = (50, 150, 500, 1500)
"""Papers in the small libraries."""
_TOP_CANDIDATES = 100
"""Candidates that are fitted again once it is known which ones come first; with 60 to 150 MRR is 23.7 to 23.9."""
_PER_LIBRARY = 60
"""Excerpts asked of each."""
_DIGITS = 4
# One number each, so that a grid does as well as a method with derivatives; both minima lie well inside.
_SHARPNESS = np.linspace(0.4, 2.0, 33)
_TOP_WEIGHTS = np.linspace(0.0, 12.0, 49)
_RESAMPLES = 1000

_RankedLists = Sequence[tuple[Matrix, npt.NDArray[np.bool_]]]


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What weights are fitted on."""

    citances: Sequence[TrainingCitance]
    library: DuckLibrary
    papers: Sequence[Paper]
    contexts: CitationContexts
    texts: int
    """Lists of references that the library knows."""


def fit_terms(case_list: CaseList) -> Matrix:
    """Weights of the terms, from cases whose target is among the candidates.

    All but three are fitted as if there were no full texts and nobody knew who cites, and stay so: where that is not
    known, papers are ranked as well as if those three were not there.
    """
    used = [case.without_contexts().without_source() for case in case_list if case.hit]
    lists = [(case.rows, case.right) for case in used]
    # Twice: what tells the best candidates from each other is not what tells them from the hundreds after them.
    fitted = _fit_lists(_best_of_lists(lists, _fit_lists(lists)))
    # Being named speaks for a paper; a name that comes out against it only corrects another.
    floor = np.array([0.0 if term in RECORD_FEATURES else -np.inf for term in FEATURE_NAMES])
    terms = np.asarray(np.maximum(fitted, floor))
    hits = [case for case in case_list if case.hit]
    for term in (SAME_AUTHOR, SAME_TOPIC):
        terms[FEATURE_NAMES.index(term)] = fit_on_top(term, [case.without_contexts() for case in hits], terms)
    terms[FEATURE_NAMES.index(CITED_AS)] = fit_on_top(CITED_AS, hits, terms)
    return terms


def _fit_lists(lists: _RankedLists) -> Matrix:
    return fit_listwise([rows for rows, _ in lists], [right.astype(float) for _, right in lists], ridge=RIDGE)


def _best_of_lists(lists: _RankedLists, terms: Matrix) -> _RankedLists:
    """Each list's best candidates by `terms`, and its target."""
    best = []
    for rows, right in lists:
        places = np.union1d(np.argsort(-(rows @ terms), kind="stable")[:_TOP_CANDIDATES], np.flatnonzero(right))
        best.append((rows[places], right[places]))
    return best


def fit_on_top(term: str, used: CaseList, terms: Matrix) -> float:
    """The weight of one more `term` on top of `terms`; 0 where it tells of no candidate."""
    column = FEATURE_NAMES.index(term)
    other_terms = terms.copy()
    other_terms[column] = 0
    cases = [(case.rows @ other_terms, case.rows[:, column], case.right) for case in used if case.rows[:, column].any()]
    losses = [
        sum(
            -np.log(candidate_probabilities(points + by * likeness, 1.0)[right][0]) for points, likeness, right in cases
        )
        for by in _TOP_WEIGHTS
    ]
    return float(_TOP_WEIGHTS[int(np.argmin(losses))]) if cases else 0.0


def fit_sharpness(case_list: CaseList, points: Sequence[Matrix]) -> float:
    """By what points are multiplied so that the probabilities of targets come out likeliest."""
    used = [(case, case_points) for case, case_points in zip(case_list, points, strict=True) if case.hit]
    losses = [
        sum(-np.log(candidate_probabilities(case_points, by)[case.right][0]) for case, case_points in used)
        for by in _SHARPNESS
    ]
    return float(_SHARPNESS[int(np.argmin(losses))])


def divide(case_list: CaseList, seed: int) -> npt.NDArray[np.int64]:
    """The fold of each case; cases of one target never part."""
    return folds_of([case.citance.target for case in case_list], seed)


def out_of_fold(case_list: CaseList, folds: npt.NDArray[np.int64]) -> list[Matrix]:
    """Per case the points of its candidates by weights that have not seen its target."""
    points: list[Matrix] = [np.empty(0)] * len(case_list)
    for fold in range(FOLDS):
        terms = fit_terms([case for case, own_fold in zip(case_list, folds, strict=True) if own_fold != fold])
        for number in np.flatnonzero(folds == fold).tolist():
            points[number] = case_list[number].rows @ terms
    return points


def ranks(case_list: CaseList, points: Sequence[Matrix]) -> list[float]:
    """The rank of each target; infinite where it is not among the candidates."""
    return [
        float(1 + (case_points > case_points[case.right].max()).sum()) if case.hit else float("inf")
        for case, case_points in zip(case_list, points, strict=True)
    ]


def figures(ranked: Sequence[float], count: int) -> dict[str, float]:
    """Recall and reciprocal rank in percent over `count` excerpts."""
    return {name: 100 * float(column.sum()) / count for name, column in worth(ranked).items()}


def worth(ranked: Sequence[float]) -> dict[str, Matrix]:
    """Per metric what each rank counts, in [0, 1]."""
    places = np.array(ranked)
    return {**{f"recall@{k}": (places <= k).astype(float) for k in (1, 10, 20)}, "mrr": 1 / places}


def scores(case_list: CaseList, count: int) -> dict[str, dict[str, float]]:
    """Per metric the mean out of fold, over several divisions, and its error; papers are resampled."""
    divisions = [divide(case_list, seed) for seed in range(SEEDS)]
    divided = [worth(ranks(case_list, out_of_fold(case_list, division))) for division in divisions]
    _, target_index = np.unique([case.citance.target for case in case_list], return_inverse=True)
    cases_of = np.bincount(target_index)
    picks = np.random.default_rng(0).integers(0, len(cases_of), size=(_RESAMPLES, len(cases_of)))
    rows = {}
    for name in divided[0]:
        column = np.mean([division[name] for division in divided], axis=0)
        drawn = np.bincount(target_index, column)[picks].sum(axis=1) / cases_of[picks].sum(axis=1)
        rows[name] = {"mean": round(100 * float(column.sum()) / count, 1), "se": round(100 * float(drawn.std()), 1)}
    return rows


def small_libraries(
    citances: Sequence[TrainingCitance], papers: Sequence[Paper], model: StaticModel | None
) -> Iterator[CitanceCase]:
    """Cases in small libraries, each once with and once without the papers that are cited."""
    by_id = {paper.id: paper for paper in papers}
    for seed, size in enumerate(SMALL_POOL_SIZES):
        chance_of = np.random.default_rng(seed)
        drawn_citances = [citances[number] for number in chance_of.permutation(len(citances))[:_PER_LIBRARY].tolist()]
        targets = sorted({citance.target for citance in drawn_citances})
        drawn = [papers[number] for number in chance_of.permutation(len(papers))[:size].tolist()]
        other_papers = [paper for paper in drawn if paper.id not in targets]
        for target_papers in ([by_id[target] for target in targets if target in by_id], []):
            library = MemoryLibrary(Parsed(paper) for paper in (*other_papers, *target_papers))
            index = MemoryIndex((index_row(paper) for paper in library.all), model=open_static() if model else None)
            yield from cases(drawn_citances, CitationCandidateSearcher(library, index, embedder=model))


def fit_and_report(training: TrainingData, model: StaticModel | None) -> Mapping[str, object]:
    """Everything that is said of one kind of pool."""
    archive = list(
        cases(
            training.citances,
            CitationCandidateSearcher(training.library, IndexFolder(), embedder=model),
            training.contexts,
        )
    )
    bare = [case.without_contexts() for case in archive]
    unsourced = [case.without_source() for case in bare]
    terms, folds = fit_terms(archive), divide(archive, 0)
    points = out_of_fold(bare, folds)
    sharpness = fit_sharpness(bare, points)
    small = list(small_libraries(training.citances, training.papers, model))
    large = list(questions(bare, points, sharpness, withheld=True))
    texts = list(questions(archive, out_of_fold(archive, folds), sharpness, withheld=True))
    # Most people do not say who cites, and without that the first candidate is right less often.
    unknown = list(questions(unsourced, out_of_fold(unsourced, folds), sharpness, withheld=True))
    few = list(questions(small, [case.rows @ terms for case in small], sharpness, withheld=False))
    all_questions = [*large, *unknown, *few, *texts]
    confidence_cases = [*large, *unknown, *few]
    first, in_library = (
        [question.first for question in all_questions],
        [question.in_library for question in all_questions],
    )
    return {
        "terms": _round_values(terms),
        "sharpness": round(sharpness, _DIGITS),
        "first": _round_values(fit_chance(all_questions, first)),
        "presence": _round_values(fit_chance(all_questions, in_library)),
        "scores": scores(bare, len(training.citances)),
        "scores_without_source": scores(unsourced, len(training.citances)),
        "scores_with_texts": scores(archive, len(training.citances)),
        "reliability": reliability(probabilities_out_of_fold(all_questions, first, confidence_cases)),
        "reliability_presence": reliability(
            probabilities_out_of_fold(all_questions, in_library, confidence_cases, presence=True)
        ),
        "reliability_with_texts": reliability(probabilities_out_of_fold(all_questions, first, texts)),
        "questions": {"large": len(large), "without_source": len(unknown), "small": len(few), "with_texts": len(texts)},
    }


def _round_values(weights: Matrix) -> list[float]:
    return [round(float(weight), _DIGITS) for weight in weights]


def record(path: Path, root: Path, texts: Path, today: str) -> dict[str, object]:
    """The whole file."""
    training = read_given(path, root, texts)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "form": FORMAT_VERSION,
        "made": today,
        "by": "python -m litterm_training.attribution",
        "data": [{"name": path.name, "sha256": digest, "items": len(training.citances)}],
        "library": {"papers": len(training.papers), "texts": training.texts, "embedder": open_static().name},
        "method": f"listwise softmax, ridge {RIDGE:g}; {FOLDS} folds by cited paper, mean of {SEEDS} divisions",
        "terms": list(FEATURE_NAMES),
        "signs": list(CONFIDENCE_FEATURES),
        "fits": {"hybrid": fit_and_report(training, open_static()), "bm25": fit_and_report(training, None)},
    }


def read_given(path: Path, root: Path, texts: Path) -> TrainingData:
    """The excerpts, the library, and the citation graph of `texts` without the papers that the excerpts are from."""
    citances = read_citances(path)
    library = DuckLibrary(root)
    snapshot = library.snapshot()
    rows = [
        (segment.key, row)
        for segment in snapshot.segments
        for row in range(segment.count)
        if row not in segment.shadowed
    ]
    papers = library.papers(snapshot, [RowRef(key, row) for key, row in rows])
    store = CitationStore(texts)
    citing = {segment.citing for segment in citances}
    lists = [segment for segment in store.lists() if segment.head.paper not in citing]
    graph = Graph(lists, store.citances)
    return TrainingData(citances, library, papers, CitationContexts(lambda: graph), len(lists))


def main(argv: list[str] | None = None) -> None:
    """Reads the excerpts, asks the library, fits, writes the weights."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.attribution", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--texts", type=Path, metavar="DIR", help="the library whose full texts cite (--library)")
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    typed = parser.parse_args(argv)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    typed.out.write_text(_json(record(typed.file, typed.library, typed.texts or typed.library, today)), "utf-8")


def _json(weights: Mapping[str, object]) -> str:
    return json.dumps(weights, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
