"""The workbench's collaborators, put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from litterm.files import kept_words, write_file
from litterm.model.document import Document
from litterm.tui.adding import Adding
from litterm.tui.arranging import Arranging
from litterm.tui.aspect_editing import Editing, as_aspects
from litterm.tui.aspecting import Aspecting
from litterm.tui.citing import Citing
from litterm.tui.commanding import Command, Commanding
from litterm.tui.comparing import Comparing
from litterm.tui.copying import Copying
from litterm.tui.deciding import Deciding
from litterm.tui.drafting import Drafting
from litterm.tui.fetching import Fetching
from litterm.tui.findbar import FindBar
from litterm.tui.finding import Finding
from litterm.tui.grading import Grading
from litterm.tui.home.background import Background
from litterm.tui.home.errands import Errands
from litterm.tui.homing import Homing
from litterm.tui.household import Household
from litterm.tui.judging import Judging
from litterm.tui.linking import Linking
from litterm.tui.looking import Looking
from litterm.tui.matrixing import Matrixing
from litterm.tui.network import connect
from litterm.tui.noting import Noting
from litterm.tui.online import Online
from litterm.tui.options import Options
from litterm.tui.pairing import Pairing
from litterm.tui.polling import Polling
from litterm.tui.projects import Switching
from litterm.tui.prospecting import Prospecting
from litterm.tui.reading import Reading
from litterm.tui.reading_list.controller import ReadingListController
from litterm.tui.refining import Refining
from litterm.tui.remembering import Remembering
from litterm.tui.removing import Removing
from litterm.tui.reranking import Reranking, one_hop
from litterm.tui.searching import Searching
from litterm.tui.stage import Stage
from litterm.tui.stepping import Stepping
from litterm.tui.surveying import Surveying
from litterm.tui.syncing import Syncing
from litterm.tui.telling import Telling
from litterm.tui.tracing import Tracing
from litterm.tui.using import Using
from litterm.tui.watches import Watches


@dataclass(frozen=True, slots=True)
class Crew:
    """One of each; every one knows the stage, and those it needs."""

    arranging: Arranging
    searching: Searching
    refining: Refining
    reranking: Reranking
    reading: Reading
    finding: Finding
    deciding: Deciding
    noting: Noting
    copying: Copying
    citing: Citing
    looking: Looking
    telling: Telling
    options: Options
    stepping: Stepping
    commanding: Commanding
    remembering: Remembering
    matrixing: Matrixing
    surveying: Surveying
    comparing: Comparing
    judging: Judging
    prospecting: Prospecting
    aspecting: Aspecting
    editing: Editing
    grading: Grading
    polling: Polling
    drafting: Drafting
    adding: Adding
    fetching: Fetching
    linking: Linking
    online: Online
    syncing: Syncing
    homing: Homing
    background: Background
    watches: Watches
    switching: Switching
    removing: Removing
    pairing: Pairing
    tracing: Tracing
    reading_lists: ReadingListController


def gather(stage: Stage, bar: FindBar, act: Callable[[str], None], changed: Callable[[], None]) -> Crew:
    """The crew of one workbench. `act` runs a key's action; `changed` says that the library has."""
    arranging, searching, finding = Arranging(stage), Searching(stage), Finding(stage)

    def opened(document: Document) -> None:
        """A paper is in the reader."""
        finding.opened(document)
        comparing.arrived(document)

    refining, reranking, reading = Refining(stage, searching), Reranking(stage, searching), Reading(stage, opened)
    deciding = Deciding(stage, refining, reading, finding)
    citing, looking = Citing(stage, searching, reading), Looking(stage, bar)
    network = connect(stage, searching, reading, deciding, changed)
    telling, copying = Telling(stage, reading, deciding), Copying(stage, reading, finding, deciding)
    matrixing, using, aspecting = Matrixing(stage), Using(finding), Aspecting(stage)
    surveying = Surveying(stage, finding, matrixing)
    comparing = Comparing(stage, reading, finding, copying, matrixing)
    searching.arrived, telling.more = aspecting.arrived, aspecting.told_of
    commanding = Commanding(stage, act, lambda rank: _go_to(stage, finding, rank))
    citing.copied, network.adding.cite, network.adding.search = copying.copied, citing.open, searching.asked
    commanding.learn(*_commands(stage, act, network.adding, matrixing), as_aspects(aspecting), one_hop(reranking.ways))
    remembering = Remembering(stage, searching, reading, finding, surveying)
    stage.queue.changed, stage.queue.resume = remembering.save, network.resume
    errands = Errands(stage, searching, reading, surveying, network)
    homing = Homing(stage, remembering.save, errands)

    def changed_project() -> None:
        stage.work.tell()
        homing.refresh()

    household = Household(
        homing,
        Background(stage, network.adding, errands, network.syncing.all),
        Watches(stage, homing.refresh),
        Switching(stage, arranging, remembering, changed_project),
        Removing(stage, deciding, changed),
        Pairing(stage, reading.open_id, changed),
        Tracing(stage, reading.open_id),
        ReadingListController(stage, reading.open_id),
    )
    commanding.learn(*network.commands(), *household.commands())
    return Crew(
        arranging, searching, refining, reranking, reading, finding, deciding, Noting(stage, deciding), copying, citing,
        looking, telling, Options(stage, refining, reranking.ways, using, citing, network.online),
        Stepping(stage, arranging, reading, finding, looking, citing), commanding, remembering, matrixing, surveying,
        comparing, Judging(stage, finding, using), Prospecting(stage, finding), aspecting, Editing(stage, aspecting),
        Grading(stage, aspecting), Polling(stage, matrixing, using),
        Drafting(stage, reading.open_id, network.online.ask, commanding), *network,
        household.homing, household.background, household.watches, household.switching, household.removing,
        household.pairing, household.tracing, household.reading_lists,
    )  # fmt: skip


def _go_to(stage: Stage, finding: Finding, rank: int) -> None:
    """`:12`: the row of the matrix, the sentence of that rank in reader and evidence, else the result."""
    if stage.focus == "matrix":
        stage.matrix.go(rank - 1)
    elif stage.focus in ("reader", "evidence") and stage.evidence.state.rows:
        finding.jump(rank - 1)
    else:
        stage.results.go(next((at for at, row in enumerate(stage.results.shown) if row.rank == rank), rank - 1))
        stage.focus_pane("results")


def _commands(stage: Stage, act: Callable[[str], None], adding: Adding, matrixing: Matrixing) -> tuple[Command, ...]:
    """What `:` knows beside the keys."""
    return (
        Command("add", "import a file, folder or archive, or papers by id or address", adding.add, "PATH"),
        Command("open", "open a paper by its id", adding.pasted, "ID", lambda: _ids(stage)),
        Command(
            "theme",
            f"another look: {', '.join(_themes(stage))}",
            lambda name: _theme(stage, name),
            "NAME",
            lambda: _themes(stage),
        ),
        Command("screenshot", "save the screen as an SVG picture", lambda path: _picture(stage, path), "PATH"),
        Command("delete-matrix", "delete the matrix shown", lambda _: matrixing.remove()),
        Command("quit", "quit litterm", lambda _: act("app.quit")),
        Command("q", "quit litterm", lambda _: act("app.quit")),
    )


def _ids(stage: Stage) -> list[str]:
    return [row.paper.id for row in stage.results.state.rows]


def _themes(stage: Stage) -> list[str]:
    return sorted(stage.screen.app.available_themes)


def _theme(stage: Stage, name: str) -> None:
    if name in stage.screen.app.available_themes:
        stage.screen.app.theme = name
    else:
        stage.tell(f"No theme {name!r}; there are {', '.join(_themes(stage))}.", warn=True)


def _picture(stage: Stage, typed: str) -> None:
    """Write what the screen shows, once the command line is off it."""

    def save() -> None:
        path = Path(typed).expanduser()
        picture = stage.screen.app.export_screenshot(title="litterm").encode("utf-8", "replace")

        def wrote() -> None:
            kept = write_file(path, picture)
            stage.tell(f"Saved {path}.{kept_words(kept)}")

        stage.attempt(wrote)

    stage.screen.set_timer(0.1, save)
