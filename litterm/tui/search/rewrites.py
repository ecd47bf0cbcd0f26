"""Other queries for the same papers: a model writes them after consent, and the user may change them."""

from __future__ import annotations

from collections.abc import Callable

from litterm.core.errors import UsageError
from litterm.model.llm import CostEstimate
from litterm.model.search import Query, Rewrite
from litterm.render import sent_data
from litterm.search.rewrites.rewrites import why_not_rewritten
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.command_line import Command
from litterm.tui.search.controller import SearchController

_ABOUT_EDITING = "One query a line, searched as you leave them; none ends rewriting in this project."
_OFF = "Queries are searched as typed in this project again."


class RewritingController(LlmRun):
    """Switches rewriting on in the project, after consent to the first call, and off; lets the user edit queries."""

    SENT_DATA = sent_data.REWRITES
    DRY_RUN_COMMAND = "litterm search --rewrite --dry-run"

    def __init__(self, context: WorkbenchContext, search: SearchController) -> None:
        super().__init__(context)
        self._search = search

    def action_open(self) -> None:
        """Edit the other queries of the results; where there are none, switch rewriting on or off."""
        if self._search.rewrite is not None:
            self._edit(self._search.rewrite)
        elif self._context.engine.annotations.is_rewriting:
            self._switch_off()
        elif (query := self._shown_query) is not None and (reason := why_not_rewritten(query)):
            self._context.tell(reason, warn=True)
        else:
            self.request_consent()

    def run_command(self, argument: str) -> None:
        """`:rewrite`, alone as the key, with `off`, or with queries of the user's own."""
        if argument.strip() == "off":
            self._switch_off()
        elif argument.strip():
            self._search_with(argument)
        else:
            self.action_open()

    def options(self) -> tuple[ConsentOption, ...]:
        return ()

    def switch(self, key: str) -> None:
        """Nothing can be switched."""

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        query, asking = self._shown_query, self._context.engine.rewriting
        if query is not None:
            self._context.work.start("estimate", "estimating", lambda: asking.estimate(query), on_estimate)

    def on_consent(self, consent: Consent) -> None:
        query, asking = self._shown_query, self._context.engine.rewriting
        if query is None:
            return
        if consent == "run":
            self._context.attempt(lambda: self._context.engine.annotations.set_rewriting(True))
            self._search.repeat_search(query.text)
            return
        self._context.work.start("estimate", "dry run", lambda: asking.preview(query), self.show_requests)

    @property
    def _shown_query(self) -> Query | None:
        return self._context.query.state.query

    def _edit(self, rewrite: Rewrite) -> None:
        before = "\n".join(rewrite.queries)
        dialog = TextDialog("other queries", before, self._context.glyphs, about=_ABOUT_EDITING, takes_empty=True)
        dialog.enter = "search"
        self._context.open(dialog, lambda text: self._on_edited(before, text))

    def _on_edited(self, before: str, text: str) -> None:
        if not text:
            self._switch_off()
        elif text != before:
            self._search_with(text)

    def _search_with(self, text: str) -> None:
        query = self._shown_query
        if query is None:
            return
        try:
            rewrite = self._context.engine.rewriting.read(text, query)
        except UsageError as error:
            self._context.tell(str(error), warn=True)
            return
        self._search.search_with(rewrite)

    def _switch_off(self) -> None:
        self._context.attempt(lambda: self._context.engine.annotations.set_rewriting(False))
        self._search.search_with(None)
        self._context.tell(_OFF)

    def command(self) -> Command:
        """The command `:rewrite`."""
        return Command("rewrite", "other queries, too: by a model, A || B, or off", self.run_command, "A || B")
