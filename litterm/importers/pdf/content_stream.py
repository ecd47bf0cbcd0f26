"""Interprets a content stream as far as text goes: words with their positions, in the order they are drawn.

The state of the pen is its matrices, text state and current font.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from pypdf import PdfReader
from pypdf.generic import ArrayObject, ContentStream, DictionaryObject, StreamObject

from litterm.core.errors import BadInput
from litterm.importers.pdf.fonts import DAMAGE, Fonts, UsableFont, dictionary

MAX_CONTENT_BYTES = 12_000_000
"""Decoded drawing instructions of one page; a page above is taken for a picture."""
MAX_GLYPHS = 200_000
"""On one page; what follows is not read."""
_LARGE_CONTENT_BYTES = 200_000
_MAX_FORM_DEPTH = 6
_MAX_FORMS = 500

_BEGIN_TEXT = re.compile(rb"(?<![^\s\])>])BT(?=[\s/(\[<])")
_TEXT_TOKEN = re.compile(rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*+\))*+\)|(?<![^\s\])>])ET(?![^\s])", re.DOTALL)
_PLACING_OPERATOR = re.compile(rb"(?:[-+.\d]{1,24}\s+){6}cm(?!\S)|(?<!\S)[qQ](?!\S)|/[^\s/()<>\[\]]{1,64}\s+Do(?!\S)")
Matrix: TypeAlias = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_MAX_SAVED_STATES = 256


def strip_paths(data: bytes) -> bytes:
    """A content stream without its curves, which can be half a million instructions of a figure.

    Between text objects only what moves text is kept: the graphics state's stack, matrices and forms.
    """
    pieces: list[bytes] = []
    position = 0
    while begin := _BEGIN_TEXT.search(data, position):
        end = _text_end(data, begin.end())
        pieces += (match.group() for match in _PLACING_OPERATOR.finditer(data, position, begin.start()))
        pieces.append(data[begin.start() : end])
        position = end
    pieces += (match.group() for match in _PLACING_OPERATOR.finditer(data, position))
    return b"\n".join(pieces)


def _text_end(data: bytes, start: int) -> int:
    for match in _TEXT_TOKEN.finditer(data, start):
        if match.group() == b"ET":
            return match.end()
    return len(data)


class Word(NamedTuple):
    """A run of glyphs of one size on one baseline without a blank; points, y upwards."""

    text: str
    x0: float
    x1: float
    y: float
    """Baseline."""
    size: float
    """Height of the font as drawn."""
    font: str
    """Name of its font, for telling one from another."""
    bold: bool
    italic: bool
    angle: int
    """Direction of writing: 0, 90, 180 or 270 degrees; x runs along it."""


def multiply(m: Matrix, n: Matrix) -> Matrix:
    """`m` applied first, then `n`."""
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )


def number(operands: Sequence[object], index: int, otherwise: float) -> float:
    """The operand at `index` if it is a number."""
    value = operands[index] if index < len(operands) else None
    return float(value) if isinstance(value, (int, float)) else otherwise


def matrix(operands: object) -> Matrix:
    """Six numbers as a matrix; the identity if they are something else."""
    if isinstance(operands, (list, tuple)) and len(operands) >= 6:
        a, b, c, d, e, f = (number(operands, index, 0.0) for index in range(6))
        return (a, b, c, d, e, f)
    return IDENTITY


@dataclass(slots=True)
class TextState:
    """What `q` saves and `Q` brings back."""

    ctm: Matrix = IDENTITY
    face: UsableFont | None = None
    size: float = 1.0
    spacing: float = 0.0
    word_spacing: float = 0.0
    scale: float = 1.0
    leading: float = 0.0
    rise: float = 0.0


class TextOrigin(NamedTuple):
    """Where the pen is before a string is shown."""

    x: float
    y: float
    size: float
    stretch: float
    """Points along the writing a unit of text space."""
    angle: int


class GraphicsState:
    """The state of one content stream."""

    def __init__(self, base: Matrix) -> None:
        self.state = TextState(ctm=base)
        self._stack: list[TextState] = []
        self._tm = IDENTITY
        self._line = IDENTITY

    def save(self) -> None:
        """Keep the state for a later `restore`."""
        # A damaged stream may save without end.
        if len(self._stack) < _MAX_SAVED_STATES:
            self._stack.append(replace(self.state))

    def restore(self) -> None:
        """Back to the state last saved."""
        if self._stack:
            self.state = self._stack.pop()

    def place(self, text_matrix: Matrix) -> None:
        """Begin a line under the matrix `text_matrix`."""
        self._tm = self._line = text_matrix

    def move(self, x: float, y: float) -> None:
        """Begin a line, in units of text space from the beginning of the last one."""
        self.place(multiply((1.0, 0.0, 0.0, 1.0, x, y), self._line))

    def advance(self, distance: float) -> None:
        """Go on, in units of text space along the line."""
        a, b, c, d, e, f = self._tm
        self._tm = (a, b, c, d, e + distance * a, f + distance * b)

    def frame(self) -> TextOrigin | None:
        """Position and scale of the next glyph; `None` where no text can be read: too small, askew, off the page."""
        state = self.state
        raised = multiply((1.0, 0.0, 0.0, 1.0, 0.0, state.rise), self._tm) if state.rise else self._tm
        a, b, c, d, e, f = multiply(raised, state.ctm)
        stretch = math.hypot(a, b)
        size = abs(state.size) * math.hypot(c, d) * (state.face.em if state.face else 1.0)
        if not (0.5 < size < 2000 and stretch > 0) or not (math.isfinite(e) and math.isfinite(f)):
            return None
        if state.size < 0:
            a, b = -a, -b
        if abs(b) < 0.05 * stretch:
            return TextOrigin(e, f, size, stretch, 0) if a > 0 else TextOrigin(-e, -f, size, stretch, 180)
        if abs(a) < 0.05 * stretch:
            return TextOrigin(f, -e, size, stretch, 90) if b > 0 else TextOrigin(-f, e, size, stretch, 270)
        return None


@dataclass(slots=True)
class GlyphRun:
    """The word under the pen."""

    texts: list[str]
    x0: float
    x1: float
    frame: TextOrigin
    face: UsableFont

    def takes(self, frame: TextOrigin, x0: float, face: UsableFont) -> bool:
        """Whether a glyph at `x0` belongs to this word: same line, same size, no gap."""
        size = self.frame.size
        if frame is not self.frame and (
            frame.angle != self.frame.angle
            or abs(frame.y - self.frame.y) > 0.08 * size
            or abs(frame.size - size) > 0.08 * size
        ):
            return False
        if face is not self.face and (face.bold, face.italic) != (self.face.bold, self.face.italic):
            return False
        gap = x0 - self.x1
        # A little backwards too: kerning draws letters into one another.
        return -0.4 * size < gap < max(face.gap, self.face.gap) * size

    def word(self) -> Word:
        """The word as it is."""
        face, frame = self.face, self.frame
        text = "".join(self.texts)
        return Word(text, self.x0, self.x1, frame.y, frame.size, face.name, face.bold, face.italic, frame.angle)


class StreamInterpreter:
    """Carries out content streams; read `words` when it is done."""

    def __init__(self, reader: PdfReader, fonts: Fonts) -> None:
        self.words: list[Word] = []
        self.glyphs = 0
        self.unreadable = 0
        """Glyphs drawn in fonts that do not say which characters they show."""
        self._reader = reader
        self._fonts = fonts
        self._forms = 0
        self._run: GlyphRun | None = None

    def draw(self, content: ContentStream, resources: DictionaryObject, base: Matrix, depth: int = 0) -> None:
        """Carry out `content` under the matrix `base`; it is changed where it is large.

        Raises:
            BadInput: the instructions are longer than `MAX_CONTENT_BYTES`.
        """
        data = content.get_data()
        # pypdf parses every operator in Python, and a figure may have half a million of them.
        if len(data) > _LARGE_CONTENT_BYTES:
            data = strip_paths(data)
            content.set_data(data)
        if len(data) > MAX_CONTENT_BYTES:
            raise BadInput("too many drawing instructions on one page")
        pen = GraphicsState(base)
        faces = self._fonts.of(resources)
        for operands, operator in content.operations:
            if operator == b"Tf":
                pen.state.face = faces.get(str(operands[0])) if operands else None
                pen.state.size = number(operands, 1, pen.state.size)
            elif operator == b"Do":
                self._form(operands, resources, pen.state.ctm, depth)
            else:
                self._execute(operator, operands, pen)
            if self.glyphs > MAX_GLYPHS:
                break
        self.flush()

    def _execute(self, operator: bytes, operands: Sequence[object], pen: GraphicsState) -> None:
        if (show := _SHOW_OPERATORS.get(operator)) is not None:
            show(self, pen, operands)
        elif (step := _STATE_OPERATORS.get(operator)) is not None:
            step(pen, operands)

    def flush(self) -> None:
        """End the word under the pen."""
        if self._run is not None:
            self.words.append(self._run.word())
            self._run = None

    def _form(self, operands: Sequence[object], resources: DictionaryObject, ctm: Matrix, depth: int) -> None:
        self._forms += 1
        name = str(operands[0]) if operands else ""
        objects = dictionary(resources.get("/XObject"))
        entry = objects.get(name) if objects is not None else None
        form = entry.get_object() if entry is not None else None
        if not isinstance(form, StreamObject) or form.get("/Subtype") != "/Form":
            return
        # Forms may call each other in a circle.
        if depth >= _MAX_FORM_DEPTH or self._forms > _MAX_FORMS:
            return
        form_resources = dictionary(form.get("/Resources"))
        base = multiply(matrix(form.get("/Matrix")), ctm)
        try:
            # As bytes: pypdf would decode strings before their font is known.
            content = ContentStream(form, self._reader, "bytes")
            self.draw(content, form_resources if form_resources is not None else resources, base, depth + 1)
        except DAMAGE:
            self.flush()

    def show(self, pen: GraphicsState, raw: bytes) -> None:
        """Show a string and move the pen behind it."""
        state = pen.state
        face = state.face
        if face is None:
            return
        glyphs = face.decode(raw)
        self.glyphs += len(glyphs)
        if not face.readable:
            self.unreadable += len(glyphs)
            return
        frame = pen.frame()
        offset = 0.0
        for text, advance, spacing in glyphs:
            step = advance * state.size
            if frame is not None:
                # Letters set apart on purpose still are one word: what is added to each counts as its width.
                self._put(text, frame, offset, (step + max(0.0, state.spacing)) * state.scale, face)
            offset += (step + state.spacing + (state.word_spacing if spacing else 0.0)) * state.scale
        pen.advance(offset)

    def _put(self, text: str, frame: TextOrigin, offset: float, width: float, face: UsableFont) -> None:
        if not text:
            self.flush()
            return
        x0 = frame.x + offset * frame.stretch
        x1 = x0 + width * frame.stretch
        run = self._run
        if run is not None and run.takes(frame, x0, face):
            run.texts.append(text)
            run.x1 = max(run.x1, x1)
            return
        self.flush()
        self._run = GlyphRun([text], x0, x1, frame, face)


def _show(drawing: StreamInterpreter, pen: GraphicsState, operands: Sequence[object]) -> None:
    if operands and isinstance(operands[0], bytes):
        drawing.show(pen, operands[0])


def _show_line(drawing: StreamInterpreter, pen: GraphicsState, operands: Sequence[object]) -> None:
    pen.move(0.0, -pen.state.leading)
    _show(drawing, pen, operands)


def _show_spaced(drawing: StreamInterpreter, pen: GraphicsState, operands: Sequence[object]) -> None:
    pen.state.word_spacing = number(operands, 0, 0.0)
    pen.state.spacing = number(operands, 1, 0.0)
    _show_line(drawing, pen, operands[2:])


def _show_all(drawing: StreamInterpreter, pen: GraphicsState, operands: Sequence[object]) -> None:
    items = operands[0] if operands else None
    for item in items if isinstance(items, ArrayObject) else ():
        if isinstance(item, bytes):
            drawing.show(pen, item)
        elif isinstance(item, (int, float)):
            pen.advance(-float(item) / 1000 * pen.state.size * pen.state.scale)


_SHOW_OPERATORS: dict[bytes, Callable[[StreamInterpreter, GraphicsState, Sequence[object]], None]] = {
    b"Tj": _show,
    b"'": _show_line,
    b'"': _show_spaced,
    b"TJ": _show_all,
}


def _transform(pen: GraphicsState, operands: Sequence[object]) -> None:
    pen.state.ctm = multiply(matrix(operands), pen.state.ctm)


def _move_leading(pen: GraphicsState, operands: Sequence[object]) -> None:
    pen.state.leading = -number(operands, 1, 0.0)
    pen.move(number(operands, 0, 0.0), number(operands, 1, 0.0))


def _setter(
    name: str, otherwise: float = 0.0, divisor: float = 1.0
) -> Callable[[GraphicsState, Sequence[object]], None]:
    def set_state(pen: GraphicsState, operands: Sequence[object]) -> None:
        setattr(pen.state, name, number(operands, 0, otherwise) / divisor)

    return set_state


_STATE_OPERATORS: dict[bytes, Callable[[GraphicsState, Sequence[object]], None]] = {
    b"q": lambda pen, operands: pen.save(),
    b"Q": lambda pen, operands: pen.restore(),
    b"cm": _transform,
    b"BT": lambda pen, operands: pen.place(IDENTITY),
    b"Tm": lambda pen, operands: pen.place(matrix(operands)),
    b"Td": lambda pen, operands: pen.move(number(operands, 0, 0.0), number(operands, 1, 0.0)),
    b"TD": _move_leading,
    b"T*": lambda pen, operands: pen.move(0.0, -pen.state.leading),
    b"Tc": _setter("spacing"),
    b"Tw": _setter("word_spacing"),
    b"Tz": _setter("scale", 100.0, 100.0),
    b"TL": _setter("leading"),
    b"Ts": _setter("rise"),
}
