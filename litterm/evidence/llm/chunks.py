"""A paper cut into the parts that a model is asked about, one request each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from litterm.model.document import Document, Sentence

CHARACTERS_PER_TOKEN = 3.6
"""An estimate that needs no tokenizer: every model has another one."""
MAX_CHUNK_TOKENS = 6_000
"""A longer part is shown to the model in four overlapping windows."""
_WINDOWS = ((0.0, 0.325), (0.225, 0.55), (0.45, 0.775), (0.675, 1.0))
# A window of fewer sentences cannot overlap with its neighbours, so it is not cut again.
_MIN_SENTENCES_TO_SPLIT = 8
MAX_SENTENCE_CHARACTERS = 4_000
"""Characters of one sentence that are shown: what is longer is a table or a parser's accident."""

_ABSTRACT_TITLE, _FLOATS_TITLE = "Abstract", "Tables and figures"
_FLOATS = frozenset({"caption", "table"})
_HEADINGS = frozenset({"title", "heading"})
_MIN_CHUNK_SENTENCES = 3
"""A part of fewer sentences is no request of its own: it is shown with the part after it."""
_SUPPLEMENT = re.compile(
    r"append|annex|anhang|anexo|supplement|supporting information|additional information|παραρτημα", re.IGNORECASE
)
"""Headings of what stands at the end and still reports on the study."""
_FOOTNOTE = re.compile(r"(?:[a-h]\s|[*†‡§¶#]{1,3}\s?)[A-Z][^.]*\.?$")
"""`a Adjusted odds ratios for age.`: what a sign in a table means, which says nothing without the table."""


@dataclass(frozen=True, slots=True)
class PaperChunk:
    """One stretch of a paper that is put before a model at once; never empty."""

    key: str
    """Unique within the document and the same in every run: `abstract`, `floats`, `s4`, `s4.2` for a window."""
    title: str
    """Heading as printed, and the headings where several sections are shown together; empty where there is none."""
    sentences: tuple[Sentence, ...]
    """In reading order. A number shown to a model is a place in here, plus 1."""


@dataclass(frozen=True, slots=True)
class PaperOutline:
    """What a model is told of a paper besides its sentences."""

    title: str
    """Empty where the document has none."""
    abstract_only: bool
    """Whether there is no full text."""
    headings: Mapping[int, str]
    """For each sentence index the part that it stands in: `Part 3 of 13: Results > Speed`."""


def outline_of(document: Document) -> PaperOutline:
    """Title and parts of the paper; of an abstract alone no part is named."""
    abstract_only = document.origin == "abstract"
    title = next((row.text for row in document.sentences if row.kind == "title"), "")
    if abstract_only:
        return PaperOutline(title, True, {})
    headings: dict[int, str] = {}
    chunks = split_paper(document)
    for place, chunk in enumerate(chunks, 1):
        for row in chunk.sentences:
            name = _heading(document, row)
            headings[row.index] = f"Part {place} of {len(chunks)}" + (f": {name}" if name else " (no heading)")
    return PaperOutline(title, False, headings)


def split_paper(document: Document) -> tuple[PaperChunk, ...]:
    """The paper in parts: the abstract, each section, then captions and tables together.

    A heading is the title of its part and no candidate itself; a section without any text of its own is no
    part, and one of a sentence or two is shown with the one after it. Thanks, funding and the like, and what the
    signs in a table mean, are left out. In a document that holds nothing but headings, each section is a part.
    """
    rows = [row for row in document.sentences if row.kind not in _HEADINGS] or list(document.sentences)
    rows = [row for row in rows if _is_on_study(document, row)] or rows
    abstract = tuple(row for row in rows if row.kind == "abstract")
    # Together: a caption alone is too little for a request.
    floats = tuple(row for row in rows if row.kind in _FLOATS)
    chunks = [PaperChunk("abstract", _ABSTRACT_TITLE, abstract)] if abstract else []
    bodies: dict[int, list[Sentence]] = {}
    for row in rows:
        if row.kind != "abstract" and row.kind not in _FLOATS:
            bodies.setdefault(row.section, []).append(row)
    sections = [
        PaperChunk(f"s{section}", _heading_path(document, section), tuple(sentences))
        for section, sentences in bodies.items()
    ]
    chunks += _joined(sections)
    if floats and len(floats) < _MIN_CHUNK_SENTENCES and sections:
        chunks[-1] = _join(chunks[-1], PaperChunk("floats", _FLOATS_TITLE, floats))
    elif floats:
        chunks.append(PaperChunk("floats", _FLOATS_TITLE, floats))
    return tuple(chunks)


def _is_on_study(document: Document, row: Sentence) -> bool:
    """Whether a row may tell of the study: no thanks, funding or conflict of interest, and no footnote of a table."""
    section = document.sections[row.section]
    if row.kind == "body" and section.kind == "back" and not _SUPPLEMENT.search(section.title):
        return False
    return row.kind == "abstract" or _FOOTNOTE.match(row.text[:MAX_SENTENCE_CHARACTERS]) is None


def _joined(chunks: Sequence[PaperChunk]) -> list[PaperChunk]:
    """`chunks`, each of too few sentences at the beginning of the next one, the last at the end of the one before."""
    joined: list[PaperChunk] = []
    short: PaperChunk | None = None
    for chunk in chunks:
        whole = chunk if short is None else _join(short, chunk)
        short = whole if len(whole.sentences) < _MIN_CHUNK_SENTENCES else None
        if short is None:
            joined.append(whole)
    if short is not None:
        joined[-1:] = [_join(joined[-1], short)] if joined else [short]
    return joined


def _join(first: PaperChunk, second: PaperChunk) -> PaperChunk:
    title = "; ".join(filter(None, (first.title, second.title)))
    rows = sorted((*first.sentences, *second.sentences), key=lambda row: row.index)
    return PaperChunk(first.key, title, tuple(rows))


def split_chunk(part: PaperChunk, *, most_tokens: int = MAX_CHUNK_TOKENS) -> tuple[PaperChunk, ...]:
    """`part` itself, or four overlapping windows of it if it is longer; a window still too long is cut again."""
    if estimate_tokens(part.sentences) <= most_tokens or len(part.sentences) < _MIN_SENTENCES_TO_SPLIT:
        return (part,)
    size = len(part.sentences)
    cut = (
        replace(part, key=f"{part.key}.{number}", sentences=part.sentences[round(start * size) : round(end * size)])
        for number, (start, end) in enumerate(_WINDOWS, 1)
    )
    return tuple(window for piece in cut for window in split_chunk(piece, most_tokens=most_tokens))


def shorten_chunk(part: PaperChunk, order: Sequence[int], n: int) -> PaperChunk:
    """`part` with the `n` of its sentences that come first in `order`, sentence indices, best first.

    Sentences that `order` does not name come after all others, the earlier first. 0 keeps all.
    """
    if not 0 < n < len(part.sentences):
        return part
    places = {index: place for place, index in enumerate(order)}
    best = sorted(part.sentences, key=lambda row: (places.get(row.index, len(places)), row.index))[:n]
    return replace(part, sentences=tuple(sorted(best, key=lambda row: row.index)))


def prompt_text(raw: str) -> str:
    """Text of a paper on one line of bounded length, as it is shown to a model."""
    text = " ".join(raw.split())
    return text if len(text) <= MAX_SENTENCE_CHARACTERS else text[: MAX_SENTENCE_CHARACTERS - 1] + "…"


def estimate_tokens(sentences: Iterable[Sentence]) -> int:
    """About how many tokens the sentences have, their numbers included."""
    # Six for the number, its brackets and the line's end.
    return round(sum(len(prompt_text(row.text)) + 6 for row in sentences) / CHARACTERS_PER_TOKEN)


def _heading(document: Document, row: Sentence) -> str:
    """Under what a sentence stands; empty where it has no heading."""
    if row.kind == "abstract":
        return _ABSTRACT_TITLE
    return _FLOATS_TITLE if row.kind in _FLOATS else _heading_path(document, row.section)


def _heading_path(document: Document, section: int) -> str:
    """The headings above and of a section, outermost first; of one without words its number."""
    titles: list[str] = []
    level: int | None = None
    for section_above in reversed(document.sections[: section + 1]):
        if level is None or section_above.level < level:
            level = section_above.level
            if section_above.title or section_above.number:
                titles.append(section_above.title or f"§{section_above.number}")
        if level <= 1:
            break
    return " > ".join(reversed(titles))
