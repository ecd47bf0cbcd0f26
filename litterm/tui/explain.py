"""Lists and explanations about the current paper and sentence, and tables in full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual.app import ComposeResult

from litterm.model.document import Document, Reference, Table
from litterm.model.evidence import CLOSENESS
from litterm.render.citations.citation_counts import count_sentences
from litterm.render.closeness import stance_label, strength_words
from litterm.text.escape import plain
from litterm.text.plural import count_phrase
from litterm.text.terminal_width import cut_at, pad, width_of
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.aspects.controller import AspectsController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.result_rows import score_percent
from litterm.tui.search.row_cache import best_score
from litterm.tui.state import EvidenceRow, ResultRow, RowVerdict
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import line

SLIDE_CELLS = 8
"""Cells that one key press scrolls sideways."""


class TableRows(Rows):
    """The rows of a table, each column as wide as its widest cell."""

    def __init__(self, table: Table, glyphs: Glyphs) -> None:
        super().__init__(id="cells")
        # Widths are taken once: a table never changes, and sliding must not measure every cell again.
        rows = [[plain(cell) for cell in row] for row in table.rows]
        count = max(map(len, rows), default=0)
        widths = [max(width_of(row[column]) for row in rows if column < len(row)) for column in range(count)]
        self._rows = ["  ".join(pad(cell, width) for cell, width in zip(row, widths, strict=False)) for row in rows]
        self._glyphs = glyphs
        self._scrolled = 0

    def count(self) -> int:
        return len(self._rows)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return max(1, len(self._rows))

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        text = self._rows[index]
        start = cut_at(text, 0, len(text), self._scrolled)
        role = "heading" if index == 0 else ""
        return (line((f" {text[start : cut_at(text, start, len(text), max(1, width - 2))]}", role)),)

    def slide(self, step: int) -> None:
        """Scroll left (-1) or right (1), within the text."""
        widest = max(map(width_of, self._rows), default=0)
        self._scrolled = max(0, min(self._scrolled + step * SLIDE_CELLS, widest - self.size.width + 2))
        self.renew()


class TableView(Dialog[bool]):
    """Label, caption and cells."""

    def __init__(self, table: Table, glyphs: Glyphs) -> None:
        dot = glyphs.dot
        super().__init__(table.label or "table", f"h l sideways {dot} j k rows {dot} esc leave", glyphs)
        self._caption = table.caption
        self.cells = TableRows(table, glyphs)

    def body(self) -> ComposeResult:
        if self._caption:
            yield paragraph(self._caption, "cause")
        yield self.cells

    def on_mount(self) -> None:
        self.cells.focus()

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        self.cells.slide(event.step)

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.dismiss(None)


class Explanations(ActionTarget):
    """Explains results and sentences, and shows outline, tables and cited papers."""

    def __init__(
        self,
        context: WorkbenchContext,
        reader: ReaderController,
        annotations: AnnotationController,
        aspects: AspectsController,
    ) -> None:
        self._context = context
        self._aspects = aspects
        self._reader = reader
        self._annotations = annotations
        self._resolved: Document | None = None

    def action_why(self) -> None:
        """Explain the current paper (rank, score, matched words) or sentence."""
        context = self._context
        if context.focus in ("reader", "evidence"):
            indexes = self._annotations.sentences()
            current = context.evidence.current if context.focus == "evidence" else None
            # In the reader there may be no row for the sentence, or several, of which the first is the evidence.
            row = current or next((row for row in context.evidence.state.rows if row.index in indexes), None)
            paragraphs = _explain_sentence(row) if row else ("This sentence is neither proposed nor marked.",)
        else:
            paper = context.results.current
            best = best_score(context.results.shown, paper.library_name) if paper else 0.0
            paragraphs = _explain_paper(paper, best) if paper else ("No paper under the cursor.",)
            if paper:
                paragraphs = (*paragraphs, *self._aspects.explain_lines(paper))
            if paper and (verdict_words := context.results.verdict_text(paper)):
                ground = "" if paper.paper.full_text else " Its full text is not here; f fetches it."
                verdict = (context.results.verdicts or {}).get(paper.paper.id)
                if verdict and verdict.verdict not in (None, "nothing", "unclear"):
                    verdict_words = _pinned_verdict_words(verdict)
                paragraphs = (*paragraphs, f"On the pinned hypothesis: {verdict_words}.{ground}")
        context.open(MessageDialog("why", paragraphs, context.glyphs))

    def action_outline(self) -> None:
        """Show sections and tables as a list; enter jumps."""
        document = self._reader.document
        places = list(_outline_entries(document)) if document else []
        if not places:
            self._context.tell("This paper has no sections.")
            return
        cursor = self._context.reader.cursor
        start = max((position for position, (index, _) in enumerate(places) if index <= cursor), default=0)
        dialog = ChoiceDialog("outline", [choice for _, choice in places], self._context.glyphs, start=start)
        self._context.open(dialog, lambda position: self._jump(places[position][0]))

    def _jump(self, index: int) -> None:
        self._context.reader.go(index)
        # To the top of the pane: `go` alone would stop as soon as the heading is in sight.
        self._context.reader.jump(self._context.reader.page.first_line[index])

    def action_deeper(self) -> None:
        """Show the table under the cursor, or open a paper that the sentence cites."""
        document, index = self._reader.document, self._context.reader.cursor
        table = (
            next((t for t in document.tables if 0 <= index - t.first_sentence < len(t.rows)), None)
            if document
            else None
        )
        if table is not None:
            self._context.open(TableView(table, self._context.glyphs))
            return
        self._with_resolved_references(lambda document: self._follow_citations(document, index))

    def _follow_citations(self, document: Document, index: int) -> None:
        cited = [document.references[c.reference] for c in document.contexts if c.sentence == index]
        held_references = [reference for reference in dict.fromkeys(cited) if reference.target is not None]
        if len(held_references) == 1:
            self._follow(held_references[0])
        elif held_references:
            choices = [_reference_choice(reference) for reference in held_references]
            dialog = ChoiceDialog("cited here", choices, self._context.glyphs, wrap=True, keys="open")
            self._context.open(dialog, lambda position: self._follow(held_references[position]))
        else:
            self._context.tell("Nothing cited here is in the library." if cited else "This sentence cites nothing.")

    def _with_resolved_references(self, on_document: Callable[[Document], None]) -> None:
        """Call `on_document` with the open document once its references are looked up in the library."""
        document = self._reader.document
        if document is None:
            return
        # Looking up hundreds of references takes a while; the next sentence of the same paper must not wait again.
        if self._resolved is not None and self._resolved.id == document.id:
            on_document(self._resolved)
            return

        def resolve_done(resolved: Document) -> None:
            self._resolved = resolved
            # Another paper may have been opened meanwhile.
            if self._reader.document is document:
                on_document(resolved)

        task = partial(self._context.engine.link_references, document)
        self._context.work.start("references", "looking up references", task, resolve_done)

    def _follow(self, reference: Reference) -> None:
        if reference.target is None:
            self._context.tell("Not in the library.")
        else:
            self._reader.open_id(reference.target)


def _explain_paper(row: ResultRow, best: float) -> Sequence[str]:
    paragraphs = [f"Rank {row.rank}, by {row.by}."] if row.rank else [f"Found online by {row.by}."]
    if not row.held:
        paragraphs.append("Not in the library: `+` adds it.")
    score = score_percent(row, best)
    if score is not None:
        paragraphs.append(f"Score: {score}% of the best in this list. Scores are comparable only within one list.")
    if row.matched:
        words = ", ".join(f"{word} ({count})" for word, count in row.matched)
        paragraphs.append(f"Words found in title and abstract: {words}.")
    paragraphs += row.why
    if row.moved:
        paragraphs.append(f"What moved it: {row.moved}.")
    paragraphs += count_sentences(row.cited)
    if row.support:
        paragraphs.append(f"Nearest sentence: {row.support}")
    if row.library_name == "starter":
        paragraphs.append("From the starter library; your own papers come first.")
    return paragraphs


def _explain_sentence(row: EvidenceRow) -> Sequence[str]:
    paragraphs = [row.text, row.locator]
    if row.part:
        return [f"{row.locator}: the model could not be asked about this part.", row.text, "`.` asks about it alone."]
    if row.rank is not None:
        paragraphs.append(f"Proposed at rank {row.rank}: {strength_words(row.strength)}.")
        paragraphs.append(f"Words of the hypothesis in it: {', '.join(row.terms) or 'none'}.")
    if row.likely:
        likely = f"{stance_label(None, row.likely)} the hypothesis ({row.likely.probability:.0%})"
        paragraphs.append(f"By its wording alone the sentence {likely}.")
    if row.stance or row.reason:
        paragraphs.append(f"A model judged: {row.stance or 'no stance'}. {row.reason}")
    decided = {"accepted": "You accepted it.", "rejected": "You rejected it.", "hand": "You marked it by hand."}
    paragraphs.append(decided.get(row.role or "", "You have not decided on it."))
    if row.hypothesis:
        paragraphs.append(f"For: {row.hypothesis}")
    return paragraphs


def _pinned_verdict_words(verdict: RowVerdict) -> str:
    """`10 evidence sentences, at best on topic`; `3 evidence sentences: supports 2, refutes 1`."""
    several = ", at best " if verdict.count > 1 else ", "
    joint = several if verdict.words in CLOSENESS.values() else ": "
    return f"{count_phrase(verdict.count, 'evidence sentence')}{joint}{verdict.words}"


def _outline_entries(document: Document) -> Sequence[tuple[int, ListChoice]]:
    places: list[tuple[int, ListChoice]] = []
    for sentence in document.sentences:
        if sentence.kind == "heading":
            level = document.sections[sentence.section].level
            places.append((sentence.index, ListChoice(sentence.text, indent=level - 1)))
    for table in document.tables:
        places.append((table.first_sentence, ListChoice(f"{table.label} {table.caption}".strip() or "table", "table")))
    return sorted(places, key=lambda place: place[0])


def _reference_choice(reference: Reference) -> ListChoice:
    text = reference.text or f"{', '.join(reference.families)} {reference.year or ''} {reference.title}"
    is_held = reference.target is not None
    return ListChoice(text, "in library" if is_held else "", key=reference.label, role="" if is_held else "muted")
