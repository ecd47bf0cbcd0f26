"""The state of the pen while a content stream is interpreted: matrices, text state and the current word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from litterm.importers.pdf.content.fonts import UsableFont

Matrix: TypeAlias = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_MAX_SAVED_STATES = 256


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
