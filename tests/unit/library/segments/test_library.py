from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import by, record, store, versions_of

from litterm.core.errors import LibraryTooNew, ListLost, UnknownPaper
from litterm.library.segments import library_view
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import read_manifest
from litterm.model.document import Document, DocumentId, DocumentOrigin, Section, Sentence, Span
from litterm.model.library import Parsed
from litterm.model.paper import PaperId

PAPERS = (
    record("P18-1001", "One", authors=by("Gómez, Ana María", "Lee, Bo"), aliases=(PaperId("doi:10.1/ONE"),)),
    record("pmc:PMC77", "Two", authors=by("Søgaard, Anders"), aliases=(PaperId("pmid:77"),)),
    record("arxiv:1706.03762", "Three", authors=by("Lee, Ana", "Gomez, Bo")),
)


@pytest.fixture
def library(tmp_path: Path) -> DuckLibrary:
    store(tmp_path, PAPERS[:2])
    store(tmp_path, PAPERS[2:])
    return DuckLibrary(tmp_path)


def full_text(key: str, origin: DocumentOrigin, text: str = "Text.", page: int | None = None) -> Document:
    sentence = Sentence(0, text, Span(0, len(text)), "body", 0, 1, 1, page)
    told = DocumentId(f"{origin}-{text}")
    return Document(told, PaperId(key), text, (Section(0, "Introduction"),), (sentence,), origin)


def test_no_library_is_an_empty_one(tmp_path: Path) -> None:
    library = DuckLibrary(tmp_path / "nowhere")
    assert library.snapshot().segments == ()
    assert (library.status().papers, library.find(["P18-1001"]), library.linked_pairs("doubtful")) == (0, ((),), ())
    assert library.author_rows(library.snapshot(), ["lee"])[0] == ()
    assert not (tmp_path / "nowhere").exists()


def test_keys_with_and_without_scheme_in_any_case(library: DuckLibrary) -> None:
    keys = ["acl:P18-1001", "p18-1001", "doi:10.1/one", "10.1/One", "PMC77", "77", "arXiv:1706.03762v5", "doi:P18-1001"]
    one, two, three = ("acl:P18-1001",), ("pmc:PMC77",), ("arxiv:1706.03762",)
    assert library.find(keys) == (one, one, one, one, two, two, three, ())


def test_papers_by_id_or_alias_in_order(library: DuckLibrary) -> None:
    found = library.by_id([PaperId("arxiv:1706.03762"), PaperId("doi:10.1/one"), PaperId("pmid:77")])
    assert [each.title for each in found] == ["Three", "One", "Two"]
    with pytest.raises(UnknownPaper, match="acl:none"):
        library.by_id([PaperId("acl:none")])
    assert library.document(PaperId("acl:none")) is None


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("gomez", ["One", "Three"]),
        ("ana gomez", ["One"]),
        ("Gómez, Ana María", ["One"]),
        ("sogaard", ["Two"]),
        ("ana bo", []),
        ("maria'gomez", ["One"]),
        ("ana'gomez", []),
        ("go", []),
        (" ", []),
    ],
)
def test_authors_by_whole_words_of_one_name(library: DuckLibrary, name: str, titles: list[str]) -> None:
    snapshot = library.snapshot()
    rows = library.author_rows(snapshot, [name])[0]
    assert [each.title for each in library.papers(snapshot, rows)] == titles


def test_status_counts_by_scheme_without_opening_a_segment(
    library: DuckLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_view, "attach_read_only", None)
    status = library.status()
    assert (status.papers, status.documents, status.segments) == (3, 0, 2)
    assert status.by_source == (("acl", 1), ("arxiv", 1), ("pmc", 1))
    assert status.bytes_on_disk > 0 and status.writer == ""
    shutil.rmtree(tmp_path / "segments")
    assert (library.status().papers, library.snapshot().segments) == (0, ())
    assert "is gone" in library.status().notices[0]


def test_a_changed_paper_is_seen_once_and_an_old_snapshot_keeps_the_old(tmp_path: Path) -> None:
    store(tmp_path, PAPERS)
    library = DuckLibrary(tmp_path)
    before = library.snapshot()
    rows = library.author_rows(before, ["sogaard"])[0]
    store(tmp_path, [replace_title(PAPERS[1], "Two, mended")])
    after = library.snapshot()
    assert after.generation == before.generation + 1
    assert [each.title for each in library.papers(before, rows)] == ["Two"]
    assert library.author_rows(after, ["sogaard"])[0] != rows
    assert [each.title for each in library.by_id([PaperId("pmid:77")])] == ["Two, mended"]
    assert library.status().papers == 3


def replace_title(parsed: Parsed, title: str) -> Parsed:
    return replace(parsed, paper=replace(parsed.paper, title=title))


def test_the_best_full_text_is_served_and_none_is_lost(tmp_path: Path) -> None:
    store(tmp_path, [Parsed(PAPERS[0].paper, full_text("acl:P18-1001", "pdf", "From a PDF."))])
    library = DuckLibrary(tmp_path)
    assert library.by_id([PaperId("P18-1001")])[0].full_text
    for document in (full_text("doi:10.1/one", "jats", "From the source."), full_text("x", "pdf", "Read better.")):
        store(tmp_path, [Parsed(PAPERS[0].paper, document)])
    best = library.document(PaperId("doi:10.1/one"))
    assert best is not None and (best.origin, best.paper_id) == ("jats", "acl:P18-1001")
    assert [each.text for each in library.documents(PaperId("acl:P18-1001"))] == ["From the source.", "Read better."]
    assert (library.status().papers, library.status().documents) == (1, 1)


def test_pages_found_later_replace_the_same_text_without_them(tmp_path: Path) -> None:
    plain, located = full_text("acl:P18-1001", "jats"), full_text("acl:P18-1001", "jats", page=3)
    for document, stored in ((plain, 1), (located, 1), (plain, 0)):
        assert store(tmp_path, [Parsed(PAPERS[0].paper, document)]).documents == stored
    assert DuckLibrary(tmp_path).document(PaperId("acl:P18-1001")) == located


SENTENCES = (
    "Parsing with neural networks has become the standard in recent years.",
    "We train a model of twelve layers on three corpora of newspaper text.",
    "Results improve by two points over the best system known so far.",
)


def laid_out(key: str, origin: DocumentOrigin, pages: tuple[int | None, ...]) -> Document:
    text = " ".join(SENTENCES)
    starts = [text.index(sentence) for sentence in SENTENCES]
    rows = tuple(
        Sentence(n, sentence, Span(start, start + len(sentence)), "body", 0, 1, n + 1, page)
        for n, (sentence, start, page) in enumerate(zip(SENTENCES, starts, pages, strict=True))
    )
    return Document(DocumentId(origin), PaperId(key), text, (Section(0, "Introduction"),), rows, origin)


@pytest.mark.parametrize("order", [("jats", "pdf"), ("pdf", "jats")])
@pytest.mark.parametrize("at_once", [True, False])
def test_sentences_get_their_pages_from_a_pdf_of_the_same_paper(
    tmp_path: Path, order: tuple[DocumentOrigin, ...], at_once: bool
) -> None:
    pages: dict[str, tuple[int | None, ...]] = {"jats": (None, None, None), "pdf": (1, 1, 2)}
    records = [Parsed(PAPERS[1].paper, laid_out("pmc:PMC77", origin, pages[origin])) for origin in order]
    for batch in [records] if at_once else [[each] for each in records]:
        store(tmp_path, batch)
    best = DuckLibrary(tmp_path).document(PaperId("pmc:PMC77"))
    assert best is not None
    assert (best.origin, [sentence.page for sentence in best.sentences]) == ("jats", [1, 1, 2])
    assert store(tmp_path, records).documents == 0


def test_papers_by_title_as_cited(library: DuckLibrary) -> None:
    assert library.find_by_title(["one.", "None such", "THREE", "?"]) == (
        ("acl:P18-1001",),
        (),
        ("arxiv:1706.03762",),
        (),
    )


def test_a_look_up_is_one_statement_however_many_segments_there_are(
    library: DuckLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    run = library_view.LibraryView._fetch_rows

    def noted(view: library_view.LibraryView, what: Path, statement: str, values: Sequence[object] = ()) -> object:
        statements.append(statement)
        return run(view, what, statement, values)

    monkeypatch.setattr(library_view.LibraryView, "_fetch_rows", noted)
    assert library.find_by_title(["One", "Three"]) == (("acl:P18-1001",), ("arxiv:1706.03762",))
    assert len(statements) == 2, "the rows with a title, and their ids"
    assert library.find(["p18-1001", "77", "1706.03762"])[1:] == (("pmc:PMC77",), ("arxiv:1706.03762",))
    assert len(statements) == 4, "the rows with a key, and their papers"


def test_versions_and_doubtful_pairs(tmp_path: Path) -> None:
    lee = by("Lee, Ann")
    store(tmp_path, [record("W1", "A Study", year=2020, authors=lee), record("P2", "A Study", year=2021, authors=lee)])
    store(tmp_path, [record("arxiv:9", "A Study", year=2005, authors=lee)])
    library = DuckLibrary(tmp_path)
    assert library.status().notices[0].startswith("2 pairs")
    assert versions_of(library, PaperId("acl:P2")) == ("acl:W1",)
    assert library.linked_pairs("doubtful") == (("acl:P2", "arxiv:9"), ("acl:W1", "arxiv:9"))
    store(tmp_path, [record("P2", "A Study", aliases=(PaperId("arxiv:9"),))])
    assert library.linked_pairs("doubtful") == (("acl:W1", "acl:P2"),)
    assert library.find(["arxiv:9"]) == (("acl:P2",),)


def test_a_library_of_a_newer_litterm_is_refused_and_not_touched(tmp_path: Path) -> None:
    store(tmp_path, PAPERS)
    path = tmp_path / f"manifest-{read_manifest(tmp_path).generation}.json"
    path.write_text(json.dumps({"schema": 99, "who knows": True}))
    before = sorted((each, each.stat().st_mtime_ns) for each in tmp_path.rglob("*"))
    with pytest.raises(LibraryTooNew, match="newer litterm"):
        DuckLibrary(tmp_path).snapshot()
    with pytest.raises(LibraryTooNew, match="nothing was touched"):
        store(tmp_path, PAPERS)
    assert sorted((each, each.stat().st_mtime_ns) for each in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("content", ["", "{", "[]", '{"schema": 1}', '{"schema": "x"}'])
def test_a_damaged_manifest_is_told_by_name(tmp_path: Path, content: str) -> None:
    store(tmp_path, PAPERS)
    (tmp_path / "manifest-1.json").write_text(content)
    with pytest.raises(ListLost, match=r"damaged \(a manifest .* any `litterm add` rebuilds it"):
        read_manifest(tmp_path)
    # Reading makes it anew from the segments.
    assert DuckLibrary(tmp_path).find(["PMC77"]) == (("pmc:PMC77",),)
    assert read_manifest(tmp_path).papers == 3


def test_a_segment_removed_between_manifest_and_opening(
    library: DuckLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = read_manifest(tmp_path)
    gone = replace(stale, segments=(replace(stale.segments[0], key="0gone"),))
    answers = iter([gone, gone, stale])
    monkeypatch.setattr(library_view, "read_manifest", lambda root: next(answers))
    assert len(library.by_id([PaperId("acl:P18-1001")])) == 1


def test_threads_get_their_own_answers(library: DuckLibrary) -> None:
    start = threading.Barrier(8)
    ids = [each.paper.id for each in PAPERS]

    def look(number: int) -> bool:
        start.wait()
        return all(library.by_id([ids[at % 3]])[0].id == ids[at % 3] for at in range(number, number + 30))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(look, range(8)))


def test_segments_nobody_looks_at_are_let_go(tmp_path: Path) -> None:
    library = DuckLibrary(tmp_path)
    store(tmp_path, PAPERS[:1])
    # The first question opens the database, and attaches what is there.
    assert library.find(["unknown"]) == ((),)
    held = library.snapshot()
    for number in range(9):
        store(tmp_path, [record(f"W{number}")])
        library.snapshot()
    attached = "SELECT count(*) FROM duckdb_databases() WHERE starts_with(database_name, 's_')"
    count = library.view.cursor().execute(attached).fetchone()
    assert count == (len(library.snapshot().segments) + 1,)
    assert [each.title for each in library.papers(held, library.author_rows(held, ["lee"])[0])] == ["One"]
    del held
    store(tmp_path, [record("last")])
    library.snapshot()
    assert library.view.cursor().execute(attached).fetchone() == (len(library.snapshot().segments),)


def test_a_closed_library_opens_again(library: DuckLibrary) -> None:
    library.close()
    assert library.find(["PMC77"]) == (("pmc:PMC77",),)


def test_a_library_that_may_only_be_read(library: DuckLibrary, tmp_path: Path) -> None:
    paths = [tmp_path, *tmp_path.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert DuckLibrary(tmp_path).find(["PMC77"]) == (("pmc:PMC77",),)
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert os.access(tmp_path, os.W_OK)


def test_an_interrupted_query_is_an_interruption_and_no_bug(tmp_path: Path) -> None:
    script = """
import os, signal, threading
from pathlib import Path
from litterm.library.segments.connections import connect, translate_errors
cursor = connect(threads=1, memory_mb=200)
with translate_errors(Path("x")):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    cursor.execute("SELECT sum(a.range * b.range) FROM range(9999999) a, range(9999999) b")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert done.stderr.splitlines()[-1] == b"KeyboardInterrupt"


def test_only_what_goes_on_asking_keeps_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litterm.library.segments.library_view._FIRST_STATEMENTS", 2)
    store(tmp_path, [record("P1-1", "One")])
    library = DuckLibrary(tmp_path)

    def limit() -> str:
        return str(library.view.cursor().execute("SELECT current_setting('memory_limit')").fetchall()[0][0])

    titles = [library.by_id([PaperId("acl:P1-1")])[0].title]
    first = limit()
    titles += [library.by_id([PaperId("acl:P1-1")])[0].title for _ in range(2)]
    assert titles == ["One"] * 3
    assert (first, limit()) == ("38.1 MiB", "76.2 MiB")
    library.close()
    titles += [library.by_id([PaperId("acl:P1-1")])[0].title]
    assert (titles[-1], limit()) == ("One", "76.2 MiB")
