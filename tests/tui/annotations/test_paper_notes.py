"""Notes, stars and marks: what is left half-typed, what is told, and what replaces what."""

from __future__ import annotations

from tui.engines import PRUNING, SmallEngine
from tui.harness import Bench, Start


async def note(bench: Bench, text: str, key: str) -> None:
    await bench.press("m")
    bench.field("asked").set_text(text)
    await bench.press(key)


async def test_a_note_that_was_left_is_there_when_it_is_opened_again(start: Start) -> None:
    async with start() as bench:
        await bench.read()
        await note(bench, "half a thought", "escape")
        assert "The note is not saved; m opens it as you left it." in bench.said
        assert not bench.context.engine.annotations.notes(PRUNING.id).note
        await bench.press("m")
        assert bench.field("asked").text == "half a thought"
        await bench.press("enter")
        assert bench.context.engine.annotations.notes(PRUNING.id).note == "half a thought"
        # What is saved is no draft any more, and leaving it unchanged says nothing.
        said = len(bench.said)
        await bench.press("m", "escape")
        assert len(bench.said) == said
        await bench.press("m")
        assert bench.field("asked").text == "half a thought"


async def test_a_note_that_was_left_survives_the_end_of_the_program(start: Start) -> None:
    engine = SmallEngine()
    async with start(engine) as bench:
        await bench.read()
        await note(bench, "half a thought", "escape")
        bench.controllers.session.save()
    async with start(engine) as bench:
        await bench.read()
        await bench.press("m")
        assert bench.field("asked").text == "half a thought"


async def test_a_star_beside_the_mark_of_an_included_paper_is_told(start: Start) -> None:
    async with start() as bench:
        await bench.search("pruning")
        await bench.press("a", "s")
        assert bench.said[-1] == "Starred."
        await bench.press("s")
        assert bench.said[-1] == "Star removed."


async def test_a_sentence_marked_by_hand_is_rejected_although_a_hypothesis_is_pinned(start: Start) -> None:
    async with start() as bench:
        await bench.evidence()
        await bench.press("3")
        proposed = {row.index for row in bench.context.evidence.state.rows}
        document = bench.context.reader.state.document
        assert document is not None
        index = next(
            sentence.index
            for sentence in document.sentences
            if sentence.index not in proposed and sentence.kind == "body"
        )
        bench.context.reader.go(index)
        # Without a selection the keys would judge the paper.
        await bench.press("v", "a")
        assert dict(bench.context.reader.state.marks)[index] == "hand"
        await bench.press("v", "x")
        assert dict(bench.context.reader.state.marks)[index] == "rejected"
