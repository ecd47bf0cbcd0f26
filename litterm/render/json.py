"""The JSON contract: fields may be added, never removed or renamed. docs/reference/json.md documents them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.render.agreement import mark_data
from litterm.render.annotations import annotations_data
from litterm.render.attribution.trajectory import step_data, vote_data
from litterm.render.bibliography.keys import STANDARD_KEYS, CitationKeys
from litterm.render.citations.citation_counts import counts_data
from litterm.render.closeness import evidence_stance_words, evidence_words, strength_words
from litterm.render.explanation import rank_reasons_data, rewrite_data, word_sources_data
from litterm.render.locator import locator, section_of
from litterm.render.names import differing_fields, full_name
from litterm.render.study_aspects import study_json

if TYPE_CHECKING:
    from litterm.model.agreement import AgreementMark
    from litterm.model.annotations import MarkedPapers, PaperNotes
    from litterm.model.attribution.citation import Attribution, Candidate
    from litterm.model.citations.facts import NameFact
    from litterm.model.document import Document
    from litterm.model.evidence import Evidence, EvidenceSentence, LikelyStance
    from litterm.model.imports import LibraryImport
    from litterm.model.library import Failure, ImportReport
    from litterm.model.paper import Paper, PaperId, PublicationDetails
    from litterm.model.search import NamedPaper, RankedPaper, Ranking
    from litterm.model.study_aspects import StudyCoverage
    from litterm.render.json_types import (
        CandidateData,
        CiteData,
        EvidenceData,
        EvidenceSentenceData,
        FailureData,
        ImportReportData,
        KnownNameData,
        LibraryImportData,
        LikelyStanceData,
        MarkData,
        MarkedPaperData,
        NamedPaperData,
        NotesData,
        OutlineData,
        PaperData,
        PublicationData,
        RankedPaperData,
        RecordData,
        SearchData,
        SourceData,
    )

JSON_VERSIONS: Mapping[str, int] = {}
"""By command the version of what `--json` prints, where it is not 1; it rises with every change of `json_types.py`."""
# Valid inside JSON, but a terminal acts on them; an escape says the same.
_INVISIBLE = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_PIECES_PER_EVENT = 50_000
"""Pieces of JSON, about 100 ms of work."""


def schema_name(command: str) -> str:
    """What the field `schema` says: the file below docs/reference/schemas and the version, as in `search/1`."""
    return f"{command}/{JSON_VERSIONS.get(command, 1)}"


def dumps(body: Mapping[str, object] | Sequence[object], *, ascii_only: bool = False) -> str:
    """`body` as indented JSON that can be encoded and shown anywhere; the same text once parsed."""
    return _printable(json.dumps(body, ensure_ascii=False, indent=2), ascii_only=ascii_only)


def dumps_in_steps(body: Mapping[str, object] | Sequence[object]) -> Task[str]:
    """As `dumps`, with an event now and then: a thousand papers take most of a second."""
    pieces: list[str] = []
    for piece in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(body):
        pieces.append(piece)
        if len(pieces) % _PIECES_PER_EVENT == 0:
            yield Progress("writing the answer")
    return _printable("".join(pieces))


def _printable(text: str, *, ascii_only: bool = False) -> str:
    # A lone surrogate, which an escape in imported JSON can bring in, cannot be encoded as UTF-8.
    text = _SURROGATE.sub("\ufffd", text)
    return (re.compile(r"[^\x00-\x7e]") if ascii_only else _INVISIBLE).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def search(ranking: Ranking, *, typed: str) -> SearchData:
    """A ranking; `typed` is the query as the user gave it, before options were added to it."""
    return {
        "query": typed,
        "count": len(ranking.papers),
        "results": [_ranked_paper(item) for item in ranking.papers],
        "found": ranking.found,
        "by": ranking.by,
        "asked": ranking.query.text,
        "hidden": ranking.hidden,
        "suggestion": ranking.suggestion,
        "searched": ranking.searched,
        "notices": list(ranking.notices),
        "kind": ranking.kind,
        "first": ranking.first,
        "missing": list(ranking.missing),
        "words": word_sources_data(ranking.sources),
        "rewrite": rewrite_data(ranking.rewrite),
        "names": [_named_paper(item) for item in ranking.names],
    }


def _named_paper(named: NamedPaper) -> NamedPaperData:
    fact = named.fact
    return {
        "name": named.name,
        "id": named.paper,
        "ids": list(fact.ids),
        "title": fact.title,
        "year": fact.year,
        "first_author": fact.first_author,
        "kind": fact.kind,
        "sources": list(fact.sources),
        "texts": fact.texts,
        "whole": named.is_whole,
    }


def _ranked_paper(item: RankedPaper) -> RankedPaperData:
    paper = item.paper
    return {
        "rank": item.rank,
        "id": paper.id,
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
        "score": item.score,
        "by": item.by,
        "type": paper.type,
        "decision": paper.decision,
        "retraction": paper.retraction,
        "full_text": paper.full_text,
        "starter": item.library_name == "starter",
        "matched": dict(item.matched),
        "local_rank": item.local_rank,
        "via": list(item.via),
        "reason": item.reason,
        "places": [{"query": place.query, "rank": place.rank} for place in item.places],
        "name": item.name,
        "why": rank_reasons_data(item),
        "citations": None if item.cited is None else counts_data(item.cited),
    }


def evidence(
    result: Evidence, document: Document, coverage: StudyCoverage | None = None, mark: AgreementMark | None = None
) -> EvidenceData:
    """Evidence of one paper; `document` is the one the sentences are taken from, `coverage` what was asked of it.

    `mark` says how far the model whose stances these are agrees with people; `None` where there are none.
    """
    return {
        "paper": result.paper_id,
        "hypothesis": result.hypothesis,
        "by": result.by,
        "document": result.document_id,
        "sentences": [_sentence(item, document) for item in result.sentences],
        "scope": result.scope,
        "origin": document.origin,
        "notices": list(result.notices),
        "verdict": evidence_words(result) if result.verdict else None,
        "closeness": evidence_words(result),
        "level": result.verdict,
        "stance": evidence_stance_words(result) or None,
        "confidence": None if result.confidence is None else round(result.confidence, 3),
        "key_findings": [_sentence(item, document) for item in result.key_findings],
        "failed": [{"key": part.key, "title": part.title, "why": part.why} for part in result.failed],
        "negated": None if result.negated is None else evidence(result.negated, document, mark=mark),
        "aspects": None if coverage is None else study_json(coverage),
        "agreement": None if mark is None else mark_data(mark),
    }


def _sentence(item: EvidenceSentence, document: Document) -> EvidenceSentenceData:
    sentence = item.sentence
    return {
        "rank": item.rank,
        "index": sentence.index,
        "section": section_of(document, sentence),
        "kind": sentence.kind,
        "page": sentence.page,
        "text": sentence.text,
        "score": item.score,
        "strength": item.strength,
        "closeness": strength_words(item.strength),
        "paragraph": sentence.paragraph,
        "position": sentence.position,
        "locator": locator(document, sentence),
        "terms": list(item.terms),
        "stance": item.stance,
        "likely_stance": likely_stance(item.likely_stance),
        "reason": item.reason,
    }


def likely_stance(likely: LikelyStance | None) -> LikelyStanceData | None:
    """A stance by wording: `{"stance", "probability"}`."""
    return None if likely is None else {"stance": likely.stance, "probability": round(likely.probability, 2)}


def cite(attribution: Attribution, citation_keys: CitationKeys = STANDARD_KEYS) -> CiteData:
    """The candidates for the citation mark of one excerpt, with the steps of an agent where one searched."""
    return {
        "excerpt": attribution.excerpt.text,
        "by": attribution.by,
        "candidates": [_candidate(item, citation_keys.key(item.paper)) for item in attribution.candidates],
        "steps": [step_data(agent_step) for agent_step in attribution.steps],
        "lint": attribution.excerpt.lint,
        "mark": attribution.excerpt.chosen,
        "marks": len(attribution.excerpt.marks),
        "notices": list(attribution.notices),
        "verdict": attribution.verdict,
        "confidence": attribution.confidence,
        "kind": attribution.excerpt.kind,
        "claim": [attribution.excerpt.claim.start, attribution.excerpt.claim.end],
        "stated": {"families": list(attribution.excerpt.stated.families), "year": attribution.excerpt.stated.year},
        "online_query": attribution.online_query,
        "trajectory": attribution.trajectory,
        "votes": [vote_data(vote) for vote in attribution.votes],
    }


def _candidate(item: Candidate, key: str) -> CandidateData:
    return {
        "rank": item.rank,
        "id": item.paper.id,
        "title": item.paper.title,
        "year": item.paper.year,
        "score": item.score,
        "authors": [full_name(author) for author in item.paper.authors],
        "venue": item.paper.venue,
        "matched": list(item.matched),
        "support": item.support,
        "confidence": item.confidence,
        "why": list(item.why),
        "key": key,
    }


def known_names(facts: Iterable[NameFact]) -> list[KnownNameData]:
    """The names of a paper, and who uses them."""
    return [
        {"name": fact.name, "kind": fact.kind, "texts": fact.texts, "sources": list(fact.sources)} for fact in facts
    ]


def show(paper: Paper, document: Document | None, notes: PaperNotes) -> PaperData:
    """Everything held about one paper; `document` is its full text, if there is one."""
    return {
        **record(paper),
        "document": None if document is None else _outline(document),
        "annotations": annotations_data(paper, document),
        "notes": notes_data(notes),
    }


def notes_data(notes: PaperNotes) -> NotesData:
    """What the user holds about one paper."""
    return {
        "screening": notes.screening,
        "starred": notes.starred,
        "tags": list(notes.tags),
        "note": notes.note,
        "status": notes.status,
        "collections": list(notes.collections),
    }


def marked(done: MarkedPapers, notes: Mapping[PaperId, PaperNotes]) -> MarkData:
    """What came of marking papers; `notes` are those on each since."""
    papers: list[MarkedPaperData] = [
        {"id": paper_id, "changed": paper_id in done.changed, **notes_data(notes[paper_id])} for paper_id in done.papers
    ]
    return {"count": len(papers), "changed": len(done.changed), "papers": papers, "unknown": list(done.unknown)}


def record(paper: Paper) -> RecordData:
    """The bibliographic record of one paper."""
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
        "abstract": paper.abstract,
        "abstract_by": paper.abstract_by,
        "date": paper.date,
        "type": paper.type,
        "keywords": list(paper.keywords),
        "aliases": list(paper.aliases),
        "urls": list(paper.urls),
        "retraction": paper.retraction,
        "decision": paper.decision,
        "status": paper.status,
        "full_text": paper.full_text,
        **_publication_data(paper.imprint),
        "has_more_authors": paper.has_more_authors,
        "is_title_certain": paper.is_title_certain,
        "unverified_ids": list(paper.unverified_ids),
        "sources": _sources(paper),
        "imported": {
            "format": paper.provenance.format,
            "origin": paper.provenance.origin,
            "at": paper.provenance.imported_at,
        },
    }


def _publication_data(imprint: PublicationDetails) -> PublicationData:
    return {
        "booktitle": imprint.booktitle,
        "journal": imprint.journal,
        "volume": imprint.volume,
        "issue": imprint.issue,
        "pages": imprint.pages,
        "publisher": imprint.publisher,
        "address": imprint.address,
        "editors": [full_name(editor) for editor in imprint.editors],
        "language": imprint.language,
        "bibkey": imprint.bibkey,
        "article_number": imprint.article_number,
        "edition": imprint.edition,
        "series": imprint.series,
        "isbn": imprint.isbn,
        "issn": imprint.issn,
        "thesis": imprint.thesis,
        "institution": imprint.institution,
        "note": imprint.note,
        "files": list(imprint.files),
        "accession_numbers": list(imprint.accession_numbers),
        "databases": list(imprint.databases),
        "collections": list(imprint.collections),
        "exported_on": imprint.exported_on,
        "has_more_editors": imprint.has_more_editors,
    }


def import_data(one: LibraryImport) -> LibraryImportData:
    """One import of the library."""
    return {
        "name": one.name,
        "format": one.format,
        "origin": one.origin,
        "papers": one.papers,
        "merged": one.merged,
        "imported_on": one.imported_on,
        "mine": one.is_mine,
    }


def _sources(paper: Paper) -> list[SourceData]:
    return [
        {
            "id": source.paper.id,
            "format": source.paper.provenance.format,
            "origin": source.paper.provenance.origin,
            "at": source.paper.provenance.imported_at,
            "states": dict(differing_fields(paper, source.paper)),
        }
        for source in paper.sources
    ]


def read(document: Document, paper: Paper, sections: Collection[int] | None = None) -> dict[str, object]:
    """The text of one paper, sentence by sentence; with `sections`, by their indices, only theirs."""
    return {
        "paper": paper.id,
        "title": paper.title,
        **_outline(document),
        "text": [
            {
                "index": sentence.index,
                "section": sentence.section,
                "kind": sentence.kind,
                "paragraph": sentence.paragraph,
                "page": sentence.page,
                "locator": locator(document, sentence),
                "text": sentence.text,
            }
            for sentence in document.sentences
            if sections is None or sentence.section in sections
        ],
    }


def _outline(document: Document) -> OutlineData:
    return {
        "id": document.id,
        "origin": document.origin,
        "sentences": len(document.sentences),
        "references": len(document.references) if document.references_known else None,
        "tables": len(document.tables),
        "licence": document.licence,
        "sections": [
            {"title": section.title, "number": section.number, "level": section.level, "kind": section.kind}
            for section in document.sections
        ],
    }


def import_report(report: ImportReport) -> ImportReportData:
    """What an import did; counts are papers."""
    return {
        "added": report.added,
        "merged": report.merged,
        "unchanged": report.unchanged,
        "documents": report.documents,
        "skipped_files": report.skipped_files,
        "elapsed_s": round(report.elapsed_s, 3),
        "first_ids": list(report.first_ids),
        "merges": [
            {"title": merge.title, "bibkey": merge.bibkey, "into": merge.paper_id, "into_title": merge.paper_title}
            for merge in report.merges
        ],
        "kept_apart": [
            {
                "id": pair.paper_id,
                "title": pair.title,
                "other": pair.other_id,
                "other_title": pair.other_title,
                "shared_id": pair.shared_id,
            }
            for pair in report.kept_apart
        ],
        "failures": failures(report.failures),
        "remarks": list(report.remarks),
    }


def failures(items: Sequence[Failure]) -> list[FailureData]:
    """Inputs that could not be imported."""
    return [{"origin": item.origin, "cause": item.cause, "transient": item.transient, "at": item.at} for item in items]
