"""Check of the citations a draft already has: does the cited paper say what the citing sentence has it say."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from litterm.attribution.excerpt import read_excerpt
from litterm.core.errors import UnknownPaper, UsageError
from litterm.core.tasks import Task
from litterm.interfaces import EvidenceExtractor, PaperSearcher, Records, WorkLookup
from litterm.library.full_text import read_full_text
from litterm.model.attribution.citation import Excerpt
from litterm.model.attribution.draft import CheckedCitation, CitationSupport, CitedWork, DraftProject
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.evidence import Evidence
from litterm.model.paper import Paper, PaperId
from litterm.render.locator import locator
from litterm.text.drafts.parser import nocite_keys
from litterm.text.queries.parser import literal_query
from litterm.text.references.identity import paper_ids
from litterm.text.references.titles import same_title

_SPACE_BEFORE_PUNCTUATION = re.compile(r"\s([.,;:!?)])")
"""A stop that lost the mark before it."""
_MAX_TITLE_MATCHES = 3
"""Papers of a search by title whose titles are compared with the entry's."""


@dataclass(frozen=True, slots=True)
class CitationChecker:
    """The cited papers of a project against the sentences that cite them."""

    records: Records
    titles: WorkLookup
    searcher: PaperSearcher
    extractor: EvidenceExtractor

    def check(self, project: DraftProject, *, k: int) -> Task[tuple[CheckedCitation, ...]]:
        """One answer a cited key, in order; at most `k` sentences each. Says how many are done."""
        # Reversed: of entries with one key BibTeX takes the first.
        entries = {paper.imprint.bibkey: paper for paper in reversed(project.entries)}
        cited = [
            (file.path, citation, key)
            for file in project.files
            for citation in file.draft.citations
            for key in citation.keys
        ]
        known: dict[str, Paper | None] = {}
        checked: list[CheckedCitation] = []
        for path, citation, key in cited:
            yield Progress("citations", len(checked), len(cited))
            if key not in known:
                known[key] = yield from self._paper(key, entries.get(key))
            checked.append(
                (yield from self._check_citation(CheckedCitation(path, citation, key, "absent"), known[key], k))
            )
        return tuple(checked)

    def find_cited_papers(self, project: DraftProject) -> Task[tuple[PaperId, ...]]:
        """The papers of the library that a project cites, those cited in most places first."""
        entries = {paper.imprint.bibkey: paper for paper in reversed(project.entries)}
        citations = [citation for file in project.files for citation in file.draft.citations]
        keys = Counter(key for citation in citations for key in dict.fromkeys(citation.keys))
        papers: list[PaperId] = []
        for position, (key, _) in enumerate(keys.most_common()):
            yield Progress("citations", position, len(keys))
            paper = yield from self._paper(key, entries.get(key))
            papers += [paper.id] if paper is not None else []
        return tuple(dict.fromkeys(papers))

    def match_keys(self, project: DraftProject) -> Task[tuple[CitedWork, ...]]:
        """Each key that a project cites, once, in the order of the text, with its paper in the library.

        Those of `\\nocite` follow; with `*` there, all of the bibliography.
        """
        entries = {paper.imprint.bibkey: paper for paper in reversed(project.entries)}
        cited = [key for citation in project.citations for key in citation.keys]
        listed = [key for file in project.files if file.has_text for key in nocite_keys(file.draft)]
        if "*" in listed:
            listed = [*listed, *(paper.imprint.bibkey for paper in project.entries)]
        keys = tuple(key for key in dict.fromkeys([*cited, *listed]) if key not in ("", "*"))
        works: list[CitedWork] = []
        for position, key in enumerate(keys):
            yield Progress("citations", position, len(keys))
            works.append(CitedWork(key, (yield from self._paper(key, entries.get(key)))))
        return tuple(works)

    def _paper(self, key: str, entry: Paper | None) -> Task[Paper | None]:
        """The paper of the library that `key` names in the project's bibliography, as an id, or as a citation key."""
        ids = paper_ids(entry) if entry is not None else (key,)
        matching: tuple[PaperId, ...] = next((matches for matches in self.records.find(ids) if len(matches) == 1), ())
        if not matching and entry is None:
            (keyed,) = self.records.find_by_citation_key([key])
            matching = keyed if len(keyed) == 1 else ()
        if not matching and entry is not None:
            (titled,) = self.titles.find_by_title([entry.title])
            matching = titled if len(titled) == 1 else ()
        if not matching and entry is not None:
            matching = yield from self._search_title(entry)
        try:
            return self.records.by_id(matching)[0] if matching else None
        except UnknownPaper:
            # Written away by somebody else in between.
            return None

    def _search_title(self, entry: Paper) -> Task[tuple[PaperId, ...]]:
        """By title as people write it: subtitles missing, small differences."""
        try:
            ranking = yield from self.searcher.search(literal_query(entry.title), k=_MAX_TITLE_MATCHES)
        except UsageError:
            return ()
        same_titles = [item.paper for item in ranking.papers if same_title(item.paper.title, entry.title)]
        near_years = [
            paper for paper in same_titles if not (paper.year and entry.year) or abs(paper.year - entry.year) < 3
        ]
        return (near_years[0].id,) if near_years else ()

    def _check_citation(self, checked: CheckedCitation, paper: Paper | None, k: int) -> Task[CheckedCitation]:
        """`checked`, which holds the place and the key, with the outcome."""
        try:
            claim = _claim_without_marks(read_excerpt(checked.citation.excerpt))
        except UsageError:
            claim = ""
        if paper is None:
            return replace(checked, claim=claim)
        checked = replace(checked, claim=claim, paper=paper)
        document = yield from read_full_text(self.records, paper.id)
        if _is_title_only(document):
            return replace(checked, support="title only")
        try:
            evidence = yield from self.extractor.extract(document, claim, k=k, scope="all")
        except UsageError:
            return replace(checked, support="unreadable")
        locators = tuple(locator(document, item.sentence) for item in evidence.sentences)
        return replace(checked, support=_support_of(evidence), evidence=evidence, where=locators)


def _claim_without_marks(excerpt: Excerpt) -> str:
    """The claim of the mark, without any marks in it."""
    text = "".join(
        " " if any(mark.start <= place < mark.end for mark in excerpt.marks) else excerpt.text[place]
        for place in range(excerpt.claim.start, excerpt.claim.end)
    )
    return _SPACE_BEFORE_PUNCTUATION.sub(r"\1", " ".join(text.split()))


def _is_title_only(document: Document) -> bool:
    return all(sentence.kind == "title" for sentence in document.sentences)


def _support_of(evidence: Evidence) -> CitationSupport:
    if not evidence.sentences or evidence.verdict == "nothing":
        return "nothing"
    if any(item.likely_stance is not None and item.likely_stance.stance == "refutes" for item in evidence.sentences):
        return "contradicted"
    return "weak" if evidence.verdict == "weak" else "supported"
