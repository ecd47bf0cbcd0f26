"""Runs the review of a draft: answers its open marks one by one, and writes a filled-in copy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.core.user_files import backup_sentence
from litterm.model.attribution.draft import CheckedCitation, ReviewedDraft
from litterm.model.paper import PaperId
from litterm.tui.attribution.draft_dialog import DraftReview
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import ConfirmDialog
from litterm.tui.input.command_line import Command, CommandLine
from litterm.tui.platform.textual_compat import ActionTarget

GROUP, CHECK_GROUP = "draft", "check-draft"


class DraftController(ActionTarget):
    """Keeps the review while its screen is closed; decisions are saved as they are made."""

    def __init__(
        self,
        context: WorkbenchContext,
        show: Callable[[PaperId], None],
        search: Callable[[str], None],
        commands: CommandLine,
    ) -> None:
        """`show` opens a paper, `search` asks a service for words."""
        self._context = context
        self._show = show
        self._dialog: DraftReview | None = None
        self._path: Path | None = None
        self._review: ReviewedDraft | None = None
        self._cited: tuple[CheckedCitation, ...] | None = None
        self._mark_index = 0
        self.search = search
        self._commands = commands
        self._opened: PaperId | None = None
        """The paper that the review opened."""
        self._reviewed_starter_only = False
        self.starter_only: Callable[[], bool] = lambda: False
        """Whether candidates come from the starter library only."""
        meaning = "check a draft: its open citations, and what its citations say"
        commands.register(Command("draft", meaning, self.start, "PATH"))

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
            self._path == path and self._review is not None and self._reviewed_starter_only == self.starter_only()
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
        starter_only = self._reviewed_starter_only = self.starter_only()

        def task() -> Task[ReviewedDraft]:
            project = drafts.read(path)
            # An unchanged draft keeps its review: searching for every mark takes seconds.
            if before is not None and before.project == project:
                return before
            return (yield from drafts.review(project, starter_only=starter_only))

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
        self._context.screen.call_later(self._show, paper_id)

    def back_to_review(self) -> bool:
        """Return from a paper opened by the review to its mark; returns whether there is one."""
        paper, opened = self._context.reader.state.paper, self._opened
        if paper is None or paper.id != opened or self._path is None:
            return False
        self._opened = None
        self.action_open()
        return True

    def search_online(self, mark_index: int) -> None:
        """Search a service for the paper of mark `mark_index`; `C` comes back."""
        attribution = self._review.answers[mark_index].attribution if self._review else None
        if attribution is None or not attribution.online_query:
            self._context.tell("There is no word around this mark to search for.", warn=True)
            return
        if self._dialog is not None:
            # Dismissed before the search, as closing gives the focus back to where it was.
            self._dialog.dismiss(mark_index)
        self._context.screen.call_later(self.search, attribution.online_query)

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
