"""A reading list by a language model: it reasons, then names candidates by number; the offline list stands under it.

Only papers of the library come in. A title the model names beside the candidates is looked up there, and left out where
it is not found: about a third of the titles that models write down freely do not exist (ACL-rlg).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.core.errors import ModelError
from litterm.model.events import Progress
from litterm.model.llm import ModelRequest, Question, ReplyForm
from litterm.model.reading_list import LONGEST, ListEntry, ListRequest, ListSection, ReadingList
from litterm.reading_lists.builder import ListBuilder, RankedCandidates, chosen
from litterm.text.json_shapes import LineShape, ListField, OptionalField, Record, WholeNumber
from litterm.text.plural import counted
from litterm.text.prompts import Data, listed, prompt

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import ChatModel
    from litterm.model.llm import CostEstimate
    from litterm.model.paper import Paper, PaperId

SHOWN, SHOWN_HERE = 100, 40
"""Candidates a model is shown; one on this machine fewer."""
_WORDS = 60
_LONGEST_TOPIC = 2_000
_REPLY_TOKENS = 4_095
_LONGEST_WHY, _LONGEST_HEADING, _LONGEST_TITLE = 200, 60, 300

_SOUGHT = 10
"""Titles that services are asked for, at most."""

Sought = Callable[[str, "int | None"], "Task[Paper | None]"]
"""A title and the last year to the paper of a service, which is in the library then; `None`: nobody has it."""
Titled = Callable[[Sequence[str]], Sequence[Sequence["Paper"]]]
"""Titles to the papers of the library that bear them."""


@dataclass(frozen=True, slots=True)
class PickedCandidate:
    """A candidate a model named."""

    number: int
    section: str
    why: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What a model said."""

    reason: str
    papers: tuple[PickedCandidate, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Outside:
    """What became of titles that stand beside the candidates."""

    found: tuple[tuple[Paper, str], ...] = ()
    """Each with where it was found, in words."""
    lost: int = 0
    """Titles that lead to no paper, or to one that may not be in the list."""


@dataclass(frozen=True, slots=True)
class ModelListBuilder:
    """Makes lists with a language model, upon the candidates and the list of `offline`."""

    offline: ListBuilder
    model: ChatModel
    titled: Titled
    sought: Sought | None = None
    """`None`: no service may be asked for a title."""

    def build(self, request: ListRequest) -> Task[ReadingList]:
        """The list of a request; the offline one, with a notice, where the model fails.

        Raises:
            UsageError: the topic has no word to search for.
        """
        ranked = yield from self.offline.rank(request)
        plain = self.offline.arranged(request, ranked, *chosen(ranked, request))
        places = self._shown(ranked, request)
        if not places:
            return plain
        yield Progress(f"{self.model.name} chooses among {len(places)} papers")
        try:
            answer = yield from self.model.answer(self._question(request, ranked, places))
        except ModelError as error:
            told = f"The model could not be asked, so this is the list without one: {error}"
            return replace(plain, notices=(*plain.notices, told))
        outside = yield from self._outside(request, answer.value.missing)
        return self._arranged(request, ranked, places, answer.value, outside)

    def estimate(self, request: ListRequest) -> Task[CostEstimate]:
        """What asking would cost at most; sends nothing.

        Raises:
            UsageError: the topic has no word to search for.
        """
        ranked = yield from self.offline.rank(request)
        return self.model.estimate([self._question(request, ranked, self._shown(ranked, request))])

    def _shown(self, ranked: RankedCandidates, request: ListRequest) -> list[int]:
        most = SHOWN_HERE if self.model.local else SHOWN
        best = np.argsort(-ranked.points, kind="stable").tolist()
        pinned = [place for place in best if ranked.candidates.papers[place].id in request.include]
        return list(dict.fromkeys((*pinned, *best)))[:most]

    def _question(self, request: ListRequest, ranked: RankedCandidates, places: Sequence[int]) -> Question[ModelChoice]:
        papers = [ranked.candidates.papers[place] for place in places]
        asked = prompt(
            "reading-list",
            topic=Data("topic", request.topic[:_LONGEST_TOPIC]),
            papers=Data("papers", listed([_shown_as(paper) for paper in papers])),
            count=request.size,
            limit=f"; nothing later than {request.until}" if request.until else "",
        )
        form = ReplyForm("reading_list", _shape(len(places)))
        return Question(ModelRequest(asked.purpose, asked.messages, max_tokens=_REPLY_TOKENS), form)

    def _arranged(
        self,
        request: ListRequest,
        ranked: RankedCandidates,
        places: Sequence[int],
        choice: ModelChoice,
        outside: _Outside,
    ) -> ReadingList:
        """The model's papers in its order, pinned ones among them, filled up from the offline choice."""
        picks = {places[pick.number - 1]: pick for pick in reversed(choice.papers)}
        named = list(dict.fromkeys(places[pick.number - 1] for pick in choice.papers))[: request.size]
        papers = ranked.candidates.papers
        pinned = [place for place, paper in enumerate(papers) if paper.id in request.include and place not in named]
        kept = [*named[: max(0, request.size - len(pinned))], *pinned]
        filled, spares = chosen(ranked, replace(request, include=tuple(papers[place].id for place in kept)))
        more = [place for place in filled if place not in kept]
        plain = self.offline.arranged(request, ranked, [*kept, *more], spares)
        entry_of = {entry.paper.id: entry for entry in plain.entries}
        told: list[tuple[str, ListEntry]] = []
        for place in (*kept, *more):
            pick, entry = picks.get(place), entry_of[papers[place].id]
            told.append(
                (pick.section, replace(entry, why=(pick.why,) if pick.why else entry.why)) if pick else ("", entry)
            )
        told += [
            ("", ListEntry(paper, "method", (f"named by the model and found in {where}",)))
            for paper, where in outside.found
            if paper.id not in entry_of
        ][: max(request.size, LONGEST) - len(told)]
        notices = [notice for notice in plain.notices if not notice.startswith("Who cites")]
        if more:
            notices.append(f"The model named {len(named)} papers; {counted(len(more), 'paper')} more fill the list.")
        if outside.lost:
            where = "in the library" if self.sought is None else "in the library or in a service"
            notices.append(f"{counted(outside.lost, 'title')} the model named beside them are not {where}: left out.")
        sections = _sections(told) if request.sections else (ListSection("", tuple(entry for _, entry in told)),)
        return replace(
            plain,
            sections=sections,
            by=self.model.name,
            notices=tuple(notices),
            titles_named=len(choice.missing),
            titles_lost=outside.lost,
        )

    def _outside(self, request: ListRequest, titles: Sequence[str]) -> Task[_Outside]:
        """Papers with these titles that may join the list: of the library, else of services that may be asked."""
        found: list[tuple[Paper, str]] = []
        lost = asked = 0
        for title, papers in zip(titles, self.titled(titles) if titles else (), strict=True):
            held = next((paper for paper in papers if _admitted(paper, request)), None)
            if held is not None:
                found.append((held, "the library"))
                continue
            if self.sought is not None and not papers and asked < _SOUGHT:
                asked += 1
                yield Progress(f"looking up “{title}”")
                sought = yield from self.sought(title, request.until)
                if sought is not None and _admitted(sought, request):
                    found.append((sought, "a service"))
                    continue
            lost += 1
        once: dict[PaperId, tuple[Paper, str]] = {}
        for paper, where in found:
            once.setdefault(paper.id, (paper, where))
        return _Outside(tuple(once.values()), lost)


def _admitted(paper: Paper, request: ListRequest) -> bool:
    in_time = request.until is None or 0 < (paper.year or 0) <= request.until
    return paper.id not in request.exclude and in_time


def _shape(count: int) -> Record[ModelChoice]:
    pick = Record(
        PickedCandidate,
        number=WholeNumber(1, count),
        section=OptionalField(LineShape("heading", _LONGEST_HEADING), ""),
        why=OptionalField(LineShape("why it is read here", _LONGEST_WHY), ""),
    )
    missing = OptionalField(ListField(LineShape("exact title", _LONGEST_TITLE), most=20), ())
    return Record(ModelChoice, reason=OptionalField(LineShape("thoughts"), ""), papers=ListField(pick), missing=missing)


def _shown_as(paper: Paper) -> str:
    words = " ".join(paper.abstract.split()[:_WORDS])
    return f"({paper.year or 'no year'}) {paper.title}. {words}".strip()


def _sections(told: Sequence[tuple[str, ListEntry]]) -> tuple[ListSection, ...]:
    """Headings in the order in which they are first named; what has none comes last."""
    groups: dict[str, list[ListEntry]] = {}
    for heading, entry in sorted(told, key=lambda each: not each[0]):
        groups.setdefault(heading or "Further reading", []).append(entry)
    return tuple(ListSection(heading, tuple(entries)) for heading, entries in groups.items())
