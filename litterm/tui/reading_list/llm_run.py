"""`M` in a reading list: what a language model would cost, then the list made again by it around what is pinned."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from litterm.core.errors import LittermError, UsageError
from litterm.render.cost import caps_words
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Choosable, Consent, LlmConsentDialog
from litterm.tui.evidence.llm_run import rehearsal

if TYPE_CHECKING:
    from litterm.model.llm import Estimate
    from litterm.model.reading_list import ReadingList
    from litterm.reading_lists.llm_builder import ModelListBuilder
    from litterm.reading_lists.reading_lists import ReadingLists

GROUP = "reading-list"
_LEAVES = "the topic, and titles and beginnings of the abstracts of up to 100 papers"


class ModelRun:
    """Asks for consent, then for the list; a reply that was paid for answers again after a kill."""

    def __init__(self, stage: WorkbenchContext, show: Callable[[ReadingList], None]) -> None:
        """`show` puts the list on the screen."""
        self._stage = stage
        self._show = show
        self._fresh = False
        self._online = False
        self._dialog: LlmConsentDialog | None = None

    @property
    def _lists(self) -> ReadingLists:
        return self._stage.engine.reading_lists

    def open(self, found: ReadingList) -> None:
        """Reckon what it would cost, and put that to the user."""
        self._reckon(found, lambda estimate: self._estimated(found, estimate))

    def _maker(self) -> ModelListBuilder:
        return self._lists.with_model(fresh=self._fresh, online=self._online)

    def _reckon(self, found: ReadingList, then: Callable[[Estimate], None]) -> None:
        stage = self._stage
        try:
            maker = self._maker()
        except UsageError as error:
            stage.tell(str(error), warn=True)
        except LittermError as error:
            stage.tell(f"No model was asked: {error}", warn=True)
        else:
            stage.work.start("estimate", "estimating", lambda: maker.estimate(found.request), then)

    def _how(self) -> tuple[Choosable, ...]:
        offline = self._stage.settings.offline
        looked_up = "looked up in services, and added" if self._online else "left out"
        return (
            Choosable("c", "replies of earlier", "are not used" if self._fresh else "answer again"),
            *(() if offline else (Choosable("l", "titles that are not here", looked_up),)),
        )

    def _switch(self, key: str, found: ReadingList) -> None:
        if key == "c":
            self._fresh = not self._fresh
        elif key == "l":
            self._online = not self._online
        if self._dialog is not None:
            self._dialog.show(self._how(), None)
        self._reckon(found, self._reckoned)

    def _reckoned(self, estimate: Estimate) -> None:
        if self._dialog is not None and self._dialog in self._stage.dialogs:
            self._dialog.show(self._how(), estimate)

    def _estimated(self, found: ReadingList, estimate: Estimate) -> None:
        stage = self._stage
        caps = caps_words(stage.settings.model)
        self._dialog = LlmConsentDialog(
            estimate, _LEAVES, caps, stage.glyphs, how=self._how(), switch=lambda key: self._switch(key, found)
        )
        stage.open(self._dialog, lambda consent: self._answered(found, consent))

    def _answered(self, found: ReadingList, consent: Consent) -> None:
        stage, lists = self._stage, self._lists
        if consent == "run":
            maker = self._maker()
            stage.work.start(
                GROUP, "the model makes the list", lambda: lists.again(found.id, maker), self._show, failed=self._failed
            )
            return

        def rehearsed(requests: tuple[str, ...]) -> None:
            stage.open(rehearsal(requests, stage.glyphs, "litterm list --model --dry-run"))

        stage.work.start("estimate", "dry run", lambda: lists.preview(found.request), rehearsed)

    def _failed(self, error: LittermError) -> None:
        self._stage.tell(f"The list is as it was. {error}", warn=True)
