"""The actions of the citation agent: search, read, references, verify, and the observation each gives the model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from litterm.attribution.agent.search import SERVICES, AgentResults, AgentSearch, without_fields
from litterm.attribution.online_query import limit_query
from litterm.attribution.supporting_sentence import stem_weights
from litterm.core.tasks import Task
from litterm.model.attribution.agent import Action, ActionName, ActionOutcome, AgentCommands, AgentHit, AgentStep
from litterm.model.attribution.citation import Candidate, CandidateBounds, Excerpt
from litterm.model.document import Document, Reference, Section
from litterm.model.paper import Paper, PaperId
from litterm.render.names import short_authors, venue_and_year
from litterm.text.documents.sentences import split
from litterm.text.references.identity import bare_key, paper_ids
from litterm.text.references.resolution import find_mentions
from litterm.text.references.titles import same_title
from litterm.text.tokens import fold, stem, tokens

EXCERPT_CHARACTERS, CONTEXT_CHARACTERS = 2000, 8000
"""Characters of the excerpt on either side of the mark that the model sees at first, and if it asks for more."""
_MAX_REASONS = 3
"""Reasons for a candidate that the model is told."""
_MAX_SENTENCES = 8
"""Sentences of one text that are shown for a query."""
_ABSTRACT_CHARACTERS = 700
"""Characters of an abstract in a result list."""
_MAX_SECTIONS = 4
"""Sections that are shown at once, the nearest to the excerpt, each with its share of `_PAPER_CHARACTERS`."""
_PAPER_CHARACTERS = 7000
"""Characters of a paper that are shown at once; about 1,800 tokens."""
_MAX_REFERENCES = 12
"""Entries of a reference list that are shown where none is named."""
_MIN_CONFIRMED_SHARE = 0.6
"""Share of the stems of a detail that one sentence must hold."""
_NUMBER = re.compile(r"\[?\s*(\d{1,3})\s*\]?")
_ORIGINS_WITHOUT_TEXT = frozenset({"abstract", "starter"})
"""Documents that are no full texts; those of the starter library are summaries."""
_PROSE_KINDS = frozenset({"abstract", "body", "caption"})
SEARCH_ACTIONS = ("search", "search_citations")
_MAX_DETAILS = 4
"""Details that are verified where the model names none; it may name twice as many."""
_MAX_IDS_SHOWN = 30
"""Paper IDs, the newest, that a refusal lists: those of three result lists."""


def describe_hit(hit: AgentHit) -> str:
    """A paper of a result list: id and title; who, where, when, how often cited and abstract, if known."""
    paper = hit.paper
    # Where few full texts are here, that nobody is known to cite a paper says nothing.
    in_library = f"{hit.cited:,} in this library" if hit.cited else ""
    in_all = f"{hit.service_count:,} in all" if hit.service_count is not None else ""
    facts = {
        "Paper ID": paper.id,
        "Title": paper.title,
        "By": ", ".join(filter(None, (short_authors(paper), venue_and_year(paper)))),
        "Citation count": ", ".join(filter(None, (in_all, in_library))),
        "Known from": f"{hit.service}; not in the library" if hit.service else "",
        "Abstract": _truncate(paper.abstract, _ABSTRACT_CHARACTERS),
    }
    # What is not known is left out: a line that says so for each paper is most of a list of old papers.
    return "\n".join(f"{name}: {fact}" for name, fact in facts.items() if fact)


def describe_candidate(candidate: Candidate) -> str:
    """A paper that the offline method proposes: id, title, who, when, and why."""
    paper = candidate.paper
    byline = ", ".join(filter(None, (short_authors(paper), venue_and_year(paper))))
    return "\n".join(
        (
            f"Paper ID: {paper.id}",
            f"Title: {paper.title}",
            *([f"By: {byline}"] if byline else []),
            *([f"Why: {'; '.join(candidate.why[:_MAX_REASONS])}"] if candidate.why else []),
        )
    )


def masked_excerpt(excerpt: Excerpt, characters: int = EXCERPT_CHARACTERS) -> str:
    """The words around the mark, with `[CITATION]` for the one that is meant and `[OTHER]` for other masked ones.

    At most so many `characters` of it on either side.
    """
    text, parts, end = excerpt.text, [], 0
    middle = excerpt.marks[excerpt.chosen].start if excerpt.chosen >= 0 else len(text)
    first, last = max(0, middle - characters), min(len(text), middle + characters)
    for number, mark in enumerate(excerpt.marks):
        shown = text[mark.start : mark.end]
        if number == excerpt.chosen:
            shown = "[CITATION]"
        elif shown == "[CITATION]":
            # Two of them would leave open which one is meant.
            shown = "[OTHER]"
        if first <= mark.start and mark.end <= last:
            parts.append(text[max(end, first) : mark.start] + shown)
            end = mark.end
    parts.append(text[max(end, first) : last])
    return "".join(parts) + ("" if excerpt.chosen >= 0 else " [CITATION]")


def show_paper(paper: Paper, document: Document | None, weights: Mapping[str, float]) -> str:
    """The paper as far as it matters: abstract, the headings, and the sections nearest to the weighted stems."""
    head = f"Title: {paper.title}\nAbstract: {paper.abstract or 'not known'}"
    if document is None:
        return f"{head}\nThe full text is not here: this is all there is to read."
    texts = {section.index: _text_of(document, section) for section in document.sections}
    scored = sorted(
        (section for section in document.sections if texts[section.index]),
        key=lambda section: (-_matched_weight(texts[section.index], weights), section.index),
    )
    best = sorted(section.index for section in scored[:_MAX_SECTIONS])
    room = (_PAPER_CHARACTERS - len(head)) // max(1, len(best))
    parts = [
        f"{_heading(document.sections[index])}\n{_nearest_sentences(texts[index], weights, room)}" for index in best
    ]
    outline = "; ".join(filter(None, (_heading(section) for section in document.sections)))
    known = f"{len(document.references)} references" if document.references_known else "references not known"
    return "\n\n".join([head, f"Sections: {_truncate(outline, 800) or 'without titles'} ({known})", *parts])


def list_references(
    listed: Sequence[Reference], query: str, weights: Mapping[str, float], targets: Mapping[int, Paper]
) -> str:
    """The entries of the reference list that `query` names (`12`, `Smith et al., 2019`, words); else the nearest."""
    entries = _find_entries(listed, query)
    head = f"{len(listed)} references. " + (f"Those that fit “{query}”:" if query and entries else "")
    if not entries:
        missing = f"None fits “{query}”. " if query else ""
        head += f"{missing}The {min(_MAX_REFERENCES, len(listed))} nearest to the excerpt:"
        entries = sorted(listed, key=lambda reference: (-_matched_weight(reference.text, weights), reference.index))
    lines = [_describe_entry(entry, targets.get(entry.index)) for entry in entries[:_MAX_REFERENCES]]
    return "\n".join([head, *lines])


def verify_details(details: Sequence[str], paper: Paper, document: Document | None) -> str:
    """Detail by detail the sentence of the paper in which it appears, or which of its words appear nowhere."""
    rows = sentences_of(paper, document)
    stems = [(place, text, frozenset(tokens(text))) for place, text in rows]
    everywhere = frozenset(token for _, _, row in stems for token in row)
    lines = []
    for detail in details:
        detail_stems = dict.fromkeys(tokens(detail))
        if not detail_stems:
            continue
        place, text, row = max(
            stems, key=lambda entry: len(detail_stems.keys() & entry[2]), default=("", "", frozenset())
        )
        share = len(detail_stems.keys() & row) / len(detail_stems)
        missing = [word for word in detail.split() if any(token not in everywhere for token in tokens(word))]
        if share >= _MIN_CONFIRMED_SHARE:
            lines.append(f"“{detail}” appears ({place}): {text}")
        elif missing:
            lines.append(f"“{detail}” does not appear; these of its words stand nowhere: {', '.join(missing)}")
        else:
            lines.append(f"“{detail}” does not appear in one sentence; its words stand apart. Nearest: {text}")
    has_full_text = document is not None and document.origin not in _ORIGINS_WITHOUT_TEXT
    ground = "the full text" if has_full_text else "title and abstract or summary only"
    remark = "" if has_full_text else ", as the full text is not here"
    return "\n".join([f"Looked for in {ground} of “{paper.title}”{remark}.", *lines])


def find_sentences(query: str, paper: Paper, document: Document | None) -> str:
    """The sentences of a paper that hold most of the words of `query`, each with its place, in their order."""
    stems = frozenset(tokens(query))
    scored = [
        (len(stems.intersection(tokens(text))), number, place, text)
        for number, (place, text) in enumerate(sentences_of(paper, document))
    ]
    best = sorted(
        sorted((row for row in scored if row[0]), key=lambda row: (-row[0], row[1]))[:_MAX_SENTENCES],
        key=lambda row: row[1],
    )
    if not best:
        return f"No sentence of “{paper.title}” holds a word of “{query}”."
    return "\n".join([f"Of “{paper.title}”:", *(f"({place}) {text}" for _, _, place, text in best)])


def sentences_of(paper: Paper, document: Document | None) -> list[tuple[str, str]]:
    """The locator and text of each sentence, the title first."""
    rows = [("title", paper.title)]
    if document is None or not any(sentence.kind in _PROSE_KINDS for sentence in document.sentences):
        return rows + [("abstract", paper.abstract[span.start : span.end]) for span in split(paper.abstract)]
    for sentence in document.sentences:
        if sentence.kind in _PROSE_KINDS:
            rows.append((_heading(document.sections[sentence.section]) or sentence.kind, sentence.text))
    return rows


def _find_entries(entries: Sequence[Reference], query: str) -> list[Reference]:
    query = query.strip()
    if number := _NUMBER.fullmatch(query):
        # Printed numbers first: they need not be the positions in the list.
        labelled = [entry for entry in entries if entry.label.strip("[]. ") == number[1]]
        return labelled or [entry for entry in entries if entry.index == int(number[1]) - 1]
    if mention := next(find_mentions(query), None):
        # By the first author and the year: `Smith et al., 2019` says no more.
        first = fold(mention.families[0])
        by_author = [entry for entry in entries if first in fold(entry.text) and str(mention.year) in entry.text]
        if by_author:
            return by_author
    query_stems = frozenset(tokens(query))
    return [
        entry for entry in entries if query_stems and query_stems <= frozenset(tokens(f"{entry.label} {entry.text}"))
    ]


def _describe_entry(reference: Reference, target: Paper | None) -> str:
    label = f"[{reference.label or reference.index + 1}] "
    own_paper = f"\n  In the library: Paper ID: {target.id}, “{target.title}”" if target is not None else ""
    return f"{label}{_truncate(reference.text, 400)}{own_paper}"


def _text_of(document: Document, section: Section) -> str:
    rows = [
        sentence.text
        for sentence in document.sentences
        if sentence.section == section.index and sentence.kind in _PROSE_KINDS
    ]
    return " ".join(rows)


def _heading(section: Section) -> str:
    return f"{section.number} {section.title}".strip()


def _matched_weight(text: str, weights: Mapping[str, float]) -> float:
    stems = tokens(text)
    counts = Counter(stems)
    # Summed in a fixed order, as sums of floats depend on it.
    return sum(weights[weight] * math.log1p(counts[weight]) for weight in sorted(weights) if weight in counts) / (
        1 + math.log1p(len(stems))
    )


def _nearest_sentences(text: str, weights: Mapping[str, float], room: int) -> str:
    """The sentences nearest to the weights, in order, in at most about `room` characters."""
    if len(text) <= room:
        return text
    rows = [text[span.start : span.end] for span in split(text)]
    order = sorted(range(len(rows)), key=lambda index: (-_matched_weight(rows[index], weights), index))
    chosen: set[int] = set()
    for index in order:
        if sum(len(rows[other]) for other in chosen) + len(rows[index]) <= room:
            chosen.add(index)
    return " ".join(("… " if index and index - 1 not in chosen else "") + rows[index] for index in sorted(chosen))


def _truncate(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else f"{text[:max_chars].rsplit(' ', 1)[0]} …"


def stems_of(text: str, weight: float) -> dict[str, float]:
    """The words of `text` as stems with one weight."""
    return {stem(token): weight for token in tokens(text)}


@dataclass(frozen=True, slots=True)
class SeenPapers:
    """The observation of one action: its text, whether the action worked, and the papers it showed."""

    text: str
    outcome: ActionOutcome = "done"
    hits: tuple[AgentHit, ...] = ()


@dataclass(slots=True)
class AgentState:
    """What one search for a cited paper knows so far.

    Nothing of it is stored: a search that is resumed feeds its stored steps to `record`.
    """

    excerpt: Excerpt
    bounds: CandidateBounds
    lookup: AgentSearch
    known: dict[PaperId, AgentHit] = field(default_factory=dict)
    """Every paper a search returned or a reference led to."""
    looked_at: set[PaperId] = field(default_factory=set)
    """Those that were read, or in which details were verified."""
    done: dict[tuple[str, str, str], AgentStep] = field(default_factory=dict)
    """The first step of each action."""

    def record(self, step: AgentStep) -> None:
        """One more step, now or of an earlier run."""
        # A step stores papers of services whole and those of the library by id alone, which are looked up again:
        # the library may have changed between two runs.
        for hit in step.elsewhere:
            self.known.setdefault(hit.paper.id, hit)
        for paper_id in step.found:
            if (
                paper_id not in self.known
                and (paper := self.lookup.find_library_paper(paper_id, self.bounds)) is not None
            ):
                self.known[paper_id] = AgentHit(paper)
        if step.outcome == "done":
            self.done.setdefault(_normalised_action(step.action), step)
            looked = (
                self.find(step.action.paper) if step.action.name in ("read", "find_text", "verify", "select") else None
            )
            if looked is not None:
                self.looked_at.add(looked.paper.id)

    def find_repeated_step(self, action: Action) -> AgentStep | None:
        """The step that did the very same, if one did."""
        return self.done.get(_normalised_action(action))

    def find(self, named: str) -> AgentHit | None:
        """The paper the model means: one it was shown, by id or title, or one that the library holds."""
        named = named.strip().strip("[]").removeprefix("Paper ID:").strip()
        # Models copy the title behind the id.
        for name in dict.fromkeys((named, named.split(maxsplit=1)[0].strip("[]:,") if named else "")):
            folded = fold(name)
            for hit in self.known.values():
                if any(folded in (fold(known), fold(bare_key(known))) for known in paper_ids(hit.paper)):
                    return hit
            # A bare word may be the key of some paper of the library: only an id is looked up there.
            is_id = name == named or ":" in name
            if is_id and (paper := self.lookup.find_library_paper(name, self.bounds)) is not None:
                return self.lookup.with_counts([paper], self.bounds)[0]
        # A title last, and only if one paper has it: models give titles where ids are asked for.
        hits = [hit for hit in self.known.values() if same_title(hit.paper.title, named)]
        return hits[0] if len(hits) == 1 else None

    def perform(self, action: Action) -> Task[SeenPapers]:
        """The outcome of an action other than a selection."""
        if action.name in SEARCH_ACTIONS:
            return (yield from self._search(action))
        if action.name == "context":
            return SeenPapers(masked_excerpt(self.excerpt, CONTEXT_CHARACTERS))
        hit = self.find(action.paper)
        if hit is None:
            return SeenPapers(self.unknown_paper(action.paper), "refused")
        match action.name:
            case "references":
                return (yield from self._references(hit, action.query))
            case "find_text":
                document = yield from self.lookup.document(hit)
                return SeenPapers(find_sentences(action.query, hit.paper, document), hits=(hit,))
            case "verify":
                return (yield from self.verify_details(hit, _details(action.query) or self.details_to_verify()))
            case _:
                document = yield from self.lookup.document(hit)
                return SeenPapers(show_paper(hit.paper, document, self._weights(action.query)), hits=(hit,))

    def verify_details(self, hit: AgentHit, details: Sequence[str]) -> Task[SeenPapers]:
        """Which details appear where in a paper."""
        document = yield from self.lookup.document(hit)
        return SeenPapers(verify_details(details, hit.paper, document), hits=(hit,))

    def details_to_verify(self) -> list[str]:
        """What of the excerpt is worth verifying: names near the mark, else its weightiest words."""
        named = list(self.excerpt.coined[:_MAX_DETAILS])
        heaviest = sorted(self.excerpt.words, key=lambda word: -word.weight)
        other_words = dict.fromkeys(word.word for word in heaviest if tokens(word.word))
        return named + [word for word in other_words if fold(word) not in map(fold, named)][: _MAX_DETAILS - len(named)]

    def know(self, papers: Sequence[Paper]) -> None:
        """Papers that may be looked into and selected without having been found by a search."""
        for hit in self.lookup.with_counts(papers, self.bounds) if papers else ():
            self.known.setdefault(hit.paper.id, hit)

    def has_text(self, hit: AgentHit) -> bool:
        """Whether there is more of a paper to look into than its title."""
        return bool(hit.paper.abstract or hit.paper.full_text or (self.lookup.is_online and not hit.service))

    def available_actions(self, commands: AgentCommands) -> tuple[ActionName, ...]:
        """The actions that can work on the papers known so far, in their usual order."""
        if commands != "all":
            return ("search", "search_citations", "select") if commands == "search" else ("select",)
        online, hits = self.lookup.is_online, tuple(self.known.values())
        has_texts = any(hit.paper.full_text for hit in hits)
        can_work = {
            "search_citations": online or not hits or any(hit.cited or hit.service_count is not None for hit in hits),
            "read": online or has_texts or any(len(hit.paper.abstract) > _ABSTRACT_CHARACTERS for hit in hits),
            "find_text": online or has_texts,
            "references": online or has_texts or self.lookup.has_references([hit for hit in hits if not hit.service]),
            "verify": online or any(self.has_text(hit) for hit in hits),
            "context": masked_excerpt(self.excerpt) != masked_excerpt(self.excerpt, CONTEXT_CHARACTERS),
        }
        return tuple(name for name in get_args(ActionName) if can_work.get(name, True))

    def find_title(self, title: str) -> Task[AgentHit | None]:
        """The paper with this title, if a search finds it."""
        results = yield from self.lookup.search(title, self.bounds, by_citations=False)
        return next((hit for hit in results.hits if same_title(hit.paper.title, title)), None)

    def unknown_paper(self, named: str) -> str:
        """Why a paper is not available, and which papers are."""
        ids = ", ".join(list(self.known)[-_MAX_IDS_SHOWN:]) or "none yet: search first"
        return f"“{named}” is no paper that a search returned, nor one of the library. Paper IDs so far: {ids}."

    def _search(self, action: Action) -> Task[SeenPapers]:
        results = yield from self.lookup.search(
            action.query,
            self.bounds,
            by_citations=action.name == "search_citations",
            online_query=limit_query(without_fields(action.query), self.excerpt),
        )
        sent = f"Sent to {', '.join(SERVICES)}: “{results.sent}”" if results.sent else ""
        seen = self._observation_of(results)
        return replace(seen, text=f"{sent}\n\n{seen.text}") if sent else seen

    def _observation_of(self, results: AgentResults) -> SeenPapers:
        trouble = " ".join(results.troubles)
        # An error must not read as "no papers": a model that takes it so changes a query that was right.
        if not results.hits and trouble:
            return SeenPapers(f"The search failed and does not count. {trouble}", "failed")
        if not results.hits:
            return SeenPapers("No paper was found. Try other words.", "nothing")
        cards = "\n\n".join(map(describe_hit, results.hits))
        return SeenPapers(f"{trouble}\n\n{cards}".strip(), hits=results.hits)

    def _references(self, hit: AgentHit, query: str) -> Task[SeenPapers]:
        entries, targets = yield from self.lookup.references(hit, self.bounds)
        if not entries:
            return SeenPapers(f"The reference list of “{hit.paper.title}” is not known.", "nothing", (hit,))
        excerpted = list_references(entries, query, self._weights(), targets)
        cited = [paper for paper in targets.values() if paper.id in excerpted]
        return SeenPapers(excerpted, hits=(hit, *self.lookup.with_counts(cited, self.bounds)))

    def _weights(self, query: str = "") -> dict[str, float]:
        # The heaviest word of an excerpt weighs 1.5: what the model asks for itself counts more than any of them.
        return {**stem_weights(self.excerpt.words), **stems_of(query, 2.0)}


def _details(query: str) -> list[str]:
    parts: Iterable[str] = (part.strip(" .“”\"'") for part in query.replace("\n", ";").split(";"))
    return [part for part in parts if part][: 2 * _MAX_DETAILS]


def same_action(first: Action, second: Action) -> bool:
    """Whether both have one name, paper and query, but for case, punctuation and inflection."""
    return _normalised_action(first) == _normalised_action(second)


def _normalised_action(action: Action) -> tuple[str, str, str]:
    return action.name, " ".join(tokens(action.query)), fold(action.paper.strip())
