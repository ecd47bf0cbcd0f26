"""What goes beyond one search over the library of a server: own tags, aspects, citations and reading lists."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from commands import Done, done
from graphs import citing, small_library, written
from json_answers import text_without_schema
from libraries import store
from library_servers import client, served

from litterm.annotations.annotations import Annotations
from litterm.build import build_engine
from litterm.cli.main import main
from litterm.core.settings import Settings, from_home, load
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListRequest
from litterm.server.http.library_server import LibraryServer

A, B, C, D = (PaperId(f"acl:{key}") for key in "ABCD")
LONG = (
    "I look for work that aligns parallel sentences by their length. It should also learn phrase tables from the "
    "word alignments. Surveys of statistical machine translation are welcome, too."
)
Litterm = Callable[..., Done]
_OF_THE_RUN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)|\b01[0-9a-z]{24}\b")
"""Times, and ids of matrices."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LibraryServer]:
    survey = citing("D", ["Alignment was first proposed by Writer [1].", "It came early [2]."], "A", "B")
    more = [survey, *(written(f"E{n}", title=f"Alignment of words, part {n}", year=2000 + n) for n in range(8))]
    store(folder / "home" / "library", [*small_library(), *more])
    with served(folder / "home", filled=False) as running:
        run(running.engine.after_import())
        yield running


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Litterm:
    """`litterm(*argv)`: the command, in this process, with files of its own in `home`."""

    def command(*argv: str) -> Done:
        return done(main(["--offline", *argv]), capsys)

    return command


@pytest.fixture
def own(folder: Path, tmp_path: Path, server: LibraryServer) -> Path:
    """A home whose own library is a copy of the server's."""
    shutil.copytree(folder / "home" / "library", tmp_path / "own" / "library")
    return tmp_path / "own"


@pytest.fixture
def there(home: Path, server: LibraryServer) -> Engine:
    """The engine over the server's library."""
    return build_engine(load({"server": server.url, "offline": True}))


@pytest.fixture
def here(own: Path) -> Engine:
    """The engine over the copy."""
    return build_engine(_offline(from_home(own)))


def _offline(settings: Settings) -> Settings:
    return replace(settings, offline=True)


def annotate(annotations: Annotations) -> None:
    """What a user writes about the papers."""
    annotations.tag(A, ("mine", "old"))
    annotations.tag(B, ("mine",))
    annotations.star(B, True)
    annotations.note(C, "to be read again")
    annotations.set_status(C, "reading")
    annotations.screen(D, "included")
    annotations.projects.use("thesis")
    annotations.star(C, True)
    annotations.projects.use("")


@pytest.mark.parametrize(
    "argv",
    [
        ("search", "tag:mine", "--json"),
        ("search", "alignment tag:mine", "--why"),
        ("search", "phrase", "--tag", "mine", "--tag", "starred", "--json"),
        ("search", "(tag:mine OR decoding) NOT is:starred", "--json"),
        ("search", "alignment -tag:old", "--json"),
        ("search", "alignment tag:nothing", "--json"),
        ("search", "note:again", "--json"),
        ("search", "has:note OR status:reading", "--json"),
        ("search", "project:thesis", "--json"),
        ("search", "alignment || phrase tables", "--json"),
        ("search", "alignment || phrase tables || decoding", "--mute", "2"),
        ("search", "--aspects", "alignment*2 || a survey", "-k", "3", "--why"),
        ("search", LONG, "--json"),
        ("search", LONG, "--sort", "aspects"),
        ("search", "tag:mine alignment || phrase tables", "--json"),
        ("search", "phrase tables", "--rewrites", "alignment of words || tag:mine survey", "--json"),
        ("search", "phrase tables", "--one-hop", "--json"),
        ("search", "phrase tables", "--one-hop", "cited", "-k", "2", "--why"),
        ("search", "decoding -tag:old", "--one-hop", "both", "--json"),
        ("first", "alignment", "--json"),
        ("first", "alignment tag:mine", "-k", "1"),
        ("refs", "C", "--local", "--json"),
        ("refs", "A", "--local"),
        ("refs", "C"),
        ("cited-by", "A", "--local", "--json"),
        ("cited-by", "A", "--local", "-k", "1"),
        ("list", "alignment", "-n", "4"),
        ("list", "alignment, phrase tables", "-n", "6", "--sections", "--json"),
        ("list", "alignment", "--until", "2006", "--md"),
        ("list", "alignment", "--from", "tag:mine", "--bibtex"),
        ("list", "phrase tables", "--html"),
        ("list", "?!"),
        ("evidence", "--query", "alignment", "-n", "3", "Sentences were aligned by length", "--format", "csv"),
        ("watch", "alignment tag:mine", "--json"),
        ("export", "--query", "tag:mine", "--bibtex"),
        ("export", "--accepted", "--markdown"),
        ("find", "alignment", "--in", "arxiv"),
    ],
    ids=" ".join,
)
def test_a_command_prints_what_it_prints_over_a_library_of_ones_own(
    litterm: Litterm, server: LibraryServer, own: Path, here: Engine, there: Engine, argv: tuple[str, ...]
) -> None:
    annotate(here.annotations)
    annotate(there.annotations)
    expected = litterm("--home", str(own), *argv)
    answer = litterm("--server", server.url, *argv)
    assert _timeless(answer) == _timeless(expected)


def _timeless(answer: Done) -> tuple[int, str, str]:
    return answer.status, _OF_THE_RUN.sub("", answer.out), _OF_THE_RUN.sub("", answer.err)


def test_a_list_is_kept_with_pins_drops_notes_and_marks_on_the_users_machine(
    litterm: Litterm, server: LibraryServer, own: Path, here: Engine, there: Engine, folder: Path
) -> None:
    kept = []
    for engine in (here, there):
        lists = engine.reading_lists
        made = run(lists.make(ListRequest("alignment", 4)))
        first, second, third, *_ = (entry.paper.id for entry in made.entries)
        made = lists.pin(made, second)
        made = lists.write_note(made, second, "begin with this one")
        made = lists.replace(lists.drop(made, first), third)
        engine.annotations.set_status(second, "read")
        again = run(lists.regenerate(made.id))
        assert first not in {entry.paper.id for entry in again.entries}
        kept.append([(entry.paper.id, entry.stage, entry.why, entry.pinned, entry.note) for entry in again.entries])
        assert (second, True, "begin with this one") in {(row[0], row[3], row[4]) for row in kept[-1]}
    assert kept[0] == kept[1]
    for argv in (("list", "--list"), ("list", "--resume", "last"), ("list", "--again", "alignment", "--json")):
        expected = litterm("--home", str(own), *argv)
        assert _timeless(litterm("--server", server.url, *argv)) == _timeless(expected)
    served_files = [path.read_bytes() for path in (folder / "home").rglob("*") if path.is_file()]
    assert not any(b"begin with this one" in content for content in served_files)


def test_a_model_of_the_user_is_shown_the_candidates_of_the_server(here: Engine, there: Engine) -> None:
    request = ListRequest("alignment, phrase tables", 5, exclude=frozenset((A,)))
    ranked = [run(engine.reading_lists.builder().rank(request)) for engine in (here, there)]
    assert [paper.id for paper in ranked[0].candidates.papers] == [paper.id for paper in ranked[1].candidates.papers]
    assert ranked[0].points.tolist() == ranked[1].points.tolist()
    assert ranked[0].candidates.topic == ranked[1].candidates.topic


def test_the_graph_of_the_server_says_what_the_graph_here_says(here: Engine, there: Engine) -> None:
    graphs = [run(engine.citations.update()) for engine in (here, there)]
    ids = (A, B, C, D)
    for ask in (
        lambda graph: graph.references(ids),
        lambda graph: graph.citations(ids),
        lambda graph: graph.citations(ids, until=2005),
        lambda graph: graph.contexts(C, A),
        lambda graph: graph.citances(ids, until=2011, exclude=(B,)),
        lambda graph: graph.counts(ids, exclude=(B,)),
        lambda graph: graph.has_references(ids),
        lambda graph: graph.citances(()),
    ):
        expected, answer = map(ask, graphs)
        assert answer == expected
    assert graphs[1].counts([A])[0].marks == 4


def test_records_are_merged_and_removed_on_the_server_only(there: Engine) -> None:
    from litterm.core.errors import UsageError

    papers = there.papers_by_key([A, B])
    for refused in (
        lambda: there.record_curation.remove(papers),
        lambda: there.record_curation.merge(*papers),
        lambda: there.record_curation.apart(A, B),
        lambda: there.record_curation.doubts(),
        lambda: there.services.keep(()),
        lambda: there.services.fetch([A]),
        lambda: there.retry_failures(),
        lambda: there.counts.sync(),
        lambda: there.sql("FROM papers"),
    ):
        with pytest.raises(UsageError, match="on the server itself; ask whoever runs it"):
            refused()
    assert there.record_curation.removed_papers() == ()


@pytest.mark.parametrize(
    ("verb", "body", "argv"),
    [
        ("search", {"query": "phrase tables", "one_hop": {}}, ("search", "phrase tables", "--one-hop")),
        (
            "search",
            {"query": "alignment", "k": 3, "one_hop": {"direction": "cited"}},
            ("search", "alignment", "-k", "3", "--one-hop", "cited"),
        ),
        ("first", {"query": "alignment"}, ("first", "alignment")),
        ("refs", {"paper": "C"}, ("refs", "C", "--local")),
        ("cited-by", {"paper": "acl:A"}, ("cited-by", "A", "--local")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_answer_over_http_is_what_the_command_prints(
    litterm: Litterm, server: LibraryServer, own: Path, verb: str, body: dict[str, object], argv: tuple[str, ...]
) -> None:
    with client(server) as asking:
        answer = asking.post(f"/v1/{verb}", json=body)
    assert answer.status_code == 200
    assert answer.text == text_without_schema(litterm("--home", str(own), *argv, "--json").out)


def test_a_list_over_http_is_that_of_the_command_and_is_not_kept(
    litterm: Litterm, server: LibraryServer, own: Path
) -> None:
    with client(server) as asking:
        answer = asking.post("/v1/list", json={"topic": "alignment", "size": 4}).json()
        edges = asking.post("/v1/edges", json={"ids": [C], "direction": "references"}).json()
        citances = asking.post("/v1/citances", json={"ids": [A], "citing": C}).json()
        scores = asking.post("/v1/aspects", json={"aspects": ["alignment"], "papers": [A, C]}).json()
        too_many = asking.post("/v1/aspects", json={"aspects": ["x"] * 51, "papers": []})
    expected = litterm("--home", str(own), "list", "alignment", "-n", "4", "--json").json
    assert expected.pop("id") == "alignment"
    assert answer.pop("id") == ""
    answer.pop("made")
    expected.pop("made")
    assert answer == expected
    assert server.engine.reading_lists.all() == ()
    assert edges == {"papers": [{"id": C, "known": True, "references": [A, B]}]}
    assert [one["text"] for one in citances["papers"][0]["sentences"]] == [
        "Sentences were aligned by length [1].",
        "As before [1].",
    ]
    assert scores["aspects"][0]["scores"][A] > scores["aspects"][0]["scores"][C]
    assert (too_many.status_code, "at most 50" in too_many.json()["error"]["message"]) == (400, True)
