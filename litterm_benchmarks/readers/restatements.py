"""Claims made from full texts: the sentence that concludes an abstract, put to the paper without that sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from litterm.core.errors import BadInput
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm.text.documents.sections import classify
from litterm.text.documents.sentences import split
from litterm_benchmarks.data_rows import read_rows

_MIN_CLAIM_WORDS, _MAX_CLAIM_WORDS = 6, 35
_LAST_SENTENCES = 3
"""Of an abstract, among which the conclusion is looked for, the last first, and only in its second half."""
_FINDING: Final = re.compile(
    r"\b(?:improv|increas|decreas|reduc|lower|higher|greater|better|superior|inferior|effective|efficac|associated"
    r"|prevent|enhanc|equivalent|comparable|similar|as (?:safe|effective)|well.tolerated|safe|induc|inhibit|suppress"
    r"|protect|attenuat|faster|shorter|longer|less|more|benefi|predict|caus|accelerat|worse|alleviat|ameliorat"
    r"|stimulat|no (?:significant )?(?:difference|effect|benefit)"
    r"|not (?:\w+ )?(?:improv|reduc|increas|affect|differ|alter|superior|effective|associated|significant))\w*",
    re.IGNORECASE,
)
_NO_FINDING: Final = re.compile(
    r"\b(?:should|could|would|will|further|future|warrant\w*|need\w*|recommend\w*|may|might|potential\w*|regist\w*"
    r"|clinicaltrials|trial is|isrctn|nct\d+|www|http\S*|research|protocol|suggested that|likely|possibl\w+"
    r"|hypothes\w+|aim\w*|objective\w*|purpose|we|this (?:study|trial))\b",
    re.IGNORECASE,
)
"""Advice, a guess, an aim or a registration; or words that nobody would type who asks a paper something."""
_LEAD_IN: Final = re.compile(
    r"^(?:(?:Authors' )?Conclusions?(?: and \w+)?\s*[:.]?\s+|In (?:conclusion|summary),?\s*"
    r"|(?:Thus|Therefore|Hence|Overall|Altogether|Taken together|Finally|However|Furthermore|Moreover|Consequently)"
    r",?\s*){1,3}(?=\S)",
    re.IGNORECASE,
)
_REPORTS: Final = re.compile(
    r"^(?:(?:The|These|Our|This|Such)(?: \w+){0,3} (?:findings?|results?|data|study|trial|analysis|observations?)"
    r"(?: (?:from|of)(?: \w+){1,4})?|We(?: have)?|It)(?: \w+ly)?(?: (?:was|is|were))?"
    r" (?:suggest|conclude|indicate|demonstrate|show|found|reveal|confirm|provide evidence|support)\w*(?: here)?"
    r",? that\s+",
    re.IGNORECASE,
)
_NO_TEXT: Final = re.compile(r"trial status|competing|abbreviations|publication history|authors", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ConcludedPaper:
    """A full text and the claim that its abstract concludes with."""

    paper: PaperId
    claim: str
    document: Document
    """Title, the abstract up to its conclusion, and the body."""
    abstract: str
    """The whole of it."""


def read_concluded_papers(path: Path) -> tuple[ConcludedPaper, ...]:
    """Every paper of JSON Lines with `id`, `title`, `abstract` and `sections` whose abstract concludes with a finding.

    The form of the full texts of the ACL is read, too: `acl_id`, and sections of `sentences`, the abstract one of them.

    A paper counts only if its body has results, and a discussion or a conclusion, by their headings.

    Raises:
        BadInput: a line is not in the expected form, or no paper concludes with a finding.
    """
    papers = tuple(paper for paper in read_rows(path, _concluded) if paper is not None)
    if not papers:
        raise BadInput(f"{path}: no full text in it whose abstract concludes with a finding.")
    return papers


def claim_of(sentence: str) -> str:
    """A concluding sentence as a claim: without *In conclusion* and *These results show that*."""
    bare = _REPORTS.sub("", _LEAD_IN.sub("", sentence).strip()).strip()
    return bare[:1].upper() + bare[1:]


def _concluded(fields: Mapping[str, object], _number: int) -> ConcludedPaper | None:
    title = str(fields["title"])
    sections = [
        (str(section["title"]), _section_text(section))
        for section in cast("Iterable[Mapping[str, object]]", fields["sections"])
    ]
    # Of full texts of the ACL the abstract is a section like any other.
    if "abstract" in fields:
        abstract = str(fields["abstract"])
    else:
        abstract = next((text for heading, text in sections if classify(heading) == "abstract"), "")
        sections = [(heading, text) for heading, text in sections if classify(heading) != "abstract"]
    sentences = [abstract[span.start : span.end] for span in split(abstract)]
    place = _conclusion_place(sentences)
    kinds = {classify(heading) for heading, _ in sections}
    if (
        place is None
        or "protocol" in title.lower()
        or "results" not in kinds
        or not kinds & {"discussion", "conclusion"}
    ):
        return None
    blocks = (Block("title", title), *_abstract_blocks(sentences[:place]), *_body_blocks(sections))
    paper = PaperId(str(fields["id"]) if "id" in fields else f"acl:{fields['acl_id']}")
    document = build_document(paper, blocks, origin="jsonl", parser="restatements-1")
    return ConcludedPaper(paper, claim_of(sentences[place]), document, abstract)


def _section_text(section: Mapping[str, object]) -> str:
    return str(section["text"]) if "text" in section else " ".join(cast("Iterable[str]", section["sentences"]))


def _conclusion_place(sentences: list[str]) -> int | None:
    first = max(len(sentences) - _LAST_SENTENCES, len(sentences) // 2 + 1)
    return next((place for place in reversed(range(first, len(sentences))) if _is_finding(sentences[place])), None)


def _is_finding(sentence: str) -> bool:
    claim = claim_of(sentence)
    if not _MIN_CLAIM_WORDS <= len(claim.split()) <= _MAX_CLAIM_WORDS:
        return False
    return bool(_FINDING.search(claim)) and not _NO_FINDING.search(claim)


def _abstract_blocks(sentences: list[str]) -> Iterator[Block]:
    if sentences:
        yield Block("heading", "Abstract", section_kind="abstract")
        yield Block("abstract", sentences=tuple(sentences))


def _body_blocks(sections: list[tuple[str, str]]) -> Iterator[Block]:
    for heading, text in sections:
        if classify(heading) != "back" and not _NO_TEXT.search(heading):
            yield Block("heading", heading, section_kind=classify(heading))
            yield Block("body", text)
