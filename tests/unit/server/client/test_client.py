"""litterm as the client of a server: the same answers, errors of its own, and what users write on their machine."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from commands import Done, done
from library_servers import TEXTS, served

from litterm.cli import workbench
from litterm.cli.context import Context
from litterm.cli.main import main
from litterm.core.errors import Offline, SettingsError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine.parts import Parts
from litterm.server.client.connection import ServerConnection
from litterm.server.client.engine import RemoteEngine
from litterm.server.http.library_server import LibraryServer
from litterm.server.users.limits import ServerLimits
from litterm.server.users.user_file import UserFile

BIB = "@article{a1, title={Parsing of trees}, author={Ada Adams}, year={2014}, abstract={Trees are parsed.}}"
Litterm = Callable[..., Done]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LibraryServer]:
    with served(folder / "home") as running:
        yield running


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Litterm:
    """`litterm(*argv)`: the command, in this process, with files of its own in `home`."""

    def command(*argv: str) -> Done:
        return done(main(list(argv)), capsys)

    return command


@pytest.fixture
def own(folder: Path, tmp_path: Path, server: LibraryServer) -> str:
    """A home whose own library is a copy of the server's."""
    shutil.copytree(folder / "home" / "library", tmp_path / "own" / "library")
    return str(tmp_path / "own")


@pytest.mark.parametrize(
    "argv",
    [
        ("search", "pruning heads", "--json"),
        ("search", "pruning heads", "--why"),
        ("search", "", "--sort", "oldest", "--json"),
        ("search", "(heads OR weights) NOT corpus year:2018..", "-k", "1", "--json"),
        ("search", "pruning -survey", "--as", "question", "--in-full-text", "--json"),
        ("search", "--like", "P18-1001", "--json"),
        ("search", "no such words at all"),
        ("search", "pruing haeds"),
        ("evidence", "P18-1001", "Pruning speeds up inference", "--json"),
        ("evidence", "P20-1003", "The corpus is small", "--all"),
        ("cite", "Heads can be pruned [CITATION] with speed.", "--json"),
        ("cite", "Heads [CITATION] and corpora [CITATION].", "--all-marks", "--json"),
        ("cite", "Heads can be pruned [CITATION].", "--before", "2010"),
        ("cite", "Heads can be pruned [CITATION].", "--source", TEXTS[0][1], "--bibtex"),
        ("read", "P18-1001", "--plain"),
        ("export", "P18-1001", "acl:P20-1003", "--bibtex"),
        ("show", "nope"),
        ("search", "year:old"),
        ("evidence", "P18-1001", "of the"),
    ],
    ids=" ".join,
)
def test_a_command_prints_what_it_prints_over_a_library_of_ones_own(
    litterm: Litterm, server: LibraryServer, own: str, argv: tuple[str, ...]
) -> None:
    here = litterm("--home", own, "--offline", *argv)
    there = litterm("--server", server.url, *argv)
    assert (there.status, there.out, there.err) == (here.status, here.out, here.err)


@pytest.mark.parametrize("question", ["Can heads be pruned?", "Who won the cup?"])
def test_a_question_is_answered_as_over_a_library_of_ones_own(
    litterm: Litterm, server: LibraryServer, own: str, question: str
) -> None:
    here = litterm("--home", own, "--offline", "ask", question, "--json")
    there = litterm("--server", server.url, "ask", question, "--json")
    # How far the reading is said to be goes by the clock.
    assert (there.status, there.json) == (here.status, here.json)


def test_a_paper_is_shown_with_ones_own_notes_and_the_name_of_its_file(
    litterm: Litterm, server: LibraryServer, own: str
) -> None:
    here = litterm("--home", own, "show", "P18-1001", "--json").json
    there = litterm("--server", server.url, "show", "P18-1001", "--json").json
    assert there["imported"].pop("origin") == "papers.jsonl"  # type: ignore[attr-defined]
    here["imported"].pop("origin")  # type: ignore[attr-defined]
    assert there == here


def test_many_excerpts_are_answered_as_over_a_library_of_ones_own(
    litterm: Litterm, server: LibraryServer, own: str, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    excerpts = ("Heads can be pruned [CITATION].", " ", "Parallel corpora [CITATION].")
    rows.write_text("\n".join(json.dumps({"id": str(n), "excerpt": each}) for n, each in enumerate(excerpts)))
    here = litterm("--home", own, "cite", "--batch", str(rows))
    there = litterm("--server", server.url, "cite", "--batch", str(rows))
    assert (there.status, there.out) == (here.status, here.out)


def test_what_a_user_writes_stays_on_their_machine(
    litterm: Litterm, server: LibraryServer, home: Path, folder: Path
) -> None:
    from litterm import build_engine, load_settings

    engine = build_engine(load_settings({"server": server.url}))
    paper = engine.paper("P18-1001")
    engine.annotations.note(paper.id, "my own note")
    shown = litterm("--server", server.url, "show", "P18-1001", "--json").json
    assert shown["notes"]["note"] == "my own note"  # type: ignore[index]
    assert any("my own note" in path.read_text("utf-8") for path in home.rglob("*.jsonl"))
    assert not [path for path in folder.rglob("*") if path.is_file() and b"my own note" in path.read_bytes()]
    assert "my own note" in litterm("--server", server.url, "export", "P18-1001", "--markdown").out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("sync",), "`litterm sync` works on a library of this machine only"),
        (("sql", "FROM papers"), "`litterm sql` works on a library of this machine only"),
        (("remove", "P18-1001"), "`litterm remove` works on a library of this machine only"),
        (("add", "10.18653/v1/P18-1001"), "Papers of services come in on the server itself"),
        (("export", "--all", "--bibtex"), "A whole library is exported on the server itself"),
        (("export", "--all", "--jsonl"), "A whole library is exported on the server itself"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_a_server_does_not_give_is_refused_plainly(
    litterm: Litterm, server: LibraryServer, argv: tuple[str, ...], words: str
) -> None:
    refused = litterm("--server", server.url, *argv)
    assert (refused.status, refused.out) == (2, "")
    assert words in refused.err


def test_a_file_that_cannot_be_sent_keeps_no_other_from_the_server(
    tmp_path: Path, litterm: Litterm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITTERM_SERVER_TOKEN", UserFile(tmp_path / "served").add("ada", "import"))
    (tmp_path / "papers.bib").write_text(BIB)
    with served(tmp_path / "served", filled=False) as server:
        monkeypatch.setenv("LITTERM_SERVER", server.url)
        add, papers = ("--server", server.url, "add"), str(tmp_path / "papers.bib")
        folder = litterm(*add, str(tmp_path))
        assert (folder.status, "send a folder as an archive" in folder.err) == (1, True)
        assert server.engine.status().papers == 0
        missing = litterm(*add, str(tmp_path / "gone.bib"), papers)
        assert (missing.status, "gone.bib: There is no such file." in missing.err) == (1, True)
        assert server.engine.status().papers


def test_without_a_command_the_workbench_is_opened_over_the_server(
    litterm: Litterm, server: LibraryServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_home(context: Context) -> int:
        opened.append(context.settings.server)
        return 0

    monkeypatch.setattr(workbench, "open_home", open_home)
    assert litterm("--server", server.url).status == 0
    assert opened == [server.url]


def test_an_address_that_is_none_is_refused(litterm: Litterm) -> None:
    refused = litterm("--server", "nowhere", "search", "pruning")
    assert (refused.status, "--server is 'nowhere', but must be an address" in refused.err) == (2, True)


def test_a_server_that_is_not_there_or_is_none_ends_with_status_4(litterm: Litterm, server: LibraryServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        port = deaf.getsockname()[1]
    gone = litterm("--server", f"http://127.0.0.1:{port}", "search", "pruning")
    assert (gone.status, gone.out) == (4, "")
    assert "cannot be reached" in gone.err
    other = litterm("--server", f"{server.url}/health", "search", "pruning")
    assert (other.status, "is it a litterm server?" in other.err) == (4, True)


def test_a_token_is_needed_and_the_role_decides(
    litterm: Litterm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = UserFile(tmp_path / "served")
    reader, importer = users.add("ada", "read"), users.add("bob", "import")
    (tmp_path / "papers.bib").write_text(BIB, "utf-8")
    add = ("add", str(tmp_path / "papers.bib"), "--json")
    with served(tmp_path / "served") as server:
        monkeypatch.setenv("LITTERM_SERVER", server.url)
        for token, argv, status, words in (
            ("", ("search", "trees"), 4, "A token is needed"),
            ("wrong", ("search", "trees"), 4, "does not know this token"),
            (reader, ("search", "trees"), 0, ""),
            (reader, add, 4, "ada may only read"),
        ):
            monkeypatch.setenv("LITTERM_SERVER_TOKEN", token)
            answer = litterm("--server", server.url, *argv)
            assert (answer.status, words in answer.err) == (status, True)
        monkeypatch.setenv("LITTERM_SERVER_TOKEN", importer)
        added = litterm("--server", server.url, *add).json
        assert (added["added"], added["failures"]) == (1, [])
        found = litterm("--server", server.url, "search", "parsing of trees", "--json").json
        assert found["results"][0]["title"] == "Parsing of trees"  # type: ignore[index]
        (tmp_path / "bad.bib").write_bytes(b"@article{x, title={No end")
        bad = litterm("--server", server.url, "add", str(tmp_path / "bad.bib"))
        assert bad.status == 1
        assert "bad.bib" in bad.err
        assert str(tmp_path) not in bad.err
        assert not list((tmp_path / "served" / "cache" / "uploads").iterdir())


def test_a_server_with_too_much_to_do_is_asked_again(
    litterm: Litterm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = UserFile(tmp_path / "served").add("ada", "read")
    monkeypatch.setenv("LITTERM_SERVER_TOKEN", token)
    with served(tmp_path / "served", limits=ServerLimits(per_minute=60, burst=1)) as server:
        monkeypatch.setenv("LITTERM_SERVER", server.url)
        answers = [litterm("--server", server.url, "search", "pruning") for _ in range(3)]
        assert [answer.status for answer in answers] == [0, 0, 0]


def test_an_open_workbench_asks_for_counts_only_now_and_then(tmp_path: Path) -> None:
    now = [0.0]
    settings = replace(from_home(tmp_path / "mine"), server="")
    token = UserFile(tmp_path / "served").add("ada", "import")
    (tmp_path / "papers.bib").write_text(BIB, "utf-8")
    with served(tmp_path / "served") as server:
        connection = ServerConnection(server.url, token)
        engine = RemoteEngine(Parts(settings), connection, clock=lambda: now[0])
        assert [engine.status().papers for _ in range(5)] == [3] * 5
        audit = tmp_path / "served" / "log" / "audit.jsonl"
        assert audit.read_text("utf-8").count('"verb": "status"') == 1
        run(engine.add([tmp_path / "papers.bib"]))
        assert engine.status().papers == 4
        now[0] += 60
        assert engine.status().papers == 4
        assert audit.read_text("utf-8").count('"verb": "status"') == 3
        connection.close()


def test_a_token_is_never_sent_where_others_can_read_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="use https"):
        ServerConnection("http://library.example:8765", "token")
    with pytest.raises(Offline, match="leave it out"):
        ServerConnection("https://library.example", "token", offline=True)
    ServerConnection("https://library.example", "token").close()
    ServerConnection("http://localhost:1", "token", offline=True).close()
