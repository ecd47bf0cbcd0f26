"""Every kind of write, killed: what was said to be stored is there afterwards, and the same command ends as if nothing
had happened.

Half of the kills come at a seam (before a file is opened, renamed, synced, locked), half at any moment, also inside a
library of C.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import crash_acts
import http_clients
from arxiv_server import collection
from fakes_web_server import page
from killed_imports import FETCHED, SYNCED, Ended, Warm
from pdfs import paper as pdf_paper

from .outcome import Outcome

ROUNDS = 4
"""Kills of one library before it is let to the end: the later ones meet what the earlier left."""
_BROKEN = 4
"""Files that fail until they are mended."""
Check = Callable[[Path], tuple[int, list[str]]]
"""How much of what is written stands in a folder, and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of write."""

    name: str
    job: str
    """Its name in `crash_acts.py`."""
    prepare: Callable[[Path], object]
    check: Check
    goes_on: bool = False
    """Whether a run reports what it adds itself, instead of all that is there."""


def attack(root: Path, chance: Random, count: int, finished: Sequence[str] = ()) -> Iterator[Outcome]:
    """At least `count` kills of each kind of write that is not `finished`; a row each."""
    with http_clients.serving() as server:
        server.on("/arxiv/api/query", collection(SYNCED))  # type: ignore[arg-type]
        for number in range(FETCHED):
            server.on(f"/arxiv/html/2001.{number:05d}", page(_web_page(number)))
        os.environ["LITTERM_SERVICES"] = server.url
        try:
            with Warm() as warm:
                for kind in KINDS:
                    # Each draws from a seed of its own: one that is left out changes nothing about the others.
                    own = Random(chance.random())
                    if f"kills: {kind.name}" not in finished:
                        yield _killed(kind, warm, root / kind.job, own, count)
        finally:
            del os.environ["LITTERM_SERVICES"]


def _killed(kind: Kind, warm: Warm, root: Path, chance: Random, count: int) -> Outcome:
    outcome = Outcome(f"kills: {kind.name}", "kills")
    root.mkdir()
    start = root / "start"
    start.mkdir()
    kind.prepare(start)
    whole = root / "whole"
    shutil.copytree(start, whole)
    ended = warm.run(whole, kind.job)
    total, wrong = kind.check(whole)
    if ended.signal or ended.error or wrong or not total:
        outcome.broken.append(f"{kind.name}: it fails unkilled: {ended} {wrong}")
        return outcome
    unfinished = at_once = 0
    while outcome.tried < count:
        once = root / f"once-{outcome.tried}-{at_once}"
        shutil.copytree(start, once)
        broken, kills, ends = _one(kind, warm, once, chance, ended, min(ROUNDS, count))
        outcome.broken += [f"{kind.name}, seed of its own {outcome.tried}: {line}" for line in broken]
        outcome.tried += kills
        unfinished += ends
        at_once += kills == 0
        final, wrong = kind.check(once)
        outcome.broken += [f"{kind.name} at the end: {line}" for line in wrong]
        if final != total:
            outcome.broken.append(f"{kind.name}: {final} of {total} at the end")
        # What goes on by itself after a command may write into it a moment longer.
        shutil.rmtree(once, ignore_errors=True)
        # A timer that was drawn late may meet a run that was quicker than the first.
        if at_once > count + 20:
            outcome.broken.append(f"{kind.name}: it cannot be killed any more")
            break
    outcome.seen = f"{total} written in {ended.seams} seams; {unfinished} times something was there already"
    return outcome


def _one(
    kind: Kind, warm: Warm, root: Path, chance: Random, whole: Ended, rounds: int = ROUNDS
) -> tuple[list[str], int, int]:
    """Kills one run and its successors, then lets it end: what is wrong, how many died, and how many of those had
    something to lose."""
    broken: list[str] = []
    kills = lossy = standing = 0
    for _ in range(rounds):
        if chance.random() < 0.5:
            ended = warm.run(root, kind.job, die_at=chance.randrange(1, whole.seams + 1))
        else:
            ended = warm.run(root, kind.job, die_after_s=max(0.001, chance.random() * whole.seconds))
        if ended.error:
            broken.append(f"a run failed: {ended}")
        if not ended.signal:
            break
        kills += 1
        held, wrong = kind.check(root)
        broken += wrong
        if held < (standing + ended.stored if kind.goes_on else max(standing, ended.stored)):
            broken.append(f"{ended.stored} were said to be stored beside {standing}, {held} are there: {ended}")
        standing = held
        lossy += held > 0
    ended = warm.run(root, kind.job)
    if ended.signal or ended.error:
        broken.append(f"the run after the kills did not end well: {ended}")
    return broken, kills, lossy


def _library(root: Path) -> tuple[int, list[str]]:
    """Papers of the library of a home, each of which must be what it would be without a kill."""
    from litterm.build import build_engine
    from litterm.core.errors import LittermError
    from litterm.core.settings import from_home

    try:
        engine = build_engine(from_home(root / "home"))
        rows = [json.loads(line) for line in engine.export_rows()]
        told = engine.status().papers
    except LittermError as error:
        return 0, [f"it cannot be read: {error}"]
    wrong = [f"{told} papers are counted, {len(rows)} exported"] if told != len(rows) else []
    wrong += [f"{row['id']} has lost something" for row in rows if not _complete(row)]
    return len(rows), wrong


def _complete(row: dict[str, object]) -> bool:
    """Every paper that the inputs here are made of has an abstract or a full text."""
    return bool(row.get("title")) and bool(row.get("abstract") or row.get("sections"))


def _segments(root: Path) -> tuple[int, list[str]]:
    from litterm.core.errors import LittermError
    from litterm.library.segments.library import DuckLibrary
    from litterm.model.paper import PaperId

    try:
        library = DuckLibrary(root)
        keys = [f"acl:P{number}" for number in range(8)] + ["acl:last"]
        found = [ids[0] for ids in library.find(keys) if ids]
        titles = [each.title for each in library.by_id([PaperId(key) for key in found])]
        library.close()
    except LittermError as error:
        return 0, [f"it cannot be read: {error}"]
    lost = [key for key in keys[:8] if key not in found]
    return len(titles), [f"lost: {key}" for key in lost]


def _eight_segments(root: Path) -> None:
    from libraries import record, store

    for number in range(8):
        store(root, [record(f"P{number}")])


def _matrix(root: Path) -> tuple[int, list[str]]:
    from litterm.core.errors import LittermError
    from litterm.evidence.matrix.storage import MatrixStore
    from litterm.library.state.connection import StateDatabase

    try:
        records = MatrixStore(StateDatabase(root)).all()
    except LittermError as error:
        return 0, [f"it cannot be read: {error}"]
    return sum(len(each.cells) for each in records), [] if len(records) < 2 else ["there are two of one matrix"]


def _retried(root: Path) -> tuple[int, list[str]]:
    """As `_library`; and a file of which not all is there is still among the failures."""
    from litterm.build import build_engine
    from litterm.core.settings import from_home

    papers, wrong = _library(root)
    engine = build_engine(from_home(root / "home"))
    failed = {Path(each.origin.partition(":")[0]).name for each in engine.failures()}
    ids = {json.loads(line)["id"] for line in engine.export_rows()}
    for number in range(_BROKEN):
        whole = all(json.loads(line)["id"] in ids for line in _rows(number).splitlines())
        if not whole and f"file{number}.jsonl" not in failed:
            wrong.append(f"file {number} is neither imported nor a failure")
    return papers, wrong


def _broken_files(root: Path) -> None:
    """An import of files that each fail, and are then mended."""
    from litterm.build import build_engine
    from litterm.core.settings import from_home
    from litterm.core.tasks import run

    _write("", {f"file{number}.jsonl": b'{"id": "doi:10.1000/broken", \n' for number in range(_BROKEN)})(root)
    report = run(build_engine(from_home(root / "home")).add([root / "input"]))
    assert len(report.failures) == _BROKEN
    for number in range(_BROKEN):
        # The path as it will be where this is copied to.
        (root / "input" / f"file{number}.jsonl").write_bytes(_rows(number))


def _texts(root: Path) -> tuple[int, list[str]]:
    from litterm.build import build_engine
    from litterm.core.settings import from_home

    papers, wrong = _library(root)
    wrong += [] if papers == FETCHED else [f"{papers} of {FETCHED} papers are there"]
    return build_engine(from_home(root / "home")).status().documents, wrong


def _without_texts(root: Path) -> None:
    from litterm.build import build_engine
    from litterm.core.settings import from_home
    from litterm.core.tasks import run

    rows = (
        {"id": f"arxiv:2001.{n:05d}", "title": f"Crossing {n} of the plains", "abstract": f"Zebras crossed {n} times."}
        for n in range(FETCHED)
    )
    _write("", {"papers.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode()})(root)
    run(build_engine(from_home(root / "home")).add([root / "input"]))


def _web_page(number: int) -> str:
    body = "".join(f"<div class='ltx_para'><p class='ltx_p'>Zebra {n} crossed.</p></div>" for n in range(20))
    return (
        f"<!DOCTYPE html><html><body><div id='watermark-tr'>arXiv:2001.{number:05d}v2 [cs.CL] 2 Jan 2024</div>"
        '<a id="license-tr">License: CC BY-SA 4.0</a><article class="ltx_document">'
        f"<h1 class='ltx_title ltx_title_document'>Crossing {number} of the plains</h1><section class='ltx_section'>"
        f"<h2 class='ltx_title'>Results</h2>{body}</section></article></body></html>"
    )


def _acts(name: str, job: str) -> Kind:
    return Kind(name, job, lambda _root: None, lambda root: crash_acts.standing(root, job), goes_on=True)


def _write(name: str, files: dict[str, bytes]) -> Callable[[Path], None]:
    def prepare(root: Path) -> None:
        folder = root / "input" / name if name else root / "input"
        folder.mkdir(parents=True)
        for file, content in files.items():
            (folder / file).write_bytes(content)

    return prepare


def _anthology(volume: int) -> bytes:
    papers = "".join(
        f"<paper id='{n}'><title>Study {n} of volume {volume}</title><author><first>Ada</first><last>Writer{n}</last>"
        f"</author><abstract>We study subject {n} of volume {volume} with care.</abstract>"
        f"<url>20{volume}.kill-main.{n}</url><bibkey>w-{volume}-{n}</bibkey></paper>"
        for n in range(1, 13)
    )
    meta = f"<meta><booktitle>Proceedings {volume}</booktitle><year>20{volume}</year><venue>kill</venue></meta>"
    return f"<collection id='20{volume}.kill'><volume id='main'>{meta}{papers}</volume></collection>".encode()


def _rows(file: int) -> bytes:
    rows = (
        {"id": f"doi:10.1000/{file}.{n}", "title": f"Row {n} of file {file}", "abstract": "Words of it. " * n}
        for n in range(1, 13)
    )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _article(number: int) -> bytes:
    front = (
        f"<front><article-meta><article-id pub-id-type='doi'>10.1000/a{number}</article-id><title-group><article-title>"
        f"Article {number} on kills</article-title></title-group><abstract><p>It is on kills.</p></abstract>"
        "</article-meta></front>"
    )
    body = "".join(f"<sec><title>Part {n}</title><p>We say {n} things. They are true.</p></sec>" for n in range(4))
    return f"<?xml version='1.0'?><article>{front}<body>{body}</body></article>".encode()


def _pdf(number: int) -> bytes:
    return pdf_paper().replace(b"Choosing among Parsers", b"Choosing %d of Parsers" % number)


KINDS: Sequence[Kind] = (
    Kind("ACL import", "acl", _write("", {f"20{v}.kill.xml": _anthology(v) for v in range(20, 26)}), _library),
    Kind("JSON Lines", "jsonl", _write("", {f"file{n}.jsonl": _rows(n) for n in range(6)}), _library),
    Kind(
        "JATS and PDF",
        "articles",
        _write("", {**{f"a{n}.xml": _article(n) for n in range(24)}, **{f"p{n}.pdf": _pdf(n) for n in range(3)}}),
        _library,
    ),
    Kind("sync", "sync", lambda _root: None, _library),
    Kind("compaction", "compact", _eight_segments, _segments),
    _acts("journal and marks", "desk"),
    Kind("matrix", "matrix", lambda _root: None, _matrix, goes_on=True),
    Kind("retry of failures", "retry", _broken_files, _retried),
    Kind("full texts", "fetch", _without_texts, _texts, goes_on=True),
    _acts("duplicates and removals", "records"),
    _acts("decisions of drafts", "drafts"),
    _acts("saved searches", "watches"),
    _acts("reading lists", "lists"),
    _acts("failures", "failures"),
    _acts("settings", "settings"),
    _acts("files of the user", "files"),
    _acts("trajectories", "steps"),
    _acts("citation graph", "citations"),
)
