"""`litterm evidence --aspects`, `-k auto` and `--from`, over a real library."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import json_answers
import pytest
from sleep_papers import NAPS, add_sleep_papers

from litterm.cli.main import main


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a review and one of the two papers that it cites."""
    root = tmp_path_factory.mktemp("study")
    return add_sleep_papers(root)


Run = Callable[..., tuple[str, str]]


@pytest.fixture
def litterm(imported: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command over a copy of `imported`; gives stdout and stderr."""
    monkeypatch.setenv("LITTERM_STARTER", "false")
    shutil.copytree(imported, home, dirs_exist_ok=True)

    def command(*argv: str, status: int = 0) -> tuple[str, str]:
        capsys.readouterr()
        actual = main(list(argv))
        streams = capsys.readouterr()
        assert actual == status, streams
        return streams.out, streams.err

    return command


_ASK = (
    "evidence",
    "doi:10.1234/naps",
    "Short naps improve memory of nouns, whereas quantum dragons reduce carbon taxes",
)


def test_aspects_are_listed_with_what_is_still_uncovered(litterm: Run) -> None:
    out, err = litterm(*_ASK, "--aspects")
    assert "Study aspects: " in out and "study aspects are covered by" in out
    assert "Still uncovered:\n  –  Quantum dragons reduce carbon taxes" in out
    assert "split offline from the hypothesis and the abstract" in err


def test_auto_gives_the_fewest_sentences_and_no_key_findings(litterm: Run) -> None:
    out, err = litterm(*_ASK, "-k", "auto", "--json")
    answer = json_answers.answer(out)
    assert [item["index"] for item in answer["sentences"]] == answer["aspects"]["cover"]
    carriers = [set(aspect["sentences"]) for aspect in answer["aspects"]["aspects"] if aspect["sentences"]]
    assert carriers and all(set(answer["aspects"]["cover"]) & sentences for sentences in carriers)
    out, err = litterm(*_ASK, "-k", "auto")
    assert "Key findings" not in out
    assert "--aspects lists them" in err


def test_typed_aspects_are_kept_until_the_hypothesis_is_split_anew(litterm: Run) -> None:
    litterm(*_ASK, "--aspect", "40 healthy adults were tested", "--aspect", "dreams of dragons predict lotteries")
    answer = json_answers.answer(litterm(*_ASK, "--aspects", "--json")[0])["aspects"]
    assert [(aspect["text"], aspect["origin"]) for aspect in answer["aspects"]] == [
        ("40 healthy adults were tested", "hand"),
        ("dreams of dragons predict lotteries", "hand"),
    ]
    assert (answer["by"], answer["covered"]) == ("hand", 0.5)
    assert json_answers.answer(litterm(*_ASK, "--split", "--json")[0])["aspects"]["by"] == "clauses"


def test_a_report_in_markdown_quotes_the_sentences(litterm: Run) -> None:
    out, _ = litterm(*_ASK, "--aspects", "--format", "md")
    assert out.startswith("# Short naps improve memory of nouns, whereas")
    assert "## Still uncovered\n\n- Quantum dragons reduce carbon taxes" in out
    assert "for a matrix" in litterm(*_ASK, "--format", "md", status=2)[1]


def test_a_citing_sentence_asks_the_paper_it_cites(litterm: Run) -> None:
    listed = json_answers.answer(litterm("evidence", "--from", "doi:10.1234/review", "--json")[0])["sentences"]
    single, double = listed
    out, err = litterm("evidence", "--from", f"doi:10.1234/review:{single['index']}")
    assert "Hypothesis: Short naps improve the memory of nouns in adults." in err
    assert out.startswith(NAPS)
    err = litterm("evidence", "--from", f"doi:10.1234/review:{double['index']}", status=2)[1]
    assert "cites 2 works" in err and "--cited 2" in err
    err = litterm("evidence", "--from", f"doi:10.1234/review:{double['index']}", "--cited", "2", status=3)[1]
    assert "Bright light at night" in err and "`litterm add doi:10.1234/light`" in err
    err = litterm("evidence", "--from", f"doi:10.1234/review:{double['index'] + 1}", status=2)[1]
    assert f"the nearest one that does is {double['index']}" in err


def test_aspects_are_columns_of_a_matrix_on_request(litterm: Run) -> None:
    claim = "Short naps improve memory of nouns, whereas bright light delays sleep"
    answer = json_answers.answer(
        litterm(
            "evidence", "--papers", "doi:10.1234/naps", "--aspects", "--aspect", "Age matters", "--json", "--", claim
        )[0]
    )
    assert answer["hypotheses"] == [
        claim,
        "Short naps improve memory of nouns",
        "Bright light delays sleep",
        "Age matters",
    ]
    assert "single paper" in litterm("evidence", "--papers", "doi:10.1234/naps", "-k", "auto", "--", claim, status=2)[1]
