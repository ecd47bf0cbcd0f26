"""Damaged bytes never raise anything but `BadInput`, in any parser, and never take long."""

from __future__ import annotations

import gzip
import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import gunzip, memory_content
from litterm.importers.detect import Unreadable, detect
from litterm.importers.import_context import ImportContext
from litterm.importers.registry import PARSERS
from litterm.model.library import Failure, Parsed

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "formats"
SEEDS = {
    "anthology": SAMPLES / "checkout/data/xml/2031.demo.xml",
    "jats": SAMPLES / "article.xml",
    "bioc-xml": SAMPLES / "bioc.xml",
    "bioc-json": SAMPLES / "bioc.json",
    "pubmed": SAMPLES / "pubmed.xml",
    "ris": SAMPLES / "records.ris",
    "nbib": SAMPLES / "records.nbib",
    "csl": SAMPLES / "items.json",
    "csv": SAMPLES / "records.csv",
    "endnote": SAMPLES / "endnote.xml",
    "refer": SAMPLES / "records.enw",
    "wos": SAMPLES / "savedrecs.txt",
    "bibtex": SAMPLES / "entries.bib",
    "jsonl": SAMPLES / "papers.jsonl",
    "html": SAMPLES / "arxiv.html",
    "papis": SAMPLES / "info.yaml",
}
Edit = tuple[int, int, bytes]
EDITS = st.lists(
    st.tuples(
        st.integers(0, 10**6),
        st.integers(0, 60),
        st.sampled_from(
            [b"", b"<", b">", b"&", b'"', b"{", b"}", b"\\", b"\x00", b"\xff", b"[", b"0", b"</p>", b"null", b"="]
        )
        | st.binary(max_size=8),
    ),
    min_size=1,
    max_size=6,
)


def mutated(data: bytes, edits: list[Edit]) -> bytes:
    """`data` with stretches replaced, somewhere in it."""
    for place, length, insert in edits:
        at = place % (len(data) + 1)
        data = data[:at] + insert + data[at + length :]
    return data


def parse(kind: str, data: bytes) -> list[Parsed | Failure]:
    """What a parser yields before it gives up, if it does."""
    found: list[Parsed | Failure] = []
    try:
        for each in PARSERS[kind](memory_content(f"{kind}.bin", data), ImportContext()):  # type: ignore[index]  # a name of it
            found.append(each)
    except BadInput as error:
        assert str(error)
    return found


@pytest.mark.parametrize("kind", SEEDS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=EDITS)
def test_mutated_bytes_fail_softly(kind: str, edits: list[Edit]) -> None:
    data = mutated(SEEDS[kind].read_bytes(), edits)
    for each in parse(kind, data):
        if isinstance(each, Parsed):
            assert each.paper.title
            assert each.paper.title.isprintable()
            assert ":" in each.paper.id
    detect(data[:65536])


@pytest.mark.parametrize("kind", SEEDS)
def test_every_truncation_fails_softly(kind: str) -> None:
    data = SEEDS[kind].read_bytes()
    for end in range(0, len(data), max(1, len(data) // 120)):
        parse(kind, data[:end])


@settings(max_examples=120, deadline=None)
@given(st.binary(max_size=600))
def test_any_bytes_are_detected_or_refused(data: bytes) -> None:
    found = detect(data, "x.bin")
    assert not isinstance(found, Unreadable) or found.cause


@settings(max_examples=60, deadline=None)
@given(EDITS)
def test_damaged_gzip_ends_early_and_says_why(edits: list[Edit]) -> None:
    rows = random.Random(1).randbytes(3000).hex().encode()
    packed = mutated(gzip.compress(rows), edits)
    with gunzip(memory_content("x", packed).open()) as stream:
        read = stream.read()
    assert len(read) <= 10 * len(rows)


def hostile() -> dict[str, tuple[str, bytes]]:
    many = 30_000
    return {
        "nested sections": ("jats", b"<article><body>" + b"<sec>" * many + b"</sec>" * many + b"</body></article>"),
        "nested markup": ("anthology", b"<collection id='a'>" + b"<i>" * many + b"</i>" * many + b"</collection>"),
        "many citations": (
            "jats",
            b"<article><front><article-meta><title-group><article-title>T</article-title></title-group></article-meta>"
            b"</front><body><p>" + b'<xref rid="r1">1</xref>-' * many + b"</p></body><back><ref-list><ref id='r1'/>"
            b"</ref-list></back></article>",
        ),
        "open braces": ("bibtex", b"@article{a,title={" + b"{" * many + b"}}"),
        "open entries": ("bibtex", b"@article{a,title={x}\n" * (many // 20)),
        "brackets": ("jsonl", b'{"title":' + b"[" * many + b"\n"),
        "dollars": ("jsonl", b'{"title":"' + b"$x " * many + b'"}\n'),
        "tags": ("jsonl", b'{"title":"a","abstract":"' + b"<a " * many + b'"}\n'),
        "spans": (
            "jats",
            b"<article><front><article-meta><title-group><article-title>T</article-title></title-group></article-meta>"
            b"</front><body><table-wrap><table>"
            + b"<tr><td colspan='9999' rowspan='9999'>x</td></tr>" * 2000
            + b"</table></table-wrap></body></article>",
        ),
    }


@pytest.mark.parametrize("name", hostile())
def test_hostile_shapes_take_seconds_at_most(name: str) -> None:
    kind, data = hostile()[name]
    started = time.process_time()
    try:
        parse(kind, data)
    except RecursionError:
        # The reader turns it into the file's failure.
        assert name.startswith("nested")
    assert time.process_time() - started < 60


def test_parsers_exist_for_every_seed() -> None:
    # A database is copied with its journal before it is read: test_zotero.py damages some.
    assert set(SEEDS) == set(PARSERS) - {"zotero"}


def test_seeds_are_sound() -> None:
    assert all(any(isinstance(each, Parsed) for each in parse(kind, file.read_bytes())) for kind, file in SEEDS.items())
