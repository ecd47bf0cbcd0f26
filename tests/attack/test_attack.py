"""The attacks with small counts, in every run; and that they notice what they look for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from killed_imports import Ended
from libraries import record, store

from attack import answers, keys, kills, pdfs, records, requests
from attack.log import Log
from attack.outcome import Outcome

HEAVY = ("ACL import", "JATS and PDF", "sync", "compaction", "retry of failures", "full texts")
"""Kinds of write that take seconds each; imports are still represented by that of JSON Lines."""


@pytest.mark.parametrize(
    "heavy", [pytest.param(False, id="quick"), pytest.param(True, id="heavy", marks=pytest.mark.extra)]
)
def test_one_kill_of_each_kind_of_write_loses_nothing(tmp_path: Path, heavy: bool) -> None:
    others = [f"kills: {kind.name}" for kind in kills.KINDS if (kind.name in HEAVY) is not heavy]
    outcomes = list(kills.attack(tmp_path, Random(3), 1, others))
    assert [outcome.broken for outcome in outcomes] == [[]] * (len(kills.KINDS) - len(others))
    assert len(outcomes) == (len(HEAVY) if heavy else len(kills.KINDS) - len(HEAVY))
    assert all(outcome.tried for outcome in outcomes)


def test_rows_that_are_finished_are_known_to_the_next_run(tmp_path: Path) -> None:
    first = Log(tmp_path / "log", 1)
    assert first.finished("kills", 50) == ()
    first.keep("kills", 50, Outcome("kills: sync", "kills", 50, ["a line"]))
    with (tmp_path / "log").open("a") as file:
        file.write('{"of": [1, "kil')
    again = Log(tmp_path / "log", 1)
    assert again.finished("kills", 50) == ["kills: sync"]
    assert again.outcomes == first.outcomes
    assert list(Log(tmp_path / "log", 1).finished("kills", 60)) == []
    assert list(Log(tmp_path / "log", 2).finished("kills", 50)) == []


def test_a_finished_row_is_not_run_again(tmp_path: Path) -> None:
    assert list(kills.attack(tmp_path, Random(1), 1, [f"kills: {kind.name}" for kind in kills.KINDS])) == []
    assert pdfs.attack(tmp_path, Random(1), 1, ["damaged PDFs"]) == []


class Forgetful:
    """Says that five were stored, and is killed before anything is on the disk."""

    def run(self, root: Path, job: str, **_: object) -> Ended:
        return Ended(9, "", 5, 3)


def test_a_write_that_loses_what_it_reported_is_noticed(tmp_path: Path) -> None:
    store(tmp_path, [record(f"P{number}") for number in range(3)])
    kind = kills.Kind("x", "compact", lambda _root: None, kills._segments)
    broken, died, _ = kills._one(kind, Forgetful(), tmp_path, Random(1), Ended(0, "", 9, 100, 1.0))  # type: ignore[arg-type]
    assert died == kills.ROUNDS
    assert any("5 were said to be stored beside 0, 3 are there" in line for line in broken)
    assert "lost: acl:P7" in broken


@pytest.mark.pty
def test_a_key_whose_work_is_not_on_the_disk_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_results", lambda shown: shown)
    scene = keys.Scene(lambda _shown, _chance, _home: 2, lambda _home: 1)
    monkeypatch.setattr(keys, "SCENES", {"stars": scene})
    (outcome,) = keys.attack(tmp_path, Random(1), 1)
    assert outcome.broken == ["stars: the screen showed 2, 1 are on the disk"]


def test_a_few_damaged_pdfs_come_to_an_end(tmp_path: Path) -> None:
    (outcome,) = pdfs.attack(tmp_path, Random(3), 6)
    assert (outcome.tried, outcome.broken) == (6, [])


def test_small_requests_are_answered_without_a_fault_of_the_server(tmp_path: Path) -> None:
    (outcome,) = requests.attack(tmp_path, Random(4), 60)
    assert (outcome.tried, outcome.broken) == (60, [])
    # Most get past the reading of their fields.
    assert int(outcome.seen.partition(" x 200")[0]) > 30


def test_hostile_answers_end_in_a_sentence_and_never_show_the_token(tmp_path: Path) -> None:
    (outcome,) = answers.attack(tmp_path, Random(3), 13)
    assert (outcome.tried, outcome.broken) == (13, [])


@pytest.mark.parametrize("way", answers.WAYS)
def test_each_way_to_be_hostile_ends_a_command_without_an_answer(
    way: Callable[[answers.Answer], answers.Answer], hostile: answers.HostileServer, tmp_path: Path
) -> None:
    hostile.alter = way
    status, shown = answers.run_command(tmp_path, hostile.url, ("search", "pruning heads"))
    assert answers.faults(status, shown) == []
    assert status == {"many_notices": 0, "token_in_query_error": 2, "odd_errors": 2}.get(way.__name__, 4), shown


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[answers.HostileServer]:
    with requests.library_app(tmp_path_factory.mktemp("served")) as app, answers.hostile_server(app) as server:
        yield server


def test_fields_of_a_record_hold_what_they_should(tmp_path: Path) -> None:
    rows = [records._record(Random(number), number) for number in range(60)]
    text = json.dumps(rows, ensure_ascii=False)
    assert sum(json.dumps(payload, ensure_ascii=False)[1:-1] in text for payload in records.PAYLOADS) > 40


@pytest.mark.parametrize(
    ("judge", "acting", "harmless"),
    [
        (records._terminal, "a \x1b[31mb", "a\tb\nc"),
        (records._terminal, "a \u202e b", "a - b"),
        (records._json, '"a \u200b"', '"a \\u200b"'),
        (records._bibtex, "@article{a,\n  title = {$\\input{x}$},\n}\n", "@article{a,\n  title = {$\\alpha$},\n}\n"),
        (records._bibtex, "@article{a,\n  title = {\n}\n}\n", "@article{a,\n  title = {b}\n}\n"),
        (records._sheet, "a,=1+1\n", "a,'=1+1\n"),
        (records._page, "<p onclick='x'>", "<p class='x'>"),
        (records._page, "<a href=' javascript:x'>", "<a href='https://a.example'>"),
    ],
)
def test_what_would_act_is_told_from_what_would_not(judge: records.Judge, acting: str, harmless: str) -> None:
    assert judge(acting)
    assert judge(harmless) == []


@pytest.mark.parametrize(
    ("paper_id", "sound"),
    [
        ("acl:P18-1001", True),
        ("doi:10.1/a/b", True),
        ("acl:../x", False),
        ("s2:/tmp/x", False),
        ("arxiv:../../x", False),
    ],
)
def test_an_id_that_could_be_a_path_is_told(paper_id: str, sound: bool) -> None:
    assert records._sound_id(paper_id) is sound
