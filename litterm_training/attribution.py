"""`python -m litterm_training.attribution FILE --library DIR --facts DIR`: the weights of citation attribution.

`FILE` holds citing sentences whose paper is known (JSON Lines with `id`, `excerpt`, `target_id`, `citing_id` and
`citing_year`), `--library` is a library that holds those papers, `--facts` the folder of the citation facts, whose
sentences are the other half. Scores are out of fold; sentences of one text never part. What the facts say of an excerpt
was counted without the text that it is from. Each sentence whose paper has a profile counts three times: with all that
is known of the paper, with its count alone, and with nothing, so that papers that are not in the facts lose little.

Confidence is fitted on the same excerpts with and without their paper in the library, and in small libraries drawn
from it. Needs numpy only. The full texts of a second library (`--texts DIR`), which may be the same, give the weight of
how others cite a paper, which is kept as it was without them; every other weight is fitted without them. Those of an
author and of the topic in common with the citing paper are added in the same way: whoever does not say who cites loses
nothing.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from litterm.attribution.confidence import candidate_probabilities
from litterm.attribution.features import FEATURE_NAMES, RECORD_FEATURES, CitationContexts, Matrix
from litterm.attribution.weights import CONFIDENCE_FEATURES, FORMAT_VERSION, WEIGHTS_FILE
from litterm.citations.graph import Graph
from litterm.citations.store import CitationStore
from litterm.library.citation_facts.shipped import open_facts
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
    find_caution,
    fit_chance,
    folds_of,
    lower_all,
    probabilities_out_of_fold,
    questions,
    reliability,
)
from litterm_training.contexts import facts_without, is_later, read_contexts
from litterm_training.softmax import fit_listwise

if TYPE_CHECKING:
    from litterm.attribution.fact_features import FactFeatures
    from litterm.library.index.static_embeddings import StaticModel

RIDGE = 15.0
"""Of 3 to 60 all give an MRR of 22.0 to 22.1 out of fold, see docs/benchmarks-history.md."""
COUNTED_MASS, UNKNOWN_MASS = 0.5, 1.0
"""What a sentence counts with the count of its paper alone, and with nothing known of it, beside 1 with its profile.
With less, papers with a profile come before better ones without; see docs/benchmarks-history.md."""
LATER_MASS = 2.0
"""What a sentence counts that cites a paper after the Network's years: there are fewer of them, and more to come."""
CONTEXTS = {"hybrid": 160, "bm25": 40}
"""Sentences of the citation facts of each kind, to and after the Network's years; by kind of pool."""
EVERY_GIVEN = {"hybrid": 1, "bm25": 4}
"""Which of the given sentences are taken: all of them, or every fourth for libraries without vectors."""
SMALL_POOL_SIZES = (50, 150, 500, 1500)
"""Papers in the small libraries."""
_TOP_CANDIDATES = 100
"""Candidates that are fitted again once it is known which ones come first; with 60 to 150 MRR is 23.7 to 23.9."""
_PER_LIBRARY = 20
"""Excerpts asked of each."""
_DIGITS = 4
# One number each, so that a grid does as well as a method with derivatives; both minima lie well inside.
_SHARPNESS = np.linspace(0.4, 2.0, 33)
_TOP_WEIGHTS = np.linspace(0.0, 12.0, 25)
_RESAMPLES = 1000

_Division = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _RankedList:
    """The candidates of one excerpt, as a fit takes them."""

    rows: Matrix
    right: npt.NDArray[np.bool_]
    mass: float

    def at(self, places: npt.NDArray[np.int64]) -> _RankedList:
        """The candidates at `places`, and the target."""
        kept = np.union1d(places, np.flatnonzero(self.right))
        return _RankedList(self.rows[kept], self.right[kept], self.mass)


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What weights are fitted on."""

    citances: Sequence[TrainingCitance]
    public: Mapping[str, Sequence[TrainingCitance]]
    """Sentences of the citation facts, by kind of pool."""
    facts: Callable[[str], FactFeatures]
    """The facts as they are without a text."""
    library: DuckLibrary
    papers: Sequence[Paper]
    contexts: CitationContexts
    texts: int
    """Lists of references that the library knows."""
    cited_as: Mapping[str, float]
    """By kind of pool the weight of how others cite a paper, for where no list of references is known."""


def fit_terms(case_list: CaseList) -> Matrix:
    """Weights of the terms, from cases whose target is among the candidates.

    All but three are fitted as if there were no full texts and nobody knew who cites, and stay so: where that is not
    known, papers are ranked as well as if those three were not there.
    """
    lists = [ranked for case in case_list if case.hit for ranked in _lists_of(case.without_contexts().without_source())]
    # Twice: what tells the best candidates from each other is not what tells them from the hundreds after them.
    first = _fit_lists([ranked.at(_spread(ranked.rows)) for ranked in lists])
    fitted = _fit_lists([ranked.at(_best(ranked.rows @ first)) for ranked in lists])
    # Being named speaks for a paper; a name that comes out against it only corrects another.
    floor = np.array([0.0 if term in RECORD_FEATURES else -np.inf for term in FEATURE_NAMES])
    terms = np.asarray(np.maximum(fitted, floor))
    hits = [case for case in case_list if case.hit]
    for term in (SAME_AUTHOR, SAME_TOPIC):
        terms[FEATURE_NAMES.index(term)] = fit_on_top(term, [case.without_contexts() for case in hits], terms)
    terms[FEATURE_NAMES.index(CITED_AS)] = fit_on_top(CITED_AS, hits, terms)
    return terms


def _lists_of(case: CitanceCase) -> Iterator[_RankedList]:
    """The case as it is and, where its paper has a profile, as if less were known of it."""
    mass = LATER_MASS if is_later(case.citance.target) else 1.0
    yield _RankedList(case.rows, case.right, mass)
    if case.covered and case.hit and case.by_words:
        yield _RankedList(case.without_profile().rows, case.right, mass * COUNTED_MASS)
        yield _RankedList(case.without_facts().rows, case.right, mass * UNKNOWN_MASS)


def _best(points: Matrix) -> npt.NDArray[np.int64]:
    return np.argsort(-points, kind="stable")[:_TOP_CANDIDATES]


def _spread(rows: Matrix) -> npt.NDArray[np.int64]:
    """As many candidates as are fitted again, from the best to the last by their words."""
    order = np.argsort(-rows[:, FEATURE_NAMES.index("text")], kind="stable")
    return order[:: max(1, -(-len(order) // _TOP_CANDIDATES))]


def _fit_lists(lists: Sequence[_RankedList]) -> Matrix:
    return fit_listwise(
        [ranked.rows for ranked in lists],
        [ranked.right.astype(float) for ranked in lists],
        ridge=RIDGE,
        masses=[ranked.mass for ranked in lists],
    )


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


def divide(case_list: CaseList, seed: int) -> _Division:
    """The fold of each case; cases of one text never part; where that is not known, those of one target."""
    return folds_of([case.citance.group for case in case_list], seed)


def fold_terms(case_list: CaseList, folds: _Division) -> list[Matrix]:
    """Per fold the weights that have not seen its cases."""
    return [
        fit_terms([case for case, own_fold in zip(case_list, folds, strict=True) if own_fold != fold])
        for fold in range(FOLDS)
    ]


def points_by(case_list: CaseList, folds: _Division, terms: Sequence[Matrix]) -> list[Matrix]:
    """Per case the points of its candidates by the weights of its fold."""
    return [case.rows @ terms[fold] for case, fold in zip(case_list, folds.tolist(), strict=True)]


def out_of_fold(case_list: CaseList, folds: _Division) -> list[Matrix]:
    """Per case the points of its candidates by weights that have not seen it."""
    return points_by(case_list, folds, fold_terms(case_list, folds))


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


def scores(case_list: CaseList, points: Sequence[Matrix], count: int) -> dict[str, dict[str, float]]:
    """Per metric the mean over `count` excerpts, and its error; texts or, where unknown, cited papers are resampled."""
    _, group_index = np.unique([case.citance.group for case in case_list], return_inverse=True)
    cases_of = np.bincount(group_index)
    picks = np.random.default_rng(0).integers(0, len(cases_of), size=(_RESAMPLES, len(cases_of)))
    rows = {}
    for name, column in worth(ranks(case_list, points)).items():
        drawn = np.bincount(group_index, column)[picks].sum(axis=1) / cases_of[picks].sum(axis=1)
        rows[name] = {"mean": round(100 * float(column.sum()) / count, 1), "se": round(100 * float(drawn.std()), 1)}
    return rows


def small_libraries(training: TrainingData, model: StaticModel | None) -> Iterator[CitanceCase]:
    """Cases in small libraries, each once with and once without the papers that are cited."""
    citances, papers = training.citances, training.papers
    by_id = {paper.id: paper for paper in papers}
    for seed, size in enumerate(SMALL_POOL_SIZES):
        chance_of = np.random.default_rng(seed)
        drawn_citances = [citances[number] for number in chance_of.permutation(len(citances))[:_PER_LIBRARY].tolist()]
        drawn_citances.sort(key=lambda citance: citance.text)
        targets = sorted({citance.target for citance in drawn_citances})
        drawn = [papers[number] for number in chance_of.permutation(len(papers))[:size].tolist()]
        other_papers = [paper for paper in drawn if paper.id not in targets]
        for target_papers in ([by_id[target] for target in targets if target in by_id], []):
            library = MemoryLibrary(Parsed(paper) for paper in (*other_papers, *target_papers))
            index = MemoryIndex((index_row(paper) for paper in library.all), model=open_static() if model else None)
            searcher = CitationCandidateSearcher(library, index, embedder=model)
            yield from cases(drawn_citances, searcher, facts=training.facts)


def fit_and_report(training: TrainingData, kind: str, model: StaticModel | None) -> Mapping[str, object]:
    """Everything that is said of one kind of pool."""
    searcher = CitationCandidateSearcher(training.library, IndexFolder(), embedder=model)
    citances = training.citances[:: EVERY_GIVEN[kind]]
    given = list(cases(citances, searcher, training.contexts, training.facts))
    public = list(cases(training.public[kind], searcher, None, training.facts))
    every = [*given, *public]
    terms, folds = fit_terms(every), divide(every, 0)
    by_fold = fold_terms(every, folds)
    if not training.texts:
        for fitted in (terms, *by_fold):
            fitted[FEATURE_NAMES.index(CITED_AS)] = training.cited_as[kind]
    given_folds, public_folds = folds[: len(given)], folds[len(given) :]
    bare = [case.without_contexts() for case in given]
    # Most people do not say who cites, and without that the first candidate is right less often.
    unsourced = [case.without_source() for case in bare]
    points, unknown_points, text_points, public_points = (
        points_by(case_list, case_folds, by_fold)
        for case_list, case_folds in (
            (bare, given_folds), (unsourced, given_folds), (given, given_folds), (public, public_folds)
        )
    )  # fmt: skip
    sharpness = fit_sharpness([*bare, *public], [*points, *public_points])
    small = list(small_libraries(training, model))
    asked = {
        "large": list(questions(bare, points, sharpness, withheld=True)),
        "without_source": list(questions(unsourced, unknown_points, sharpness, withheld=True)),
        "small": list(questions(small, [case.rows @ terms for case in small], sharpness, withheld=False)),
        "with_texts": list(questions(given, text_points, sharpness, withheld=True)),
        "public": list(questions(public, public_points, sharpness, withheld=True)),
    }
    all_questions = [question for kind_of in asked.values() for question in kind_of]
    first = [question.first for question in all_questions]
    in_library = [question.in_library for question in all_questions]
    measured = {
        "reliability": [*asked["large"], *asked["without_source"], *asked["small"]],
        "reliability_with_texts": asked["with_texts"],
        "reliability_public": asked["public"],
    }
    told = {name: probabilities_out_of_fold(all_questions, first, cases_of) for name, cases_of in measured.items()}
    # What is called found must be right as often as is said.
    caution = find_caution([*told["reliability"], *told["reliability_public"]])
    first_weights = fit_chance(all_questions, first)
    first_weights[-1] -= caution
    presence_told = probabilities_out_of_fold(all_questions, in_library, measured["reliability"], presence=True)
    count = len(citances)
    return {
        "terms": _round_values(terms),
        "sharpness": round(sharpness, _DIGITS),
        "first": _round_values(first_weights),
        "caution": round(caution, _DIGITS),
        "presence": _round_values(fit_chance(all_questions, in_library)),
        "scores": scores(bare, points, count),
        "scores_without_source": scores(unsourced, unknown_points, count),
        **({"scores_with_texts": scores(given, text_points, count)} if training.texts else {}),
        "scores_public": public_scores(public, public_folds, by_fold),
        **{name: reliability(lower_all(predictions, caution)) for name, predictions in told.items()},
        "reliability_presence": reliability(presence_told),
        "questions": {name: len(kind_of) for name, kind_of in asked.items()},
    }


def public_scores(public: CaseList, folds: _Division, by_fold: Sequence[Matrix]) -> dict[str, object]:
    """Scores of the sentences of the citation facts, by what is known of the paper and by its year."""
    covered = np.array([case.covered for case in public], np.bool_)
    later = np.array([is_later(case.citance.target) for case in public], np.bool_)
    hidden = {"": lambda case: case, "_count_known": CitanceCase.without_profile, "_unknown": CitanceCase.without_facts}
    rows: dict[str, object] = {}
    for name, chosen in (("covered", covered), ("not_covered", ~covered), ("later", later), ("earlier", ~later)):
        places = np.flatnonzero(chosen).tolist()
        for suffix, as_if in hidden.items():
            if not places or (suffix and name == "not_covered"):
                continue
            case_list = [as_if(public[place]) for place in places]
            figures_of = scores(case_list, points_by(case_list, folds[places], by_fold), len(places))
            rows[name + suffix] = {"excerpts": len(places), **figures_of}
    return rows


def _round_values(weights: Matrix) -> list[float]:
    return [round(float(weight), _DIGITS) for weight in weights]


def record(
    path: Path, root: Path, texts: Path, folder: Path, today: str, kinds: Collection[str] = tuple(CONTEXTS)
) -> dict[str, object]:
    """The whole file; fits of other kinds than `kinds` are those that ship."""
    training = read_given(path, root, texts, folder)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "form": FORMAT_VERSION,
        "made": today,
        "by": "python -m litterm_training.attribution",
        "data": [
            {"name": path.name, "sha256": digest, "items": len(training.citances)},
            {
                "name": "contexts",
                "sha256": hashlib.sha256((folder / "contexts.jsonl.gz").read_bytes()).hexdigest(),
                "items": len(training.public["hybrid"]),
            },
        ],
        "library": {"papers": len(training.papers), "texts": training.texts, "embedder": open_static().name},
        "method": f"listwise softmax, ridge {RIDGE:g}; {FOLDS} folds by citing text, or by cited paper",
        "terms": list(FEATURE_NAMES),
        "signs": list(CONFIDENCE_FEATURES),
        "fits": {
            kind: fit_and_report(training, kind, open_static() if kind == "hybrid" else None)
            if kind in kinds
            else keep_fit(WEIGHTS_FILE, kind)
            for kind in CONTEXTS
        },
    }


def read_given(path: Path, root: Path, texts: Path, folder: Path) -> TrainingData:
    """The excerpts, the library, and the citation graph of `texts` without the papers that the excerpts are from."""
    # In the order of their texts, as the facts are read without each of them.
    citances = sorted(
        (replace(citance, text=citance.citing) for citance in read_citances(path)), key=lambda citance: citance.text
    )
    public = {kind: read_contexts(folder, count) for kind, count in CONTEXTS.items()}
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
    facts = facts_without(folder, open_facts("bench"))
    contexts = CitationContexts(lambda: graph)
    return TrainingData(citances, public, facts, library, papers, contexts, len(lists), read_cited_as(WEIGHTS_FILE))


def keep_fit(path: Path, kind: str) -> dict[str, object]:
    """A fit of the file at `path` as it is, with 0 for features that it did not know."""
    recorded = json.loads(path.read_text("utf-8"))
    fit: dict[str, Any] = recorded["fits"][kind]
    terms = dict(zip(recorded["terms"], fit["terms"], strict=True))
    kept = {"terms": [terms.get(term, 0.0) for term in FEATURE_NAMES]}
    for chance in ("first", "presence"):
        *weights, constant = fit[chance]
        known = dict(zip(recorded["signs"], weights, strict=True))
        kept[chance] = [*(known.get(sign, 0.0) for sign in CONFIDENCE_FEATURES), constant]
    return {**fit, **kept}


def read_cited_as(path: Path) -> dict[str, float]:
    """By kind of pool the weight of how others cite a paper, from a file of weights that may be of another version."""
    recorded = json.loads(path.read_text("utf-8"))
    place = recorded["terms"].index(CITED_AS)
    return {kind: float(fit["terms"][place]) for kind, fit in recorded["fits"].items()}


def main(argv: list[str] | None = None) -> None:
    """Reads the excerpts, asks the library, fits, writes the weights."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.attribution", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--texts", type=Path, metavar="DIR", help="the library whose full texts cite (--library)")
    parser.add_argument("--facts", type=Path, metavar="DIR", required=True, help="the folder of the citation facts")
    parser.add_argument("--only", choices=tuple(CONTEXTS), help="keep the fit of the other kind of pool as it ships")
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    typed = parser.parse_args(argv)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    kinds = (typed.only,) if typed.only else tuple(CONTEXTS)
    weights = record(typed.file, typed.library, typed.texts or typed.library, typed.facts, today, kinds)
    typed.out.write_text(_json(weights), "utf-8")


def _json(weights: Mapping[str, object]) -> str:
    return json.dumps(weights, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
