"""Loads fonts of a PDF: which characters each code shows, and how far it moves the pen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pypdf._codecs.adobe_glyphs import adobe_glyphs
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, IndirectObject
from pypdf.generic._font import Font

DAMAGE = (
    PyPdfError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, RecursionError,
    NotImplementedError, OSError, ImportError, EOFError,
)  # fmt: skip
"""What pypdf lets pass from damaged files; none of it says more than that the file is damaged."""

_SERIAL_NAME = re.compile(r"[a-zA-Z]{1,2}\d+")
_HEX_NAME = re.compile(r"#[0-9A-F]{2}")
_BASE_36_NAME = re.compile(r"[A-E][0-9A-Z]")
_TEX_LIGATURES = {0x0B: "ff", 0x0C: "fi", 0x0D: "fl", 0x0E: "ffi", 0x0F: "ffl"}
_BOLD_WORDS = ("bold", "black", "heavy", "demi", "-bd", "cmbx", "cmb10", "nimbusromno9l-medi", "times-b")
_ITALIC_WORDS = ("italic", "oblique", "-it", "cmti", "slant", "-ital")


class Glyph(NamedTuple):
    """One code of a font."""

    text: str
    """What it shows; empty for a blank."""
    advance: float
    """Move of the pen in units of the font's size."""
    spacing: bool
    """Whether word spacing applies: the single-byte code 32."""


@dataclass(slots=True)
class UsableFont:
    """A font ready for use."""

    font: Font
    name: str
    bold: bool
    italic: bool
    gap: float
    """A move wider than this, in ems, parts two words."""
    unit: float = 0.001
    """One unit of its widths in units of the size; a Type 3 font has its own."""
    em: float = 1.0
    """Height of its letters in units of the size; a Type 3 font has its own."""
    names: dict[int, str] = field(default_factory=dict)
    """Characters known from the names of a Type 3 font's glyphs."""
    widths: dict[int, float] = field(default_factory=dict)
    readable: bool = True
    """Whether its codes can be determined at all."""
    glyphs: dict[str | int, Glyph] = field(default_factory=dict)

    def decode(self, raw: bytes) -> list[Glyph]:
        """The glyphs that `raw` shows."""
        encoding = self.font.encoding
        codes: Sequence[str | int] = _decode_bytes(raw, encoding) if isinstance(encoding, str) else raw
        return [self.glyphs.get(code) or self._learn(code) for code in codes]

    def _learn(self, code: str | int) -> Glyph:
        text = self._text(code)
        glyph = Glyph("" if text.isspace() else text, self._width(code) * self.unit, code == 32)
        self.glyphs[code] = glyph
        return glyph

    def _text(self, code: str | int) -> str:
        if isinstance(code, str):
            return str(self.font.character_map.get(code, code))
        if code in self.names:
            return self.names[code]
        encoding = self.font.encoding
        shown = encoding.get(code, chr(code)) if isinstance(encoding, dict) else chr(code)
        text = str(self.font.character_map.get(shown, shown))
        return _text_of_glyph_name(text) if len(text) > 2 and text[0] == "/" else text

    def _width(self, code: str | int) -> float:
        if isinstance(code, int) and code in self.widths:
            return self.widths[code]
        key = chr(code) if isinstance(code, int) else code
        widths = self.font.character_widths
        return float(self.font.space_width if key == self.font.space_char else widths.get(key, widths["default"]))


def _decode_bytes(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding, "surrogatepass")
    except (UnicodeDecodeError, LookupError):
        # Most fonts with an encoding we cannot decode by name have codes of two bytes.
        return raw.decode("utf-16-be", "replace")


@dataclass(slots=True)
class Fonts:
    """The fonts of a file by object number: making one ready can take longer than reading a page."""

    faces: dict[tuple[int, int], UsableFont | None] = field(default_factory=dict)

    def of(self, resources: DictionaryObject) -> dict[str, UsableFont | None]:
        """Faces by the names a content stream uses; `None` where a font is broken."""
        table = dictionary(resources.get("/Font"))
        return {str(name): self._face(table.raw_get(name)) for name in table} if table is not None else {}

    def _face(self, reference: object) -> UsableFont | None:
        if not isinstance(reference, IndirectObject):
            return _load_face(reference)
        key = (reference.idnum, reference.generation)
        # By object number: names are given again on each page.
        if key not in self.faces:
            self.faces[key] = _load_face(reference)
        return self.faces[key]


def dictionary(value: object) -> DictionaryObject | None:
    """`value`, resolved, if it is a dictionary."""
    resolved = value.get_object() if isinstance(value, IndirectObject) else value
    return resolved if isinstance(resolved, DictionaryObject) else None


def _load_face(reference: object) -> UsableFont | None:
    try:
        description = dictionary(reference)
        if description is None:
            return None
        font = Font.from_font_resource(description)
        name = _font_name(description)
        gap = min(0.2, max(0.05, 0.0003 * float(font.space_width)))
        face = UsableFont(font, name, any(s in name for s in _BOLD_WORDS), any(s in name for s in _ITALIC_WORDS), gap)
        if font.sub_type == "Type3":
            _read_type3_font(face, description)
    except DAMAGE:
        return None
    return face


def _font_name(description: DictionaryObject) -> str:
    name = description.get("/BaseFont")
    plain = str(name.get_object() if isinstance(name, IndirectObject) else name or "")
    # `ABCDEF+Times-Roman`: subsets of one font have a prefix each.
    return plain.removeprefix("/").rpartition("+")[2].lower()


def _read_type3_font(face: UsableFont, description: DictionaryObject) -> None:
    """Reads a Type 3 font, which has its own scale, and often only names of glyphs that tell what they show."""
    matrix = [abs(float(value)) for value in description.get("/FontMatrix", ())]
    box = [float(value) for value in description.get("/FontBBox", ())]
    face.unit = matrix[0] if len(matrix) == 6 and matrix[0] > 0 else 0.001
    first = int(description.get("/FirstChar", 0))
    face.widths = {first + index: float(width) for index, width in enumerate(description.get("/Widths", ()))}
    height = (box[3] - box[1]) * matrix[3] if len(box) == 4 and len(matrix) == 6 else 0.0
    widths = [width for width in face.widths.values() if width > 0]
    face.em = height or (2 * face.unit * sum(widths) / len(widths) if widths else 1.0)
    face.gap = 0.13
    if "/ToUnicode" not in description:
        face.names, face.readable = _named_texts(description)


def _named_texts(description: DictionaryObject) -> tuple[dict[int, str], bool]:
    encoding = dictionary(description.get("/Encoding"))
    differences = encoding.get("/Differences", ()) if encoding is not None else ()
    names: dict[int, str] = {}
    code = known = unknown = 0
    for item in differences:
        if isinstance(item, (int, float)):
            code = int(item)
            continue
        name = str(item).removeprefix("/")
        text = _text_of_glyph(name)
        if text:
            names[code] = text
            known += 1
        elif name not in (".notdef", "space"):
            unknown += adobe_glyphs.get(f"/{name}") is None or _SERIAL_NAME.fullmatch(name) is not None
        code += 1
    # Names such as `a23` are serial numbers of the converter and show nothing.
    return names, unknown <= known


def _text_of_glyph_name(name: str) -> str:
    """A glyph's name that no list knows: `/T_h` and `/f_f_i` are ligatures, `/uni20AC` a code point, others nothing."""
    stem = name[1:].partition(".")[0]
    parts = stem.split("_")
    if all(len(part) == 1 for part in parts):
        return "".join(parts)
    match = re.fullmatch(r"(?:uni|u)([0-9A-F]{4,5})", stem)
    return chr(int(match[1], 16)) if match else ""


def _text_of_glyph(name: str) -> str:
    """What a glyph called `name` shows, after the habits of two old converters; empty if it does not tell."""
    if len(name) == 1:
        return name
    if _HEX_NAME.fullmatch(name):
        code = int(name[1:], 16)
        return _TEX_LIGATURES.get(code, chr(code) if 32 < code < 127 else "")
    if _BASE_36_NAME.fullmatch(name):
        # 360 is `A0`.
        code = int(name, 36) - 360
        return _TEX_LIGATURES.get(code, chr(code) if 32 < code < 127 else "")
    return ""
