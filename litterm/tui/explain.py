"""Lists and explanations about the current paper and sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from litterm.model.document import Document, Reference
from litterm.model.evidence import CLOSENESS
from litterm.render.citations.citation_counts import count_sentences
from litterm.render.closeness import stance_label, strength_words
from litterm.text.plural import count_phrase
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.aspects.controller import AspectsController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.filter_list import FilterListDialog, filter_by_words
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.library.export import ExportController
from litterm.tui.reader.controller import ReaderController
from litterm.tui.reader.table_layout import table_at
from litterm.tui.reader.table_view import TableView
from litterm.tui.search.result_rows import score_percent
from litterm.tui.search.row_cache import best_score
from litterm.tui.state import EvidenceRow, ResultRow, RowVerdict


class Explanations(ActionTarget):
    """Explains results and sentences, and shows outline, tables and cited papers."""

    def __init__(
        self,
        context: WorkbenchContext,
        reader: ReaderController,
        annotations: AnnotationController,
        aspects: AspectsController,
        export: ExportController,
    ) -> None:
        self._context = context
        self._aspects = aspects
        self._reader = reader
        self._annotations = annotations
        self._export = export
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
        choices, glyphs = [choice for _, choice in places], self._context.glyphs
        dialog = FilterListDialog(
            "outline",
            choices,
            glyphs,
            narrow=filter_by_words([choice.label for choice in choices]),
            start=start,
            keys=f"type to filter {glyphs.dot} enter go there {glyphs.dot} esc leave",
        )

        def on_answer(answer: tuple[str, int]) -> None:
            if answer[1] >= 0:
                self._jump(places[answer[1]][0])

        self._context.open(dialog, on_answer)

    def _jump(self, index: int) -> None:
        self._context.reader.go(index)
        # To the top of the pane: `go` alone would stop as soon as the heading is in sight.
        self._context.reader.jump(self._context.reader.page.first_line[index])

    def action_deeper(self) -> None:
        """Show the table under the cursor, or open a paper that the sentence cites."""
        document, index = self._reader.document, self._context.reader.cursor
        table = table_at(document, index)
        if table is not None:
            self._context.open(TableView(table, self._context.glyphs, self._export.copy_to_clipboard))
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
