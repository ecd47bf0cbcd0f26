"""The benches of retrieval over a library of a few papers, stored, indexed and searched for real."""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import record, store
from scripted_models import ScriptedModel

from litterm.core.errors import BadInput, UsageError
from litterm.core.settings import Settings
from litterm.core.settings.model import from_home
from litterm.core.tasks import Task, run
from litterm.library.segments.connections import connect, quote_sql
from litterm.library.segments.library import DuckLibrary
from litterm.model.events import Event, Progress, ProvisionalRanking
from litterm.model.library import Parsed
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListLlmOptions
from litterm.reading_lists.llm_builder import ModelListBuilder
from litterm.text.documents.builder import Block, build_document
from litterm_benchmarks.attribution import citances
from litterm_benchmarks.reading_lists import acl_rlg
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, as_json, as_lines
from litterm_benchmarks.search import full_text_field, known_items, litsearch
from litterm_benchmarks.search.bench_library import corpus_beside, reader_of, reader_of_library, with_library
from litterm_benchmarks.search.cases import QueryCase
from litterm_benchmarks.search.litterm_methods import CONTROL, Subject, open_subject

PAPERS = (
    record("P16-1162", "Translation of rare words with subword units", year=2016),
    record("D15-1166", "Attention in translation of long sentences", year=2015, abstract="Long sentences are hard."),
    record("D18-1001", "Subword units revisited for rare words", year=2018),
    record("doi:10.1/x", "Subword units for rare words in speech", year=2017, aliases=(PaperId("acl:W17-1"),)),
    record("2020.acl-tutorials.4", "Reviewing research", year=2020),
    record("J05-4006", "Last words: reviewing the reviewers", year=2005),
)
CITANCE = {
    "id": "one",
    "excerpt": "Rare words are split into subword units [CITATION] before translation.",
    "target_id": "P16-1162",
    "citing_id": "W17-1",
    "citing_year": 2017,
}
QUESTION = {
    "id": "manual-1",
    "query": "Which papers translate long sentences with attention?",
    "gold": ["D15-1166"],
    "set": "manual_acl",
    "specificity": 1,
    "quality": 2,
}
LIST = {
    "id": "2020.acl-tutorials.4",
    "title": "Reviewing research",
    "year": 2020,
    "queries": {"A1": {"keywords": "reviewing, reviewers", "sentence": "Give me a reading list on reviewing"}},
    "references": [
        {"title": "Last Words: Reviewing the Reviewers", "acl_id": None, "in_acl": True},
        {"title": "Elsewhere", "acl_id": None, "in_acl": False},
    ],
}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    home = from_home(tmp_path_factory.mktemp("home"))
    store(home.library, PAPERS)
    return home


@pytest.fixture(scope="module")
def subject(settings: Settings) -> Subject:
    return run(open_subject(settings))


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    def write(*rows: object) -> Path:
        path = tmp_path / "rows.jsonl"
        path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
        return path

    return write


def means(row: MethodRow) -> dict[str, float]:
    return {metric.name: metric.mean for metric in row.metrics}


def of(report: BenchReport, method: str) -> MethodRow:
    return next(row for row in report.rows if row.method == method)


def test_later_papers_and_the_citing_one_are_no_candidates(lines: Callable[..., Path], subject: Subject) -> None:
    report = run(citances.measure(lines(CITANCE, ""), subject))
    assert [row.method for row in report.rows] == ["litterm", "search", "bm25", CONTROL, "ceiling"]
    for method in ("litterm", "search", "bm25", "ceiling"):
        assert means(of(report, method))["recall@1"] == 100, method
    assert means(of(report, CONTROL))["recall@20"] == 0


def test_only_the_progress_of_the_bench_is_told(lines: Callable[..., Path], subject: Subject) -> None:
    events: list[Event] = []
    run(citances.measure(lines(CITANCE), subject), events.append)
    assert {event.what for event in events if isinstance(event, Progress)} == {"litterm", "search", "bm25", CONTROL}
    assert not any(isinstance(event, ProvisionalRanking) for event in events)


def test_excerpts_the_weights_were_fitted_on_are_told_with_their_scores_out_of_fold(
    lines: Callable[..., Path], subject: Subject, tmp_path: Path
) -> None:
    path = lines(CITANCE)
    weights = tmp_path / "attribution.json"
    scores = {"recall@1": {"mean": 12.3, "se": 1.5}}
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    fits = {"hybrid": {"scores": scores, "scores_with_texts": scores, "scores_without_source": scores}}
    weights.write_text(json.dumps({"data": [{"sha256": digest}], "fits": fits}), "utf-8")
    (note,) = citances.fitted_note(path, weights)
    assert "recall@1 12.3±1.5" in note
    assert citances.fitted_note(path) == ()
    assert not any("out of fold" in each for each in run(citances.measure(path, subject)).notes)


def test_a_target_newer_than_the_citing_paper_lowers_the_ceiling(lines: Callable[..., Path], subject: Subject) -> None:
    report = run(citances.measure(lines({**CITANCE, "target_id": "D18-1001"}, {**CITANCE, "target_id": "X"}), subject))
    assert means(of(report, "ceiling"))["recall@20"] == 0


def test_a_target_is_known_by_any_of_its_ids(lines: Callable[..., Path], subject: Subject) -> None:
    row = {**CITANCE, "excerpt": "Speech has rare words [CITATION].", "target_id": "W17-1", "citing_id": "Z"}
    assert means(of(run(citances.measure(lines(row), subject)), "bm25"))["recall@1"] == 100


def test_a_year_that_is_not_known_sets_no_limit(lines: Callable[..., Path], subject: Subject) -> None:
    path = lines({**CITANCE, "citing_year": None, "target_id": "D18-1001"})
    assert means(of(run(citances.measure(path, subject)), "ceiling"))["recall@1"] == 100
    limited = run(citances.measure(path, subject, until=2017))
    assert means(of(limited, "ceiling"))["recall@1"] == 0


@pytest.mark.parametrize("row", ["{", "[]", '{"excerpt": "x"}', json.dumps({**CITANCE, "citing_year": "soon"})])
def test_a_broken_line_is_named(lines: Callable[..., Path], subject: Subject, row: str) -> None:
    with pytest.raises(BadInput, match=r"rows\.jsonl"):
        run(citances.measure(lines(CITANCE, row), subject))


def test_a_missing_field_is_named_with_file_and_line(lines: Callable[..., Path], subject: Subject) -> None:
    with pytest.raises(BadInput, match=r"rows\.jsonl:2: the field 'target_id' is missing"):
        run(citances.measure(lines(CITANCE, '{"excerpt": "x", "citing_year": 2000}'), subject))


def test_questions_are_told_apart_by_what_the_data_knows(lines: Callable[..., Path], subject: Subject) -> None:
    other = {**QUESTION, "id": "i-1", "query": "subword units", "gold": ["P16-1162", "nowhere"], "set": "inline_acl"}
    report = run(litsearch.measure(lines(QUESTION, other), subject))
    told = as_json(report)
    (row,) = (row for row in told["rows"] if row["method"] == "bm25")  # type: ignore[attr-defined]
    assert row["metrics"]["recall@20"]["mean"] == 75
    assert row["parts"]["set"]["manual_acl"] == {
        "n": 1,
        "metrics": {name: {"mean": 100, "se": 0} for name in row["metrics"]},
    }
    assert {field: list(values) for field, values in row["parts"].items()} == {
        "cell": ["author, specific", "inline, specific"],
        "cell of a quality": ["author, 2", "inline, 2"],
        "quality": ["2"],
        "set": ["inline_acl", "manual_acl"],
        "specificity": ["specific"],
        "years of the answer": ["2015-2019"],
        "abstract": ["with", "without"],
    }
    assert row["parts"]["abstract"]["without"]["metrics"]["recall@20"]["mean"] == 100


def test_gains_are_told_beside_the_baseline(lines: Callable[..., Path], subject: Subject) -> None:
    report = run(litsearch.measure(lines(QUESTION), subject))
    assert means(of(report, "litterm"))["recall@1"] == 100
    assert of(report, "litterm").metrics[0].gain == 0
    assert of(report, "bm25").metrics[0].gain is None
    assert any(line.startswith("litterm over the baseline") for line in as_lines(report))


def test_questions_hold_no_query_language(lines: Callable[..., Path], subject: Subject) -> None:
    asked = {**QUESTION, "query": 'An "unclosed quote -attention for venue:none and long sentences'}
    assert means(of(run(litsearch.measure(lines(asked), subject)), "litterm"))["recall@5"] == 100


def test_only_the_methods_named_are_measured(lines: Callable[..., Path], subject: Subject) -> None:
    report = run(litsearch.measure(lines(QUESTION), subject, methods=["bm25"]))
    assert [row.method for row in report.rows] == ["bm25", "ceiling"]
    with pytest.raises(UsageError, match="magic"):
        run(litsearch.measure(lines(QUESTION), subject, methods=["magic"]))


def test_one_hop_is_measured_where_it_is_named(lines: Callable[..., Path], subject: Subject) -> None:
    names = ["one-hop", "one-hop-interleaved"]
    report = run(litsearch.measure(lines(QUESTION), subject, methods=names))
    assert [means(of(report, name))["recall@5"] for name in names] == [100, 100]


def test_the_tutorial_itself_is_no_answer(lines: Callable[..., Path], subject: Subject) -> None:
    report = run(acl_rlg.measure(lines(LIST), subject))
    plain = means(of(report, "bm25"))
    assert {plain[name] for name in ("recall@1", "recall@20", "mrr", "map", "ndcg@10", "ndcg@20", "mrr@20")} == {100}
    assert report.rows[0].parts[0].field == "annotator"


def test_lists_are_measured_for_both_forms_of_the_query(lines: Callable[..., Path], subject: Subject) -> None:
    report = run(acl_rlg.measure(lines(LIST), subject))
    assert [row.method for row in report.rows] == [
        *("litterm", "bm25", "list", "list-sentence", "litterm-sentence", "bm25-sentence"),
        "most-cited: not measured here: no citations are known for most lists; `litterm sync counts` brings counts",
        "list-model: not measured here: needs a model, which `litterm config model` sets up",
        "ceiling",
    ]
    assert means(of(report, "list"))["recall@20"] == 100
    # Of the two references one is in the Anthology, and the other nowhere.
    assert {means(of(report, "list"))[f"{name}@20 all"] for name in ("recall", "mrr")} == {50, 100}
    assert {"year", "annotator"} <= {part.field for part in of(report, "list").parts}


def test_the_order_of_hits_is_held_against_the_experts() -> None:
    one, two, three = (frozenset({PaperId(f"acl:{key}")}) for key in "ABC")
    order = [PaperId("acl:A"), PaperId("acl:X"), PaperId("acl:C"), PaperId("acl:B")]
    assert acl_rlg.order_agreement(order, [one, two, three]) == pytest.approx(1 / 3)
    assert acl_rlg.order_agreement(order[:2], [one, two, three]) is None


def test_ndcg_and_reciprocal_rank_are_cut_at_twenty() -> None:
    targets = [frozenset({PaperId("acl:A")})]
    order = [*(PaperId(f"acl:{n}") for n in range(19)), PaperId("acl:A")]
    assert acl_rlg.metrics_at_20(order, targets) == pytest.approx(
        {"recall@20": 1.0, "ndcg@20": 1 / math.log2(21), "mrr@20": 1 / 20}
    )
    assert acl_rlg.metrics_at_20(order[:19], targets)["recall@20"] == 0


@pytest.fixture
def published_lists(tmp_path: Path) -> Path:
    """ACL-rlg as its repository holds it."""
    references = [{"title": "Last Words: Reviewing the Reviewers", "acl_id": "J05-4006"}, {"title": "X", "acl_id": ""}]
    with (tmp_path / "reading_lists.csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "title", "abstract", "year", "url", "venues", "reading_list"])
        table.writerow(["2020.acl-tutorials.4", "Reviewing research", "", 2020, "", "ACL", repr(references)])
        table.writerow(["2020.acl-tutorials.5", "Asked for by nobody", "", 2020, "", "ACL", repr(references)])
    (tmp_path / "annotations").mkdir()
    for number in (1, 2):
        file = tmp_path / "annotations" / f"annotation_{number}.csv"
        rows = "id,year,query_keywords,query_sentence\n2020.acl-tutorials.4,2020,reviewing reviewers,Give me a list\n"
        file.write_text(rows, "utf-8")
    return tmp_path


def test_reading_lists_are_read_as_published(published_lists: Path, subject: Subject) -> None:
    report = run(acl_rlg.measure(published_lists, subject))
    assert report.n == 2
    assert means(of(report, "bm25"))["recall@1"] == 100
    assert {part.value for part in report.rows[0].parts if part.field == "annotator"} == {"A1", "A2"}


def test_a_published_list_that_is_broken_names_file_and_field(published_lists: Path, subject: Subject) -> None:
    (published_lists / "annotations" / "annotation_2.csv").write_text("id,year\n1,2\n", "utf-8")
    with pytest.raises(BadInput, match=r"annotation_2\.csv.*'query_keywords'"):
        run(acl_rlg.measure(published_lists, subject))
    (published_lists / "annotations" / "annotation_2.csv").unlink()
    (published_lists / "reading_lists.csv").write_text("id,year,title,reading_list\n1,2020,t,[oh\n", "utf-8")
    with pytest.raises(BadInput, match=r"reading_lists\.csv: not ACL-rlg"):
        run(acl_rlg.measure(published_lists, subject))


@pytest.mark.parametrize(
    ("measure", "row"),
    [
        (litsearch.measure, ""),
        (citances.measure, ""),
        (acl_rlg.measure, json.dumps({**LIST, "references": []})),
    ],
)
def test_nothing_to_ask_is_said(
    lines: Callable[..., Path], subject: Subject, measure: Callable[..., object], row: str
) -> None:
    with pytest.raises(UsageError, match="holds no"):
        run(measure(lines(row), subject))


def test_an_empty_library_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="litterm add"):
        run(open_subject(from_home(tmp_path)))


def parquet(path: Path, select: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with connect(threads=1, memory_mb=256) as cursor:
        cursor.execute(f"COPY ({select}) TO {quote_sql(str(path))} (FORMAT parquet)")


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """LitSearch as its files are published."""
    folder = tmp_path / "LitSearch"
    parquet(
        folder / "query" / "full-00000-of-00001.parquet",
        "SELECT 'manual_acl' AS query_set, 'attention for long sentences' AS query, 1::BIGINT AS specificity, "
        "2::BIGINT AS quality, [7::BIGINT] AS corpusids",
    )
    parquet(
        folder / "corpus_clean" / "full-00000-of-00001.parquet",
        "SELECT * FROM (VALUES (7::BIGINT, 'Attention', 'For long sentences.', [8::BIGINT], 'Never read.'), "
        "(8, 'Rare words', NULL, [], '')) AS t(corpusid, title, abstract, citations, full_paper)",
    )
    return folder


def by_bm25(path: Path) -> Callable[[Subject], Task[BenchReport]]:
    return lambda subject: litsearch.measure(path, subject, methods=["bm25"])


def test_litsearch_is_read_as_published(published: Path, settings: Settings) -> None:
    corpus = corpus_beside(published)
    assert corpus == published / "corpus_clean"
    report = run(with_library(reader_of(corpus, settings), corpus, settings, by_bm25(published)))
    assert means(report.rows[0])["recall@1"] == 100
    assert corpus_beside(published / "query") is None


def test_litsearch_as_json_lines(published: Path, settings: Settings, lines: Callable[..., Path]) -> None:
    corpus = lines({"corpusid": 7, "title": "Attention", "abstract": "For long sentences.", "full_paper": "Not read."})
    queries = published.parent / "queries.jsonl"
    asked = {"query_set": "s", "query": "attention", "specificity": 0, "quality": 1, "corpusids": [7, 9]}
    queries.write_text(json.dumps(asked), "utf-8")
    report = run(with_library(reader_of(corpus, settings), corpus, settings, by_bm25(queries)))
    assert means(report.rows[0])["recall@1"] == 50
    assert ("specificity", "broad") in {(part.field, part.value) for part in report.rows[0].parts}


def with_text(parsed: Parsed, *sentences: str) -> Parsed:
    blocks = (Block("heading", "Introduction"), Block("body", sentences=sentences or ("Text.",)))
    return Parsed(parsed.paper, build_document(parsed.paper.id, blocks, origin="jsonl", parser="test-1"))


def test_a_copy_has_no_full_texts_yet_the_control_knows_them(tmp_path: Path, lines: Callable[..., Path]) -> None:
    home = from_home(tmp_path / "home")
    store(home.library, [with_text(PAPERS[0]), *PAPERS[1:]])
    library = DuckLibrary(home.library)
    assert library.status().documents == 1
    seen: list[int] = []

    def measure(subject: Subject) -> Task[BenchReport]:
        seen.append(subject.library.status().documents)
        return citances.measure(lines(CITANCE), subject, methods=[CONTROL, "bm25"])

    report = run(with_library(reader_of_library(library), home.library, home, measure))
    assert seen == [0]
    assert means(of(report, CONTROL))["recall@1"] == 100
    assert any("1 left out" in note for note in report.notes)


def test_a_table_without_gains_has_no_second_table() -> None:
    rows: Sequence[MethodRow] = (MethodRow("bm25", (Metric("mrr", 50.0, 1.0),)),)
    assert as_lines(BenchReport("x", "y", 1, tuple(rows))) == ["x · y · n=1", "method  mrr", "bm25    50.0±1.0"]


def test_well_known_papers_are_asked_for_by_our_own_queries(subject: Subject) -> None:
    path = Path(known_items.__file__).with_name("known-items.jsonl")
    report = run(known_items.measure(path, subject, methods=["bm25"]))
    assert (report.bench, report.n) == ("known-items", 50)
    halves = {part.value: part.n for part in report.rows[0].parts if part.field == "half"}
    assert halves == {"tuned on": 22, "held out": 28}, "settled by the words of a query alone, so that none moves"
    assert any("settled on all of these queries" in note for note in report.notes)
    assert {part.value for part in report.rows[0].parts if part.field == "set"} == {"name", "title words"}
    # Two of the fifty are among the papers of these tests.
    assert means(of(report, "ceiling"))["recall@1"] == pytest.approx(100 * 2 / 50)


def test_what_full_texts_change_is_told_set_by_set(tmp_path: Path, lines: Callable[..., Path]) -> None:
    home = from_home(tmp_path / "home")
    paper = replace(PAPERS[0].paper, keywords=("rare words", "segmentation"))
    store(home.library, [with_text(Parsed(paper)), *PAPERS[1:]])
    inline = {**QUESTION, "id": "i", "set": "inline_acl"}
    unheld = {**QUESTION, "id": "u", "gold": ["nowhere"]}
    report = run(full_text_field.measure(lines(QUESTION, inline, unheld), run(open_subject(home))))
    assert [row.method for row in report.rows] == ["litterm", "full-text", "bm25", "ceiling"]
    sets = {part.value: part.n for part in report.rows[0].parts if part.field == "set"}
    assert sets == {"manual_acl": 1, "own title": 1, "own keywords": 1}
    assert report.notes[0].startswith("1 of 2 author-written questions")
    assert sum("full-text over litterm" in note for note in report.notes) == 3
    assert means(of(report, "full-text"))["recall@5"] == 100


def test_full_texts_are_held_against_abstracts_among_the_papers_that_have_both(
    tmp_path: Path, lines: Callable[..., Path], subject: Subject
) -> None:
    home = from_home(tmp_path / "home")
    store(home.library, [with_text(PAPERS[0]), *PAPERS[1:]])
    asked = {**QUESTION, "query": "Subword units for rare words", "gold": ["P16-1162"]}
    file = lines(asked, {**asked, "id": "i", "set": "inline_acl"}, {**QUESTION, "id": "u"})
    report = run(full_text_field.measure_covered(file, run(open_subject(home))))
    assert ([row.method for row in report.rows], report.n) == (["litterm", "full-text", "ceiling"], 2)
    assert report.notes == (
        "2 of 3 questions (67 %) have an answer with a full text here; searched are the 1 papers that have one",
    )
    assert means(of(report, "litterm"))["recall@1"] == means(of(report, "full-text"))["recall@1"] == 100
    with pytest.raises(UsageError, match="whose full text is in your library"):
        run(full_text_field.measure_covered(file, subject))


def test_a_sentence_of_a_full_text_is_found_only_where_full_texts_are_searched(tmp_path: Path) -> None:
    home = from_home(tmp_path / "home")
    store(home.library, [with_text(PAPERS[0], "Zebras graze."), *PAPERS[1:]])
    subject = run(open_subject(home))
    case = QueryCase("z", "zebras grazing", (), "z")
    assert run(subject.in_full_texts(case)) == ["acl:P16-1162"]
    assert run(subject.search(case)) == []


def test_no_method_of_the_bench_sees_what_only_the_full_text_of_a_candidate_says(
    tmp_path: Path, lines: Callable[..., Path], subject: Subject
) -> None:
    home = from_home(tmp_path / "home")
    store(home.library, [with_text(PAPERS[0], "Zebras graze quietly near rivers."), *PAPERS[1:]])
    path = lines({**CITANCE, "excerpt": "Zebras graze quietly near rivers [CITATION]."})
    methods = ["litterm", "search", "bm25"]
    with_texts = run(open_subject(home))
    told = run(citances.measure(path, with_texts, methods=methods))
    bare = run(citances.measure(path, subject, methods=methods))
    assert [(row.method, row.metrics) for row in told.rows] == [(row.method, row.metrics) for row in bare.rows]
    assert means(of(told, "bm25"))["recall@20"] == 0
    # It could be seen: a search that may look into full texts finds it by these very words.
    case = QueryCase("z", "Zebras graze quietly near rivers", (), "z", until=2017)
    assert run(with_texts.in_full_texts(case))[:1] == ["acl:P16-1162"]


def test_without_full_texts_there_is_nothing_to_compare(lines: Callable[..., Path], subject: Subject) -> None:
    with pytest.raises(UsageError, match="holds none"):
        run(full_text_field.measure(lines(QUESTION), subject))


def test_lists_of_a_model_are_measured_where_they_are_named(
    lines: Callable[..., Path], subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = subject.engine.reading_lists
    reply = {"thoughts": "", "papers": [{"number": 1, "heading": "", "why": ""}], "missing": ["Nobody Wrote This"]}

    def with_model(_options: ListLlmOptions) -> ModelListBuilder:
        return ModelListBuilder(
            lists.builder(), ScriptedModel(lambda _asked: json.dumps(reply)), lambda titles: [[]] * len(titles)
        )

    monkeypatch.setitem(subject.engine._parts.__dict__, "reading_lists", replace(lists, open_model_builder=with_model))
    report = run(acl_rlg.measure(lines(LIST), subject, methods=["list-model"]))
    assert means(of(report, "list-model"))["recall@20"] == 100
    assert any("titles that the model named beside the candidates (100 %)" in note for note in report.notes)
    assert means(of(report, "list-model"))["invented"] == 100
    assert [row.method for row in report.rows] == ["list", "list-model", "ceiling"], "on the same lists without one"
    # Whoever agrees to the cost need not name the method.
    agreed = replace(subject, has_model=True, may_ask_model=True)
    report = run(acl_rlg.measure(lines(LIST), agreed))
    assert {"list", "list-model"} <= {row.method for row in report.rows}


def test_the_development_lists_come_with_what_others_reached_on_them(
    lines: Callable[..., Path], subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acl_rlg, "is_development", lambda _path: True)
    report = run(acl_rlg.measure(lines(LIST), replace(subject, has_model=True)))
    told = means(of(report, "published: GPT-4o"))
    assert [round(told[f"{name}@20 all"], 1) for name in ("recall", "ndcg", "mrr")] == [10.5, 10.2, 17.4]
    assert [part.value for part in of(report, "published: GPT-4o").parts] == ["A1", "A2", "A3"]
    assert means(of(report, "list, out of fold"))["recall@20"] > 18
    assert any(row.method.startswith("list-model: not measured here: needs --yes") for row in report.rows)


def test_the_most_cited_are_a_dash_with_a_reason_where_no_citations_are_known(
    lines: Callable[..., Path], subject: Subject
) -> None:
    report = run(acl_rlg.measure(lines(LIST), subject, methods=["most-cited", "litterm"]))
    first, second, _ceiling = report.rows
    assert (first.method, second.metrics) == ("litterm", ())
    assert second.method.startswith("most-cited: not measured here: no citations are known")


def test_the_most_cited_are_measured_once_a_service_counts(
    lines: Callable[..., Path], subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Counts:
        def papers_cited_at_least(self, _count: int) -> Sequence[str]:
            return ["acl:J05-4006"]

        def until(self, ids: Sequence[str], _year: int) -> list[int | None]:
            return [9 if paper == "acl:J05-4006" else None for paper in ids]

    monkeypatch.setitem(subject.engine._parts.__dict__, "counts", Counts())
    report = run(acl_rlg.measure(lines(LIST), subject))
    assert means(of(report, "most-cited"))["recall@1"] == 100
