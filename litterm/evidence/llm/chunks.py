"""A paper cut into the parts that a model is asked about, one request each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

_FLOATS = frozenset({"caption", "table"})
_HEADINGS = frozenset({"title", "heading"})


@dataclass(frozen=True, slots=True)
class PaperChunk:
    """One stretch of a paper that is put before a model at once; never empty."""

    key: str
    """Unique within the document and the same in every run: `abstract`, `floats`, `s4`, `s4.2` for a window."""
    title: str
    """Heading as printed; empty where the text has none."""
    sentences: tuple[Sentence, ...]
    """In reading order. A number shown to a model is a place in here, plus 1."""


def split_paper(document: Document) -> tuple[PaperChunk, ...]:
    """The paper in parts: the abstract, each section, then captions and tables together.

    A heading is the title of its part and no candidate itself; a section without any text of its own is no
    part. In a document that holds nothing but headings, each section is a part of them.
    """
    rows = [row for row in document.sentences if row.kind not in _HEADINGS] or list(document.sentences)
    abstract = tuple(row for row in rows if row.kind == "abstract")
    # Together: a caption alone is too little for a request.
    floats = tuple(row for row in rows if row.kind in _FLOATS)
    chunks = [PaperChunk("abstract", "Abstract", abstract)] if abstract else []
    bodies: dict[int, list[Sentence]] = {}
    for row in rows:
        if row.kind != "abstract" and row.kind not in _FLOATS:
            bodies.setdefault(row.section, []).append(row)
    chunks += [
        PaperChunk(f"s{section}", _heading_path(document, section), tuple(sentences))
        for section, sentences in bodies.items()
    ]
    if floats:
        chunks.append(PaperChunk("floats", "Tables and figures", floats))
    return tuple(chunks)


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
