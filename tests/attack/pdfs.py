"""Damaged PDF files: each is a paper or a failure of its own within the limit, whatever it holds."""

from __future__ import annotations

import os
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from pdfs import Text, make_pdf, paper

from .outcome import Outcome

TIMEOUT_S = 20.0
GRACE_S = 15.0
"""Beside the limit: a child's start and its end, on a machine that does other things too."""
_TOKENS = (
    b"<<",
    b">>",
    b"[",
    b"]",
    b"(",
    b")",
    b"obj",
    b"endobj",
    b"stream",
    b"endstream",
    b"xref",
    b"trailer",
    b"startxref",
    b"1 0 R",
    b"2 0 R",
    b"/Kids",
    b"/Parent",
    b"/Length",
    b"/Filter/FlateDecode",
    b"/Count",
    b"9" * 40,
    b"-1",
    b"%",
    b"\0",
)


def attack(root: Path, chance: Random, count: int, finished: Sequence[str] = ()) -> list[Outcome]:
    """`count` files through the pool of children that every import uses."""
    from litterm.core.settings.model import PdfLimits
    from litterm.library.workers.pdf_pool import PdfPool
    from litterm.model.library import Parsed

    if finished:
        return []
    outcome = Outcome("damaged PDFs", "files")
    paths: list[Path] = []
    seeds = _seeds()
    for number in range(count):
        path = root / f"{number:04}.pdf"
        path.write_bytes(_damaged(chance, chance.choice(seeds)))
        paths.append(path)
    found: Counter[str] = Counter()
    begun = last = time.monotonic()
    longest = 0.0
    for result in PdfPool(PdfLimits(timeout_s=TIMEOUT_S, memory_mb=512)).parse_files(paths):
        now = time.monotonic()
        if result is None:
            if now - last > TIMEOUT_S + GRACE_S:
                outcome.broken.append(f"no result for {now - last:.0f} s after file {outcome.tried}")
                last = now
            continue
        path, each = result
        outcome.tried += 1
        longest, last = max(longest, now - last), now
        found["papers" if isinstance(each, Parsed) else "failures"] += 1
        if not isinstance(each, Parsed) and (not each.cause or "Traceback" in each.cause):
            outcome.broken.append(f"{path.name}: {each.cause!r}")
    if outcome.tried != count:
        outcome.broken.append(f"{count - outcome.tried} files came to no result")
    outcome.seen = (
        f"{found['papers']} papers, {found['failures']} failures; {time.monotonic() - begun:.0f} s, longest wait "
        f"{longest:.1f} s, limit {TIMEOUT_S:.0f} s"
    )
    return [outcome]


def _seeds() -> Sequence[bytes]:
    """Sound files: small ones of our own, and real ones where the test data is at hand."""
    shared = Path(os.environ.get("LITTERM_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    real = sorted((shared / "data/pdf").glob("*.pdf"), key=lambda path: path.stat().st_size)[:6]
    return [paper(), make_pdf([[Text(72, 700, "A line of text.")]], copies=30), *(path.read_bytes() for path in real)]


def _damaged(chance: Random, data: bytes) -> bytes:
    kinds = (_flipped, _cut, _tokens, _repeated, _looped, _bomb, _spliced)
    weights = (6, 3, 6, 2, 2, 1, 2)
    for _ in range(chance.choice((1, 1, 2, 3))):
        data = chance.choices(kinds, weights)[0](chance, data)
    return data


def _flipped(chance: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 10, 200))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(chance: Random, data: bytes) -> bytes:
    return data[: chance.randrange(5, len(data))] or data


def _tokens(chance: Random, data: bytes) -> bytes:
    for _ in range(chance.choice((1, 5, 40))):
        at = chance.randrange(len(data))
        data = data[:at] + chance.choice(_TOKENS) + data[at + chance.choice((0, 3)) :]
    return data


def _repeated(chance: Random, data: bytes) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + data[at : at + chance.choice((20, 2000))] * chance.choice((50, 500)) + data[at:]


def _looped(chance: Random, data: bytes) -> bytes:
    """Objects that name themselves or their parents as their children."""
    for old in _some(chance, (b"/Parent 2 0 R", b"/Pages 2 0 R", b"/Contents", b"/Resources")):
        data = data.replace(old, chance.choice((b"/Kids[2 0 R 2 0 R 1 0 R]", b"/Prev 9 0 R", b"/Length 2 0 R")))
    return data


def _bomb(chance: Random, data: bytes) -> bytes:
    """Many megabytes of drawing in a few kilobytes."""
    packed = zlib.compress(b"BT /F0 10 Tf (abcdefgh) Tj ET\n" * chance.choice((10_000, 1_000_000)))
    made = make_pdf([packed], copies=chance.choice((1, 20)))
    return made.replace(b"<</Length %d>>" % len(packed), b"<</Length %d/Filter/FlateDecode>>" % len(packed))


def _spliced(chance: Random, data: bytes) -> bytes:
    other = paper()
    return data[: chance.randrange(1, len(data))] + other[chance.randrange(len(other)) :]


def _some(chance: Random, values: Sequence[bytes]) -> Iterator[bytes]:
    return (value for value in values if chance.random() < 0.5)
