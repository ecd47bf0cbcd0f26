"""The workbench's collaborators, put together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from litterm.core.user_files import kept_words, write_file
from litterm.model.document import Document
from litterm.tui.annotations import AnnotationController
from litterm.tui.aspects.controller import AspectsController
from litterm.tui.aspects.edit import AspectEditing, as_aspects
from litterm.tui.aspects.llm_run import AspectsLlmRun
from litterm.tui.citation.controller import CitationController
from litterm.tui.citation.drafts import DraftController
from litterm.tui.command_line import Command, CommandLine
from litterm.tui.context import WorkbenchContext
from litterm.tui.evidence.controller import EvidenceController
from litterm.tui.evidence.llm_run import EvidenceLlmRun
from litterm.tui.evidence.options import EvidenceOptions
from litterm.tui.evidence.row_verdicts import RowVerdicts
from litterm.tui.explain import Explanations
from litterm.tui.export import ExportController
from litterm.tui.home.actions import HomeActions
from litterm.tui.home.background import Background
from litterm.tui.home.controller import HomeController
from litterm.tui.home.controllers import HomeControllers
from litterm.tui.kept_choices import keep
from litterm.tui.layout.pane_focus import PaneFocus
from litterm.tui.library.citation_counts import CountsController
from litterm.tui.library.controllers import connect
from litterm.tui.library.duplicates import DuplicatesController
from litterm.tui.library.first_papers import FirstPapersController
from litterm.tui.library.full_text import FullTextController
from litterm.tui.library.import_ import ImportController
from litterm.tui.library.online_search import OnlineSearch
from litterm.tui.library.references import ReferencesController
from litterm.tui.library.remove import RemoveController
from litterm.tui.library.sync import SyncController
from litterm.tui.matrix.cell_actions import CellActions
from litterm.tui.matrix.controller import MatrixController
from litterm.tui.matrix.llm_run import MatrixLlmRun
from litterm.tui.matrix.open import MatrixOpening
from litterm.tui.navigation import Navigation
from litterm.tui.options import Options
from litterm.tui.paper_notes import PaperNotesController
from litterm.tui.preview import PreviewController
from litterm.tui.projects import Switching
from litterm.tui.reader.controller import ReaderController
from litterm.tui.reader.find import FindController
from litterm.tui.reading_list.controller import ReadingListController
from litterm.tui.search.controller import SearchController
from litterm.tui.search.facets import FacetController
from litterm.tui.search.filters_sort import FiltersAndSort
from litterm.tui.search.rerank import RerankController, one_hop
from litterm.tui.search.saved_searches import SavedSearchController
from litterm.tui.session import SessionController
from litterm.tui.textual_compat import ActionTarget
from litterm.tui.tour.controller import TourController
from litterm.tui.widgets.find_bar import FindBar


@dataclass(frozen=True, slots=True)
class Controllers:
    """All controllers of one workbench; the field's name is what stands before the dot of an action."""

    panes: PaneFocus
    search: SearchController
    facets: FacetController
    filters: FiltersAndSort
    rerank: RerankController
    reader: ReaderController
    evidence: EvidenceController
    annotations: AnnotationController
    notes: PaperNotesController
    export: ExportController
    citation: CitationController
    find: FindController
    explanations: Explanations
    options: Options
    navigation: Navigation
    commands: CommandLine
    session: SessionController
    matrix: MatrixController
    matrices: MatrixOpening
    cells: CellActions
    evidence_llm: EvidenceLlmRun
    row_verdicts: RowVerdicts
    aspects: AspectsController
    aspect_editing: AspectEditing
    aspects_llm: AspectsLlmRun
    matrix_llm: MatrixLlmRun
    drafts: DraftController
    imports: ImportController
    full_texts: FullTextController
    references: ReferencesController
    online: OnlineSearch
    sync: SyncController
    counts: CountsController
    home: HomeController
    jobs: Background
    saved_searches: SavedSearchController
    projects: Switching
    removal: RemoveController
    duplicates: DuplicatesController
    first_papers: FirstPapersController
    reading_lists: ReadingListController
    preview: PreviewController
    tour: TourController

    @property
    def action_targets(self) -> dict[str, ActionTarget]:
        """What the keys may name: `search.again` is `action_again` of the field `search`."""
        parts = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: part for name, part in parts if isinstance(part, ActionTarget)}


def gather(
    stage: WorkbenchContext, bar: FindBar, act: Callable[[str], None], changed: Callable[[], None]
) -> Controllers:
    """The controllers of one workbench.

    `act` does what the key with this binding id does; `changed` says that the library has.
    """
    arranging, searching, finding = PaneFocus(stage), SearchController(stage), EvidenceController(stage)

    def opened(document: Document) -> None:
        """A paper is in the reader."""
        finding.opened(document)
        comparing.arrived(document)

    refining, reranking = FiltersAndSort(stage, searching), RerankController(stage, searching)
    reading = ReaderController(stage, opened)
    deciding = AnnotationController(stage, refining, reading, finding)
    citing, looking = CitationController(stage, searching, reading), FindController(stage, bar)
    network = connect(stage, searching, reading, deciding, changed)
    telling, copying = Explanations(stage, reading, deciding), ExportController(stage, reading, finding, deciding)
    matrixing, using, aspecting = MatrixController(stage), EvidenceOptions(finding), AspectsController(stage)
    surveying = MatrixOpening(stage, finding, matrixing)
    comparing = CellActions(stage, reading, finding, copying, matrixing)
    searching.arrived, telling.more = aspecting.arrived, aspecting.told_of
    commanding = CommandLine(stage, act, lambda rank: _go_to(stage, finding, rank))
    citing.copied, network.imports.cite, network.imports.search = copying.copied, citing.open, searching.asked
    commanding.learn(*_commands(stage, act, network.imports, matrixing), as_aspects(aspecting), one_hop(reranking.ways))
    remembering = SessionController(stage, searching, reading, finding, surveying)
    stage.queue.changed, stage.queue.resume = remembering.save, network.resume
    errands = HomeActions(stage, searching, reading, surveying, network)
    homing = HomeController(stage, remembering.save, errands)

    household = HomeControllers(
        homing, Background(stage, network.imports, errands, network.sync.action_all),
        SavedSearchController(stage, homing.refresh), Switching(stage, arranging, remembering, homing.project_changed),
        RemoveController(stage, deciding, changed), DuplicatesController(stage, reading.open_id, changed),
        FirstPapersController(stage, reading.open_id), ReadingListController(stage, reading.open_id),
    )  # fmt: skip
    errands.open_list = household.reading_lists.open_kept
    deciding.reverted = _each(comparing.refresh, household.removal.refresh, household.projects.refresh)
    tour = TourController(stage, household.projects.use, lambda: copying.count)
    household.projects.left, remembering.started = tour.project_changed, tour.resume
    commanding.learn(*network.commands(), *household.commands(), *_of_keys(act, copying), tour.command())
    return Controllers(
        arranging, searching, searching.facets, refining, reranking, reading, finding, deciding,
        PaperNotesController(stage, deciding), copying, citing, looking, telling,
        Options(stage, refining, reranking.ways, using, citing, network.online),
        Navigation(stage, arranging, reading, finding, looking, citing), commanding, remembering, matrixing, surveying,
        comparing, EvidenceLlmRun(stage, finding, using), RowVerdicts(stage, finding), aspecting,
        AspectEditing(stage, aspecting), AspectsLlmRun(stage, aspecting), MatrixLlmRun(stage, matrixing, using),
        DraftController(stage, reading.open_id, network.online.ask, commanding), *network, household.home,
        household.jobs, household.saved_searches, household.projects, household.removal, household.duplicates,
        household.first_papers, household.reading_lists, PreviewController(stage, reading), tour,
    )  # fmt: skip


def _each(*calls: Callable[[], None]) -> Callable[[], None]:
    def call_each() -> None:
        for call in calls:
            call()

    return call_each


def _go_to(stage: WorkbenchContext, finding: EvidenceController, rank: int) -> None:
    """`:12`: the row of the matrix, the sentence of that rank in reader and evidence, else the result."""
    if stage.focus == "matrix":
        stage.matrix.go(rank - 1)
    elif stage.focus in ("reader", "evidence") and stage.evidence.state.rows:
        finding.jump(rank - 1)
    else:
        stage.results.go(next((at for at, row in enumerate(stage.results.shown) if row.rank == rank), rank - 1))
        stage.focus_pane("results")


def _commands(
    stage: WorkbenchContext, act: Callable[[str], None], adding: ImportController, matrixing: MatrixController
) -> tuple[Command, ...]:
    """What `:` knows beside the keys."""
    return (
        Command("add", "import a file, folder or archive, or papers by id or address", adding.add, "PATH"),
        Command("open", "open a paper by its id", adding.pasted, "ID", lambda: _ids(stage)),
        Command(
            "theme",
            f"switch theme: {', '.join(_themes(stage))}",
            lambda name: _theme(stage, name),
            "NAME",
            lambda: _themes(stage),
        ),
        Command("screenshot", "save the screen as an SVG picture", lambda path: _picture(stage, path), "PATH"),
        Command("delete-matrix", "delete the matrix shown", lambda _: matrixing.remove()),
        Command("quit", "quit litterm", lambda _: act("all.quit")),
        Command("q", "quit litterm", lambda _: act("all.quit")),
    )


def _of_keys(act: Callable[[str], None], copying: ExportController) -> tuple[Command, ...]:
    """Commands for what keys do, by the names that people try first."""
    return (
        Command("help", "help of this pane", lambda _: act("all.help")),
        Command("set", "options of this pane", lambda _: act("all.options")),
        Command("home", "home and back", lambda _: act("all.home")),
        Command("note", "note on this paper", lambda _: act("all.note")),
        Command("tag", "tags of this paper, or of those selected", lambda _: act("all.tags")),
        Command("export", "export papers: this one, selection, list, project or all", lambda _: act("all.write")),
        Command("bib", "copy this paper, or those selected, as BibTeX", lambda _: copying.bibliography()),
    )


def _ids(stage: WorkbenchContext) -> list[str]:
    return [row.paper.id for row in stage.results.state.rows]


def _themes(stage: WorkbenchContext) -> list[str]:
    return sorted(stage.screen.app.available_themes)


def _theme(stage: WorkbenchContext, name: str) -> None:
    if name in stage.screen.app.available_themes:
        stage.screen.app.theme = name
        keep(stage, "theme", name)
    else:
        stage.tell(f"No theme {name!r}; there are {', '.join(_themes(stage))}.", warn=True)


def _picture(stage: WorkbenchContext, typed: str) -> None:
    """Write what the screen shows, once the command line is off it."""

    def save() -> None:
        path = Path(typed).expanduser()
        picture = stage.screen.app.export_screenshot(title="litterm").encode("utf-8", "replace")

        def wrote() -> None:
            kept = write_file(path, picture)
            stage.tell(f"Saved {path}.{kept_words(kept)}")

        stage.attempt(wrote)

    stage.screen.set_timer(0.1, save)
