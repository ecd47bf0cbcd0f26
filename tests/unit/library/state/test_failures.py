from __future__ import annotations

from pathlib import Path

from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList, files_of
from litterm.model.library import Failure


def test_failures_stand_until_mended_or_dismissed(tmp_path: Path) -> None:
    failures = FailureList(StateDatabase(tmp_path))
    told = [
        Failure("a.jsonl:3", "Not JSON."),
        Failure("a.jsonl:9", "No title."),
        Failure("b.tar!x.pdf", "Encrypted.", transient=True),
        Failure("b.tar", "Cut short."),
    ]
    kept = failures.record(told)
    assert failures.all() == kept
    assert all(each.at for each in kept)
    assert failures.forget_read(["a.jsonl"], still=["a.jsonl:9"]) == 1
    assert [each.origin for each in FailureList(StateDatabase(tmp_path)).all()] == ["a.jsonl:9", "b.tar!x.pdf", "b.tar"]
    assert failures.forget_read(["b.tar"]) == 2
    assert failures.forget_read([]) == failures.forget_read(["c"]) == 0
    assert failures.dismiss() == 1
    assert failures.all() == () == failures.record([])


def test_a_failure_that_happens_again_is_listed_once_with_its_newest_cause(tmp_path: Path) -> None:
    failures = FailureList(StateDatabase(tmp_path))
    failures.record([Failure("a", "One cause."), Failure("b", "B.")])
    failures.record([Failure("a", "Another.")])
    assert [(each.origin, each.cause) for each in failures.all()] == [("b", "B."), ("a", "Another.")]


def test_the_files_an_origin_lies_in() -> None:
    assert files_of("a.tar!b.zip!c.jsonl:3") == {"a.tar!b.zip!c.jsonl:3", "a.tar!b.zip!c.jsonl", "a.tar!b.zip", "a.tar"}
    assert files_of("C:\\x") == {"C:\\x"}


def test_damage_of_the_state_leaves_the_list_empty_and_the_library_usable(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"no database" * 1000)
    assert FailureList(StateDatabase(tmp_path)).all() == ()
