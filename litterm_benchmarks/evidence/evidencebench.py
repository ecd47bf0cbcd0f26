"""EvidenceBench: how much of what a paper says about a hypothesis do the chosen sentences cover."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Literal

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.library.index.static_embeddings import open_static
from litterm.model.events import Progress
from litterm.model.evidence import WITH_EXAMPLES, EvidenceLlmOptions
from litterm.search.aspects.sentence_similarity import BuiltInSentences, SentenceEmbedder
from litterm_benchmarks.evidence import reworded, shortlist, study_cover, verdict
from litterm_benchmarks.evidence.baselines import bm25, lead, order_by_cosine
from litterm_benchmarks.evidence.extractors import Extractors, evidence_numbers, evidence_of, key_findings
from litterm_benchmarks.evidence.hard_negatives import PaperHypothesis, foils
from litterm_benchmarks.evidence.llm_settings import MODEL_STRATEGIES, JudgeOf, measure_settings, options_of
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.readers.evidencebench import Item, aspect_recall, body_only, cover, read_items, recalls
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore

if TYPE_CHECKING:
    from litterm.llm.model import ChatModel

Setting = Literal["er-optimal", "er-10", "result-optimal", "result-5"]
METRICS: Mapping[Setting, str] = {
    "er-optimal": "er@optimal",
    "er-10": "er@10",
    "result-optimal": "result-er@optimal",
    "result-5": "result-er@5",
}
EMBEDDINGS = "embeddings"
"""By the cosine of hypothesis and sentence, with the built-in vectors."""
ENCODERS = ("encoder", "encoder-plain")
"""The same by the user's encoder, with and without its instructions; measured only where one is set."""
STRATEGIES = (
    "litterm",
    "litterm-hypothesis",
    "another-hypothesis",
    "h1",
    "bm25",
    EMBEDDINGS,
    "lead",
    "random",
    "oracle",
    "paraphrased",
    "negated",
    "verdict",
)
PLACE, AT_THE_ENDS, IN_THE_MIDDLE = "aspects in the first and last ten sentences", "over 80 %", "under 20 %"
"""Groups A and B of the publication (appendix K)."""
_END_SENTENCES, _MOST, _FEW = 10, 0.8, 0.2
OFFLINE = "litterm-hypothesis"
"""The default without a model, which strategies that ask one are compared with."""
_STUDY_STRATEGIES = (study_cover.NAME, study_cover.MODEL_NAME)
"""Measured only where they are named."""
_OF_RESULTS: frozenset[Setting] = frozenset(("result-optimal", "result-5"))
_RANDOM_DRAWS = 20
"""Orders drawn for each item, from a seed of its own, so that a part of the items gives the same figures."""

Orders = Sequence[tuple[Sequence[int], Sequence[int]]]
"""Per item, sentence numbers for all aspects and for result aspects, the best first."""


def measure(
    paths: Sequence[Path],
    extractors: Extractors | None = None,
    *,
    strategies: Sequence[str] = (),
    settings: Sequence[Setting] = (),
    body: bool = False,
    judge: JudgeOf | None = None,
    model: ChatModel | None = None,
    embedders: Mapping[str, SentenceEmbedder] | None = None,
) -> Task[BenchReport]:
    """Aspect recall in the four published settings, or in `settings`; `body`: nothing of the abstract may be chosen.

    `litterm` are the key findings, `litterm-hypothesis` is the default outside benches without its floor,
    `another-hypothesis` the same asked with some other paper's hypothesis. With a `judge` the strategies of
    `litterm_benchmarks.evidence.llm_settings` are measured too, where they are named, as is what
    `litterm_benchmarks.evidence.shortlist` leaves of the papers. `model` splits and aligns study aspects for
    `study-aspects/model`; `study-aspects` needs none. `embedders` are measured as baselines under their names.

    Raises:
        BadInput: a file is not in the published form.
        UsageError: a strategy is not known.
    """
    options_by_name = _model_options(strategies, body=body)
    # What asks a model is compared with the method without one on the same items.
    wanted = (*strategies, OFFLINE) if options_by_name else strategies
    if missing := [name for name in strategies if name in ENCODERS and name not in (embedders or {})]:
        raise UsageError(f"{missing[0]} needs a sentence encoder; `litterm config encoder` sets one up")
    by_cosine: dict[str, SentenceEmbedder] = {EMBEDDINGS: BuiltInSentences(open_static()), **(embedders or {})}
    selected = [name for name in (*STRATEGIES, *(embedders or {})) if not strategies or name in wanted]
    items = [item for path in paths for item in read_items(path)]
    if not items:
        raise UsageError("the files hold no item")
    shipped = extractors or Extractors.shipped()
    measured = [body_only(item) for item in items] if body else items
    rows: list[MethodRow] = []
    notes = [shipped.note(items)] + (["the abstract is read, but not chosen from"] if body else [])
    orders = yield from _by_litterm(measured, shipped, selected)
    by_name: dict[str, Sequence[Mapping[str, float]]] = {}
    for name in selected:
        if name in reworded.FORMS:
            of_form = yield from _reworded(measured, shipped, name, settings)
            rows += of_form.rows
            notes += of_form.notes
        elif name != "verdict":
            values = yield from _values(name, measured, orders, by_cosine.get(name))
            by_name[name] = values
            rows += [_row(name, values, settings, measured)] if values else []
        elif not settings and not body and len({item.paper_key for item in items}) > 1:
            row, table = yield from verdict.measure(items, shipped)
            rows.append(row)
            notes += table
    by_model = yield from _by_model(items, options_by_name, judge, settings, by_name.get(OFFLINE, ()))
    rows += by_model.rows
    notes += by_model.notes
    if not body and not (settings and _OF_RESULTS.issuperset(settings)):
        covers = yield from _covers(items, shipped, strategies, model, settings)
        rows += covers.rows
        notes += covers.notes
    ceilings = yield from _ceilings(measured, shipped, strategies, settings)
    rows += ceilings.rows
    notes += ceilings.notes
    notes += _gap(rows)
    notes += _over_bm25(by_name, settings)
    notes.append("lead leaves headings out; bm25 and random may return them, as published")
    return BenchReport("evidencebench", ", ".join(path.name for path in paths), len(items), tuple(rows), tuple(notes))


def _ceilings(
    items: Sequence[Item], shipped: Extractors, strategies: Sequence[str], settings: Sequence[Setting]
) -> Task[BenchReport]:
    """The rows on what a shortlist leaves, and what is to be said of them."""
    rows: list[MethodRow] = []
    notes: list[str] = []
    for name in strategies:
        n = shortlist.size_of(name)
        if n is not None:
            values, note = yield from shortlist.measure(items, shipped.unseen, n)
            rows.append(_row(f"{name} ceiling", values, settings))
            notes.append(note)
    return BenchReport("", "", len(items), tuple(rows), tuple(notes))


def _covers(
    items: Sequence[Item],
    shipped: Extractors,
    strategies: Sequence[str],
    model: ChatModel | None,
    settings: Sequence[Setting],
) -> Task[BenchReport]:
    """The rows of study aspects, offline where that is named and by `model` if there is one; not for the body only.

    Most of what covers the aspects of an abstract stands in the abstract.
    """
    covers: dict[str, study_cover.CoverOf] = {}
    if study_cover.NAME in strategies:
        covers[study_cover.NAME] = study_cover.cover_offline
    if model is not None:
        covers[study_cover.MODEL_NAME] = study_cover.cover_with(model)
    rows: list[MethodRow] = []
    notes: list[str] = []
    for name, cover_of in covers.items():
        at_once = model.at_once if model is not None and name == study_cover.MODEL_NAME else 1
        values, note = yield from study_cover.measure(items, shipped.unseen, cover_of, name, at_once=at_once)
        rows.append(_row(name, values, settings))
        notes.append(note)
    return BenchReport("", "", len(items), tuple(rows), tuple(notes))


def _by_model(
    items: Sequence[Item],
    options_by_name: Mapping[str, EvidenceLlmOptions],
    judge: JudgeOf | None,
    settings: Sequence[Setting],
    offline: Sequence[Mapping[str, float]],
) -> Task[BenchReport]:
    """The rows of strategies that ask a model, with their gains over `offline`, and notes on gains over the first."""
    rows: list[MethodRow] = []
    notes: list[str] = []
    by_name: dict[str, Sequence[Mapping[str, float]]] = {}
    for name, options in options_by_name.items():
        if judge is None:
            raise UsageError(f"strategy {name} needs a language model")
        metrics = [METRICS[setting] for setting in settings]
        values, fault = yield from measure_settings(items, judge(options), name, metrics)
        rows.append(MethodRow(name, _means(values, settings, offline), base=OFFLINE if offline else ""))
        notes += [fault] if fault else []
        notes += [_difference(items, name, values, *first) for first in list(by_name.items())[:1]]
        by_name[name] = values
    if any(name.partition("/")[0].endswith(WITH_EXAMPLES) for name in options_by_name):
        notes.append("the examples are litterm's own: what is accepted in a library changes no figure")
    return BenchReport("", "", len(items), tuple(rows), tuple(notes))


def _difference(
    items: Sequence[Item],
    name: str,
    values: Sequence[Mapping[str, float]],
    other: str,
    others: Sequence[Mapping[str, float]],
) -> str:
    """What one strategy recalls more than another, paired item by item; whole papers are resampled."""
    gains: list[str] = []
    for metric in METRICS.values():
        measured = [place for place, figures in enumerate(values) if metric in figures]
        gain = percent(
            metric,
            [values[place][metric] for place in measured],
            [items[place].paper_key for place in measured],
            base=[others[place][metric] for place in measured],
        )
        gains += [f"{metric} {gain.gain:+.1f}±{gain.gain_se:.1f}"] if measured else []
    return f"{name} over {other}, paired item by item (n={len(items)}): {', '.join(gains)}"


def _reworded(items: Sequence[Item], shipped: Extractors, form: str, settings: Sequence[Setting]) -> Task[BenchReport]:
    """`litterm-hypothesis` on hypotheses in another form, and on the same as published; none where none has one."""
    other, published = yield from reworded.measure(items, shipped.unseen, form)
    if not other:
        return BenchReport("", "", 0, ())
    part = SubsetScore("hypotheses", reworded.ORIGINAL, len(published), _means(published, settings))
    note = f"{form}: {len(other)} of the hypotheses, reworded by hand, and beside them the same as published"
    return BenchReport("", "", len(other), (MethodRow(form, _means(other, settings), (part,)),), (note,))


def _model_options(strategies: Sequence[str], *, body: bool) -> Mapping[str, EvidenceLlmOptions]:
    """Those that ask a model.

    Raises:
        UsageError: a strategy is not known, or cannot do with the body only.
    """
    options_by_name = {name: options for name in strategies if (options := options_of(name)) is not None}
    offline = (*STRATEGIES, *ENCODERS, *_STUDY_STRATEGIES)
    unknown = [n for n in strategies if n not in (*offline, *options_by_name) and shortlist.size_of(n) is None]
    if unknown:
        known = ", ".join((*STRATEGIES, *ENCODERS, f"{shortlist.NAME}/N", *MODEL_STRATEGIES, *_STUDY_STRATEGIES))
        raise UsageError(f"no strategy {unknown[0]!r}; there are {known}")
    if options_by_name and body:
        raise UsageError("a model is shown the whole paper; --body-only is for the strategies without one")
    return options_by_name


def _by_litterm(items: Sequence[Item], shipped: Extractors, selected: Sequence[str]) -> Task[Mapping[str, Orders]]:
    """What the product's own methods choose; both readings come from one extraction."""
    orders: dict[str, Orders] = {}
    if {"litterm", "litterm-hypothesis"}.intersection(selected):
        answers = yield from evidence_of(items, shipped.unseen, "litterm")
        orders["litterm"] = [(key_findings(answer), key_findings(results)) for answer, results in answers]
        orders["litterm-hypothesis"] = [
            (evidence_numbers(answer), evidence_numbers(results)) for answer, results in answers
        ]
    if "another-hypothesis" in selected and len({item.paper_key for item in items}) > 1:
        other = yield from evidence_of(_exchange_hypotheses(items), shipped.unseen, "another hypothesis")
        orders["another-hypothesis"] = [
            (evidence_numbers(answer), evidence_numbers(results)) for answer, results in other
        ]
    if "h1" in selected:
        untrained = yield from evidence_of(items, shipped.untrained, "h1")
        orders["h1"] = [(evidence_numbers(answer), evidence_numbers(results)) for answer, results in untrained]
    return {name: order for name, order in orders.items() if name in selected}


def _gap(rows: Sequence[MethodRow]) -> list[str]:
    """How much recall is lost with another paper's hypothesis: what listening is worth."""
    by_name = {row.method: {metric.name: metric.mean for metric in row.metrics} for row in rows}
    own, other = (by_name.get(name, {}) for name in ("litterm-hypothesis", "another-hypothesis"))
    gaps = [f"{own[name] - other[name]:.1f} on {name}" for name in own if name in other]
    return [f"lost with another paper's hypothesis: {', '.join(gaps)}"] if gaps else []


def _over_bm25(by_name: Mapping[str, Sequence[Mapping[str, float]]], settings: Sequence[Setting]) -> list[str]:
    """By how much the default is above BM25, paper by paper, and on how many it is above and below."""
    own, other = by_name.get(OFFLINE, ()), by_name.get("bm25", ())
    differences: list[str] = []
    for metric in (METRICS[setting] for setting in settings or METRICS):
        pairs = [100 * (a[metric] - b[metric]) for a, b in zip(own, other, strict=False) if metric in a and metric in b]
        if len(pairs) > 1:
            above, below = sum(pair > 0 for pair in pairs), sum(pair < 0 for pair in pairs)
            error = stdev(pairs) / math.sqrt(len(pairs))
            differences.append(f"{metric} {fmean(pairs):+.1f}±{error:.1f} ({above} above, {below} below)")
    return [f"litterm-hypothesis less bm25, paired: {', '.join(differences)}"] if differences else []


def _exchange_hypotheses(items: Sequence[Item]) -> list[Item]:
    """Each item with some other paper's hypothesis."""
    wrong = foils([PaperHypothesis(item.paper_key, item.hypothesis, " ".join(item.sentences)) for item in items])
    return [replace(item, hypothesis=items[foil.others[0]].hypothesis) for item, foil in zip(items, wrong, strict=True)]


def _values(
    name: str, items: Sequence[Item], orders: Mapping[str, Orders], embedder: SentenceEmbedder | None
) -> Task[Sequence[Mapping[str, float]]]:
    """The recalls of a method item by item; none where it could not be asked."""
    if embedder is not None:
        nearest = yield from order_by_cosine(items, embedder)
        return [recalls(item, order, order) for item, order in zip(items, nearest, strict=True)]
    if name == "random":
        return (yield from _chance(items))
    if name in _BY_RANK:
        return [recalls(item, *_BY_RANK[name](item)) for item in items]
    return [recalls(item, *order) for item, order in zip(items, orders.get(name, ()), strict=False)]


def _same(rank: Callable[[Item], list[int]]) -> Callable[[Item], tuple[list[int], list[int]]]:
    """`rank` for all aspects and for result aspects alike."""

    def both(item: Item) -> tuple[list[int], list[int]]:
        order = rank(item)
        return order, order

    return both


def _oracle(item: Item) -> tuple[list[int], list[int]]:
    """The sentences that cover most of what is left each time, which only the answers tell."""
    return cover(item.aspects), cover(item.result_aspects)


_BY_RANK: Mapping[str, Callable[[Item], tuple[list[int], list[int]]]] = {
    "bm25": _same(bm25),
    "lead": _same(lead),
    "oracle": _oracle,
}


def _chance(items: Sequence[Item]) -> Task[list[Mapping[str, float]]]:
    values: list[Mapping[str, float]] = []
    for number, item in enumerate(items):
        yield Progress("random", number, len(items))
        dice = random.Random(item.key)
        live = [index for index in range(len(item.sentences)) if index not in item.withheld]
        drawn = [recalls(item, order, order) for order in (dice.sample(live, len(live)) for _ in range(_RANDOM_DRAWS))]
        values.append({name: fmean(figures[name] for figures in drawn) for name in drawn[0]})
    return values


def _row(
    name: str, values: Sequence[Mapping[str, float]], settings: Sequence[Setting], items: Sequence[Item] = ()
) -> MethodRow:
    """The row of a method; with `items`, also by where the evidence of each stands."""
    places: defaultdict[str, list[Mapping[str, float]]] = defaultdict(list)
    for figures, item in zip(values, items, strict=False):
        if place := _place(item):
            places[place].append(figures)
    parts = tuple(
        SubsetScore(PLACE, place, len(places[place]), _means(places[place], settings))
        for place in (AT_THE_ENDS, IN_THE_MIDDLE)
        if places[place]
    )
    return MethodRow(name, _means(values, settings), parts)


def _means(
    values: Sequence[Mapping[str, float]], settings: Sequence[Setting], base: Sequence[Mapping[str, float]] = ()
) -> tuple[Metric, ...]:
    """The means of recalls by item; with `base`, the recalls of another method, also the gains over it."""
    wanted = [METRICS[setting] for setting in settings or METRICS]
    metrics = dict.fromkeys(metric for figures in values for metric in figures if metric in wanted)
    return tuple(
        percent(
            metric,
            [figures[metric] for figures in values if metric in figures],
            base=_paired(metric, values, base),
        )
        for metric in metrics
    )


def _paired(metric: str, values: Sequence[Mapping[str, float]], base: Sequence[Mapping[str, float]]) -> list[float]:
    """What the other method reached where this one has a figure; nothing unless it has all of them."""
    pairs = [other for figures, other in zip(values, base, strict=False) if metric in figures]
    return [other[metric] for other in pairs] if pairs and all(metric in other for other in pairs) else []


def _place(item: Item) -> str:
    """Whether the first and last ten sentences cover nearly all aspects, or hardly any; empty for all else."""
    if not item.aspects:
        return ""
    size = len(item.sentences)
    ends = {*range(_END_SENTENCES), *range(max(0, size - _END_SENTENCES), size)}
    share = aspect_recall(ends, item.aspects)
    return AT_THE_ENDS if share > _MOST else IN_THE_MIDDLE if share < _FEW else ""
