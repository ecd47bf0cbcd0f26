"""A small PDF writer: what the tests read is set by the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FONTS = {"roman": "Times-Roman", "bold": "Times-Bold", "italic": "Times-Italic", "sans": "Helvetica"}
NAMES = {name: f"/F{index}" for index, name in enumerate(FONTS)}


@dataclass(frozen=True)
class Text:
    """A string at a place, in points from the lower left."""

    x: float
    y: float
    text: str
    size: float = 10.0
    font: str = "roman"

    def operators(self) -> str:
        shown = self.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        return f"BT {NAMES[self.font]} {self.size} Tf 1 0 0 1 {self.x} {self.y} Tm ({shown}) Tj ET"


def column(x: float, top: float, lines: Sequence[str], *, size: float = 10.0, font: str = "roman") -> list[Text]:
    """`lines` below each other from the baseline `top` on."""
    return [Text(x, top - index * 1.2 * size, line, size, font) for index, line in enumerate(lines)]


def make_pdf(
    pages: Sequence[Sequence[Text] | bytes],
    *,
    title: str = "",
    copies: int = 1,
    info: Mapping[str, str] | None = None,
    packet: str = "",
) -> bytes:
    """A PDF of pages 612 x 792, each given as texts or as a content stream; `copies` repeats the whole.

    `info` are further entries of the document information beside the title, `packet` is the XMP packet.
    """
    objects: list[bytes] = [b"", b""]
    fonts = []
    for name, base in FONTS.items():
        objects.append(f"<</Type/Font/Subtype/Type1/BaseFont/{base}/Encoding/WinAnsiEncoding>>".encode())
        fonts.append(f"{NAMES[name]} {len(objects)} 0 R")
    resources = f"<</Font<<{' '.join(fonts)}>>>>"
    kids: list[str] = []
    contents: list[int] = []
    for page in pages:
        stream = page if isinstance(page, bytes) else "\n".join(text.operators() for text in page).encode("cp1252")
        objects.append(b"<</Length %d>>\nstream\n%s\nendstream" % (len(stream), stream))
        contents.append(len(objects))
    for _ in range(copies):
        for content in contents:
            head = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources{resources}/Contents {content} 0 R>>"
            objects.append(head.encode())
            kids.append(f"{len(objects)} 0 R")
    metadata = ""
    if packet:
        body = packet.encode()
        objects.append(b"<</Type/Metadata/Subtype/XML/Length %d>>\nstream\n%s\nendstream" % (len(body), body))
        metadata = f"/Metadata {len(objects)} 0 R"
    objects[0] = f"<</Type/Catalog/Pages 2 0 R{metadata}>>".encode()
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    stated = {**({"Title": title} if title else {}), **(info or {})}
    reference = ""
    if stated:
        entries = "".join(f"/{name}({value})" for name, value in stated.items())
        objects.append(f"<<{entries}>>".encode("latin-1"))
        reference = f"/Info {len(objects)} 0 R"
    return _assembled(objects, reference)


def _assembled(objects: Sequence[bytes], info: str) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += f"trailer <</Size {len(objects) + 1}/Root 1 0 R{info}>>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)


LEFT, RIGHT = 72.0, 318.0
_ONE = [
    "Parsers of natural language have been studied for a",
    "very long time, and most of them are slow on long in-",
    "put. Evaluation of parsers needs a treebank that was",
    "annotated by hand. We show that a simple infor-",
    "mation measure is enough to choose among parsers,",
    "and that the choice is stable (Smith, 2001).",
]
_TWO = [
    "The measure itself is old. It was proposed for state-of-",
    "the-art systems of another kind, and information the-",
    "ory gives it a sound footing. We use it on parsers for",
    "the first time and find that it predicts how a parser",
    "behaves on text of another domain, where no treebank",
    "is at hand and where every parser is wrong in its own",
]
_THREE = [
    "way. The experiments use four parsers and nine kinds",
    "of text. Every parser was trained on the same texts,",
    "with the settings that its authors recommend for it.",
    "The results are given below, for each parser alone.",
]
_FOUR = [
    "The measure ranks the parsers as the treebank does",
    "in all cases but one. The one exception is explained",
    "by a text that consists of tables of numbers, which no",
    "parser was made for, and which we could have left out.",
]
_REFERENCES = [
    "John Smith and Mary Doe. 2001. How to measure a",
    "   parser without a treebank. In Proceedings of the",
    "   Meeting on Parsers, pages 1-8.",
    "Peter Miller. 1999. Information and its uses in lin-",
    "   guistics. Journal of Parsers, 12(3):45-67.",
    "Anna Jones, Carl Brown, and Eva Green. 2003. Tables",
    "   of numbers considered harmful. In Proceedings of",
    "   the Meeting on Tables, pages 9-16.",
]


def paper() -> bytes:
    """A two-column paper of two pages with everything a paper has."""
    first = [
        Text(72, 760, "Meeting on Parsers 2004", 8, "sans"),
        Text(120, 700, "Choosing among Parsers by Information Alone", 16, "bold"),
        Text(220, 670, "Mary Doe and Carl van Brown", 12),
        Text(220, 655, "University of Parsers, Springfield", 10, "italic"),
        Text(140, 620, "Abstract", 12, "bold"),
        *column(
            90,
            600,
            ["We choose among parsers without any treebank, by", "information alone. It works on nine kinds of text."],
        ),
        Text(LEFT, 560, "1 Introduction", 12, "bold"),
        *column(LEFT, 540, _ONE),
        Text(RIGHT, 620, "2 Method", 12, "bold"),
        *column(RIGHT, 600, _TWO),
        Text(300, 40, "17", 9),
    ]
    second = [
        Text(72, 760, "Meeting on Parsers 2004", 8, "sans"),
        *column(LEFT, 700, _THREE),
        Text(LEFT, 620, "Table 1: Share of right choices.", 9),
        Text(LEFT, 604, "Parser", 9),
        Text(LEFT + 90, 604, "Share", 9),
        Text(LEFT, 593, "Alpha", 9),
        Text(LEFT + 90, 593, "0.91", 9),
        Text(LEFT, 582, "Beta", 9),
        Text(LEFT + 90, 582, "0.87", 9),
        Text(RIGHT, 700, "3 Results", 12, "bold"),
        *column(RIGHT, 680, _FOUR),
        Text(RIGHT, 600, "References", 12, "bold"),
        *(
            Text(RIGHT + (10 if line.startswith(" ") else 0), 580 - 12 * at, line.strip(), 10)
            for at, line in enumerate(_REFERENCES)
        ),
        Text(300, 40, "18", 9),
    ]
    return make_pdf([first, second], title="untitled.dvi")
