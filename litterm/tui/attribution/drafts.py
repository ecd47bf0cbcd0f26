"""Reviews a draft (`C`): answers its open marks one by one, checks its citations, and writes a filled-in copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.content import Content
from textual.widgets import Static

from litterm.core.errors import LibraryError, LittermError
from litterm.core.tasks import Task
from litterm.core.user_files import backup_sentence
from litterm.model.attribution.citation import Candidate
from litterm.model.attribution.draft import CheckedCitation, DraftMark, MarkAnswer, ReviewedDraft
from litterm.model.paper import LibraryName, PaperId
from litterm.render.attribution.drafts import SUPPORT_WORDS, verdict
from litterm.render.lines import percent
from litterm.render.names import short_authors, venue_and_year
from litterm.text.escape import plain, plain_lines
from litterm.tui.attribution.bibliography import BibliographyController
from litterm.tui.attribution.draft_text import DraftText, ShownMark
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.dialogs.message import ConfirmDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command, CommandLine
from litterm.tui.library.online_search import OnlineSearch
from litterm.tui.reader.controller import ReaderController
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.key_hints import KeyHints
from litterm.tui.widgets.rows import Rows

GROUP, CHECK_GROUP = "draft", "check-draft"
View = Literal["open", "cited"]
_WAITING_MESSAGE = "Reading the open marks"


class DraftReview(Dialog[int]):
    """The screen of a review: the draft on the left, the candidates on the right.

    Nothing in here is an answer: decisions are kept as they are made.
    """

    BINDINGS = [  # noqa: RUF012
        Binding("a", "decide(True)", "accept this candidate", id="dialog.accept"),
        Binding("x", "decide(False)", "none of the candidates", id="dialog.reject"),
        Binding("n", "walk(1)", "next mark", id="dialog.next-mark"),
        Binding("N", "walk(-1)", "previous mark", id="dialog.previous-mark"),
        Binding("J", "scroll_draft(1)", "draft down", id="dialog.draft-down"),
        Binding("K", "scroll_draft(-1)", "draft up", id="dialog.draft-up"),
        Binding("w", "write", "write a copy", id="dialog.write"),
        Binding("W", "write_in_place", "fill in the draft itself", id="dialog.write-in-place"),
        Binding("tab", "turn", "open marks, or citations", id="dialog.turn"),
        Binding("b", "bibliography", "check its bibliography", id="dialog.bibliography"),
        Binding("ctrl+o", "elsewhere", "search online", id="dialog.elsewhere"),
    ]

    def __init__(self, name: str, glyphs: Glyphs, controller: DraftController) -> None:
        super().__init__(f"draft {glyphs.dot} {name}", "", glyphs)
        self._controller = controller
        self._view: View = "open"
        self._review: ReviewedDraft | None = None
        self._decided: Mapping[int, PaperId] = {}
        self._cited: Sequence[CheckedCitation] | None = None
        self.at = 0
        """Index of the current mark."""
        self._mark_below = -1
        """Index of the mark whose candidates are listed; -1 where they are not."""
        self._say = Static(Content(_WAITING_MESSAGE + glyphs.ellipsis), id="draft-said", classes="cause")
        self.text = DraftText(glyphs)
        self.citations = ChoiceRows((), glyphs, wrap=True, id="draft-citations")
        self._head = Static(id="draft-head", classes="said")
        self.below = ChoiceRows((), glyphs, wrap=True, id="draft-below")
        self.key_hints = KeyHints((), glyphs.dot, id="draft-keys")

    def compose(self) -> ComposeResult:
        yield self._say
        with Container(id="draft-body"):
            yield self.text
            yield self.citations
            with Vertical(id="draft-right"):
                yield self._head
                yield self.below
        yield self.key_hints

    def on_mount(self) -> None:
        self._show_view()

    def tell(self, text: str) -> None:
        """The line above the draft."""
        self._say.update(Content(plain(text)))

    def show(self, review: ReviewedDraft, decided: Mapping[int, PaperId], mark_index: int | None = None) -> None:
        """The marks, `mark_index` or the current one in view."""
        self._review, self._decided = review, decided
        self.at = max(0, min(self.at if mark_index is None else mark_index, len(review.answers) - 1))
        if self._view == "open":
            self._refresh()

    def show_cited(self, citations: Sequence[CheckedCitation]) -> None:
        """What the cited papers say."""
        self._cited = citations
        if self._view == "cited":
            self._refresh()

    def advance(self) -> None:
        """Go to the next mark; stays on the last one."""
        if self._review is not None and self.at + 1 < len(self._review.answers):
            self._move_to(self.at + 1)

    def _move_to(self, mark_index: int) -> None:
        self.at = mark_index
        self._refresh()

    def _show_view(self) -> None:
        """The widgets and the keys of this view."""
        is_open = self._view == "open"
        self.text.display, self.citations.display = is_open, not is_open
        shared = ("tab citations" if is_open else "tab open marks", "esc leave")
        keys = (
            ("a accept, next", "x none", "j k candidates", "n N marks", "enter read", "w write", "ctrl+o online")
            if is_open
            else ("j k citations", "enter its sentences, read", "b check bibliography")
        )
        self.key_hints.show((*keys, *shared))
        (self.below if is_open else self.citations).focus()

    def _refresh(self) -> None:
        self.tell(self._summary())
        if self._view == "open":
            self._show_mark()
        else:
            has_parts = bool(self._review and self._review.project.included)
            choices = [_citation(citation, self.glyphs, with_file=has_parts) for citation in self._cited or ()]
            self.citations.replace_choices(choices)
            self._show_citation()

    def _show_mark(self) -> None:
        review, answer = self._review, self._answer
        if review is None:
            return
        file = next((file for file in review.project.files if answer and file.path == answer.path), None)
        draft = file.draft if file else review.project.draft
        marks = [self._shown_mark(mark, draft.text) for mark in draft.marks]
        # The text is that of the file that holds the mark, and so are the marks in it.
        self.text.show(draft.text, marks, self.at - draft.marks[0].index if draft.marks else 0)
        self._head.update(Content(plain_lines(self._mark_words(answer)) if answer else ""))
        items = answer.attribution.candidates if answer and answer.attribution else ()
        candidates = [self._candidate(item) for item in items]
        if self._mark_below == self.at:
            self.below.replace_choices(candidates)
        else:
            # The paper under the cursor may be a candidate here, too, further down: `a` would accept it, not the first.
            self._mark_below = self.at
            self.below.show(candidates)
        # Rows have no places before they are laid out.
        self.below.call_after_refresh(self.below.show_cursor)

    def _show_citation(self) -> None:
        index = self.citations.cursor
        citation = self._cited[index] if self._cited and index < len(self._cited) else None
        self._head.update(Content(plain(citation.claim or citation.citation.excerpt) if citation else ""))
        self._mark_below = -1
        self.below.show(_sentences(citation) if citation else ())

    def _summary(self) -> str:
        dot = f" {self.glyphs.dot} "
        if self._view == "cited":
            if self._cited is None:
                return f"Checking the cited papers{self.glyphs.ellipsis}"
            if not self._cited:
                return f"No citations to check: the draft has no \\cite yet{dot}tab shows the open marks"
            silent = sum(citation.support in ("nothing", "contradicted") for citation in self._cited)
            return f"{len(self._cited)} cited{dot}{silent} without support"
        if self._review is None:
            return _WAITING_MESSAGE + self.glyphs.ellipsis
        if not self._review.answers:
            return "No open marks; tab shows what the citations say."
        accepted = sum(bool(paper_id) for paper_id in self._decided.values())
        undecided = len(self._review.answers) - len(self._decided)
        bibs = ", ".join(bib.name for bib in self._review.project.bibs) or "no bibliography"
        remaining = f"{undecided} left" if undecided else "all decided, w writes"
        return f"{accepted} of {len(self._review.answers)} accepted{dot}{remaining}{dot}{bibs}"

    def _mark_words(self, answer: MarkAnswer) -> str:
        """The number and position of a mark, and its decision or outcome."""
        assert self._review is not None
        place, total = answer.mark.position, len(self._review.answers)
        file = f"{answer.path.name}:" if self._review.project.included else ""
        position_text = f"mark {self.at + 1} of {total} {self.glyphs.dot} {file}{place.line}:{place.column}"
        lint = answer.attribution.excerpt.lint if answer.attribution else ""
        decided = self._decision_words()
        return "\n".join(part for part in (f"{position_text} {decided}".rstrip(), verdict(answer) or lint) if part)

    def _decision_words(self) -> str:
        chosen = self._decided.get(self.at)
        if chosen is None or self._review is None:
            return ""
        if not chosen:
            return f"{self.glyphs.dot} {self.glyphs.rejected} none is right"
        return f"{self.glyphs.dot} {self.glyphs.accepted} {self._review.keys.get(chosen, chosen)}"

    def _shown_mark(self, mark: DraftMark, text: str) -> ShownMark:
        """An accepted mark as the key that will stand there; the shape tells the decision, not only the colour."""
        span, chosen = mark.position.span, self._decided.get(mark.index)
        if chosen is None or self._review is None:
            return ShownMark(span)
        if not chosen:
            return ShownMark(span, "rejected", f"{self.glyphs.rejected}{text[span.start : span.end]}")
        return ShownMark(span, "accepted", f"{self.glyphs.accepted}{self._review.keys.get(chosen, chosen)}")

    @property
    def _answer(self) -> MarkAnswer | None:
        answers = self._review.answers if self._review else ()
        return answers[self.at] if self._view == "open" and self.at < len(answers) else None

    def _candidate(self, item: Candidate) -> ListChoice:
        review = self._review
        assert review is not None
        chosen = self._decided.get(self.at) == item.paper.id
        held_note = "in your bibliography" if item.paper.id in review.held else ""
        parts = (review.keys[item.paper.id], short_authors(item.paper), venue_and_year(item.paper), held_note)
        dot = f" {self.glyphs.dot} "
        below = (
            dot.join(part for part in parts if part),
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
        if event.rows is self.citations:
            self._show_citation()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        answer = self._answer
        if event.rows is self.citations:
            if self.below.count():
                self.below.focus()
        elif answer is not None and answer.attribution is not None:
            self._controller.read(answer.attribution.candidates[event.index].paper.id)
        elif self._view == "cited" and self._cited and (paper := self._cited[self.citations.cursor].paper):
            self._controller.read(paper.id)

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        if self._view == "open":
            self.action_walk(event.step)
        elif event.step > 0 and self.below.count():
            self.below.focus()
        elif event.step < 0:
            self.citations.focus()

    def action_close(self) -> None:
        if self._view == "cited" and self.below.has_focus:
            self.citations.focus()
        else:
            # The mark is the answer, so that `C` comes back to it.
            self.dismiss(self.at)

    def action_decide(self, accept: bool) -> None:
        answer = self._answer
        if answer is None:
            return
        items = answer.attribution.candidates if answer.attribution else ()
        if accept and items:
            self._controller.decide(self.at, items[min(self.below.cursor, len(items) - 1)].paper.id)
        elif not accept:
            self._controller.decide(self.at, None, refuse=True)

    def action_walk(self, step: int) -> None:
        if self._view == "cited":
            self.citations.action_move(step)
        elif self._review is not None and 0 <= self.at + step < len(self._review.answers):
            self._move_to(self.at + step)

    def action_scroll_draft(self, step: int) -> None:
        self.text.scroll_half(step)

    def action_write(self) -> None:
        self._controller.write()

    def action_write_in_place(self) -> None:
        self._controller.write_in_place()

    def action_turn(self) -> None:
        self._view = "cited" if self._view == "open" else "open"
        # Not before they are looked at: evidence is sought in every cited paper.
        if self._view == "cited" and self._cited is None:
            self._controller.check()
        self._show_view()
        self._refresh()

    def action_bibliography(self) -> None:
        self._controller.check_bibliography()

    def action_elsewhere(self) -> None:
        if self._answer is not None:
            self._controller.search_online(self.at)

    def resume(self) -> None:
        (self.below if self._view == "open" else self.citations).focus()


def _citation(citation: CheckedCitation, glyphs: Glyphs, *, with_file: bool) -> ListChoice:
    place = citation.citation.position
    file = f"{citation.path.name}:" if with_file else ""
    label = f"{citation.key} {glyphs.dot} {citation.claim or citation.citation.excerpt}"
    return ListChoice(label, SUPPORT_WORDS[citation.support], key=f"{file}{place.line}:{place.column}")


def _sentences(citation: CheckedCitation) -> list[ListChoice]:
    title = [ListChoice(citation.paper.title, venue_and_year(citation.paper))] if citation.paper else []
    sentences = citation.evidence.sentences if citation.evidence else ()
    pairs = zip(sentences, citation.where, strict=True)
    return [*title, *(ListChoice(item.sentence.text, locator, indent=1, role="muted") for item, locator in pairs)]


class DraftController(ActionTarget):
    """Keeps the review while its screen is closed; decisions are saved as they are made."""

    def __init__(
        self,
        context: WorkbenchContext,
        reader: ReaderController,
        online: OnlineSearch,
        commands: CommandLine,
    ) -> None:
        self._context = context
        self._reader = reader
        self._dialog: DraftReview | None = None
        self._path: Path | None = None
        self._review: ReviewedDraft | None = None
        self._cited: tuple[CheckedCitation, ...] | None = None
        self._mark_index = 0
        self._online = online
        self._commands = commands
        self._bibliography = BibliographyController(context, reader, commands)
        self._opened: PaperId | None = None
        """The paper that the review opened."""
        self._reviewed_library: LibraryName | None = None

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        meaning = "check a draft: its open citations, and what its citations say"
        return (Command("draft", meaning, self.start, "PATH"), self._bibliography.command())

    def action_open(self) -> None:
        """Open the draft under review, or else ask for a path, offering the last one used in any session."""
        if self._path is not None:
            self.start(str(self._path))
            return
        newest = self._context.engine.drafts.decisions.newest_draft()
        self._commands.open_with(f"draft {newest or ''}")

    def start(self, typed: str) -> None:
        """Review the draft at a path; an unchanged draft is shown as it was left."""
        path = Path(typed.strip().strip("'\"")).expanduser()
        if not path.is_file():
            self._context.tell(f"{path}: no such file.", warn=True)
            self._commands.open_with(f"draft {typed}")
            return
        is_reviewed = (
            self._path == path and self._review is not None and self._reviewed_library == self._context.library_name
        )
        if not is_reviewed:
            self._path, self._review, self._cited, self._mark_index = path, None, None, 0
        self._dialog = DraftReview(path.name, self._context.glyphs, self)
        self._context.open(self._dialog, self._on_closed)
        if self._review is not None:
            # The dialog has no widgets to fill before it has been composed.
            self._context.screen.call_after_refresh(self._refresh)
        # Also where a review is shown already: the file may have been edited outside meanwhile.
        self._read(path)

    def _read(self, path: Path) -> None:
        drafts, before = self._context.engine.drafts, self._review
        library_name = self._reviewed_library = self._context.library_name

        def task() -> Task[ReviewedDraft]:
            project = drafts.read(path)
            # Home lists it. Where that cannot be written, the review goes on without.
            with suppress(LibraryError):
                drafts.decisions.remember(path)
            # An unchanged draft keeps its review: searching for every mark takes seconds.
            if before is not None and before.project == project:
                return before
            return (yield from drafts.review(project, library_name=library_name))

        self._context.work.start(GROUP, f"open marks of {path.name}", task, self._on_review, failed=self._on_failure)

    def _on_review(self, review: ReviewedDraft) -> None:
        if self._review is not review:
            self._cited = None
        self._review = review
        for notice in review.project.notices:
            self._context.tell(notice, warn=True)
        if self._dialog is None:
            self._context.tell(f"{review.project.path.name}: {len(review.answers)} open marks. C shows them.")
        self._refresh()

    def _on_failure(self, error: LittermError) -> None:
        self._context.tell(str(error), warn=True)
        if self._dialog is not None:
            self._dialog.tell(str(error))

    def _refresh(self) -> None:
        dialog, review = self._dialog, self._review
        if dialog is None or not dialog.is_attached or review is None:
            return
        dialog.show(review, self._context.engine.drafts.decided_marks(review.project), self._mark_index or None)
        self._mark_index = 0
        if self._cited is not None:
            dialog.show_cited(self._cited)

    def _on_closed(self, mark_index: int) -> None:
        self._dialog, self._mark_index = None, mark_index

    def decide(self, mark_index: int, paper_id: PaperId | None, *, refuse: bool = False) -> None:
        """Accept `paper_id` for mark `mark_index`, or reject all; the same decision again makes it undecided."""
        review, drafts = self._review, self._context.engine.drafts
        if review is None:
            return
        project = review.project
        choice = drafts.refusal_id if refuse else paper_id
        decision = drafts.decided_marks(project).get(mark_index)
        undecided = decision == choice

        def keep() -> bool:
            # Saved before the screen shows it: a kill in between loses nothing that was seen.
            drafts.decisions.set(project.path, project.marks, mark_index, None if undecided else choice)
            return True

        if self._context.attempt(keep) and self._dialog is not None and not undecided:
            self._dialog.advance()
        self._refresh()

    def read(self, paper_id: PaperId) -> None:
        """Open a paper; `esc` and `C` come back."""
        self._opened = paper_id
        if self._dialog is not None:
            self._dialog.dismiss(self._dialog.at)
        # Once the dialog has gone: closing it gives the focus back, which the reader is to keep.
        self._context.screen.call_later(self._reader.open_id, paper_id)

    def back_to_review(self) -> bool:
        """Return from a paper opened by the review to its mark; returns whether there is one."""
        paper, opened = self._context.reader.state.paper, self._opened
        if paper is None or paper.id != opened or self._path is None:
            return False
        self._opened = None
        self.action_open()
        return True

    def check_bibliography(self) -> None:
        """Hold the bibliography of the draft against what is known, as `:check` does; a record opens as a candidate."""
        if self._path is not None:
            self._bibliography.start(str(self._path), read=self.read)

    def search_online(self, mark_index: int) -> None:
        """Search a service for the paper of mark `mark_index`; `C` comes back."""
        attribution = self._review.answers[mark_index].attribution if self._review else None
        if attribution is None or not attribution.online_query:
            self._context.tell("There is no word around this mark to search for.", warn=True)
            return
        if self._dialog is not None:
            # Dismissed before the search, as closing gives the focus back to where it was.
            self._dialog.dismiss(mark_index)
        self._context.screen.call_later(self._online.ask, attribution.online_query)

    def write(self) -> None:
        """Write the filled-in copy and its new entries, beside the draft."""
        self._write(in_place=False)

    def write_in_place(self) -> None:
        """Fill in the draft itself and its bibliography, after asking."""
        review, context = self._review, self._context
        if review is None:
            return
        bib = review.project.bibs[0].name if review.project.bibs else review.project.path.with_suffix(".bib").name
        parts = " and the files that it takes in" if review.project.included else ""
        question = f"Fill in {review.project.path.name} itself{parts}, and add new entries to {bib}?"
        context.open(ConfirmDialog("write", question, context.glyphs), lambda _yes: self._write(in_place=True))

    def _write(self, *, in_place: bool) -> None:
        review, drafts = self._review, self._context.engine.drafts
        if review is None:
            return
        accepted = {mark_index: paper for mark_index, paper in drafts.decided_marks(review.project).items() if paper}
        if not accepted:
            self._context.tell("Nothing is accepted yet: a accepts the candidate under the cursor.")
            return
        report = self._context.attempt(lambda: drafts.write(review, accepted, None, in_place=in_place))
        if report is not None:
            entries = f" {report.bib.name}: {report.entries} new." if report.bib else ""
            backups = "".join(map(backup_sentence, report.kept))
            parts = f" Also written: {', '.join(part.name for part in report.parts)}." if report.parts else ""
            self._context.tell(
                f"{report.draft.name}: {report.accepted} of {len(review.answers)} filled in.{parts}{entries}{backups}"
            )
            if report.notice:
                self._context.tell(report.notice, warn=True)
            if in_place:
                # Marks that are filled in are gone from the draft, and the others have moved.
                self._read(review.project.path)

    def check(self) -> None:
        """What the cited papers say to the sentences that cite them."""
        review, drafts = self._review, self._context.engine.drafts
        if review is not None:
            self._context.work.start(
                CHECK_GROUP,
                f"citations of {review.project.path.name}",
                lambda: drafts.check(review.project),
                self._on_checked,
            )

    def _on_checked(self, citations: tuple[CheckedCitation, ...]) -> None:
        self._cited = citations
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.show_cited(citations)
