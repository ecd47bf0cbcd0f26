"""Asks a model to split the query into aspects, or to grade papers by them, after a cost estimate."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from litterm.model.aspects import AspectQuery, AspectScores
from litterm.model.events import Event, Notice, PaperGraded
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper
from litterm.model.search import Rewrite
from litterm.render import sent_data
from litterm.search.rewrites.queries import check_queries
from litterm.tui.aspects.controller import NO_ASPECTS, AspectsController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun

GROUP = "grade"
PAPER_COUNTS = (10, 20, 50, 200)


class AspectsLlmRun(LlmRun):
    """Asks the model to split the query or to grade the papers, after consent to the estimated cost."""

    SENT_DATA = sent_data.ASPECTS
    DRY_RUN_COMMAND = "litterm search --grade --dry-run"

    def __init__(
        self, context: WorkbenchContext, aspects: AspectsController, search: Callable[[Rewrite | None], None]
    ) -> None:
        """`search` searches for the same query again, with other queries."""
        super().__init__(context)
        self._aspects = aspects
        self._search = search
        self._split = False
        self._count = 20

    def action_open(self) -> None:
        """Estimate what asking would cost, and ask for consent."""
        if not self._aspects.state.shown:
            self._context.tell(NO_ASPECTS)
            return
        self.request_consent()

    def action_retry(self) -> None:
        """Ask again about aspects without a readable grade."""
        if self._aspects.state.scores.graded_by:
            self._grade()
        else:
            self.action_open()

    @property
    def _papers(self) -> tuple[Paper, ...]:
        return self._aspects.papers(self._count)

    def options(self) -> tuple[ConsentOption, ...]:
        purpose = "aspects: let the model split the query" if self._split else "grades: how far each paper meets each"
        max_grades = self._context.engine.aspects.max_grades(self._aspects.state.query, self._papers)
        extent = f"the first {len(self._papers)} as shown, at most {max_grades:,} grades"
        count = () if self._split else (ConsentOption("n", "papers", extent),)
        return (ConsentOption("s", "ask for", purpose), *count)

    def switch(self, key: str) -> None:
        if key == "s":
            self._split = not self._split
        else:
            self._count = PAPER_COUNTS[(PAPER_COUNTS.index(self._count) + 1) % len(PAPER_COUNTS)]

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        aspects, state, papers = self._context.engine.aspects, self._aspects.state, self._papers
        text, query = state.text, state.query
        task = (lambda: aspects.estimate_split(text)) if self._split else (lambda: aspects.estimate(query, papers))
        self._context.work.start("estimate", "estimating", task, on_estimate)

    def on_consent(self, consent: Consent) -> None:
        if consent == "dry-run":
            self._show_requests()
        elif self._split:
            text, aspects = self._aspects.state.text, self._context.engine.aspects
            self._context.work.start(
                GROUP, "splitting the query", lambda: aspects.decompose(text), self._on_split, on_event=self._on_event
            )
        else:
            self._grade()

    def _show_requests(self) -> None:
        aspects, state, papers = self._context.engine.aspects, self._aspects.state, self._papers
        text, query = state.text, state.query
        task = (lambda: aspects.preview_split(text)) if self._split else (lambda: aspects.preview(query, papers))
        self._context.work.start("estimate", "dry run", task, self.show_requests)

    def _grade(self) -> None:
        aspects, state, papers = self._context.engine.aspects, self._aspects.state, self._papers
        query, scores = state.query, state.scores
        self._context.work.start(
            GROUP,
            "grading aspects",
            lambda: aspects.grade(query, papers, scores),
            self._on_scores,
            on_event=self._on_event,
        )

    def _on_split(self, query: AspectQuery) -> None:
        self._aspects.set_query(query)
        # Each aspect of a model is searched by itself, too: it words them differently.
        if query.is_by_model and (texts := check_queries(query.texts, self._aspects.state.text)):
            self._search(Rewrite(texts, query.by))
        self._context.focus_pane("aspects")

    def _on_event(self, event: Event) -> None:
        match event:
            case PaperGraded(paper_id=paper_id, cells=cells):
                graded = MappingProxyType({(text, paper_id): cell for text, cell in cells})
                model_name = self._context.settings.model.model or "the model"
                # Rows that jump while one reads them help nobody: they move when all grades are there.
                self._aspects.add_scores(AspectScores(graded, graded_by=model_name), arrange=False)
            case Notice(text=text) if text:
                self._context.notify_once(text)
            case _:
                pass

    def _on_scores(self, scores: AspectScores) -> None:
        self._aspects.add_scores(scores)
        for notice in scores.notices:
            self._context.tell(notice, warn=True)
        if not scores.notices:
            self._context.tell("Graded. S sorts by aspects.")
