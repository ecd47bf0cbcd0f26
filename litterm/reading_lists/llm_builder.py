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
from litterm.model.reading_list import MAX_PAPERS, ListEntry, ListRequest, ListSection, ReadingList
from litterm.reading_lists.builder import CITATIONS_UNKNOWN, ListBuilder, RankedCandidates, chosen
from litterm.reading_lists.series import first_of_each_series
from litterm.text.llm.json_shapes import LineShape, ListField, OptionalField, Record, WholeNumber
from litterm.text.llm.prompts import Data, listed, prompt
from litterm.text.plural import counted

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

_MOST_LOOKUPS = 10
"""Titles looked up in services for one list: each takes a request or more."""

OnlineTitleSearch = Callable[[str, "int | None"], "Task[Paper | None]"]
"""A title and the last year to the paper of a service, which is in the library then; `None`: nobody has it."""
TitleSearch = Callable[[Sequence[str]], Sequence[Sequence["Paper"]]]
"""Titles to the papers of the library that bear them."""


@dataclass(frozen=True, slots=True)
class PickedCandidate:
    """A candidate a model named."""

    number: int
    section: str
    why: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The reply of a model: its thoughts, the candidates it picked, titles it misses among them."""

    reason: str
    papers: tuple[PickedCandidate, ...]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Outside:
    """Papers found for the titles that a model named beside the candidates."""

    papers: tuple[tuple[Paper, str], ...] = ()
    """Each with where it was found, in words."""
    lost: int = 0
    """Titles that lead to no paper, or to one that may not be in the list."""


@dataclass(frozen=True, slots=True)
class ModelListBuilder:
    """Makes lists with a language model, upon the candidates and the list of `offline`."""

    offline: ListBuilder
    model: ChatModel
    find_by_title: TitleSearch
    find_online: OnlineTitleSearch | None = None
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
            notice = f"The model could not be asked, so this is the list without one: {error}"
            return replace(plain, notices=(*plain.notices, notice))
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
        # Stable, so that equal points show the model the same list, and a kept reply to it is found again.
        best = np.argsort(-ranked.points, kind="stable").tolist()
        pinned = [place for place in best if ranked.candidates.papers[place].id in request.include]
        return list(dict.fromkeys((*pinned, *best)))[:most]

    def _question(self, request: ListRequest, ranked: RankedCandidates, places: Sequence[int]) -> Question[ModelChoice]:
        papers = [ranked.candidates.papers[place] for place in places]
        message = prompt(
            "reading-list",
            topic=Data("topic", request.topic[:_LONGEST_TOPIC]),
            papers=Data("papers", listed([_shown_as(paper) for paper in papers])),
            count=request.size,
            limit=f"; nothing later than {request.until}" if request.until else "",
        )
        form = ReplyForm("reading_list", _shape(len(places)))
        return Question(ModelRequest(message.purpose, message.messages, max_tokens=_REPLY_TOKENS), form)

    def _arranged(
        self,
        request: ListRequest,
        ranked: RankedCandidates,
        places: Sequence[int],
        choice: ModelChoice,
        outside: _Outside,
    ) -> ReadingList:
        """The model's papers in its order, pinned ones among them, filled up from the offline choice."""
        # Of a candidate picked twice the first pick counts: reversed, it is the last to be written.
        picks = {places[pick.number - 1]: pick for pick in reversed(choice.papers)}
        picked = list(dict.fromkeys(places[pick.number - 1] for pick in choice.papers))
        papers = ranked.candidates.papers
        included = [place for place, paper in enumerate(papers) if paper.id in request.include]
        keywords = ranked.candidates.topic.keywords
        singles = first_of_each_series([*included, *picked], lambda place: papers[place], keywords)
        # What the reader pinned stays, even two of one series.
        usable = [place for place in picked if place in included or place in singles]
        named = usable[: request.size]
        pinned = [place for place in included if place not in named]
        chosen_places = [*named[: max(0, request.size - len(pinned))], *pinned]
        # The model's picks are fixed as if pinned: what fills the list up then covers the keywords that they leave out.
        filled, spares = chosen(ranked, replace(request, include=tuple(papers[place].id for place in chosen_places)))
        more = [place for place in filled if place not in chosen_places]
        plain = self.offline.arranged(request, ranked, [*chosen_places, *more], spares)
        entry_of = {entry.paper.id: entry for entry in plain.entries}
        entries = [_placed(entry_of[papers[place].id], picks.get(place)) for place in (*chosen_places, *more)]
        joining = [(paper, where) for paper, where in outside.papers if paper.id not in entry_of]
        known = [(entry.paper, "") for _, entry in entries]
        joining_singles = [
            (paper, where)
            for paper, where in first_of_each_series([*known, *joining], lambda pair: pair[0], keywords)
            if where
        ]
        entries += [
            # "method" is the stage of papers of which nothing else is known.
            ("", ListEntry(paper, "method", (f"named by the model and found in {where}",)))
            for paper, where in joining_singles
        ][: max(request.size, MAX_PAPERS) - len(entries)]
        repeats = len(picked) - len(usable) + len(joining) - len(joining_singles)
        sections = _sections(entries) if request.sections else (ListSection("", tuple(entry for _, entry in entries)),)
        return replace(
            plain,
            sections=sections,
            by=self.model.name,
            links=self.offline.links([entry.paper.id for _, entry in entries]),
            notices=self._notices(plain, len(named), len(more), repeats, outside.lost),
            titles_named=len(choice.missing),
            titles_lost=outside.lost,
        )

    def _notices(self, plain: ReadingList, named: int, added: int, repeats: int, lost: int) -> tuple[str, ...]:
        """What the reader should know of the list; `named`, `added`, `repeats` and `lost` are numbers of papers."""
        # The order is the model's own: it does not depend on citations that are not known.
        notices = [notice for notice in plain.notices if notice != CITATIONS_UNKNOWN]
        if added:
            notices.append(f"The model named {named} papers; {counted(added, 'paper')} more fill the list.")
        if repeats:
            notices.append(f"{counted(repeats, 'paper')} of a series of which the list has one already: left out.")
        if lost:
            where = "in the library" if self.find_online is None else "in the library or in a service"
            are = "is" if lost == 1 else "are"
            notices.append(f"{counted(lost, 'title')} the model named beside them {are} not {where}: left out.")
        return tuple(notices)

    def _outside(self, request: ListRequest, titles: Sequence[str]) -> Task[_Outside]:
        """Papers with these titles that may join the list: of the library, else of services that may be asked."""
        papers_with_origin: list[tuple[Paper, str]] = []
        lost = lookups = 0
        for title, papers in zip(titles, self.find_by_title(titles) if titles else (), strict=True):
            in_library = next((paper for paper in papers if _admitted(paper, request)), None)
            if in_library is not None:
                papers_with_origin.append((in_library, "the library"))
                continue
            # `not papers`: the library has the title, but too new or dropped, and a service would only bring it again.
            if self.find_online is not None and not papers and lookups < _MOST_LOOKUPS:
                lookups += 1
                yield Progress(f"looking up “{title}”")
                online_paper = yield from self.find_online(title, request.until)
                if online_paper is not None and _admitted(online_paper, request):
                    papers_with_origin.append((online_paper, "a service"))
                    continue
            lost += 1
        # Two titles may lead to one paper.
        by_id: dict[PaperId, tuple[Paper, str]] = {}
        for paper, where in papers_with_origin:
            by_id.setdefault(paper.id, (paper, where))
        return _Outside(tuple(by_id.values()), lost)


def _placed(entry: ListEntry, pick: PickedCandidate | None) -> tuple[str, ListEntry]:
    """The heading over an entry and the entry with the model's reason; as it was where the model did not pick it."""
    if pick is None:
        return "", entry
    return pick.section, replace(entry, why=(pick.why,) if pick.why else entry.why)


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


def _sections(entries: Sequence[tuple[str, ListEntry]]) -> tuple[ListSection, ...]:
    """Headings in the order in which they are first named; what has none comes last."""
    groups: dict[str, list[ListEntry]] = {}
    for heading, entry in sorted(entries, key=lambda pair: not pair[0]):
        groups.setdefault(heading or "Further reading", []).append(entry)
    return tuple(ListSection(heading, tuple(entries)) for heading, entries in groups.items())
