"""Reads mixed content of JATS as running text: formulas once, superscripts, and where references are cited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal
from xml.etree.ElementTree import Element

from litterm.importers.xml.mathml import tex_from_mathml
from litterm.text.clean import characters, clean_line, script_text
from litterm.text.documents.builder import Block, InlineCitation
from litterm.text.latex.formula import formula_to_text

TextKind = Literal["abstract", "body", "caption"]

_SKIPPED_TAGS: Final = frozenset(
    """object-id alt-text long-desc inline-graphic graphic media permissions attrib label-alternatives processing-meta
    index-term target annotation tex-math-alternatives""".split()
)
_FORMULA_TAGS: Final = frozenset("inline-formula disp-formula math tex-math chem-struct-wrap alternatives".split())
_NOTE_TYPES: Final = frozenset("fn table-fn author-notes aff corresp".split())
_RANGE_DASH: Final = re.compile(r"[\])}]*\s*(?:[-–—‐‑−]|to)\s*[\[({]*")
_TEXT_RANGE: Final = re.compile(r"(\d{1,4})\s*[-–—‐‑−]\s*(\d{1,4})")
_NUMBERS: Final = re.compile(r"\d{1,3}(?:\s*[,–-]\s*\d{1,3})+")
_BRACKETED: Final = re.compile(r"\s*[\[(]")
_MARK_NUMBERS: Final = re.compile(r"\d{1,3}(?:(?:\s*[,–-]\s*|\s+)\d{1,3})*")
_STUCK_END: Final = re.compile(r"(?:[^\W_]|[.,;:!?)\]’”\"%]|\][–‐-])\Z")
"""Ends of a text that a number cannot follow without a space: a word, its stop, or the beginning of a range."""
_CONTEXT_CHARS: Final = 200
_MAX_RANGE: Final = 80
_TEX_BODY: Final = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_FORMULA_PLACEHOLDER: Final = "[formula]"
"""Stands where the source has only a picture of a formula."""


@dataclass(frozen=True, slots=True)
class CitedEntries:
    """What leads to the entries of a reference list: positions in it, from 0."""

    by_key: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By the id of an element; several where an element holds several citations."""
    by_ref: tuple[tuple[int, ...], ...] = ()
    """Of each element of the list in order, the entries it holds: of a footnote none."""
    ref_of: tuple[int, ...] = ()
    """Of each entry, the element of the list that holds it."""
    labels: tuple[str, ...] = ()
    """Of each entry as printed."""

    @classmethod
    def of_positions(cls, positions: Mapping[str, int], count: int) -> CitedEntries:
        """Of a list of `count` entries, each in an element of its own."""
        ids = {key: (position,) for key, position in positions.items()}
        return cls(ids, tuple((position,) for position in range(count)), tuple(range(count)), ("",) * count)

    def targets(self, keys: Iterable[str], mark: str) -> list[int]:
        """The entries that `keys` lead to; of the parts of one (1a, 1b) that which the mark names, if it names one."""
        positions = [position for key in keys for position in self.by_key.get(key, ())]
        named = [position for position in positions if self.labels[position] == mark.strip(" [()],.")]
        return named if len(named) == 1 else positions

    def following(self, position: int, count: int) -> list[int]:
        """The entries of the `count` elements behind that which holds `position`; none where the list ends before."""
        ref = self.ref_of[position]
        if ref + count >= len(self.by_ref):
            return []
        return [entry for positions in self.by_ref[ref + 1 : ref + count + 1] for entry in positions]


NO_ENTRIES: Final = CitedEntries()


class InlineText:
    """Text that grows piece by piece and remembers the citation marks in it."""

    def __init__(self, references: CitedEntries = NO_ENTRIES) -> None:
        self._references = references
        self._parts: list[str] = []
        self._length = 0
        self._since: list[str] = []
        """Text since the last mark: where it is a dash alone, the two marks are the ends of a range."""
        self._last: tuple[int, int] | None = None
        """Reference and start of the last mark."""
        self._bracketed = False
        self._silent: list[int] = []
        """References that were linked without a word of their own since the last mark."""
        self.cites: list[InlineCitation] = []

    @property
    def text(self) -> str:
        """Everything so far; blanks as in the source."""
        return "".join(self._parts)

    def add(self, text: str | None) -> None:
        """Append plain text."""
        if text:
            sound = characters(text)
            self._parts.append(sound)
            self._since.append(sound)
            self._length += len(sound)

    def content(self, element: Element) -> None:
        """Append everything inside `element`."""
        self.add(element.text)
        for child in element:
            self.element(child)
            self.add(child.tail)

    def element(self, element: Element) -> None:
        """Append `element` itself, without its tail."""
        tag = element.tag
        if tag in _SKIPPED_TAGS:
            return
        if tag in _FORMULA_TAGS:
            separator = " " if tag == "disp-formula" else ""
            self.add(f"{separator}{formula_text(element)}{separator}")
        elif tag in ("sub", "sup"):
            self._script(element)
        elif tag == "xref":
            self._cross_reference(element)
        elif tag == "break":
            self.add(" ")
        elif tag == "fn":
            self._note(element)
        else:
            self.content(element)
            if tag in ("p", "title", "label", "list-item", "compound-kwd-part"):
                self.add(" ")

    def _note(self, element: Element) -> None:
        """A footnote where it is called, in parentheses."""
        paragraphs = [child for child in element if child.tag == "p"] or [element]
        self.add(" (")
        for number, paragraph in enumerate(paragraphs):
            self.add(" " if number else "")
            self.content(paragraph)
        self.add(")")

    def _script(self, element: Element) -> None:
        # Brackets once: marks inside a raised mark are in them already.
        if not self._bracketed and any(self._targets(inner) for inner in element.iter("xref")):
            self._in_brackets(element)
            return
        inner = InlineText()
        inner.content(element)
        text = inner.text
        if element.tag == "sup" and _NUMBERS.fullmatch(text.strip()):
            # Unlinked citation marks: bare they would run into the word before them.
            self.add(f"[{text.strip()}]")
        else:
            self.add(script_text(element.tag, text))

    def _in_brackets(self, element: Element) -> None:
        """Raised citation marks, set level and therefore in brackets, as `word[1,2]`."""
        bare = not _BRACKETED.match("".join(element.itertext()))
        self._bracketed = True
        if bare:
            self.add("[")
        self.content(element)
        if bare:
            self.add("]")
        self._bracketed = False

    def _cross_reference(self, element: Element) -> None:
        targets = self._targets(element)
        if not targets:
            self._mark(element)
            return
        raised = not self._bracketed and len(element) > 0 and all(child.tag == "sup" for child in element)
        bare = raised and not element.text and not _BRACKETED.match("".join(element.itertext()))
        bare = bare or self._is_stuck("".join(element.itertext()))
        start = self._length
        continues_range = self._last is not None and _RANGE_DASH.fullmatch("".join(self._since)) is not None
        # Never raised: raised marks stand level in brackets.
        text = " ".join("".join(element.itertext()).split())
        if not text:
            # The inside of a range, linked without a word of its own.
            self._silent.extend(targets)
            return
        self.add(f"[{text}]" if bare else text)
        self._cite((*targets, *self._fill_range(element, targets)), start)
        if continues_range and self._last is not None:
            first, begin = self._last
            self._cite((*self._gap(first, targets[0]), *self._silent), begin)
            self._silent.clear()
        self._last = (targets[-1], start)
        self._since.clear()
        self.settle()

    def _is_stuck(self, mark: str) -> bool:
        """Whether a number would run into the word before it, as in `worldwide.8`: publishers leave raising it out."""
        # Names and years read well where they are.
        if self._bracketed or not _MARK_NUMBERS.fullmatch(mark.strip()):
            return False
        before = "".join(self._parts[-10:])[-_CONTEXT_CHARS:]
        enclosed = before.rfind("[") > before.rfind("]") or before.rfind("(") > before.rfind(")")
        return not enclosed and _STUCK_END.search(before) is not None

    def _cite(self, targets: Iterable[int], start: int) -> None:
        """Everything from `start` on is the mark of these references."""
        self.cites.extend(InlineCitation(target, start, self._length) for target in dict.fromkeys(targets))

    def settle(self) -> None:
        """Links without words that no range encloses belong to the neighbouring mark."""
        if self._silent and self._last is not None:
            self._cite(self._silent, self._last[1])
            self._silent.clear()

    def _gap(self, first: int, target: int) -> range:
        """`1` and `5` with a dash between them cite 2, 3 and 4 too."""
        # A wider range is a misprint, and would cite half of the bibliography.
        return range(first + 1, target) if first < target <= first + _MAX_RANGE else range(0)

    def _fill_range(self, element: Element, targets: list[int]) -> list[int]:
        """References inside a range printed in one mark, `1–5`, of which the source names only an end."""
        match = _TEXT_RANGE.search("".join(element.itertext()))
        if match is None:
            return []
        width = int(match.group(2)) - int(match.group(1))
        return self._references.following(targets[0], width) if 0 < width <= _MAX_RANGE else []

    def _targets(self, element: Element) -> list[int]:
        """Positions of the references an element points at; publishers call the type `bibr`, `ref` or nothing."""
        if element.tag != "xref":
            return []
        return self._references.targets(element.get("rid", "").split(), "".join(element.itertext()))

    def _mark(self, element: Element) -> None:
        """A cross reference to a figure, a section or a note."""
        # Raised, since level they would run into the word as a digit of it.
        if element.get("ref-type") in _NOTE_TYPES:
            inner = "".join(element.itertext()).strip()
            self.add(script_text("sup", inner))
        elif len(element):
            self.content(element)
        else:
            self.add(" ".join((element.text or "").split()))


def begin_paragraph(references: CitedEntries, text: str) -> InlineText:
    """Running text that begins with `text`."""
    inline = InlineText(references)
    inline.add(text)
    return inline


def finish_paragraph(inline: InlineText, kind: TextKind) -> Iterator[Block]:
    """The running text as a block, if there is any."""
    text = inline.text
    inline.settle()
    if text.strip():
        yield Block(kind, text, cites=tuple(inline.cites))


def inline_text(element: Element | None, *, skip: frozenset[str] = frozenset()) -> str:
    """What `element` prints, on one line; `skip` names children left out."""
    if element is None:
        return ""
    inline = InlineText()
    inline.add(element.text)
    for child in element:
        if child.tag not in skip:
            inline.element(child)
        inline.add(child.tail)
    return clean_line(inline.text)


def formula_text(element: Element) -> str:
    """A formula once, whatever alternatives the source gives: Unicode where exact, else TeX between dollars."""
    math = element if element.tag == "math" else next(element.iter("math"), None)
    tex = element if element.tag == "tex-math" else next(element.iter("tex-math"), None)
    label = element.find("label")
    number = f" {clean_line(''.join(label.itertext()))}" if label is not None else ""
    if tex is not None:
        formula = _formula_from_tex(tex)
        # Of two spellings the one that needs no TeX is the better reading.
        if math is not None and formula.startswith("$"):
            other = formula_to_text(tex_from_mathml(math))
            formula = formula if other.startswith("$") else other
        return formula + number
    if math is not None:
        return formula_to_text(tex_from_mathml(math)) + number
    return _plain_formula(element)


def _formula_from_tex(tex: Element) -> str:
    text = "".join(tex.itertext())
    inner = _TEX_BODY.search(text)
    return formula_to_text((inner.group(1) if inner else text).strip().strip("$").strip())


def _plain_formula(element: Element) -> str:
    inline = InlineText()
    inline.content(element)
    if inline.text.strip():
        return inline.text
    pictured = any(next(element.iter(tag), None) is not None for tag in ("inline-graphic", "graphic"))
    # A word in its place: without one the sentence would look whole.
    return _FORMULA_PLACEHOLDER if pictured else ""
