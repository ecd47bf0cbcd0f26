"""H1 over documents of every shape, language and length."""

from __future__ import annotations

import pytest
from fakes_evidence import ABSTRACT, HYPOTHESIS, METHODS, RESULTS, SHAPES, long_document, paper, plain
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.core.tasks import run
from litterm.evidence.diverse_top_k import SentenceSimilarity, select_diverse
from litterm.evidence.lexical import LexicalExtractor
from litterm.model.document import Document
from litterm.model.events import Event, EvidenceFound, Progress
from litterm.model.evidence import Evidence, EvidenceScope
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document


def extract(document: Document, hypothesis: str = HYPOTHESIS, *, k: int = 10, scope: EvidenceScope = "all") -> Evidence:
    return run(LexicalExtractor().extract(document, hypothesis, k=k, scope=scope))


def texts(evidence: Evidence) -> list[str]:
    return [found.sentence.text for found in evidence.sentences]


def test_the_sentence_that_states_the_hypothesis_comes_first() -> None:
    evidence = extract(paper(), k=3)
    assert texts(evidence)[0] == ABSTRACT[1]
    assert [found.strength for found in evidence.sentences].index("strong") == 0
    assert set(evidence.sentences[0].terms) >= {"Dropout", "lowers", "error", "corpora"}
    assert [found.rank for found in evidence.sentences] == [1, 2, 3]
    assert evidence.by == "h1"
    assert evidence.notices == ()


def test_words_of_the_hypothesis_are_given_as_typed_and_once() -> None:
    (chinese,) = extract(plain("我们发现随机失活降低了错误率。"), "随机失活 Helps", k=1).sentences
    assert chinese.terms == ("随机失活",)


def test_results_scope_puts_results_before_methods() -> None:
    chosen = texts(extract(paper(abstract=()), "Units are dropped in training with dropout", k=2, scope="results"))
    assert RESULTS[0] in chosen
    assert not set(chosen) & set(METHODS)


def test_headings_title_and_short_pieces_are_never_evidence() -> None:
    evidence = extract(paper(), k=100)
    assert {found.sentence.kind for found in evidence.sentences} == {"abstract", "body"}
    assert len(evidence.sentences) == 13


def test_a_twin_of_a_picked_sentence_waits_for_others() -> None:
    twin, other = {"dropout": 1.0}, {"corpus": 0.8, "dropout": 0.6}
    assert run(select_diverse([2.0, 2.0, 1.0], SentenceSimilarity([twin, twin, other]), k=3, sharpness=0.5)) == [
        0,
        2,
        1,
    ]


def test_a_sentence_named_first_comes_first_and_lowers_what_is_like_it() -> None:
    twin, other = {"a": 1.0}, {"b": 1.0}
    overlap = SentenceSimilarity([twin, twin, other])
    assert run(select_diverse([3.0, 1.0, 2.0], overlap, k=3, sharpness=1.0)) == [0, 2, 1]
    assert run(select_diverse([3.0, 1.0, 2.0], overlap, k=3, sharpness=1.0, first=1)) == [1, 2, 0]
    assert run(select_diverse([3.0, 1.0, 2.0], overlap, k=1, sharpness=1.0, selectable={1, 2}, first=1)) == [1]


def test_equal_sentences_are_taken_in_reading_order_and_never_twice() -> None:
    assert run(select_diverse([1.0] * 4, SentenceSimilarity([{}] * 4), k=9, sharpness=0.5)) == [0, 1, 2, 3]


def test_fewer_sentences_are_a_prefix_of_more() -> None:
    more = texts(extract(paper(), k=9))
    for k in range(1, 9):
        assert texts(extract(paper(), k=k)) == more[:k]


@pytest.mark.parametrize(("document", "hypothesis", "expected"), SHAPES)
def test_every_shape_of_document_has_an_answer(document: Document, hypothesis: str, expected: str | None) -> None:
    for scope in ("all", "results"):
        evidence = extract(document, hypothesis, scope=scope)
        assert evidence.sentences
        said = " ".join(evidence.notices)
        assert (expected in said) if expected else not said


def test_few_words_are_not_said_to_be_in_another_language() -> None:
    evidence = extract(plain("Dropout lowers errors when corpora stay very small."), "errors")
    assert "English" not in " ".join(evidence.notices)


def test_a_paper_of_tables_only_gives_its_rows() -> None:
    table = Block("table", label="Table 1", cells=(("corpus", "error"), ("small", "18.3")))
    document = build_document(PaperId("local:x"), [Block("title", "Tables"), table], origin="jats", parser="test")
    assert {found.sentence.kind for found in extract(document, "error").sentences} == {"table"}


def test_a_document_without_text_gives_nothing_but_a_notice() -> None:
    evidence = extract(build_document(PaperId("local:x"), [], origin="pdf", parser="test"))
    assert evidence.sentences == ()
    assert evidence.notices == ("This document holds no sentence.",)


def test_sections_report_as_they_are_done() -> None:
    events: list[Event] = []
    run(LexicalExtractor().extract(paper(), HYPOTHESIS, k=3, scope="all"), events.append)
    found = [event for event in events if isinstance(event, EvidenceFound)]
    assert [event.section for event in found][:2] == ["Abstract", "Introduction"]
    for event in found:
        assert len(event.sentences) <= 3
    titles = [event.what for event in events if isinstance(event, Progress)]
    assert titles.index("Abstract") < titles.index("Experiments") < titles.index("Results")


def test_what_is_found_in_a_section_stands_in_that_section() -> None:
    document = paper()
    for event in LexicalExtractor().extract(document, HYPOTHESIS, k=10, scope="all"):
        if isinstance(event, EvidenceFound):
            assert {document.sections[e.sentence.section].title for e in event.sentences} == {event.section}


def test_five_thousand_sentences_are_gone_through_in_steps_small_enough_to_stop_between() -> None:
    events = list(LexicalExtractor().extract(long_document(5000), HYPOTHESIS, k=10, scope="results"))
    assert len(events) > 10


def test_a_closed_task_stays_silent() -> None:
    task = LexicalExtractor().extract(long_document(500), HYPOTHESIS, k=10, scope="all")
    next(task)
    task.close()
    assert next(task, None) is None


SENTENCES = st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(sentences=SENTENCES, k=st.integers(1, 30))
def test_any_text_gives_sentences_of_the_document_once_each(sentences: list[str], k: int) -> None:
    document = plain(*sentences)
    evidence = extract(document, "dropout lowers error", k=k)
    chosen = [found.sentence for found in evidence.sentences]
    assert len({sentence.index for sentence in chosen}) == len(chosen) <= k
    assert all(document.sentences[sentence.index] == sentence for sentence in chosen)
    assert bool(chosen) == bool(document.sentences)


def test_choosing_tells_at_its_start_how_many_are_to_come_and_then_now_and_again() -> None:
    task = select_diverse([1.0] * 9, SentenceSimilarity([{}] * 9), k=3, sharpness=0.5)
    assert list(task) == [Progress("choosing sentences", 0, 3)]
