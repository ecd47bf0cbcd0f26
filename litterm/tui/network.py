"""Those of the workbench's collaborators that use the network, put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from litterm.model.desk import UnfinishedJob
from litterm.tui.adding import Adding
from litterm.tui.bringing import Bringing, Ledger
from litterm.tui.commanding import Command
from litterm.tui.deciding import Deciding
from litterm.tui.fetching import Fetching
from litterm.tui.leaving import Leaving
from litterm.tui.linking import Linking
from litterm.tui.online import Online
from litterm.tui.reading import Reading
from litterm.tui.searching import Searching
from litterm.tui.stage import Stage
from litterm.tui.syncing import Syncing


class Network(NamedTuple):
    """One of each."""

    adding: Adding
    fetching: Fetching
    linking: Linking
    online: Online
    syncing: Syncing

    def resume(self, job: UnfinishedJob) -> None:
        """Ask once more for what an earlier start left unfinished."""
        if job.lane == "fetch":
            self.fetching.resume(job)
        elif job.lane == "sync":
            self.syncing.resume(job)
        else:
            self.adding.resume(job)

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of them."""
        return self.online.commands(), *self.syncing.commands()


def connect(
    stage: Stage, searching: Searching, reading: Reading, deciding: Deciding, changed: Callable[[], None]
) -> Network:
    """They share what was said about the network, and what came of each id; `changed` says that the library has."""
    leaving, ledger = Leaving(stage), Ledger()
    online, adding = Online(stage, searching, leaving, changed), Adding(stage, leaving, ledger, changed)
    adding.show = reading.open_id
    parts = Bringing(stage, reading, deciding, leaving, ledger, changed)
    return Network(adding, Fetching(parts), Linking(parts), online, Syncing(stage, leaving, changed))
