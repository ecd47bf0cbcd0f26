"""A library of the version before `state.db`: its small files move into the database, and none of them is lost."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from libraries import HereBuilder, record, store

from litterm.core.errors import ReadOnly
from litterm.core.tasks import run
from litterm.library.lock import WRITE_LOCK_FILE, WriteLock
from litterm.library.segments.manifest import read_manifest
from litterm.library.state.connection import StateDatabase
from litterm.library.state.earlier_files import EARLIER_FOLDER
from litterm.library.state.failures import FailureList
from litterm.library.state.runs import Runs
from litterm.library.state.sessions import draft_decisions, last_project, project_session
from litterm.library.state.subscriptions import Subscriptions
from litterm.library.writer import library_writer
from litterm.library.writer.library_writer import LibraryWriter
from litterm.model.library import Failure

KILLED = """
import os, signal, sys
from pathlib import Path
from litterm.library.state import connection, earlier_files
from litterm.library.state.connection import StateDatabase
def kill(*args): os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "before the commit":
    inner = earlier_files.EarlierRows.insert
    earlier_files.EarlierRows.insert = lambda rows, connection: (inner(rows, connection), kill())
else:
    connection.set_aside = kill
with StateDatabase(Path(sys.argv[1])).write():
    pass
"""


def journal_line(kind: str, body: dict[str, object], at: str = "2026-11-01T10:00:00Z") -> bytes:
    """A line as the journals of an earlier version have it, with its checksum."""
    line = json.dumps({"at": at, "kind": kind, "body": body}, ensure_ascii=False).encode()
    return line[:-1] + b', "crc": "' + f'{crc32(line):08x}"}}\n'.encode()


def write_earlier_failures(root: Path) -> None:
    folder = root / "failures"
    folder.mkdir(parents=True)
    damaged = {"origin": "a.pdf", "cause": "damaged", "transient": False, "missing": "record"}
    lines = [
        journal_line("failed", damaged),
        journal_line("failed", {"origin": "b.pdf", "cause": "gone", "transient": True}, "2026-11-02T10:00:00Z"),
        journal_line("failed", {**damaged, "origin": "c.pdf"}),
        journal_line("dismissed", {"origin": "c.pdf"}),
        journal_line("failed", {**damaged, "cause": "still damaged"}, "2026-11-03T10:00:00Z"),
        b"half a li",
    ]
    (folder / "journal.jsonl").write_bytes(b"".join(lines))


EARLIER_FAILURES = (
    Failure("b.pdf", "gone", True, "2026-11-02T10:00:00Z", "text"),
    Failure("a.pdf", "still damaged", False, "2026-11-03T10:00:00Z", "record"),
)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A library in the format of the version before `state.db`."""
    root = tmp_path / "library"
    write_earlier_failures(root)
    return root


def make_old(root: Path, import_bytes: int = 0) -> int:
    """Makes the newest manifest of `root` one of the version before; returns its generation."""
    manifest = read_manifest(root)
    path = root / f"manifest-{manifest.generation}.json"
    fields = json.loads(path.read_bytes())
    for name in ("crc", "imports"):
        fields.pop(name, None)
    fields |= {"schema": fields.pop("segment_schema", 1), "ledger_bytes": import_bytes}
    content = json.dumps(fields).encode()
    path.write_bytes(content)
    for file in root.glob("state.db*"):
        file.unlink()
    line = f"{manifest.generation} {crc32(content):08x}"
    (root / "CURRENT").write_text(f"{line} {crc32(line.encode()):08x}\n")
    assert read_manifest(root).version == 1
    return manifest.generation


def test_reading_moves_the_files_and_keeps_them_aside(library: Path) -> None:
    before = (library / "failures" / "journal.jsonl").read_bytes()
    assert FailureList(StateDatabase(library)).all() == EARLIER_FAILURES
    assert not (library / "failures").exists()
    assert (library / EARLIER_FOLDER / "failures" / "journal.jsonl").read_bytes() == before
    assert FailureList(StateDatabase(library)).all() == EARLIER_FAILURES


def test_what_was_deleted_afterwards_does_not_come_back(library: Path) -> None:
    state = StateDatabase(library)
    assert FailureList(state).dismiss() == 2
    assert FailureList(StateDatabase(library)).all() == ()


@pytest.mark.parametrize("when", ["before the commit", "after the commit"])
def test_a_kill_in_the_middle_loses_nothing(library: Path, when: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(library), when], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (library / "failures").exists()
    assert FailureList(StateDatabase(library)).all() == EARLIER_FAILURES
    assert not (library / "failures").exists()


def test_two_that_open_it_at_once_have_the_same(library: Path) -> None:
    code = """
import sys
from pathlib import Path
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
print(len(FailureList(StateDatabase(Path(sys.argv[1]))).all()))
"""
    argv = [sys.executable, "-c", code, str(library)]
    processes = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0] for process in processes] == ["2\n"] * 3
    assert FailureList(StateDatabase(library)).all() == EARLIER_FAILURES


def test_what_an_older_litterm_writes_afterwards_is_added(library: Path) -> None:
    assert FailureList(StateDatabase(library)).all() == EARLIER_FAILURES
    (library / "failures").mkdir()
    line = journal_line("failed", {"origin": "d.pdf", "cause": "late", "transient": False, "missing": "record"})
    (library / "failures" / "journal.jsonl").write_bytes(line)
    origins = [failure.origin for failure in FailureList(StateDatabase(library)).all()]
    assert origins == ["b.pdf", "a.pdf", "d.pdf"]
    assert len(list((library / EARLIER_FOLDER).iterdir())) == 2


@pytest.fixture
def read_only(library: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The old library, which this process may not write to."""
    monkeypatch.setattr(os, "access", lambda path, mode: not (mode & os.W_OK))
    yield library


def test_a_read_only_old_library_shows_its_data_and_stays_as_it_is(read_only: Path) -> None:
    before = sorted(read_only.rglob("*"))
    failures = FailureList(StateDatabase(read_only))
    assert failures.all() == EARLIER_FAILURES == failures.all()
    with pytest.raises(ReadOnly, match=r"Cannot write .*state\.db: the library is read-only"):
        failures.dismiss()
    assert sorted(read_only.rglob("*")) == before


@pytest.fixture
def with_papers(tmp_path: Path) -> Path:
    """A library of the version before, with a paper."""
    root = tmp_path / "library"
    store(root, [record("P1")])
    make_old(root)
    write_earlier_failures(root)
    return root


def test_an_older_litterm_is_kept_from_a_library_whose_state_has_moved(with_papers: Path) -> None:
    library, generation = with_papers, read_manifest(with_papers).generation
    assert FailureList(StateDatabase(library)).all() == EARLIER_FAILURES
    manifest = read_manifest(library)
    assert (manifest.generation, manifest.version, manifest.papers) == (generation + 1, 2, 1)
    # What the version before compares with the schema that it knows, which is 1.
    assert json.loads((library / f"manifest-{generation + 1}.json").read_bytes())["schema"] == 2


def test_a_process_that_writes_does_not_keep_the_state_from_moving(with_papers: Path) -> None:
    library = with_papers
    lock = WriteLock(library / WRITE_LOCK_FILE)
    assert lock.try_acquire()
    try:
        assert FailureList(StateDatabase(library)).all() == EARLIER_FAILURES
    finally:
        lock.release()
    assert read_manifest(library).version == 1
    # The next import says it.
    store(library, [record("P2")])
    assert read_manifest(library).version == 2


def old_log(root: Path) -> int:
    """Gives the library a log of imports in the format of the version before; returns how many bytes count."""
    lines = [
        {"sha256": "sha-a", "origin": "a.jsonl", "papers": 1, "complete": False},
        {"sha256": "sha-a", "origin": "a.jsonl", "papers": 2, "complete": True},
        {"sha256": "sha-c", "origin": "c.jsonl", "papers": 1, "complete": False},
    ]
    content = b"".join(json.dumps(line).encode() + b"\n" for line in lines) + b"damaged\n"
    left = json.dumps({"sha256": "sha-d", "origin": "d.jsonl", "papers": 1, "complete": True}).encode()
    (root / "imported.jsonl").write_bytes(content + left + b"\n")
    return len(content)


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def known(writer: LibraryWriter) -> list[tuple[bool, int]]:
    log = writer._open_log
    return [(log.is_known(f"sha-{name}"), log.stored_count(f"sha-{name}")) for name in "acd"]


@pytest.mark.parametrize("killed", [False, True])
def test_an_import_knows_what_an_older_litterm_has_read(
    with_papers: Path, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    library = with_papers
    make_old(library, old_log(library))
    writer = LibraryWriter(library, HereBuilder())
    if killed:
        # After the rows were written, before a manifest names them.
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(library_writer, "publish", interrupt)
            run(writer.begin())
        writer.close()
        assert read_manifest(library).version == 1
        writer = LibraryWriter(library, HereBuilder())
    run(writer.begin())
    assert known(writer) == [(True, 2), (False, 1), (False, 0)]
    writer.close()
    manifest = read_manifest(library)
    assert (manifest.version, manifest.earlier_import_bytes, bool(manifest.imports)) == (2, 0, True)
    assert not (library / "imported.jsonl").exists()
    assert (library / EARLIER_FOLDER / "imported.jsonl").exists()
    again = LibraryWriter(library, HereBuilder())
    run(again.begin())
    assert known(again) == [(True, 2), (False, 1), (False, 0)]
    again.close()


RUN_ID = "01kb2t9q8m7x5d3c1a0zyxwvts"


def write_earlier_run(root: Path, name: str, lines: list[bytes], run_id: str = RUN_ID) -> Path:
    folder = root / name / run_id
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_bytes(b"".join(lines))
    (folder / "run.lock").touch()
    return folder


MATRIX = [
    journal_line(
        "asked", {"papers": ["acl:A", "acl:B"], "hypotheses": ["Dropout helps"], "k": 3}
    ),
    journal_line("run", {"version": "0.1.0"}),
    journal_line(
        "cell",
        {
            "paper": "acl:A", "hypothesis": "Dropout helps", "verdict": "nothing", "scope": "title", "sentences": [],
            "probability": None, "by": "", "partial": False, "empty": "not open", "why": "Nothing to read.",
        },
    ),
    journal_line("end", {"how": "done"}),
]  # fmt: skip


def test_runs_move_with_every_entry(library: Path) -> None:
    write_earlier_run(library, "matrices", [*MATRIX, b'{"at": "2026'])
    write_earlier_run(
        library, "trajectories", [journal_line("asked", {"text": "A [CITATION]."})], "01kb2t9q8m7x5d3c1a0zyxwvtt"
    )
    write_earlier_run(library, "matrices", [b'{"at": "20'], "01half")
    state = StateDatabase(library)
    matrices, trajectories = Runs(state, "matrix"), Runs(state, "trajectory")
    assert matrices.ids() == [RUN_ID]
    assert [(time, kind) for time, kind, _ in matrices.entries(RUN_ID)] == [
        ("2026-11-01T10:00:00Z", kind) for kind in ("asked", "run", "cell", "end")
    ]
    assert trajectories.entries(trajectories.ids()[0])[0][2] == {"text": "A [CITATION]."}
    matrices.append(RUN_ID, "run", {"version": "0.2.0"})
    assert len(Runs(StateDatabase(library), "matrix").entries(RUN_ID)) == 5
    assert not (library / "matrices").exists()
    assert (library / EARLIER_FOLDER / "matrices" / RUN_ID / "journal.jsonl").exists()


def test_a_run_that_an_older_litterm_continues_moves_when_that_has_ended(library: Path) -> None:
    folder = write_earlier_run(library, "matrices", MATRIX[:2])
    lock = WriteLock(folder / "run.lock")
    assert lock.try_acquire()
    assert Runs(StateDatabase(library), "matrix").ids() == []
    with (folder / "journal.jsonl").open("ab") as file:
        file.write(b"".join(MATRIX[2:]))
    lock.release()
    assert len(Runs(StateDatabase(library), "matrix").entries(RUN_ID)) == 4


def test_sessions_move_by_project(library: Path) -> None:
    (library / "projects").mkdir()
    contents = {
        "session.json": {"query": "dropout", "note_drafts": [["acl:A", "half a note"]]},
        "project.json": {"project": "théorie"},
        "drafts.json": {"/home/me/draft.tex": {"0a.0": "acl:A"}},
        f"projects/{urlsafe_b64encode('théorie'.encode()).decode().rstrip('=')}.json": {"query": "trees"},
    }
    for name, body in contents.items():
        (library / name).write_text(json.dumps(body, ensure_ascii=False), "utf-8")
    (library / "projects" / "not base 64.json").write_text("{")
    state = StateDatabase(library)
    rows = (project_session(state, ""), last_project(state), draft_decisions(state), project_session(state, "théorie"))
    assert [row.load() for row in rows] == list(contents.values())
    assert sorted(path.name for path in library.iterdir()) == [
        EARLIER_FOLDER,
        *sorted(p.name for p in library.glob("state.db*")),
    ]


def test_subscriptions_move_with_their_place(library: Path) -> None:
    scope = {"query": "speech", "years": [2020, None], "venues": ["ICLR"], "limit": 0}
    body = {"source": "arxiv", "scope": scope, "cursor": "{}", "complete": True, "synced_at": "2026-11-01", "papers": 7}
    key = f"arxiv-{hashlib.sha256(json.dumps(['arxiv', scope], sort_keys=True).encode()).hexdigest()[:12]}"
    folder = library / "subscriptions"
    (folder / f"{key}.work").mkdir(parents=True)
    (folder / f"{key}.json").write_text(json.dumps(body))
    (folder / "acl-damaged.json").write_text("{")
    subscriptions = Subscriptions(StateDatabase(library))
    (known,) = subscriptions.all()
    assert (known.source, known.papers, known.scope.venues) == ("arxiv", 7, ("ICLR",))
    assert subscriptions.get("arxiv", known.scope) == known
    with subscriptions.workspace("arxiv", known.scope) as work:
        assert work == folder / f"{key}.work"
    assert subscriptions.forget("arxiv", known.scope)
    assert subscriptions.all() == ()
    assert not work.exists()
