"""A backup brings everything back to the byte, a restore replaces nothing, and a file of a stranger does nothing."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import tarfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from commands import Done, done
from killed_imports import Warm, places_below
from libraries import record, store

from litterm.build import build_engine
from litterm.cli.main import main
from litterm.core.errors import BadInput, LibraryError, LibraryTooNew, LittermError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.library.backup.create import back_up
from litterm.library.backup.restore import restore
from litterm.library.segments.connections import connect
from litterm.model.annotations import Session
from litterm.model.paper import PaperId

KEY = "sk-secret-of-nobody"
NOTE = "Read again — carefully."
PAPERS = [record(f"P19-{number}", f"Paper number {number}", abstract="Words.", year=2019) for number in range(3)]
KILLS = 12


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with papers, marks, a session, settings, a theme, a key and notes on a server's papers; and its backup."""
    home = tmp_path_factory.mktemp("backup")
    store(home / "library", PAPERS[:2])
    store(home / "library", PAPERS[1:])
    (home / "config.toml").write_text(f'library = "{home}/library"\n[model]\nbase_url = "https://example.org/v1"\n')
    for name, text in (("themes/dusk.toml", "[colors]\n"), ("keys/example.org.key", KEY), ("users.json", KEY)):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    engine = build_engine(from_home(home))
    paper = PaperId("acl:P19-1")
    engine.annotations.note(paper, NOTE)
    engine.annotations.tag(paper, ("moss", "shade"))
    engine.annotations.screen(paper, "included")
    engine.annotations.star(paper, True)
    engine.annotations.save_session(Session(query="moss", history=("moss",)))
    journal = home / "servers/group.example.org/journal"
    journal.mkdir(parents=True)
    shutil.copy(home / "library/journal/journal.jsonl", journal)
    run(back_up(places_below(home), home / "backup.tar.gz"))
    return home


@pytest.fixture
def backup(made: Path) -> Path:
    return made / "backup.tar.gz"


def held(home: Path) -> tuple[object, ...]:
    """All that a home holds, as exports and the journal have it."""
    engine = build_engine(from_home(home))
    return (
        "".join(engine.export_rows()),
        *(run(engine.export_papers(None, form)) for form in ("bibtex", "csv", "markdown")),
        engine.annotations.session(),
        [step.sentence for step in run(engine.undo_steps())],
        (home / "library/journal/journal.jsonl").read_bytes(),
        (home / "servers/group.example.org/journal/journal.jsonl").read_bytes(),
        (home / "themes/dusk.toml").read_bytes(),
    )


def test_what_is_restored_is_what_was_backed_up(made: Path, backup: Path, tmp_path: Path) -> None:
    home = tmp_path / "new"
    report = run(restore(places_below(home), backup))
    assert sorted(path.name for path in home.iterdir()) == ["config.toml", "library", "servers", "themes"]
    assert held(home) == held(made)
    assert NOTE in str(held(home)[2])
    assert report.contents.papers == 3
    assert report.notices == ("The settings name https://example.org/v1 as `model.base_url`.",)
    assert "library" not in (home / "config.toml").read_text()


def test_neither_keys_nor_tokens_nor_users_are_in_it(backup: Path) -> None:
    assert KEY.encode() not in gzip.decompress(backup.read_bytes())
    with tarfile.open(backup) as archive:
        names = archive.getnames()
    assert [name for name in names if name.startswith("settings/")] == [
        "settings/config.toml",
        "settings/themes/dusk.toml",
    ]
    assert not [name for name in names if ".lock" in name or "/tmp/" in name or "-wal" in name]


def test_a_backup_is_made_while_the_workbench_writes(made: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(made, home)
    engine = build_engine(from_home(home))
    state = engine._parts.state
    with state.write() as connection:
        connection.execute("INSERT INTO session VALUES ('half', '{}')")
        # Not in the backup: its transaction has not ended.
        run(back_up(places_below(home), tmp_path / "b.tar.gz"))
    run(restore(places_below(tmp_path / "new"), tmp_path / "b.tar.gz"))
    with build_engine(from_home(tmp_path / "new"))._parts.state.read() as connection:
        assert [name for (name,) in connection.execute("SELECT name FROM session")] == ["session"]


def test_nothing_that_is_there_is_replaced(made: Path, backup: Path, tmp_path: Path) -> None:
    before = held(made)
    with pytest.raises(LibraryError, match=r"There is a library in .* already"):
        run(restore(places_below(made), backup))
    assert held(made) == before
    home = tmp_path / "new"
    (home / "library").mkdir(parents=True)
    (home / "config.toml").write_text("offline = true\n")
    report = run(restore(places_below(home), backup))
    assert (home / "config.toml").read_text() == "offline = true\n"
    assert [notice for notice in report.notices if "stays as it is" in notice]
    with pytest.raises(BadInput, match="is there already; name another file"):
        run(back_up(places_below(made), backup))
    with pytest.raises(BadInput, match="lies in the library itself"):
        run(back_up(places_below(made), made / "library/b.tar.gz"))


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_kill_leaves_no_library_or_the_whole_one_and_the_backup_that_was_there(made: Path, tmp_path: Path) -> None:
    home, places, archive = tmp_path / "home", places_below(tmp_path / "home/restored"), tmp_path / "home/backup.tar.gz"
    shutil.copytree(made, home)
    run(restore(places_below(tmp_path / "whole"), archive))
    expected = files_of(tmp_path / "whole")
    with Warm() as warm:
        for job, kills in (("restore", KILLS), ("backup", KILLS // 3)):
            seams = warm.run(home, job).seams
            assert files_of(home / "restored") == expected
            shutil.rmtree(home / "restored")
            for number in range(1, seams, seams // kills):
                assert warm.run(home, job, die_at=number).signal == 9
                if places.library.exists():
                    assert files_of(home / "restored") == expected
                    shutil.rmtree(home / "restored")
            # With what all of them left; it restores the backup that was there before those of its own.
            run(restore(places, archive))
            assert files_of(home / "restored") == expected


def changed(backup: Path, target: Path, change: str) -> None:
    """Writes `backup` with one change that a stranger might make."""
    with tarfile.open(backup) as archive:
        members = [(header, archive.extractfile(header).read()) for header in archive]  # type: ignore[union-attr]
    listed = json.loads(members[0][1])
    name, content = members[1][0].name, members[1][1]
    sums = listed["members"]
    match change:
        case "newer":
            listed["version"] = 2
        case "sum":
            sums[name][1] = "0" * 64
        case "size":
            sums[name][0] += 1
        case "missing":
            del members[1]
        case "more":
            members.append((tarfile.TarInfo("library/more"), b"more"))
        case "link":
            members[1][0].type, members[1][0].linkname = tarfile.SYMTYPE, "/etc/passwd"
        case "views":
            members = list(with_a_view(members, sums, target))
        case "bad settings":
            at = next(at for at, (header, _) in enumerate(members) if header.name == "settings/config.toml")
            members[at] = (members[at][0], b"evil = 1\n")
            sums["settings/config.toml"] = [9, sha256(b"evil = 1\n").hexdigest()]
        case path:
            sums[path] = sums.pop(name)
            members[1] = (tarfile.TarInfo(path), content)
    members[0] = (members[0][0], json.dumps(listed).encode())
    with tarfile.open(target, "w:gz", format=tarfile.USTAR_FORMAT) as archive:
        for header, body in members:
            header.size = 0 if header.type == tarfile.SYMTYPE else len(body)
            archive.addfile(header, io.BytesIO(body))


def with_a_view(
    members: list[tuple[tarfile.TarInfo, bytes]], sums: dict[str, list[object]], target: Path
) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    for header, body in members:
        if header.name.endswith("papers.duckdb"):
            database = target.with_suffix(".duckdb")
            database.unlink(missing_ok=True)
            database.write_bytes(body)
            cursor = connect(threads=1, memory_mb=64)
            cursor.execute(f"ATTACH '{database}' AS one")
            cursor.execute("ALTER TABLE one.link RENAME TO was")
            cursor.execute("CREATE VIEW one.link AS SELECT content AS one FROM read_text('/etc/passwd')")
            cursor.close()
            body = database.read_bytes()
            sums[header.name] = [len(body), sha256(body).hexdigest()]
        yield header, body


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("newer", LibraryTooNew),
        ("sum", BadInput),
        ("size", BadInput),
        ("missing", BadInput),
        ("more", BadInput),
        ("link", BadInput),
        ("views", BadInput),
        ("bad settings", LittermError),
        ("../evil", BadInput),
        ("library/../../evil", BadInput),
        ("/tmp/evil", BadInput),
        ("library//evil", BadInput),
        ("settings/keys/example.org.key", BadInput),
        ("settings/users.json", BadInput),
        ("elsewhere/evil", BadInput),
    ],
)
def test_a_file_that_is_no_backup_of_ours_changes_nothing(
    backup: Path, tmp_path: Path, change: str, error: type[LittermError]
) -> None:
    changed(backup, tmp_path / "b.tar.gz", change)
    home = tmp_path / "new"
    with pytest.raises(error):
        run(restore(places_below(home), tmp_path / "b.tar.gz"))
    assert list(home.iterdir()) == []


def test_a_cut_or_foreign_file_is_refused_in_a_sentence(backup: Path, tmp_path: Path) -> None:
    whole = backup.read_bytes()
    for content in (whole[: len(whole) // 2], whole[:-9], b"", b"PK\3\4 no backup", gzip.compress(b"x" * 2000)):
        (tmp_path / "b.tar.gz").write_bytes(content)
        with pytest.raises(BadInput, match=r"is not|ends in the middle"):
            run(restore(places_below(tmp_path / "new"), tmp_path / "b.tar.gz"))
    with pytest.raises(BadInput, match="there is no such file"):
        run(restore(places_below(tmp_path / "new"), tmp_path / "none.tar.gz"))


def test_the_commands_say_what_they_did(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def litterm(*argv: str) -> Done:
        return done(main(list(argv)), capsys)

    file, new = str(tmp_path / "b.tar.gz"), str(tmp_path / "new")
    written = litterm("--home", str(made), "backup", file)
    assert written.status == 0
    assert f"Wrote {file}: 3 papers" in written.out and "left out: API keys" in written.out
    assert litterm("--home", str(made), "restore", file).status == 1
    restored = litterm("restore", file, "--home", new, "--json")
    assert (restored.status, restored.json["papers"]) == (0, 3)
    assert litterm("--home", new, "show", "acl:P19-1", "--json").json["notes"] == {
        "screening": "included",
        "starred": True,
        "tags": ["moss", "shade"],
        "note": NOTE,
        "status": "",
        "collections": [],
    }


def test_an_engine_over_what_was_restored_goes_on(backup: Path, tmp_path: Path) -> None:
    home = tmp_path / "new"
    run(restore(places_below(home), backup))
    store(home / "library", [record("P20-1", "A paper that came later")])
    engine: Engine = build_engine(from_home(home))
    assert engine.status().papers == 4
    assert engine.annotations.undo() is not None
