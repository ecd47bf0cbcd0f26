"""A reading list by a language model (`M`): the cost estimate, then the list made again around its pinned papers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from litterm.core.errors import LittermError, UsageError
from litterm.model.reading_list import ListLlmOptions
from litterm.render import sent_data
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun

if TYPE_CHECKING:
    from litterm.model.llm import CostEstimate
    from litterm.model.reading_list import ReadingList
    from litterm.reading_lists.llm_builder import ModelListBuilder
    from litterm.reading_lists.reading_lists import ReadingLists

GROUP = "reading-list"


class ReadingListLlmRun(LlmRun):
    """Asks for consent, then for the list; a reply that was paid for is reused after a kill."""

    SENT_DATA = sent_data.READING_LIST
    DRY_RUN_COMMAND = "litterm list --model --dry-run"

    def __init__(self, context: WorkbenchContext, show: Callable[[ReadingList], None]) -> None:
        """`show` puts the list on the screen."""
        super().__init__(context)
        self._show = show
        self._fresh = False
        self._online = False
        self._list: ReadingList | None = None

    @property
    def _lists(self) -> ReadingLists:
        return self._context.engine.reading_lists

    def open(self, reading_list: ReadingList) -> None:
        """Estimate the cost, and ask for consent."""
        self._list = reading_list
        self.request_consent()

    def _model_builder(self) -> ModelListBuilder:
        return self._lists.open_model_builder(
            ListLlmOptions(fresh=self._fresh, online=self._online, library_name=self._context.library_name)
        )

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        context, reading_list = self._context, self._list
        if reading_list is None:
            return
        # The model is looked for before the dialog opens: without one there is nothing to agree to.
        try:
            builder = self._model_builder()
        except UsageError as error:
            context.tell(str(error), warn=True)
        except LittermError as error:
            context.tell(f"No model was asked: {error}", warn=True)
        else:
            context.work.start("estimate", "estimating", lambda: builder.estimate(reading_list.request), on_estimate)

    def options(self) -> tuple[ConsentOption, ...]:
        offline = self._context.settings.offline
        looked_up = "looked up in services, and added" if self._online else "left out"
        return (
            ConsentOption("c", "cached replies", "are not used" if self._fresh else "are used"),
            *(() if offline else (ConsentOption("l", "titles not in the library", looked_up),)),
        )

    def switch(self, key: str) -> None:
        if key == "c":
            self._fresh = not self._fresh
        elif key == "l":
            self._online = not self._online

    def on_consent(self, consent: Consent) -> None:
        context, lists, reading_list = self._context, self._lists, self._list
        if reading_list is None:
            return
        if consent == "run":
            # Made again, with the options as they were when the user agreed.
            builder = self._model_builder()
            context.work.start(
                GROUP,
                "the model makes the list",
                lambda: (
                    lists.regenerate(reading_list.id, builder)
                    if reading_list.id
                    else lists.make(reading_list.request, builder)
                ),
                self._show,
                failed=self._on_failure,
            )
            return

        library_name = context.library_name
        context.work.start(
            "estimate",
            "dry run",
            lambda: lists.preview(reading_list.request, library_name=library_name),
            self.show_requests,
        )

    def _on_failure(self, error: LittermError) -> None:
        self._context.tell(f"The list is unchanged. {error}", warn=True)
