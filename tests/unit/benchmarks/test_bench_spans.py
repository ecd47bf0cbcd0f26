"""Citing sentences to cited sentences: the reader of the file, the figures, and a floor under what ships."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes_evidence import paper, plain

from litterm.core.errors import BadInput, UsageError
from litterm.core.tasks import run
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm_benchmarks.evidence.cited_sentences import rank_cited_sentences
from litterm_benchmarks.evidence.cited_spans import figures, measure
from litterm_benchmarks.readers.cited_spans import as_document, read_topics

TOPIC = {
    "topic": "P01-1001",
    "sentences": [
        {"sid": 4, "section": "Abstract", "text": "We tag words with hidden Markov models."},
        {"sid": 5, "section": "Introduction", "text": " "},
        {"sid": 6, "section": "Introduction", "text": "Taggers are useful for parsing in several ways."},
        {"sid": 7, "section": "Results", "text": "The tagger reaches an accuracy of 96 percent on unseen text."},
    ],
    "citances": [
        {"citance": "Miller (2001) reports an accuracy of 96 percent (Miller, 2001).", "gold_sids": [7]},
        {"citance": "A sentence that refers to nothing in it.", "gold_sids": [99]},
    ],
}


def folder_with(tmp_path: Path, *topics: object) -> Path:
    (tmp_path / "topics.jsonl").write_text("".join(json.dumps(topic) + "\n" for topic in topics))
    return tmp_path


def test_topics_are_read_with_positions_for_sentence_ids(tmp_path: Path) -> None:
    (topic,) = read_topics(folder_with(tmp_path, TOPIC))
    assert [citance.targets for citance in topic.citances] == [{3}]
    document, places = as_document(topic)
    assert places == (0, 2, 3)
    assert [sentence.kind for sentence in document.sentences] == ["abstract", "body", "body"]


def test_the_cited_sentence_is_found(tmp_path: Path) -> None:
    report = run(measure(folder_with(tmp_path, TOPIC)))
    assert (report.n, [row.method for row in report.rows]) == (1, ["litterm", "bm25", "lead"])
    assert {metric.name: metric.mean for metric in report.rows[0].metrics} == {"f1@3": 50, "r@10": 100}


def test_figures_of_one_citing_sentence() -> None:
    assert figures([5, 3, 9, 1], frozenset({1, 3})) == {"f1@3": 0.4, "r@10": 1.0}


@pytest.mark.parametrize("line", ["{", "[]", '{"topic": "x"}', '{"topic": "x", "sentences": [1], "citances": []}'])
def test_another_kind_of_file_is_refused_by_name_and_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "topics.jsonl").write_text(line)
    with pytest.raises(BadInput, match=r"topics\.jsonl:1"):
        read_topics(tmp_path)


def test_a_file_without_citing_sentences_cannot_be_measured(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no citing sentence"):
        run(measure(folder_with(tmp_path, {**TOPIC, "citances": []})))


def test_names_in_citations_are_not_what_a_citing_sentence_is_about() -> None:
    document = plain("Miller and Chen helped us with the corpus.", "Dropout lowers the error on small corpora.")
    pool = run(build_candidate_pool(document))
    assert rank_cited_sentences(pool, "Dropout helps (Miller and Chen 1998).")[0] == 1
    assert rank_cited_sentences(pool, "Miller and Chen (1998)")[0] == 0


def test_a_citing_sentence_without_words_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        rank_cited_sentences(run(build_candidate_pool(paper())), "?")


def test_the_shipped_method_stays_above_bm25(shared: Path) -> None:
    report = run(measure(shared / "data/bench/cited-span"))
    ours, bm25 = ({metric.name: metric.mean for metric in row.metrics} for row in report.rows[:2])
    assert ours["f1@3"] >= 16
    assert ours["r@10"] >= 52
    assert ours["f1@3"] > bm25["f1@3"] + 3
