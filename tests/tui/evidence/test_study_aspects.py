"""Study aspects in the evidence pane, and the hypothesis of a citing sentence in the reader."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

from tui.engines import PRUNING, SHEARED, SmallEngine
from tui.harness import Bench, Start

from litterm.core.tasks import Task
from litterm.model.document import CitingContext, Document, Reference, Span
from litterm.model.llm import ModelRequest

_CLAIM = "Structured pruning reaches large speed-ups, whereas quantum dragons reduce carbon taxes"


async def _command(bench: Bench, typed: str) -> None:
    await bench.press(":", *("space" if letter == " " else letter for letter in typed), "enter")


async def _study(bench: Bench) -> None:
    await bench.evidence(_CLAIM)
    await _command(bench, "study")
    await bench.until(lambda: bench.context.evidence.coverage is not None)
    await bench.settle()


def _aspects(bench: Bench) -> list[tuple[str, bool]]:
    rows = bench.context.evidence.state.rows
    return [(row.text, "uncovered" in row.locator) for row in rows if row.aspect is not None]


async def test_study_lists_the_aspects_with_their_sentences_and_what_is_uncovered_last(start: Start) -> None:
    async with start() as bench:
        await _study(bench)
        aspects = _aspects(bench)
        assert aspects[0] == ("Structured pruning reaches large speed-ups", False)
        assert aspects[-1][1]
        assert ("Quantum dragons reduce carbon taxes", True) in aspects
        rows = bench.context.evidence.state.rows
        assert rows[1].text == "Structured pruning reaches large speed-ups with little loss."
        assert "study aspects are covered by" in bench.context.evidence.state.note
        await _command(bench, "study")
        assert not _aspects(bench)


async def test_an_aspect_is_reworded_removed_and_added_and_kept(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        await _study(bench)
        await bench.press("4", "g", "enter", "ctrl+u", *"small", "enter")
        await bench.until(lambda: _aspects(bench)[0][0] == "small")
        await _command(bench, "study-add gains shrink on small datasets")
        await bench.until(lambda: ("gains shrink on small datasets", False) in _aspects(bench))
        count = len(_aspects(bench))
        await bench.press("4", "g", "enter", "ctrl+u", "enter")
        await bench.until(lambda: len(_aspects(bench)) == count - 1)
        kept = engine.studies.store().load(PRUNING.id, _CLAIM)
        assert kept is not None and kept.by == "hand"
        await _command(bench, "study-split")
        await bench.until(lambda: _aspects(bench)[0][0] == "Structured pruning reaches large speed-ups")


async def test_auto_lists_the_fewest_sentences_that_cover_all_aspects(start: Start) -> None:
    async with start() as bench:
        await bench.evidence("Structured pruning reaches large speed-ups")
        before = len(bench.context.evidence.state.rows)
        await bench.press("4", ",", "enter", "enter", "enter", "escape")
        await bench.until(lambda: bench.context.evidence.coverage is not None)
        await bench.settle()
        coverage = bench.context.evidence.coverage
        assert coverage is not None
        shown = [row.index for row in bench.context.evidence.state.rows]
        assert shown == [item.sentence.index for item in coverage.cover]
        assert len(shown) < before


class CitingEngine(SmallEngine):
    """Its first paper cites one work of the library in one sentence, and two works in another."""

    def link_references(self, document: Document) -> Task[Document]:
        yield from ()
        citing = [row for row in document.sentences if "Smith et al." in row.text]
        other = Reference(1, "Nobody. 1999. Never found.", label="2")
        contexts = [
            CitingContext(reference, row.index, Span(row.span.start + 24, row.span.end - 2))
            for row, references in zip(citing, ((0,), (0, 1)), strict=False)
            for reference in references
        ]
        first = Reference(0, "Smith and others. 2019. A survey of pruning.", target=SHEARED.id)
        return replace(document, references=(first, other), contexts=tuple(contexts))


async def _reader_at(bench: Bench, text: str) -> None:
    await bench.search("structured pruning compact")
    await bench.press("enter")
    document = bench.context.reader.state.document
    assert document is not None
    bench.context.reader.go(next(row.index for row in document.sentences if text in row.text))
    await bench.settle()


async def test_a_citing_sentence_asks_the_cited_paper_for_evidence(start: Start) -> None:
    async with start(CitingEngine()) as bench:
        await _reader_at(bench, "Smith et al., 2000")
        await bench.press("H")
        await bench.until(lambda: bool(bench.context.dialogs))
        assert "Models grow every year" in bench.shown()
        assert "no model was asked" in bench.shown()
        await bench.press("enter")
        await bench.until(lambda: (SHEARED.id, "Models grow every year.") in bench.engine.evidence_requests)
        await bench.settle()
        paper = bench.context.reader.state.paper
        assert paper is not None and paper.id == SHEARED.id
        assert bench.context.evidence.pinned_hypothesis == "Models grow every year."


async def test_of_several_works_it_asks_which_and_names_one_that_is_missing(start: Start) -> None:
    async with start(CitingEngine()) as bench:
        await _reader_at(bench, "Smith et al., 2001")
        await bench.press("H")
        await bench.until(lambda: bool(bench.context.dialogs))
        assert "A survey of pruning" in bench.shown() and "not in the library" in bench.shown()
        await bench.press("down", "enter")
        await bench.until(lambda: any("Not in the library: Nobody. 1999. Never found" in said for said in bench.said))
        await _reader_at(bench, "At 95% sparsity")
        await bench.press("H")
        await bench.until(lambda: any("cites nothing; the nearest one that does is" in said for said in bench.said))


# -- with a model ------------------------------------------------------------------------------------------------------


def _names_an_aspect(request: ModelRequest) -> str:
    """Splits into one aspect, finds no leak, and aligns it with the first sentence of each window."""
    return json.dumps(
        {
            "study-split": {"aspects": [{"aspect": "Pruning keeps accuracy", "kind": "result"}]},
            "study-leak": {"thoughts": "fine", "numbers": []},
            "study-align": {"matches": [{"aspect": 1, "sentences": [1]}]},
            "citing-purpose": {"question": "Do models grow?"},
            "citing-hypothesis": {"hypothesis": "Language models grow with time."},
        }[request.purpose.partition("@")[0]]
    )


async def test_m_on_study_aspects_asks_the_model_for_them_after_consent_and_keeps_them(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        model = engine.parts.evidence_model
        model.reply = _names_an_aspect
        await _study(bench)
        await bench.press("4", "M")
        await bench.until(lambda: bool(bench.context.dialogs))
        assert "calls" in bench.shown() and model.requests == []
        await bench.press("enter")
        await bench.until(lambda: _aspects(bench) == [("Pruning keeps accuracy", False)])
        await bench.settle()
        assert "1/1 aspects · parrot" in bench.shown()
        kept = engine.studies.store().load(PRUNING.id, _CLAIM)
        assert kept is not None and kept.by == "parrot"


async def test_a_model_that_is_stopped_leaves_the_study_aspects_that_were_shown(start: Start) -> None:
    engine, gate = SmallEngine(), threading.Event()

    def wait(request: ModelRequest) -> str:
        gate.wait(10)
        return _names_an_aspect(request)

    async with start(engine) as bench:
        await _study(bench)
        before = _aspects(bench)
        engine.parts.evidence_model.reply = wait
        await bench.press("4", "M")
        await bench.until(lambda: bool(bench.context.dialogs))
        await bench.tap("enter")
        await bench.until(lambda: bool(engine.parts.evidence_model.requests))
        assert "asking" in bench.context.evidence.state.busy
        await bench.tap("ctrl+c")
        gate.set()
        await bench.settle()
        assert (_aspects(bench), bench.context.evidence.state.busy) == (before, "")


async def test_f2_lets_a_model_word_the_hypothesis_of_a_citing_sentence_after_consent(start: Start) -> None:
    async with start(CitingEngine()) as bench:
        model = bench.engine.parts.evidence_model
        model.reply = _names_an_aspect
        await _reader_at(bench, "Smith et al., 2000")
        await bench.press("H")
        await bench.until(lambda: "f2 let a model word it" in bench.shown())
        await bench.press("f2")
        await bench.until(lambda: "2 calls" in bench.shown())
        assert model.requests == []
        await bench.press("enter")
        await bench.until(lambda: "worded by parrot" in bench.shown())
        await bench.press("enter")
        claim = "Language models grow with time."
        await bench.until(lambda: (SHEARED.id, claim) in bench.engine.evidence_requests)
        assert bench.context.evidence.pinned_hypothesis == claim
