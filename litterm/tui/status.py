"""Updates of the status line and the key line, from the library and the background tasks."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from textual import on

from litterm.core.errors import LibraryServerBusy, LibraryServerError, LittermError, TokenRefused
from litterm.model.library import LibraryStatus
from litterm.render.cost import spent_short
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.known_filters import known_filters
from litterm.tui.reader.table_layout import table_at
from litterm.tui.reader.view import PageView
from litterm.tui.search.results_pane import ResultsPane
from litterm.tui.widgets.status_line import KeyLine, StatusLine

_NO_NETWORK_USED = "no network used"
_SERVER_TROUBLES: tuple[tuple[type[LittermError], str], ...] = (
    (TokenRefused, "refuses the token"),
    (LibraryServerBusy, "is busy"),
    (LibraryServerError, "does not answer"),
)
"""Words of the status line by type of error, subclasses first."""


class StatusUpdates:
    """Updates the status line, and the number of failures in the key line."""

    def __init__(self, context: WorkbenchContext, line: StatusLine, keys: KeyLine) -> None:
        self._context = context
        self._line = line
        self._keys = keys

    def show_initial(self) -> None:
        """Show what is known before the library is open."""
        network = "offline (by setting)" if self._context.settings.offline else _NO_NETWORK_USED
        self._line.state = replace(self._line.state, network=self._with_server(network))

    def show_library(self, status: LibraryStatus, since: str) -> None:
        """Show the counts of the library as of `since`."""
        self._line.state = replace(self._line.state, library=status, failures=status.failures, since=since)
        # What was read in part is listed, but calls for nobody.
        self._keys.failures, self._context.library_sources = status.failures - status.in_part, status.by_source
        if not self._context.query.completions:
            # Before the first answer there are no venues and authors, but names and lists can be completed.
            self._context.query.completions = known_filters((), status.by_source, ())

    def show_server_trouble(self, error: LittermError | None) -> None:
        """Show why the server of the library cannot be asked, or with `None` that it answers again."""
        trouble = next((words for kind, words in _SERVER_TROUBLES if isinstance(error, kind)), "")
        self._line.state = replace(self._line.state, server_trouble=trouble)
        self.update()

    @on(PageView.Moved)
    def show_table_key(self) -> None:
        """Name the key that shows the table under the reader's cursor whole."""
        reader = self._context.reader
        self._keys.table = table_at(reader.state.document, reader.cursor) is not None

    @on(ResultsPane.RankerChanged)
    def update(self) -> None:
        """Show tasks, ranking, cost, network and project as they are now."""
        # It imports dialogs, which the first frame does not need.
        from litterm.tui.jobs.network_consent import network_words

        context = self._context
        spent, model = context.work.spent, context.settings.model.model
        self._line.state = replace(
            self._line.state,
            jobs=context.work.announced_jobs,
            ranked_by=context.results.state.by,
            model=f"{model} {spent_short(spent)}" if spent is not None else "",
            network=self._with_server(network_words(context.engine.services.network, offline=context.settings.offline)),
            project=context.project,
        )

    def _with_server(self, network: str) -> str:
        """Words on the network; a server that holds the library is always named."""
        settings = self._context.settings
        server = f"server {urlsplit(settings.server).netloc}"
        if trouble := self._line.state.server_trouble:
            return f"{server} {trouble}"
        if not settings.server or settings.offline:
            return network
        return server if network == _NO_NETWORK_USED else f"{server}, {network}"
