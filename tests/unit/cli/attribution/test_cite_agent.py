"""`litterm cite --agent` over a library on disk and a model server on this machine: answers, failures, replays."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes_model_server import MODEL, ModelServer, Received, Script, error, hangs
from graphs import TITLES, small_library, written
from libraries import store
from scripted_agents import calling, search, select, turns, verify

from litterm.build import build_engine
from litterm.cli.main import main
from litterm.library.state.connection import StateDatabase

Run = Callable[..., tuple[int, str, str]]
EXCERPT = "Sentences were aligned first, phrases are learned from word alignments [CITATION]."
GOOD = [search("phrase tables"), verify("acl:B", "word alignments"), select("acl:B")]


@pytest.fixture(scope="module")
def library_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("library_folder")
    store(root, [*small_library(), written("D")])
    return root


@pytest.fixture
def litterm(home: Path, library_folder: Path, model_server: ModelServer, capsys: pytest.CaptureFixture[str]) -> Run:
    table = f'starter = false\n[model]\nbase_url = "{model_server.url}"\nmodel = "{MODEL}"\n'
    (home / "config.toml").write_text(table)
    shutil.copytree(library_folder, home / "library")
    model_server.brain = calling(GOOD)

    def command(*argv: str) -> tuple[int, str, str]:
        status = main(list(argv), build=build_engine)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return command


def test_the_paper_selected_comes_first_with_its_steps(litterm: Run, model_server: ModelServer) -> None:
    status, out, err = litterm("cite", EXCERPT, "--agent", "--json")
    found = json.loads(out)
    assert (status, found["by"], found["verdict"], found["confidence"]) == (0, f"agent · {MODEL}", "found", None)
    first, *others = found["candidates"]
    assert (first["rank"], first["id"], first["why"][0]) == (1, "acl:B", f"chosen by {MODEL}: it is this one")
    assert [each["rank"] for each in others] == list(range(2, len(others) + 2))
    assert others
    assert [(step["step"], step["action"]["name"], step["calls"]) for step in found["steps"]] == [
        (1, "search", 1),
        (2, "verify", 1),
        (3, "select", 1),
    ]
    assert f"litterm cite --replay {found['trajectory']}" in err
    assert "searches “phrase tables”  2 papers" in err
    assert len(model_server.chats) == 3


def test_without_being_asked_for_no_model_is_asked(litterm: Run, model_server: ModelServer) -> None:
    status, out, _ = litterm("cite", EXCERPT, "--json")
    assert (status in (0, 3), json.loads(out)["steps"], json.loads(out)["trajectory"]) == (True, [], "")
    assert litterm("cite", EXCERPT, "--no-agent", "--json")[1] == out
    assert model_server.chats == []


def test_a_replay_shows_every_step_and_asks_nobody(litterm: Run, model_server: ModelServer) -> None:
    made = json.loads(litterm("cite", EXCERPT, "--agent", "--json")[1])
    asked = len(model_server.chats)
    status, out, _ = litterm("cite", "--replay", made["trajectory"][:20])
    assert status == 0
    for words in ("searches “phrase tables”", "Paper ID: acl:B", "it is this one", "It selected a paper after 3 steps"):
        assert words in out
    again = json.loads(litterm("cite", "--replay", "last", "--json")[1])
    assert again == made
    assert litterm("cite", "--replay", "last", "--key")[1].strip() == made["candidates"][0]["key"]
    listed = json.loads(litterm("cite", "--replay", "--json")[1])
    assert [(each["ended"], each["paper"], each["count"]) for each in listed["trajectories"]] == [
        ("selected", "acl:B", 3)
    ]
    assert "selected Phrase tables" in litterm("cite", "--replay")[1]
    assert len(model_server.chats) == asked


@pytest.mark.parametrize("trouble", ["refused", "loop", "away"])
def test_an_agent_that_fails_leaves_the_offline_answer_and_status_4(
    litterm: Run, model_server: ModelServer, home: Path, trouble: str
) -> None:
    offline = json.loads(litterm("cite", EXCERPT, "--json")[1])
    model_server.brain = calling(GOOD[:1]) if trouble == "loop" else lambda _asked: error(401, "no")
    if trouble == "away":
        (home / "config.toml").write_text(
            f'starter = false\noffline = true\n[model]\nbase_url = "https://model.example/v1"\nmodel = "{MODEL}"\n'
        )
    status, out, err = litterm("cite", EXCERPT, "--agent", "--json")
    found = json.loads(out)
    assert status == 4
    assert (found["candidates"], found["by"]) == (offline["candidates"], offline["by"])
    assert "so this is the offline ranking" in found["notices"][0]
    assert found["notices"][0] in err


def test_no_paper_at_all_is_an_answer_and_the_offline_one_decides(litterm: Run, model_server: ModelServer) -> None:
    offline, out, _ = litterm("cite", EXCERPT, "--json")
    model_server.brain = calling([search("phrase tables"), select("none")])
    status, told, err = litterm("cite", EXCERPT, "--agent", "--json")
    assert status == offline
    assert json.loads(told)["candidates"] == json.loads(out)["candidates"]
    assert "found no paper that fits" in err


def test_a_dry_run_prints_the_first_request_and_keeps_nothing(
    litterm: Run, model_server: ModelServer, home: Path
) -> None:
    status, out, err = litterm("cite", EXCERPT, "--agent", "--dry-run")
    assert (status, model_server.chats) == (0, [])
    assert out.startswith("POST ")
    assert "phrases are learned from word alignments [CITATION]" in out
    assert "nothing was sent" in err
    assert not (home / "library" / "state.db").exists()


def test_with_the_network_off_the_agent_searches_the_library_only(litterm: Run) -> None:
    status, out, err = litterm("--offline", "cite", EXCERPT, "--agent", "--online", "--json")
    assert "searches only your library" in err
    assert (status, json.loads(out)["steps"][0]["outcome"]) == (0, "done")
    assert "could not be searched" not in json.loads(out)["steps"][0]["observation"]


def test_options_of_the_agent_alone_are_refused(litterm: Run) -> None:
    assert litterm("cite", EXCERPT, "--online")[0] == 2
    assert litterm("cite", EXCERPT, "--replay", "last")[0] == 2
    assert litterm("cite", "--replay", "nowhere")[0] == 2
    assert litterm("cite", "--replay", "last", "--resume", "last")[0] == 2
    assert litterm("cite", "--batch", "x.csv", "--agent")[0] == 2


def test_many_marks_need_consent(litterm: Run, model_server: ModelServer) -> None:
    two = "Phrases [CITATION] come from alignments [CITATION]."
    status, _, err = litterm("cite", two, "--agent", "--all-marks")
    assert (status, model_server.chats) == (2, [])
    assert "30 calls" in err
    status, out, _ = litterm("cite", two, "--agent", "--all-marks", "--yes", "--json")
    assert status == 0
    assert [each["candidates"][0]["id"] for each in json.loads(out)["marks"]] == ["acl:B", "acl:B"]


def test_what_was_stopped_shows_the_offline_answer_and_goes_on_where_it_was(
    litterm: Run, model_server: ModelServer
) -> None:
    good = calling(GOOD)

    def interrupted(asked: Received) -> Script:
        if turns(asked) < 1:
            return good(asked)
        os.kill(os.getpid(), signal.SIGINT)
        return hangs()

    model_server.brain = interrupted
    offline = litterm("cite", EXCERPT)[1]
    status, out, err = litterm("cite", EXCERPT, "--agent")
    assert (status, out) == (130, offline)
    assert "--resume last` continues" in err
    listed = json.loads(litterm("cite", "--replay", "--json")[1])["trajectories"]
    assert [(each["ended"], each["count"]) for each in listed] == [("stopped", 1)]
    asked = len(model_server.chats)
    model_server.brain = good
    status, out, _ = litterm("cite", "--resume", "last", "--json")
    assert (status, json.loads(out)["candidates"][0]["id"]) == (0, "acl:B")
    assert [turns(each) for each in model_server.chats[asked:]] == [1, 2]
    assert [step["step"] for step in json.loads(out)["steps"]] == [1, 2, 3]
    assert litterm("cite", "--resume", "last", "--json")[1] == out, "one at its end is replayed"
    assert len(model_server.chats) == asked + 2


def test_a_killed_run_goes_on_without_asking_again(litterm: Run, model_server: ModelServer, home: Path) -> None:
    """A kill leaves a run without its last entries."""
    litterm("cite", EXCERPT, "--agent")
    with StateDatabase(home / "library").write() as connection:
        assert connection.execute("SELECT max(number) FROM run_entry").fetchone() == (4,)
        connection.execute("DELETE FROM run_entry WHERE number >= 3")
    shutil.rmtree(home / "cache", ignore_errors=True)
    asked = len(model_server.chats)
    assert "has not come to its end" in litterm("cite", "--replay")[1]
    status, out, _ = litterm("cite", "--resume", "last", "--json")
    assert (status, json.loads(out)["candidates"][0]["id"]) == (0, "acl:B")
    assert [turns(each) for each in model_server.chats[asked:]] == [2]


def voting(*selected: str) -> Callable[[Received], Script]:
    """Searches once; then the first run selects the first of these, the second run the second, and so on."""
    runs = iter(selected)
    return lambda asked: calling([search("phrase tables")] if turns(asked) == 0 else [select(next(runs))])(asked)


def test_of_several_runs_the_paper_that_most_select_is_the_answer_with_its_share(
    litterm: Run, model_server: ModelServer
) -> None:
    model_server.brain = voting("acl:A", "none", "acl:B", "acl:B", "acl:B")
    status, out, err = litterm("cite", EXCERPT, "--agent", "--search-only", "--runs", "5", "--yes", "--json")
    found = json.loads(out)
    assert (status, found["verdict"], found["candidates"][0]["id"]) == (0, "found", "acl:B")
    assert [(vote["paper"], vote["runs"]) for vote in found["votes"]] == [("acl:B", 3), ("acl:A", 1), (None, 1)]
    assert found["candidates"][0]["why"][0] == "selected in 3 of 5 runs"
    assert "1 of 5 runs found no paper that fits." in err
    assert {asked.body["temperature"] for asked in model_server.chats} == {0.95}
    assert len(model_server.chats) == 10
    assert "asked the model: 10 calls" in err, "caps and costs are those of all runs together"


@pytest.mark.parametrize("selected", [("acl:A", "acl:B"), ("acl:B", "acl:A", "none", "none", "acl:B")])
def test_a_tie_and_a_minority_are_not_sure(litterm: Run, model_server: ModelServer, selected: tuple[str, ...]) -> None:
    model_server.brain = voting(*selected)
    argv = ("cite", EXCERPT, "--agent", "--search-only", "--runs", str(len(selected)), "--yes")
    status, out, err = litterm(*argv, "--json")
    assert (status, json.loads(out)["verdict"], json.loads(out)["candidates"][0]["id"]) == (0, "unsure", selected[0])
    assert "no more than half of the runs agree" in err
    assert litterm("cite", "--replay", "last", "--key")[0] == 5


def test_the_cost_of_all_runs_is_told_before_any_is_begun(litterm: Run, model_server: ModelServer) -> None:
    status, _, err = litterm("cite", EXCERPT, "--agent", "--runs", "3")
    assert (status, model_server.chats) == (2, [])
    assert "45 calls" in err
    assert "a smaller --runs asks for less" in err
    model_server.brain = calling([select(TITLES["B"])])
    assert litterm("cite", EXCERPT, "--agent", "--no-commands", "--runs", "3")[0] == 0, "three calls need no consent"
    assert len(model_server.chats) == 3


def test_a_vote_that_was_stopped_begins_only_what_is_missing(litterm: Run, model_server: ModelServer) -> None:
    good = calling([search("phrase tables"), select("acl:B")])

    def interrupted(asked: Received) -> Script:
        if len(model_server.chats) < 4:
            return good(asked)
        os.kill(os.getpid(), signal.SIGINT)
        return hangs()

    model_server.brain = interrupted
    status, _, err = litterm("cite", EXCERPT, "--agent", "--search-only", "--runs", "3", "--yes")
    assert (status, "--resume last` continues" in err) == (130, True)
    assert [each["ended"] for each in json.loads(litterm("cite", "--replay", "--json")[1])["trajectories"]] == [
        "stopped",
        "selected",
    ]
    model_server.brain = good
    status, out, _ = litterm("cite", "--resume", "last", "--json")
    found = json.loads(out)
    assert (status, found["votes"][0]["runs"], found["verdict"]) == (0, 3, "found")
    assert len(model_server.chats) == 2 + 2 + 3, "the second run goes on with its second turn, the third is new"
    assert all("verify" not in str(asked.body.get("tools")) for asked in model_server.chats), "it stays search only"
    listed = json.loads(litterm("cite", "--replay", "--json")[1])["trajectories"]
    assert [(each["run"], each["runs"]) for each in listed] == [(3, 3), (2, 3), (1, 3)]
    shown = litterm("cite", "--replay", found["trajectory"])[1]
    assert all(f"run {number} of 3" in shown for number in (1, 2, 3))
    assert "run 1 of 3" not in litterm("cite", "--replay", listed[1]["trajectory"])[1]
    assert litterm("cite", "--resume", "last", "--json")[1] == out, "one at its end is replayed"


def test_a_model_that_fails_ends_the_vote_and_the_runs_before_it_count(litterm: Run, model_server: ModelServer) -> None:
    good = calling([search("phrase tables"), select("acl:B")])
    model_server.brain = lambda asked: error(401, "no") if len(model_server.chats) > 4 else good(asked)
    status, out, err = litterm("cite", EXCERPT, "--agent", "--search-only", "--runs", "5", "--yes", "--json")
    found = json.loads(out)
    assert (status, found["verdict"], found["votes"][0]["runs"]) == (0, "unsure", 2)
    assert "2 of 5 runs have come to an end" in err
    assert len(model_server.chats) == 5


def test_switches_of_the_agent_change_what_it_is_asked(litterm: Run, model_server: ModelServer) -> None:
    def first_request(*switches: str) -> str:
        return litterm("cite", EXCERPT, "--agent", "--dry-run", *switches)[1]

    assert "find_text" in first_request() or "verify" in first_request()
    assert len(first_request("--no-example")) < len(first_request())
    assert '"verify"' not in first_request("--search-only")
    assert "from what you know" in first_request("--no-commands")
    assert '"temperature":0.3' in first_request("--temperature", "0.3")
    assert model_server.chats == []


def test_switches_that_make_no_sense_are_refused(litterm: Run, model_server: ModelServer) -> None:
    for argv in (
        (EXCERPT, "--runs", "3"),
        (EXCERPT, "--no-example"),
        (EXCERPT, "--agent", "--runs", "3", "--temperature", "0"),
        (EXCERPT, "--agent", "--no-example", "--search-only"),
        (EXCERPT, "--agent", "--temperature", "nan"),
        (EXCERPT, "--agent", "--runs", "0"),
        ("--resume", "last", "--runs", "3"),
        ("--replay", "last", "--no-commands"),
    ):
        assert litterm("cite", *argv)[0] == 2, argv
    assert model_server.chats == []
