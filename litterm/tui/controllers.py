"""The controllers of the workbench, built one from the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path

from litterm.core.user_files import backup_sentence, write_file
from litterm.tui.annotations.collections import CollectionController
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.annotations.paper_notes import PaperNotesController
from litterm.tui.annotations.projects import ProjectSwitch
from litterm.tui.annotations.undo_list import undo_command
from litterm.tui.answers.controller import AnswerController
from litterm.tui.aspects.controller import AspectsController
from litterm.tui.aspects.edit import AspectEditing, toggle_aspects
from litterm.tui.aspects.llm_run import AspectsLlmRun
from litterm.tui.aspects.own_grades import OwnGrades
from litterm.tui.attribution.controller import CitationController
from litterm.tui.attribution.drafts import DraftController
from litterm.tui.citations.citation_counts import CountsController
from litterm.tui.citations.first_papers import FirstPapersController
from litterm.tui.citations.references import ReferencesController
from litterm.tui.columns.controller import ColumnsController
from litterm.tui.context import WorkbenchContext
from litterm.tui.evidence.citing_sentence import CitingHypothesis
from litterm.tui.evidence.llm_run import EvidenceLlmRun
from litterm.tui.evidence.pane import EvidencePane
from litterm.tui.evidence.study import StudyEditing
from litterm.tui.explain import Explanations
from litterm.tui.home.actions import HomeActions, WritingControllers
from litterm.tui.home.controller import HomeController
from litterm.tui.home.jobs import JobListController
from litterm.tui.input.command_line import Command, CommandLine
from litterm.tui.layout.pane_focus import PaneFocus
from litterm.tui.library.controllers import build_library_controllers
from litterm.tui.library.duplicates import DuplicatesController
from litterm.tui.library.encoder import EncoderController
from litterm.tui.library.export import ExportController
from litterm.tui.library.full_text import FullTextController
from litterm.tui.library.import_ import ImportController
from litterm.tui.library.online_search import OnlineSearch
from litterm.tui.library.open_outside import OutsideController
from litterm.tui.library.remove import RemoveController
from litterm.tui.library.revision import RevisionController
from litterm.tui.library.sync import SyncController
from litterm.tui.matrix.cell_actions import CellActions
from litterm.tui.matrix.controller import MatrixController
from litterm.tui.matrix.llm_run import MatrixLlmRun
from litterm.tui.matrix.open import MatrixOpening
from litterm.tui.navigation import Navigation
from litterm.tui.reader.controller import ReaderController
from litterm.tui.reader.find import FindBar
from litterm.tui.reader.preview import PreviewController
from litterm.tui.reading_lists.controller import ReadingListController
from litterm.tui.search.author_papers import AuthorPapers
from litterm.tui.search.controller import SearchController
from litterm.tui.search.rerank import RerankController, one_hop_command
from litterm.tui.search.rewrites import RewritingController
from litterm.tui.search.saved_searches import SavedSearchController
from litterm.tui.session import SessionController
from litterm.tui.settings.options import OptionsController
from litterm.tui.tour.controller import TourController


@dataclass(frozen=True, slots=True)
class Controllers:
    """All parts of one workbench that actions name: a field's name is what is before the dot of an action."""

    panes: PaneFocus
    search: SearchController
    rerank: RerankController
    rewriting: RewritingController
    reader: ReaderController
    evidence: EvidencePane
    annotations: AnnotationController
    notes: PaperNotesController
    authors: AuthorPapers
    export: ExportController
    attribution: CitationController
    find: FindBar
    explanations: Explanations
    options: OptionsController
    navigation: Navigation
    commands: CommandLine
    session: SessionController
    matrix: MatrixController
    matrices: MatrixOpening
    cells: CellActions
    evidence_llm: EvidenceLlmRun
    aspects: AspectsController
    aspect_editing: AspectEditing
    aspects_llm: AspectsLlmRun
    aspect_grading: OwnGrades
    matrix_llm: MatrixLlmRun
    drafts: DraftController
    imports: ImportController
    full_texts: FullTextController
    references: ReferencesController
    online: OnlineSearch
    sync: SyncController
    encoder: EncoderController
    counts: CountsController
    outside: OutsideController
    home: HomeController
    jobs: JobListController
    saved_searches: SavedSearchController
    projects: ProjectSwitch
    removal: RemoveController
    duplicates: DuplicatesController
    revision: RevisionController
    first_papers: FirstPapersController
    reading_lists: ReadingListController
    preview: PreviewController
    tour: TourController
    hypotheses: CitingHypothesis
    answers: AnswerController
    columns: ColumnsController

    @property
    def all(self) -> tuple[object, ...]:
        """Every part, in the order of the fields: a message that several handle reaches them in it."""
        return tuple(getattr(self, field.name) for field in fields(self))


def build_controllers(
    context: WorkbenchContext, bar: FindBar, act: Callable[[str], None], changed: Callable[[], None]
) -> Controllers:
    """Build the controllers of one workbench.

    `act` does what the key with this binding id does; `changed` is called when the library has changed.
    """
    # Each takes those built before it; what would go the other way listens to them.
    panes, aspects = PaneFocus(context), AspectsController(context)
    reader, matrix = ReaderController(context), MatrixController(context)
    search, annotations = SearchController(context, aspects), AnnotationController(context, reader)
    rerank, export = RerankController(context, search), ExportController(context, reader, annotations)
    rewriting, attribution = RewritingController(context, search), CitationController(context, reader, export)
    network = build_library_controllers(context, search, reader, annotations, attribution, changed)
    matrices, cells = MatrixOpening(context, matrix), CellActions(context, reader, export, matrix, annotations)
    commands = CommandLine(context, act, lambda rank: _go_to_rank(context, rank))
    commands.register(*_commands(context, act, network.imports, matrix, reader.go_to_page), *_key_commands(act, export))
    commands.register(toggle_aspects(aspects), one_hop_command(rerank.choices), undo_command(context, annotations))
    drafts = DraftController(context, reader, network.online, commands)
    session, lists = SessionController(context, search, reader, matrices), ReadingListController(context, reader)
    notes, revision = (
        PaperNotesController(context, annotations),
        RevisionController(context, annotations, reader, changed),
    )
    writing = WritingControllers(notes, revision, drafts)
    home_actions = HomeActions(context, search, reader, matrices, network, lists, writing)
    home = HomeController(context, session, home_actions)
    jobs = JobListController(context, network.imports, home_actions, network.sync)
    saved_searches = SavedSearchController(context, home)
    removal = RemoveController(context, annotations, changed)
    projects = ProjectSwitch(context, panes, session, annotations, home)
    duplicates = DuplicatesController(context, reader, changed)
    first_papers, tour = FirstPapersController(context, reader), TourController(context, projects, session, export)
    commands.register(*network.commands(), *projects.commands(), *first_papers.commands(), *duplicates.commands())
    commands.register(*lists.commands(), saved_searches.command(), removal.command(), tour.command())
    commands.register(*drafts.commands(), *revision.commands(), *CollectionController(context, annotations).commands())
    hypotheses, grading = CitingHypothesis(context, reader), OwnGrades(context, aspects)
    commands.register(rewriting.command(), *StudyEditing(context).commands(), hypotheses.command(), grading.command())
    answers, columns = AnswerController(context, reader, export), ColumnsController(context, reader, export)
    commands.register(*answers.commands(), columns.command())
    return Controllers(
        panes, search, rerank, rewriting, reader, context.evidence, annotations,
        notes, AuthorPapers(context, annotations, search), export,
        attribution, bar, Explanations(context, reader, annotations, aspects, export),
        OptionsController(context, rerank.choices, attribution.candidates, network.online),
        Navigation(context, panes, reader, bar, attribution.candidates, cells, drafts), commands, session,
        matrix, matrices, cells, EvidenceLlmRun(context), aspects,
        AspectEditing(context, aspects), AspectsLlmRun(context, aspects, search.search_with), grading,
        MatrixLlmRun(context, matrix), drafts, *network, home, jobs, saved_searches, projects, removal, duplicates,
        revision, first_papers, lists, PreviewController(context, reader), tour, hypotheses, answers, columns,
    )  # fmt: skip


def _go_to_rank(context: WorkbenchContext, rank: int) -> None:
    """`:12`: the row of the matrix, the sentence of that rank in reader and evidence, else the result."""
    if context.focus == "matrix":
        context.matrix.go(rank - 1)
    elif context.focus in ("reader", "evidence") and context.evidence.state.rows:
        context.evidence.select_row(rank - 1)
    else:
        context.results.go(
            next((index for index, row in enumerate(context.results.shown) if row.rank == rank), rank - 1)
        )
        context.focus_pane("results")


def _commands(
    context: WorkbenchContext,
    act: Callable[[str], None],
    imports: ImportController,
    matrix: MatrixController,
    go_to_page: Callable[[str], None],
) -> tuple[Command, ...]:
    """Commands of the command line that no key has."""
    return (
        Command("add", "import a file, folder or archive, or papers by id or address", imports.add, "PATH"),
        Command("open", "open a paper by its id or key", imports.open_named, "ID", lambda: _result_ids(context)),
        Command(
            "theme",
            f"switch theme: {', '.join(_theme_names(context))}",
            lambda name: _set_theme(context, name),
            "NAME",
            lambda: _theme_names(context),
        ),
        Command(
            "screenshot", "save the screen as an SVG picture", lambda path: _save_screenshot(context, path), "PATH"
        ),
        Command("page", "go to a page of the paper", go_to_page, "NUMBER"),
        Command("delete-matrix", "delete the matrix shown", lambda _: matrix.remove()),
        Command("quit", "quit litterm", lambda _: act("all.quit")),
        Command("q", "quit litterm", lambda _: act("all.quit")),
        Command("wq", "quit litterm; all that you decided and wrote is saved", lambda _: act("all.quit")),
    )


def _key_commands(act: Callable[[str], None], export: ExportController) -> tuple[Command, ...]:
    """Commands for what keys do as well, by the names that people try first."""
    return (
        Command("help", "help for this pane", lambda _: act("all.help")),
        Command("set", "options for this pane", lambda _: act("all.options")),
        Command("home", "home and back", lambda _: act("all.home")),
        Command("note", "note on this paper", lambda _: act("all.note")),
        Command("tag", "tags of this paper, or of those selected", lambda _: act("all.tags")),
        Command("export", "export papers: this one, selection, list, project or all", lambda _: act("all.write")),
        Command("bib", "copy this paper, or those selected, as BibTeX", lambda _: export.copy_bibtex()),
        Command(
            "copy",
            "copy this paper, or those selected, as references in a CSL style",
            export.copy_references,
            "STYLE",
            export.style_names,
        ),
        Command("citep", "copy \\citep{} of this paper, or of those selected", lambda _: export.copy_citation()),
    )


def _result_ids(context: WorkbenchContext) -> list[str]:
    return [row.paper.id for row in context.results.state.rows]


def _theme_names(context: WorkbenchContext) -> list[str]:
    return sorted(context.screen.app.available_themes)


def _set_theme(context: WorkbenchContext, name: str) -> None:
    if name in context.screen.app.available_themes:
        context.screen.app.theme = name
        context.save_setting("theme", name)
    else:
        context.tell(f"No theme {name!r}; there are {', '.join(_theme_names(context))}.", warn=True)


def _save_screenshot(context: WorkbenchContext, typed: str) -> None:
    """Write what the screen shows, once the command line is off it."""

    def save() -> None:
        path = Path(typed).expanduser()
        # A title may hold half of a surrogate pair, for which UTF-8 has no bytes.
        picture = context.screen.app.export_screenshot(title="litterm").encode("utf-8", "replace")

        def write_picture() -> None:
            backup = write_file(path, picture)
            context.tell(f"Saved {path}.{backup_sentence(backup)}")

        context.attempt(write_picture)

    # The command line closes first, or it would be in the picture.
    context.screen.set_timer(0.1, save)
