"""References and citations of a paper (`r`, `R`): from the library at once, then from services."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.annotations import UnfinishedJob
from litterm.model.citations.facts import SHIPPED_NAMES, SHIPPED_SOURCES
from litterm.model.citations.graph import Direction, Edge, ExternalList
from litterm.model.document import Document, Reference
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.model.services import FetchResult, service_name
from litterm.render.names import short_authors, venue_and_year
from litterm.render.services import outcome_sentence
from litterm.text.escape import plain
from litterm.text.references.identity import identity_key
from litterm.tui.dialogs.choose import ListChoice, ListDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.jobs.network_consent import recipient_words
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.fetch_context import FetchContext
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

LOCAL_GROUP, GROUP, KEEP_GROUP = "links", "listing", "keep"
_TITLES: dict[Direction, str] = {"references": "references", "citations": "cited by"}
_LIST_NAMES: dict[Direction, str] = {"references": "references", "citations": "what cites it"}
_SENT_DATA = "are sent its ids, and its title where they know none"
_ROW_HINTS = ("enter open, then b goes back", "+ add to the library", "esc leave")
_NO_ROW_HINTS = ("esc leave",)
MAX_YEARS = 40
"""Columns at most: those before them count as earlier papers."""
_MIN_YEARS = 3
"""Years with papers from which a picture says more than the list."""


@dataclass(frozen=True, slots=True)
class CitationLink:
    """One paper that is cited or cites."""

    text: str
    """As the list of references has it, or authors, year and title."""
    label: str = ""
    """Its number in the list."""
    year: int | None = None
    paper_id: PaperId | None = None
    """In the library; `None` if it is not there."""
    ids: tuple[PaperId, ...] = ()
    """By which it may be asked for."""
    by: str = ""
    """The service that told; empty where the library knows it."""
    contexts: tuple[str, ...] = ()
    """Sentences that cite."""
    state: str = ""
    """What is being done about it."""


@dataclass(frozen=True, slots=True)
class _KnownLinks:
    """The references or the citations of a paper that the library knows."""

    links: tuple[CitationLink, ...]
    known: bool
    """Whether its list of references is known at all."""
    by_shipped: int = 0
    """How many of `links` are known only by what ships."""


class ReferencesDialog(ListDialog[CitationLink]):
    """Lists what the library knows, then what services add if they may be asked; answers with the paper to open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(textual_key(BY_ID["results.add"].keys[0]), "keep", "add it to the library", id="links.keep")
    ]

    def __init__(self, parts: FetchContext, paper: Paper, direction: Direction) -> None:
        glyphs = parts.context.glyphs
        self._title = f"{_TITLES[direction]} {glyphs.dot} {paper.title}"
        super().__init__(self._title, _NO_ROW_HINTS[-1], glyphs)
        self._parts = parts
        self._workbench = parts.context
        self._paper, self._direction = paper, direction
        self._heading = ""
        """What is known and what is pending."""
        self.links: Sequence[CitationLink] = ()

    def on_mount(self) -> None:
        """Look the list up in the library."""
        context, paper, direction = self._workbench, self._paper, self._direction
        engine, reader = context.engine, self._parts.reader
        document = reader.document if reader.paper == paper else None
        context.work.start(
            LOCAL_GROUP,
            f"looking up {_LIST_NAMES[direction]}",
            lambda: _links_from_library(engine, paper, direction, document),
            self._show_known,
        )

    def _show_known(self, known: _KnownLinks) -> None:
        self._show(known.links, _source_words(known, self._direction, offline=self._workbench.settings.offline))
        self._ask_services()

    def _ask_services(self) -> None:
        """Ask services for more; what they list is marked, and kept for the citation graph."""
        context, paper, direction = self._workbench, self._paper, self._direction
        # Quiet: the library has answered already, and its heading says where services are not asked.
        if not self._parts.consent.request(
            recipient_words("s2"), "this paper's id", retry=self._ask_services, quiet=True
        ):
            return
        engine, before, ground = context.engine, self.links, self._heading
        self._show(before, f"{ground} Asking Semantic Scholar, OpenAlex{context.glyphs.ellipsis}".strip())

        def on_list(links: tuple[CitationLink, ...]) -> None:
            new_count = sum(link.paper_id is None for link in links)
            self._show(
                (*before, *links), f"{ground} Services add {len(links)}, {new_count} not in the library.".strip()
            )

        context.work.start(
            GROUP,
            f"asking for {_LIST_NAMES[direction]}",
            lambda: _links_from_services(engine, paper, direction, before),
            on_list,
            failed=lambda error: self._show(before, f"{ground} {error}".strip()),
        )

    def _show(self, links: Sequence[CitationLink], heading: str) -> None:
        """Replace the rows, keeping the cursor on its row; `heading` says what is known and what is pending."""
        self.links, self._heading = tuple(links), heading
        # What is stored for a list is stored also when the list has been left.
        if not self.is_attached:
            return
        cursor = self.choices.cursor
        # No count for an empty list: that nothing is known does not mean that there are none.
        count_text = f" {self.glyphs.dot} {len(links)}" if links else ""
        self.border_title = Content(plain(f"{self._title}{count_text}"))
        axis = year_axis((link.year for link in links), self.glyphs)
        self.message.update(Content(plain(f"{heading}\n{axis}".rstrip())))
        self.choices.show([self._row(link) for link in links])
        self.choices.go(min(cursor, max(0, len(links) - 1)))
        self.key_hints.show(_ROW_HINTS if links else _NO_ROW_HINTS)

    def _row(self, link: CitationLink) -> ListChoice:
        is_held = link.paper_id is not None
        location = link.state or ("in library" if is_held else f"online, {link.by}" if link.by else "")
        return ListChoice(link.text, location, key=link.label, below=link.contexts[:2], role="" if is_held else "muted")

    @property
    def current(self) -> CitationLink | None:
        """The row under the cursor."""
        return self.links[self.choices.cursor] if self.links else None

    def action_keep(self) -> None:
        """Add the work under the cursor to the library; the list stays."""
        if self.current is not None:
            self._keep(self.current)

    def _keep(self, link: CitationLink) -> None:
        context = self._workbench
        if link.paper_id is not None:
            context.tell("It is in the library: enter opens it.")
        elif not link.ids:
            self._show(self.links, "The list gives no id for this paper, so it cannot be looked up.")
        elif self._parts.consent.request("services of papers", _SENT_DATA, retry=partial(self._keep, link)):
            self._replace(link, replace(link, state="adding"))
            services, word = context.engine.services, link.ids[0]
            order = JobOrder(
                KEEP_GROUP,
                f"adding {word}",
                lambda: services.obtain((word,)),
                partial(self._on_stored, link),
                failed=self._on_failure,
                saved=UnfinishedJob("obtain", f"looking up {word}", (word,)),
            )
            context.queue.add(order)

    def _on_stored(self, link: CitationLink, results: tuple[FetchResult, ...]) -> JobReport:
        self._parts.fetch_log.record(results)
        adding = replace(link, state="adding")
        self._replace(adding, replace(link, paper_id=results[0].paper_id, state=""))
        if results[0].paper_id is None:
            self._workbench.tell(outcome_sentence(results[0]), warn=True)
        else:
            self._parts.changed()
        return JobReport(outcome_sentence(results[0]))

    def _on_failure(self, error: LittermError) -> None:
        self._show([replace(link, state="") for link in self.links], str(error))

    def _replace(self, before: CitationLink, replacement: CitationLink) -> None:
        self._show([replacement if link == before else link for link in self.links], self._heading)

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self._open()

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        if event.step < 0:
            self.dismiss(None)
        else:
            self._open()

    def _open(self) -> None:
        link = self.current
        if link is not None and link.paper_id is not None:
            self.dismiss(link)
        elif link is not None:
            self.message.update(Content("Not in the library: + adds it, then enter opens it."))


class ReferencesController(ActionTarget):
    """Opens the lists."""

    def __init__(self, parts: FetchContext) -> None:
        self._parts = parts

    def action_open(self, direction: Direction) -> None:
        """Open the list of the paper under the cursor, or of the open paper."""
        paper = self._parts.current_paper()
        if paper is not None:
            self._parts.context.open(ReferencesDialog(self._parts, paper, direction), self._on_link_chosen)

    def _on_link_chosen(self, link: CitationLink) -> None:
        if link.paper_id is not None:
            self._parts.reader.open_id(link.paper_id)


def _source_words(known_list: _KnownLinks, direction: Direction, *, offline: bool) -> str:
    held_count = sum(link.paper_id is not None for link in known_list.links)
    if direction == "references" and not known_list.known:
        sentence = "References unknown: no list in the library."
    elif not known_list.links:
        empty = "No references: its list is empty."
        sentence = empty if direction == "references" else "No paper of the library cites it."
    else:
        lacking = len(known_list.links) - held_count if known_list.by_shipped else 0
        sentence = f"{held_count} in the library{f', {lacking} not' if lacking else ''}."
        if known_list.by_shipped:
            which = "By" if known_list.by_shipped == len(known_list.links) else f"{known_list.by_shipped} by"
            sentence = f"{sentence} {which} {SHIPPED_NAMES}."
    return f"{sentence} Offline by choice: services are not asked." if offline else sentence


def _links_from_library(
    engine: Engine, paper: Paper, direction: Direction, document: Document | None
) -> Task[_KnownLinks]:
    """The references of the full text, matched with the library; without one, those of the citation graph."""
    yield Progress("looking up references")
    if direction == "references" and document is not None and document.references:
        resolved = yield from engine.link_references(document)
        return _KnownLinks(tuple(_link_to_reference(reference) for reference in resolved.references), known=True)
    graph = yield from engine.citations.update()
    edges: Sequence[Edge]
    (edges,) = graph.references([paper.id]) if direction == "references" else graph.citations([paper.id])
    ends = dict.fromkeys(edge.cited if direction == "references" else edge.citing for edge in edges)
    links = [_link_to_paper(cited) for cited in engine.papers_by_key(tuple(ends))]
    unheld = yield from engine.citations.unheld_works(paper, direction)
    links += [_link_to_reference(work.reference) for work in unheld]
    by_shipped = sum(edge.source in SHIPPED_SOURCES for edge in edges) + len(unheld)
    has_list = document is not None and document.references_known
    return _KnownLinks(
        tuple(links), known=has_list or bool(links) or graph.has_references([paper.id])[0], by_shipped=by_shipped
    )


def _links_from_services(
    engine: Engine, paper: Paper, direction: Direction, before: Sequence[CitationLink]
) -> Task[tuple[CitationLink, ...]]:
    """What services list beyond `before`; kept for the citation graph."""
    external_list: ExternalList = yield from engine.services.fetch_list(paper, direction)
    engine.citations.store_list(external_list)
    held_ids: set[PaperId] = {earlier.paper_id for earlier in before if earlier.paper_id}
    ids = {paper_id for link in before for paper_id in link.ids}
    # Services may know a work by other ids or by none; then its title within a line of the list tells.
    texts = [identity_key(link.text) for link in before]
    links: list[CitationLink] = []
    for work in external_list.works:
        reference = work.reference
        held_id = next((ids[0] for ids in engine.services.held_papers(reference.ids) if ids), None)
        title = identity_key(reference.title)
        if held_id in held_ids or not ids.isdisjoint(reference.ids) or any(title and title in text for text in texts):
            continue
        links.append(
            replace(
                _link_to_reference(replace(reference, target=held_id)),
                label="",
                by=service_name(external_list.source),
                contexts=work.contexts,
            )
        )
    return tuple(links)


def _link_to_reference(reference: Reference) -> CitationLink:
    names = ", ".join(reference.families[:3]) + (" et al." if len(reference.families) > 3 else "")
    # Of some works only an id is known.
    parts = (names, str(reference.year or ""), reference.title or (reference.ids[0] if reference.ids else ""))
    text = reference.text or " · ".join(part for part in parts if part)
    return CitationLink(text, reference.label, reference.year, reference.target, reference.ids)


def _link_to_paper(paper: Paper) -> CitationLink:
    parts = (short_authors(paper), venue_and_year(paper), paper.title)
    return CitationLink(" · ".join(part for part in parts if part), year=paper.year, paper_id=paper.id)


def year_axis(years: Iterable[int | None], glyphs: Glyphs) -> str:
    """`2017 ▂▃ █▅ 2021`: papers by year, the fullest year as the highest column; empty for fewer than three years.

    Years before the last `MAX_YEARS` are counted in words.
    """
    counts = Counter(year for year in years if year is not None)
    if len(counts) < _MIN_YEARS:
        return ""
    last = max(counts)
    first = max(min(counts), last - MAX_YEARS + 1)
    shown = [counts[year] for year in range(first, last + 1)]
    highest = max(shown)
    columns = "".join(
        # Rounded up, so that a year with one paper differs from one without.
        glyphs.levels[-(-count * len(glyphs.levels) // highest) - 1] if count else " "
        for count in shown
    )
    earlier = sum(count for year, count in counts.items() if year < first)
    return f"{first} {columns} {last}" + (f" ({earlier:,} earlier)" if earlier else "")
