"""A draft under review: its open marks with the candidates of the one under the cursor, and what its citations say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from litterm.model.citation import Candidate
from litterm.model.draft import CheckedCitation, MarkAnswer, Review
from litterm.model.paper import PaperId
from litterm.render.drafts import SAID, claim, verdict
from litterm.render.lines import percent
from litterm.render.names import short_authors, venue_and_year
from litterm.text.escape import plain
from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.choose import Choices, ListChoice
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

View = Literal["open", "cited"]
_WAITING = "Reading the open marks"


class DraftActions(Protocol):
    """What the dialog asks of the workbench."""

    def decide(self, at: int, paper_id: PaperId | None, *, refuse: bool = False) -> None:
        """Accept a candidate of mark `at`, or none of them; what is decided so already becomes undecided."""
        ...

    def read(self, paper_id: PaperId) -> None:
        """Open a paper; the review waits."""
        ...

    def elsewhere(self, at: int) -> None:
        """Search a service for the paper of mark `at`."""
        ...

    def write(self) -> None:
        """The patched copy."""
        ...

    def check(self) -> None:
        """What the cited papers say; the answer comes by `DraftReview.show_cited`."""
        ...


class DraftReview(Dialog[int]):
    """Nothing in here is an answer: decisions are kept as they are made."""

    BINDINGS = [  # noqa: RUF012
        Binding("a", "decide(True)", "accept this candidate", id="dialog.accept"),
        Binding("x", "decide(False)", "none of the candidates", id="dialog.reject"),
        Binding("n", "walk(1)", "next mark", id="dialog.next-mark"),
        Binding("N", "walk(-1)", "previous mark", id="dialog.previous-mark"),
        Binding("w", "write", "write the patched copy", id="dialog.write"),
        Binding("tab", "turn", "open marks, or citations", id="dialog.turn"),
        Binding("ctrl+o", "elsewhere", "search online", id="dialog.elsewhere"),
    ]

    def __init__(self, name: str, glyphs: Glyphs, door: DraftActions) -> None:
        does = ("a accept", "x none", "n N", "enter", "w write", "tab cited", "ctrl+o online", "esc")
        super().__init__(name, f" {glyphs.dot} ".join(does), glyphs)
        self._name = name
        self._door = door
        self._view: View = "open"
        self._review: Review | None = None
        self._decided: Mapping[int, PaperId] = {}
        self._cited: Sequence[CheckedCitation] | None = None
        self._say = Static(Content(_WAITING + glyphs.ellipsis), id="draft-said", classes="cause")
        self._excerpt = Static(id="draft-excerpt", classes="said")
        self.marks = Choices((), glyphs, wrap=True)
        self.below = Choices((), glyphs, wrap=True)

    def body(self) -> ComposeResult:
        yield self._say
        yield Vertical(self.marks, id="draft-marks")
        yield self._excerpt
        yield Vertical(self.below, id="draft-below")

    def on_mount(self) -> None:
        self.marks.focus()

    def tell(self, text: str) -> None:
        """The line above the marks."""
        self._say.update(Content(plain(text)))

    def show(self, review: Review, decided: Mapping[int, PaperId], at: int | None = None) -> None:
        """The marks, the cursor on `at` or where it stood."""
        self._review, self._decided = review, decided
        if self._view == "open":
            self._refresh(self.marks.cursor if at is None else at)

    def show_cited(self, found: Sequence[CheckedCitation]) -> None:
        """What the cited papers say."""
        self._cited = found
        if self._view == "cited":
            self._refresh(0)

    def _refresh(self, at: int) -> None:
        if self._view == "open":
            answers = self._review.answers if self._review else ()
            self.marks.show([self._mark(number, answer) for number, answer in enumerate(answers)])
        else:
            self.marks.show([_citation(each, self.glyphs) for each in self._cited or ()])
        self.marks.go(at)
        self.tell(self._summary())
        self._detail()

    def _summary(self) -> str:
        if self._view == "cited":
            if self._cited is None:
                return f"Checking the cited papers{self.glyphs.ellipsis}"
            silent = sum(each.support == "nothing" for each in self._cited)
            return (
                f"{len(self._cited)} cited {self.glyphs.dot} {silent} without support {self.glyphs.dot} tab: open marks"
            )
        if self._review is None:
            return _WAITING + self.glyphs.ellipsis
        if not self._review.answers:
            return "No open mark; tab: what the citations say."
        taken = sum(bool(paper_id) for paper_id in self._decided.values())
        bibs = ", ".join(bib.name for bib in self._review.project.bibs) or "no bibliography"
        return f"{taken} of {len(self._review.answers)} accepted {self.glyphs.dot} {bibs}"

    def _mark(self, number: int, answer: MarkAnswer) -> ListChoice:
        place = f"{answer.mark.place.line}:{answer.mark.place.column}"
        return ListChoice(claim(answer), self._state(number, answer), key=place)

    def _state(self, number: int, answer: MarkAnswer) -> str:
        chosen = self._decided.get(number)
        if chosen is not None and self._review is not None:
            return (
                f"{self.glyphs.accepted} {self._review.keys.get(chosen, chosen)}"
                if chosen
                else f"{self.glyphs.rejected} none"
            )
        if answer.found is None:
            return "no words"
        if answer.found.verdict == "absent" or not answer.found.candidates:
            return "not in your library"
        best = answer.found.candidates[0].confidence
        return f"{self.glyphs.proposed} {percent(best).strip()}" if best is not None else self.glyphs.proposed

    def _detail(self) -> None:
        """What belongs to the row under the cursor."""
        at = self.marks.cursor
        if self._view == "cited":
            each = self._cited[at] if self._cited and at < len(self._cited) else None
            self._excerpt.update(Content(plain(each.claim or each.citation.excerpt) if each else ""))
            self.below.show(_sentences(each) if each else ())
            return
        answer = self._answer
        self._excerpt.update(Content(plain(_excerpt(answer)) if answer else ""))
        items = answer.found.candidates if answer and answer.found else ()
        self.below.show([self._candidate(at, item) for item in items])

    @property
    def _answer(self) -> MarkAnswer | None:
        answers = self._review.answers if self._review else ()
        return answers[self.marks.cursor] if self._view == "open" and self.marks.cursor < len(answers) else None

    def _candidate(self, at: int, item: Candidate) -> ListChoice:
        review = self._review
        assert review is not None
        chosen = self._decided.get(at) == item.paper.id
        held = "in your bibliography" if item.paper.id in review.held else ""
        told = (review.keys[item.paper.id], short_authors(item.paper.authors), venue_and_year(item.paper), held)
        dot = f" {self.glyphs.dot} "
        below = (
            dot.join(part for part in told if part),
            dot.join(item.why),
            f"“{item.support}”" if item.support else "",
        )
        sure = percent(item.confidence).strip() if item.confidence is not None else ""
        lead = f"{self.glyphs.accepted} " if chosen else ""
        return ListChoice(
            f"{lead}{item.paper.title}", sure, key=str(item.rank), below=tuple(part for part in below if part)
        )

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        if event.rows is self.marks:
            self._detail()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        answer = self._answer
        if event.rows is self.marks:
            if self.below.count():
                self.below.focus()
        elif answer is not None and answer.found is not None:
            self._door.read(answer.found.candidates[event.index].paper.id)
        elif self._cited and (paper := self._cited[self.marks.cursor].paper):
            self._door.read(paper.id)

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        if event.step > 0 and self.below.count():
            self.below.focus()
        elif event.step < 0:
            self.marks.focus()

    def action_close(self) -> None:
        if self.below.has_focus:
            self.marks.focus()
        else:
            self.dismiss(self.marks.cursor)

    def action_decide(self, accept: bool) -> None:
        answer = self._answer
        if answer is None:
            return
        items = answer.found.candidates if answer.found else ()
        if accept and items:
            at = self.below.cursor if self.below.has_focus else 0
            self._door.decide(self.marks.cursor, items[at].paper.id)
        elif not accept:
            self._door.decide(self.marks.cursor, None, refuse=True)

    def action_walk(self, step: int) -> None:
        self.marks.focus()
        self.marks.action_move(step)

    def action_write(self) -> None:
        self._door.write()

    def action_turn(self) -> None:
        self._view = "cited" if self._view == "open" else "open"
        if self._view == "cited" and self._cited is None:
            self._door.check()
        self.marks.focus()
        self._refresh(0)

    def action_elsewhere(self) -> None:
        if self._answer is not None:
            self._door.elsewhere(self.marks.cursor)


def _excerpt(answer: MarkAnswer) -> str:
    """The words around the mark, and what came of it."""
    lint = answer.found.excerpt.lint if answer.found else ""
    return "\n".join(part for part in (answer.mark.excerpt, verdict(answer) or lint) if part)


def _citation(each: CheckedCitation, glyphs: Glyphs) -> ListChoice:
    place = each.citation.place
    label = f"{each.key} {glyphs.dot} {each.claim or each.citation.excerpt}"
    return ListChoice(label, SAID[each.support], key=f"{place.line}:{place.column}")


def _sentences(each: CheckedCitation) -> list[ListChoice]:
    title = [ListChoice(each.paper.title, venue_and_year(each.paper))] if each.paper else []
    sentences = each.evidence.sentences if each.evidence else ()
    pairs = zip(sentences, each.where, strict=True)
    return [*title, *(ListChoice(item.sentence.text, where, indent=1, role="muted") for item, where in pairs)]
